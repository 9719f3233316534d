package scanner

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
)

// wrapped removes the line breaks and prefixes from prose whose lines all have the same prefix, and
// inspects the result, as a model reads it. The line breaks and prefixes separate the words of an
// instruction, so that patterns miss it, and divide its sentences, which the classifier scores one by
// one. Outside definitions, wrapped reports only findings that span lines.
func (in *Inspector) wrapped(p *TextPass) {
	if bytes.IndexByte(p.Source, '\n') < 0 {
		return
	}
	text.Wrapped(p.Source, func(lines []text.Line) {
		if p.Subject.Definition() && !continued(p.Source, lines) { // definitions often contain lists
			return
		}
		in.rereadLines(p, lines, ' ')
	})
}

// continued reports whether at least half of the lines after the first begin with a lower-case
// letter, and so continue a sentence. It returns false if the prefix ends in a letter or a
// quotation mark, because the items of a list can share their first words.
func continued(src []byte, lines []text.Line) bool {
	prefix := bytes.TrimRight(src[bytes.LastIndexByte(src[:lines[0].Start], '\n')+1:lines[0].Start], " \t")
	if r, _ := utf8.DecodeLastRune(prefix); unicode.IsLetter(r) || r == '`' || r == '"' {
		return false
	}
	n := 0
	for _, l := range lines[1:] {
		if r, _ := utf8.DecodeRune(bytes.TrimLeft(src[l.Start:l.End], " \t")); unicode.IsLower(r) {
			n++
		}
	}
	return 2*n >= len(lines)-1
}
