package policy

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// openers and closers are the characters that may surround a path in a string.
const (
	openers = "\"'`([{<"
	closers = "\"'`)]}>"
)

// MaxPieces is the maximum number of paths extracted from a string that is checked both as one path and
// as a list of paths.
const MaxPieces = 64

// separates reports whether a character can separate two paths. It excludes the colon, which separates
// paths only in lists of paths, and is also part of addresses.
func separates(c rune) bool {
	return c <= ' ' || unicode.IsSpace(c) || strings.ContainsRune(",;|&<>", c)
}

// pieces returns the paths and addresses in a string, for programs that split it: each word that begins
// like a path or an address, and the text after an option name or a host.
func pieces(s string) iter.Seq[string] {
	list := s != "" && (s[0] == '/' || s[0] == '~')
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(s, separates) {
			w = strings.TrimRight(strings.TrimLeft(w, openers), closers)
			piece := w
			for at := 0; !begins(piece) && at >= 0; {
				if at = strings.IndexAny(piece, "=@:"+openers); at >= 0 {
					piece = strings.TrimLeft(piece[at+1:], openers)
				}
			}
			if begins(piece) && !yield(piece) {
				return
			}
			if !list || !strings.Contains(w, ":") {
				continue
			}
			for p := range strings.SplitSeq(w, ":") {
				if begins(p) && !yield(p) {
					return
				}
			}
		}
	}
}

// beginning is how many bytes of a word are inspected by begins; it is small because pieces calls
// begins at many positions in a long word.
const beginning = 64

// begins reports whether a word begins like a URI, or like a path that is absolute, begins with a home
// directory, or begins with ./ or ../.
func begins(w string) bool {
	for _, start := range [...]string{"/", `\\`, "~/", `~\`, "./", "../", `.\`, `..\`, "$HOME", "${HOME}", "%USERPROFILE%", "$env:", "${env:", "%2f", "%2F", "%5c%5c", "%5C%5C"} {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	w = w[:min(len(w), beginning)]
	if w == "~" || w == ".." || drive(w) && len(w) > 2 {
		return true
	}
	if _, file := cutFile(w); file {
		return true
	}
	if scheme, _, ok := strings.Cut(w, "://"); ok && plainScheme(scheme) {
		return true
	}
	if len(w) > 1 && (w[0] == '~' || w[0] == '\\') && strings.ContainsAny(w[1:], `/\`) { // ~user/, \dir\
		return w[1]|0x20 >= 'a' && w[1]|0x20 <= 'z'
	}
	return false
}

// several adds the paths in a string that contains more than one. The first may be only the
// beginning of a path, because a name can contain white space.
func (r *readings) several(s string) {
	start := strings.TrimLeftFunc(s, func(c rune) bool { return separates(c) || strings.ContainsRune(openers, c) })
	n := 0
	for piece := range pieces(s) {
		if n++; n > MaxPieces {
			r.partial = true
			return
		}
		if n > 1 || !strings.HasPrefix(start, piece) {
			r.addOne(piece)
			continue
		}
		var first readings
		first.addOne(piece)
		r.maybe = append(append(r.maybe, first.sure...), first.maybe...)
	}
}

// text adds the paths and addresses in a string that is not a path as a whole. In a multi-line string,
// such as the content of a file to be written, they can make a deny rule match but cannot stop an allow
// rule from matching, because a server rarely acts on them. If every line is a path, they affect both
// kinds of rule.
func (q *request) text(s string) {
	lines := strings.FieldsFunc(s, func(c rune) bool { return c == '\n' || c == '\r' })
	q.pieces(s, len(lines) > 1 && slices.ContainsFunc(lines, func(l string) bool { return !begins(strings.TrimSpace(l)) }))
	if joined := lineless.Replace(s); joined != s { // some URL parsers join lines
		q.pieces(joined, true)
	}
}

func (q *request) pieces(s string, aside bool) {
	for piece := range pieces(s) {
		if !strings.ContainsFunc(piece, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
			continue
		}
		before := len(q.paths)
		q.add(piece, true)
		for i := before; i < len(q.paths); i++ {
			q.paths[i].aside = aside
		}
	}
}

// metaName reports whether a string is a _meta key with a dotted prefix, such as example.com/key,
// and therefore not a path.
func metaName(s string) bool {
	prefix, name, ok := strings.Cut(s, "/")
	return ok && strings.Contains(prefix, ".") && !strings.HasPrefix(prefix, ".") && !strings.Contains(s, "..") && !strings.ContainsAny(name, `/\~%`) &&
		strings.Trim(strings.ToLower(prefix), "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}
