// Package paths parses file paths the way servers do when they open them.
package paths

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
)

// Path is a path as a server resolves it: decoded, with forward slashes, and without empty
// components.
type Path struct {
	Parts    []string
	Absolute bool
	home     bool // starts at the home directory
	drive    string
	Climbs   int  // levels above its starting point
	Emptied  bool // a ".." removed the last remaining component of an absolute path
	Hidden   bool // dots or slashes were encoded
	URI      bool // written as a file URI
}

// MaxBytes is the maximum length of a path that is parsed. It is Linux's limit.
const MaxBytes = 4096

// pathLayers is the number of times that a path is decoded. A server decodes a path once, and each
// proxy in front of it may decode it once more.
const pathLayers = 3

// Parse parses s as a path, and reports whether s can be a path.
func Parse(s string) (l Path, ok bool) {
	if s == "" || len(s) > MaxBytes || strings.ContainsAny(s, "\n\r") {
		return l, false
	}
	for range pathLayers {
		decoded, hidden := unescape(s)
		l.Hidden = l.Hidden || hidden
		if decoded == s {
			break
		}
		s = decoded
	}
	s, _, _ = strings.Cut(s, "\x00") // operating systems end a path at NUL
	s = strings.ReplaceAll(strings.TrimSpace(s), `\`, "/")
	if rest, ok := cutFold(s, "file:"); ok {
		l.URI, s = true, strings.TrimPrefix(rest, "//")
		if rest, ok := cutFold(s, "localhost/"); ok {
			s = "/" + rest
		}
	}
	for _, home := range [...]string{"~", "$HOME", "${HOME}", "%USERPROFILE%"} {
		if rest, ok := cutFold(s, home); ok && (rest == "" || rest[0] == '/') {
			l.home, s = true, rest
			break
		}
	}
	if at := strings.TrimPrefix(s, "/"); len(at) >= 2 && at[1] == ':' && 'a' <= at[0]|0x20 && at[0]|0x20 <= 'z' && (len(at) == 2 || at[2] == '/') {
		l.drive, s = strings.ToLower(at[:1]), "/"+strings.TrimPrefix(at[2:], "/")
	}
	l.Absolute = !l.home && strings.HasPrefix(s, "/")
	for part := range strings.SplitSeq(s, "/") {
		l.step(part)
	}
	return l, true
}

// step applies one component of a path.
func (l *Path) step(part string) {
	switch {
	case part == "" || part == ".":
	case part != "..":
		l.Parts = append(l.Parts, part)
	case len(l.Parts) > 0:
		l.Parts = l.Parts[:len(l.Parts)-1]
		l.Emptied = l.Emptied || l.Absolute && len(l.Parts) == 0
	default:
		l.Climbs++
	}
}

// Text returns the path for comparison, in lower case because some file systems ignore case.
func (l *Path) Text() string {
	s := strings.ToLower(strings.Join(l.Parts, "/"))
	if l.Absolute {
		s = "/" + s
	}
	return s
}

// Under reports whether l is root or a path inside it.
func (l *Path) Under(root *Path) bool {
	if l.drive != root.drive || len(l.Parts) < len(root.Parts) {
		return false
	}
	for i, part := range root.Parts {
		if part != l.Parts[i] && (root.drive == "" || !strings.EqualFold(part, l.Parts[i])) {
			return false
		}
	}
	return true
}

// unescape removes one layer of percent encoding and reports whether decoded characters can change
// the path's target.
func unescape(s string) (decoded string, hidden bool) {
	if !strings.Contains(s, "%") {
		return s, false
	}
	decoded = string(text.Unpercent([]byte(s)))
	return decoded, moves(decoded) > moves(s)
}

// moves returns the number of characters that can change a path's target or end the path.
func moves(s string) (n int) {
	for i := range len(s) {
		if strings.IndexByte("./\\\x00", s[i]) >= 0 {
			n++
		}
	}
	return n
}

// cutFold is like strings.CutPrefix, but ignores case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
