package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

var (
	uriScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	winDrive  = lazyregexp.New(`^[A-Za-z]:/`)
)

// artifactURI returns the artifact URI of a result about file, and whether file is the name of a file
// (see isFile).
//
// GitHub drops results without a location, and rejects a whole report for an absolute URI whose
// scheme differs from the checkout URI's. So a relative path stays relative, with forward slashes.
// An absolute one becomes relative to dir if it is inside dir, and otherwise a file: URI, which
// GitHub accepts together with invocations[0].workingDirectory. Subjects without a file (a live
// server, standard input) are put under mcp/, a folder that need not exist: GitHub shows the alert
// without a code preview.
func artifactURI(file, server, dir string) (uri string, exists bool) {
	if !isFile(file) {
		return "mcp/" + syntheticName(file, server), false
	}
	file, absolute := inCheckout(string([]rune(file)), dir)
	if absolute {
		return fileURI(file), true
	}
	return escapePath(file, false), true
}

// isFile reports whether a location names a file, rather than a live server or standard input.
func isFile(name string) bool { return name != "" && name != "-" && !uriScheme.MatchString(name) }

// inCheckout returns a path with forward slashes, relative to dir if it is inside dir, and
// whether the result is absolute.
func inCheckout(file, dir string) (rel string, absolute bool) {
	file = strings.ReplaceAll(file, `\`, "/")
	if !strings.HasPrefix(file, "/") && !winDrive.MatchString(file) {
		return path.Clean(file), false
	}
	dir = strings.TrimSuffix(path.Clean(strings.ReplaceAll(dir, `\`, "/")), "/")
	if rest, ok := strings.CutPrefix(path.Clean(file), dir+"/"); ok && rest != "" && dir != "." {
		return rest, false
	}
	return file, true
}

// fileURI converts an absolute path to a file: URI. Two leading slashes are kept: on Windows they
// precede a share's host, and elsewhere they mean the same as one.
func fileURI(file string) string {
	prefix := "file:///"
	if strings.HasPrefix(file, "//") {
		prefix += "/"
	}
	return prefix + escapePath(strings.TrimPrefix(path.Clean(file), "/"), true)
}

// syntheticName returns a name for a subject without a file: the server, or the host and path of its
// URL, whose other parts may contain secrets. The name is a single segment without a leading dot, so
// that a server cannot point to a file in the repository.
func syntheticName(file, server string) string {
	name := visible(server, 120)
	if name == "" {
		_, rest, _ := strings.Cut(file, "://")
		rest, _, _ = strings.Cut(rest, "?")
		rest, _, _ = strings.Cut(rest, "#")
		host, tail, _ := strings.Cut(rest, "/")
		name = strings.TrimSuffix(host[strings.LastIndexByte(host, '@')+1:]+"/"+tail, "/")
	}
	name = strings.TrimLeft(strings.NewReplacer("/", "-", `\`, "-").Replace(name), ".")
	if name == "" {
		return "input"
	}
	return escapePath(name, false)
}

// escapePath percent-encodes all characters that RFC 3986 does not allow in a path, and colons in a
// relative path, where the first segment could be mistaken for a scheme.
func escapePath(s string, absolute bool) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("/-._~!$&'()*+,;=@", c) >= 0, c == ':' && absolute:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
