package text

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"
)

// The bounds of a line that can be part of wrapped prose, in bytes.
const (
	wrapColumns = 160 // longer lines are not wrapped
	prefixBytes = 100 // maximum length of the prefix: a time, a log level, the position of a line
)

// Line is the part [Start, End) of a text: the prose of a line, without the prefix before it and
// the marks after it.
type Line struct{ Start, End int }

// wrapper finds wrapped prose.
type wrapper struct {
	s           []byte
	lines       []Line
	first, last Line // the prefix of the first line, and the whole last line
	gap         bool // there is a line without letters or digits after the last one
	lower       int  // line breaks before a lower-case letter, minus those before an upper-case one
}

// Wrapped yields each group of lines in s that contain prose wrapped after the same prefix, such as
// a comment mark, a quotation mark or a log level. Only numbers and runs of white space in the
// prefix can differ. Lines of numbers between these lines, as in subtitles, are left out. The group
// is valid until yield returns.
func Wrapped(s []byte, yield func(lines []Line)) {
	w := wrapper{s: s}
	for l := range linesOf(s) {
		w.line(l, yield)
	}
	w.flush(yield)
}

// linesOf yields the lines of s, without their line feeds.
func linesOf(s []byte) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for start := 0; start < len(s); {
			end := start + bytes.IndexByte(s[start:], '\n')
			if end < start {
				end = len(s)
			}
			if !yield(Line{start, end}) {
				return
			}
			start = end + 1
		}
	}
}

func (w *wrapper) line(l Line, yield func([]Line)) {
	if l.End-l.Start > wrapColumns+prefixBytes {
		w.flush(yield)
		w.last = Line{}
		return
	}
	if letters, digits := lettersAndDigits(w.s[l.Start:l.End]); !letters {
		w.gap = !digits
		return
	}
	if w.gap {
		w.flush(yield)
		w.last = Line{}
	}
	if len(w.lines) > 0 && !w.extend(w.first, l) {
		w.flush(yield)
	}
	if len(w.lines) == 0 && w.last.End > 0 {
		w.begin(l)
	}
	w.last, w.gap = l, false
}

// begin begins a group with the last line and line l, if both are prose.
func (w *wrapper) begin(l Line) {
	n, _ := samePrefix(w.s[w.last.Start:w.last.End], w.s[l.Start:l.End])
	of := Line{w.last.Start, w.last.Start + n}
	if len(bytes.TrimSpace(w.s[of.Start:of.End])) == 0 {
		return // a line without a prefix in front of the group must not become its first line
	}
	if prose, ok := w.prose(of.End, w.last.End); ok {
		w.first, w.lower, w.lines = of, 0, append(w.lines, prose)
		if !w.extend(of, l) {
			w.lines = w.lines[:0]
		}
	}
}

// extend adds line l to the group if it has the given prefix, followed by prose.
func (w *wrapper) extend(prefix, l Line) bool {
	n, m := samePrefix(w.s[prefix.Start:prefix.End], w.s[l.Start:l.End])
	if n < prefix.End-prefix.Start {
		return false
	}
	prose, ok := w.prose(l.Start+m, l.End)
	if !ok {
		return false
	}
	before := w.lines[len(w.lines)-1]
	r, _ := utf8.DecodeRune(w.s[prose.Start:])
	switch b := w.s[before.End-1]; {
	case b == '.' || b == '!' || b == '?' || b == ':' || !unicode.IsLetter(r):
	case unicode.IsUpper(r):
		w.lower--
	default:
		w.lower++
	}
	w.lines = append(w.lines, prose)
	return true
}

func (w *wrapper) flush(yield func([]Line)) {
	if len(w.lines) > 1 && w.lower > 0 {
		yield(w.lines)
	}
	w.lines = w.lines[:0]
}

// prose returns s[start:end] without the marks at its end, and reports whether this can be prose: it has letters,
// few other characters, and no marks of code.
func (w *wrapper) prose(start, end int) (Line, bool) {
	for start < end && isBlank(w.s[start]) {
		start++
	}
	trimmed := bytes.TrimRight(w.s[start:end], " \t\r\"'|│║,\\+*/")
	if bytes.HasSuffix(trimmed, []byte(">")) {
		if i := bytes.LastIndex(trimmed, []byte("</")); i >= 0 {
			trimmed = trimmed[:i]
		}
	}
	letters := 0
	for _, b := range trimmed {
		switch {
		case isLetter[b] || b == ' ':
			letters++
		case bytes.IndexByte([]byte("{}=<>[];"), b) >= 0:
			return Line{}, false
		}
	}
	return Line{start, start + len(trimmed)}, letters > 0 && len(trimmed) <= wrapColumns && letters*10 >= len(trimmed)*7
}

// samePrefix returns the lengths of the prefix that lines a and b share, in which numbers and runs of white
// space can differ. It ends after a mark, a number or a word in capitals, because sentences can begin with the
// same words.
func samePrefix(a, b []byte) (inA, inB int) {
	i, j, open := skip(a, 0, isBlank), skip(b, 0, isBlank), false // open: words have followed the last possible end
	inA, inB = i, j
	for i < len(a) && j < len(b) && i < prefixBytes {
		switch {
		case isDigit(a[i]) && isDigit(b[j]):
			i, j = skip(a, i, isDigit), skip(b, j, isDigit)
		case isBlank(a[i]) && isBlank(b[j]):
			i, j = skip(a, i, isBlank), skip(b, j, isBlank)
			if open {
				continue
			}
		case isLetter[a[i]]:
			n := wordEnd(a, i) - i
			if n == 0 {
				_, n = utf8.DecodeRune(a[i:])
			}
			if j+n > len(b) || !bytes.Equal(a[i:i+n], b[j:j+n]) || j+n < len(b) && isAlnum(b[j+n]) {
				return inA, inB
			}
			attached := i > 0 && isDigit(a[i-1]) // as in 10:30:00Z
			open = !attached && a[i] < utf8.RuneSelf && !isCapitals(a[i:i+n])
			i, j = i+n, j+n
			if open {
				continue
			}
		case a[i] == b[j] && !isDigit(a[i]):
			i, j, open = i+1, j+1, false
		default:
			return inA, inB
		}
		inA, inB = i, j
	}
	return inA, inB
}

func skip(s []byte, i int, is func(byte) bool) int {
	for i < len(s) && is(s[i]) {
		i++
	}
	return i
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isCapitals(s []byte) bool {
	for _, b := range s {
		if !isCapital(b) {
			return false
		}
	}
	return len(s) > 1
}

func lettersAndDigits(s []byte) (letters, digits bool) {
	for i, b := range s {
		if letter(b) {
			return true, digits
		}
		if b >= utf8.RuneSelf {
			return bytes.IndexFunc(s[i:], unicode.IsLetter) >= 0, digits
		}
		digits = digits || isDigit(b)
	}
	return false, digits
}
