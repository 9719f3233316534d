package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// filePath is a path as a file system resolves it: decoded, with slashes, and without empty
// steps.
type filePath struct {
	parts    []string
	absolute bool
	home     bool // it starts at the home directory
	drive    string
	climbs   int  // steps above where it starts
	emptied  bool // a step up left nothing of an absolute path
	hidden   bool // dots or slashes of it were encoded
	uri      bool // it was written as a file URI
}

// pathBytes bounds a path. No system opens a longer one.
const pathBytes = 4096

// pathLayers is how often a path is decoded. Servers do it once, servers behind a proxy twice.
const pathLayers = 3

// readPath reads a text as a path, and says whether it can be one.
func readPath(s string) (l filePath, ok bool) {
	if s == "" || len(s) > pathBytes || strings.ContainsAny(s, "\n\r") {
		return l, false
	}
	for range pathLayers {
		decoded, hidden := unescape(s)
		l.hidden = l.hidden || hidden
		if decoded == s {
			break
		}
		s = decoded
	}
	s, _, _ = strings.Cut(s, "\x00") // where the path ends for the system
	s = strings.ReplaceAll(strings.TrimSpace(s), `\`, "/")
	if rest, ok := cutFold(s, "file:"); ok {
		l.uri, s = true, strings.TrimPrefix(rest, "//")
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
	l.absolute = !l.home && strings.HasPrefix(s, "/")
	for part := range strings.SplitSeq(s, "/") {
		l.step(part)
	}
	return l, true
}

// step follows one part of a path.
func (l *filePath) step(part string) {
	switch {
	case part == "" || part == ".":
	case part != "..":
		l.parts = append(l.parts, part)
	case len(l.parts) > 0:
		l.parts = l.parts[:len(l.parts)-1]
		l.emptied = l.emptied || l.absolute && len(l.parts) == 0
	default:
		l.climbs++
	}
}

// text returns the path for comparisons, in lower case because some file systems ignore case.
func (l *filePath) text() string {
	s := strings.ToLower(strings.Join(l.parts, "/"))
	if l.absolute {
		s = "/" + s
	}
	return s
}

// under reports whether a path is another one, or below it.
func (l *filePath) under(root *filePath) bool {
	if l.drive != root.drive || len(l.parts) < len(root.parts) {
		return false
	}
	for i, part := range root.parts {
		if part != l.parts[i] && (root.drive == "" || !strings.EqualFold(part, l.parts[i])) {
			return false
		}
	}
	return true
}

// unescape removes one layer of percent encoding, and reports whether the decoded characters
// move the path.
func unescape(s string) (decoded string, hidden bool) {
	if !strings.Contains(s, "%") {
		return s, false
	}
	decoded = string(text.Unpercent([]byte(s)))
	return decoded, moves(decoded) > moves(s)
}

// moves counts the characters by which a path leads somewhere else, or ends.
func moves(s string) (n int) {
	for i := range len(s) {
		if strings.IndexByte("./\\\x00", s[i]) >= 0 {
			n++
		}
	}
	return n
}

// cutFold cuts a prefix off in any case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// Words in names of arguments with paths, and of arguments with texts, in which a path is just
// a word.
var (
	pathWords = wordSet(`path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders
		cwd root workdir basedir uri source src destination dest target location output input`)
	textWords = wordSet(`content contents text body message messages code script command cmd query sql pattern patterns glob regex
		diff patch old new str string insert prompt description comment title value html markdown expression url`)
)

// pathName reports whether an argument of this name is a path.
func pathName(name string) bool { return hasWord(name, pathWords) && !hasWord(name, textWords) }

func hasWord(name string, set map[string]bool) bool {
	for _, w := range scanner.Words(name) {
		if set[w] {
			return true
		}
	}
	return false
}
