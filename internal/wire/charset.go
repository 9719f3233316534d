package wire

import (
	"bytes"
	"strings"
)

// Charset reports whether a body with this content type may be read as UTF-8: the content type declares
// no character set, UTF-8, or one of US-ASCII, ISO-8859-1 and Windows-1252, which agree with UTF-8 on
// ASCII characters. Otherwise, it also returns the declared character set.
func Charset(contentType string) (charset string, ok bool) {
	_, parameters, _ := strings.Cut(strings.ToLower(contentType), ";")
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		switch value = strings.Trim(strings.TrimSpace(value), `"`); {
		case strings.TrimSpace(name) != "charset":
		case value != "utf-8" && value != "utf8" && value != "us-ascii" && value != "iso-8859-1" && value != "windows-1252":
			return value, false
		}
	}
	return "", true
}

// WideCharset returns the character set of a body in UTF-16 or UTF-32, or "" for any other body. Some
// JSON parsers detect these character sets without a declaration: by a byte order mark or, because a
// JSON text begins with an ASCII character, by a NUL among the first two bytes (RFC 4627, section 3).
func WideCharset(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xFF\xFE\x00\x00")), bytes.HasPrefix(body, []byte("\x00\x00")), len(body) >= 4 && body[1] == 0 && body[2] == 0:
		return "utf-32"
	case bytes.HasPrefix(body, []byte("\xFF\xFE")), bytes.HasPrefix(body, []byte("\xFE\xFF")), len(body) >= 2 && (body[0] == 0 || body[1] == 0):
		return "utf-16"
	}
	return ""
}
