package intent

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

// Sentence is the span of a sentence in a text.
type Sentence struct{ Start, End int }

const (
	shortest = 8   // in bytes; a shorter sentence cannot be an instruction
	longest  = 600 // in bytes; a longer sentence is cut at the next space, or at twice this length
)

// splitter finds the sentences of a text.
type splitter struct {
	text  []byte
	start int
	count int
	all   []Sentence
	keep  bool // in all
	joins bool // a line break in a sentence does not end it
}

// Sentences appends the sentences of folded text t to dst.
func Sentences(dst []Sentence, t []byte) []Sentence {
	s := splitter{text: t, all: dst, keep: true}
	s.split()
	return s.all
}

// Unwrapped is like Sentences, but a sentence can continue on the next line.
func Unwrapped(dst []Sentence, t []byte) []Sentence {
	s := splitter{text: t, all: dst, keep: true, joins: true}
	s.split()
	return s.all
}

// continues reports whether the sentence before the line break at t[i] continues after the break: the
// break follows neither a colon, a semicolon nor the end of a sentence, and no list item or paragraph
// begins after it.
func continues(t []byte, i int) bool {
	before, after := bytes.TrimRight(t[:i], " \t\r"), bytes.TrimLeft(t[i+1:], " \t")
	if len(before) == 0 || bytes.IndexByte([]byte(".!?:;\n"), before[len(before)-1]) >= 0 {
		return false
	}
	if digits := len(after) - len(bytes.TrimLeft(after, "0123456789")); digits > 0 {
		return digits < len(after) && (after[digits] == ' ' || after[digits] == '%') // not the number of an item, nor a time
	}
	r, _ := utf8.DecodeRune(after)
	return unicode.IsLetter(r) || strings.ContainsRune("~/'\"`(", r)
}

// countSentences returns the number of sentences of folded text t.
func countSentences(t []byte) int {
	s := splitter{text: t}
	s.split()
	return s.count
}

func (s *splitter) split() {
	t := s.text
	for i := 0; i < len(t); i++ {
		if !mayEnd[t[i]] {
			continue
		}
		switch end := i + 1; {
		case t[i] == '\n':
			if !s.joins || !continues(t, i) {
				s.add(i)
			}
		case t[i] >= utf8.RuneSelf:
			if end = fullStop(t[i:]); end > 0 {
				s.add(i + end)
				i += end - 1
			}
		case t[i] == ';' && endsEntity(t[:i]):
		case end == len(t) || t[end] == ' ' || t[end] == '\n' || t[end] == '"':
			s.add(end)
		}
	}
	s.add(len(t))
}

// endsEntity reports whether t ends with an HTML entity that lacks only its semicolon.
func endsEntity(t []byte) bool {
	for i := len(t) - 1; i >= max(0, len(t)-entityBytes); i-- {
		switch c := t[i]; {
		case c == '&':
			return i < len(t)-1
		case c != '#' && !wordByte(c):
			return false
		}
	}
	return false
}

// entityBytes is the maximum length of an HTML entity, in bytes, without its semicolon.
const entityBytes = 32

// add adds the remaining text up to end. Text longer than the limit is split at spaces or, where it
// has none, after the last character within twice the limit: a text without spaces can be of any
// size.
func (s *splitter) add(end int) {
	for end-s.start > longest+1 {
		from, most := s.start+longest+1, min(end, s.start+2*longest)
		at := bytes.IndexByte(s.text[min(from, most):most], ' ')
		switch {
		case at >= 0:
			s.cut(from + at)
		case most == end:
			s.cut(end)
			return
		default:
			for most > from && !utf8.RuneStart(s.text[most]) {
				most--
			}
			s.cut(most)
		}
	}
	s.cut(end)
}

func (s *splitter) cut(end int) {
	start := s.start
	for start < end && (s.text[start] == ' ' || s.text[start] == '\n' || s.text[start] == '\t') {
		start++
	}
	if end-start >= shortest {
		if s.count++; s.keep {
			s.all = append(s.all, Sentence{start, end})
		}
	}
	s.start = end
}

// The maximum number of words in a fragment that WithoutHead and WithoutTail leave out. WithoutTail
// leaves out one more if the fragment is in parentheses.
const (
	shortHead = 3
	shortTail = 4
)

// WithoutTail returns the sentence without a short fragment at its end, such as ", for example" or
// "(see the manual)". Such a fragment lowers the score of a sentence, and an attacker can add one to
// any instruction.
func (s Sentence) WithoutTail(t []byte) Sentence {
	for i, spaces := s.End-2, 0; i >= s.Start+shortest && spaces <= shortTail; i-- {
		if separates(t, i) {
			return Sentence{s.Start, i}
		}
		if t[i] == ' ' {
			spaces++
		}
	}
	return s
}

// separates reports whether t[i] can separate a fragment from the rest of a sentence. t[i] must be
// neither the first byte of t nor the last.
func separates(t []byte, i int) bool {
	switch t[i] {
	case ',', ';':
		return t[i+1] == ' '
	case ':':
		return t[i+1] == ' ' && t[i-1] != '"' // not after a key in JSON
	case '(':
		return t[i-1] == ' '
	case '-':
		return t[i-1] == ' ' && t[i+1] == ' '
	}
	return false
}

// WithoutHead returns the sentence without a short fragment at its beginning, such as "for example,"
// or "note:".
func (s Sentence) WithoutHead(t []byte) Sentence {
	for i, spaces := s.Start, 0; i < s.End-shortest-1 && spaces < shortHead; i++ {
		switch {
		case t[i] == ' ':
			spaces++
		case i > s.Start && (t[i] == ',' || t[i] == ':') && separates(t, i):
			return Sentence{i + 2, s.End}
		}
	}
	return s
}

// fullStops lists the marks that end a sentence in scripts that have their own.
var fullStops = [...]string{"。", "！", "？", "؟", "।", "；"}

// fullStop returns the length of the full stop at the beginning of t, or 0.
func fullStop(t []byte) int {
	for _, stop := range fullStops {
		if len(t) >= len(stop) && string(t[:len(stop)]) == stop {
			return len(stop)
		}
	}
	return 0
}

// mayEnd marks the bytes at which a sentence can end: line breaks, and the first byte of each mark that
// ends a sentence.
var mayEnd = func() (t [256]bool) {
	for _, stop := range append(strings.Split("\n . ! ? ;", " "), fullStops[:]...) {
		t[stop[0]] = true
	}
	return t
}()

// Around returns the number of sentences in the text of which p is a [scanner.TextPass.Part]. It returns
// 0 if p is not a part, or is another reading of almost the whole text.
func Around(p *scanner.TextPass) int {
	if !p.Part() {
		return 0
	}
	return p.CountAround(countSentences)
}
