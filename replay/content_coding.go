package replay

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxDecoded is the maximum total size of the decoded bodies of a file. A body can be a thousand times
// as long as its encoded form.
const maxDecoded = 512 << 20

// decoder decodes HTTP bodies with a Content-Encoding.
type decoder struct {
	max  int64 // bytes of a decoded body; 0 if there is no limit
	left int64 // bytes that may still be decoded
}

func newDecoder(max int64) *decoder { return &decoder{max: max, left: maxDecoded} }

// decode removes a content coding from a body. Tools that save exchanges often decode the body but
// keep the header field; a body that is text is therefore returned as it is. If why is not empty, it
// is the reason why the body was not decoded in full, and plain is the part that can be inspected.
func (d *decoder) decode(body []byte, coding string) (plain []byte, why string) {
	coding = strings.ToLower(strings.TrimSpace(coding))
	var inflate func([]byte, int64) ([]byte, error)
	switch coding {
	case "", "identity":
		return body, ""
	case "gzip", "x-gzip":
		inflate = gunzip
	case "deflate":
		inflate = inflated
	default:
		inflate = func([]byte, int64) ([]byte, error) { return nil, errors.New("unsupported") }
	}
	limit, total := d.max, d.max <= 0 || d.left < d.max
	if total {
		limit = d.left
	}
	out, err := inflate(body, limit)
	d.left -= min(int64(len(out)), limit)
	switch {
	case readable(body) && err == nil:
		return body, fmt.Sprintf("a body is both text and valid data in the content coding %q: only the text was inspected", coding)
	case readable(body):
		return body, ""
	case int64(len(out)) > limit && total:
		return out[:limit], fmt.Sprintf("the decoded bodies exceed the limit of %d bytes", maxDecoded)
	case int64(len(out)) > limit:
		return out[:limit], fmt.Sprintf("a decoded body exceeds the limit of %d bytes (--max-message)", limit)
	case err == nil:
		return out, ""
	case len(out) == 0 && utf8.Valid(body):
		out = body
	}
	return out, fmt.Sprintf("a body in the content coding %q cannot be decoded: %v", coding[:min(len(coding), maxCodingName)], err)
}

// charsetReason is the reason given in the coverage for a body that is not in UTF-8.
const charsetReason = "a body is in the character set %q, but was read as UTF-8"

// maxCodingName is the length, in bytes, to which the name of a content coding or character set is
// shortened.
const maxCodingName = 40

// readable reports whether a body is text, which compressed data hardly ever is.
func readable(body []byte) bool {
	return utf8.Valid(body) && bytes.IndexFunc(body, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\f\r", r) || r >= 0x7F && r < 0xA0 }) < 0
}

// gunzip decodes gzip, up to one byte more than limit. It ignores white space after the compressed
// data, because the program that saved the body may have added it.
func gunzip(body []byte, limit int64) (out []byte, err error) {
	rest := bytes.NewReader(body)
	members, err := gzip.NewReader(rest)
	for err == nil {
		members.Multistream(false)
		var more []byte
		more, err = io.ReadAll(io.LimitReader(members, limit+1-int64(len(out))))
		out = append(out, more...)
		if err != nil || int64(len(out)) > limit || blankEnd(body, rest) {
			break
		}
		err = members.Reset(rest)
	}
	return out, err
}

// inflated decodes the content coding deflate: zlib data, or raw DEFLATE data, which some servers send instead.
func inflated(body []byte, limit int64) ([]byte, error) {
	rest := bytes.NewReader(body)
	packed, err := zlib.NewReader(rest)
	raw := err != nil
	if raw {
		rest.Reset(body)
		packed = flate.NewReader(rest)
	}
	out, err := io.ReadAll(io.LimitReader(packed, limit+1))
	if err == nil && int64(len(out)) <= limit && !blankEnd(body, rest) {
		err = errors.New("data after the end")
	}
	if raw && err != nil { // raw deflate has no header, so other data can begin like it
		out = nil
	}
	return out, err
}

// blankEnd reports whether the unread end of body is white space.
func blankEnd(body []byte, rest *bytes.Reader) bool {
	return len(bytes.TrimLeft(body[len(body)-rest.Len():], " \t\r\n\v\f")) == 0
}

// bytesOf returns the bytes of a body that a tool saved as text with one character for each byte.
// It returns other text unchanged.
func bytesOf(body []byte) []byte {
	raw := make([]byte, 0, len(body))
	for _, r := range string(body) {
		if r > 0xFF {
			return body
		}
		raw = append(raw, byte(r))
	}
	return raw
}
