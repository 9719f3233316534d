package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// leastWrapped is the minimum length, in bytes, of a line that is wrapped rather than short.
const leastWrapped = 30

// markedLines finds comments and quotations.
type markedLines struct {
	s       []byte
	lines   []Line
	marks   []byte // before each line
	comment bool   // a block comment is open, whose lines can begin with an asterisk
}

// MarkedLines yields each group of consecutive lines in s that begin with the same marks of a comment or
// a quotation, without these marks, if a line continues the sentence of the line before. The group is
// valid until yield returns.
func MarkedLines(s []byte, yield func(lines []Line)) {
	m := markedLines{s: s}
	for l := range linesOf(s) {
		m.line(l, yield)
	}
	m.flush(yield)
}

// line adds the next line.
func (m *markedLines) line(l Line, yield func([]Line)) {
	line := bytes.TrimRight(m.s[l.Start:l.End], " \t\r")
	marks, n := lineMarks(line)
	if string(marks) == "*" && !m.comment { // an item of a list
		marks = nil
	}
	if len(m.lines) > 0 && !bytes.Equal(marks, m.marks) {
		m.flush(yield)
	}
	if len(marks) > 0 {
		m.marks, m.lines = marks, append(m.lines, Line{l.Start + n, l.Start + len(line)})
	}
	if first := skip(line, 0, isBlank); m.comment || bytes.HasPrefix(line[first:], []byte("/*")) {
		m.comment = !bytes.Contains(line, []byte("*/"))
	}
}

func (m *markedLines) flush(yield func([]Line)) {
	for i := 1; i < len(m.lines); i++ {
		if m.continues(m.lines[i-1], m.lines[i]) {
			yield(m.lines)
			break
		}
	}
	m.lines = m.lines[:0]
}

// continues reports whether line l continues the sentence of the line before.
func (m *markedLines) continues(before, l Line) bool {
	if before.End-before.Start < leastWrapped || bytes.IndexByte([]byte(".!?:;"), m.s[before.End-1]) >= 0 {
		return false
	}
	r, _ := utf8.DecodeRune(m.s[l.Start:l.End])
	return unicode.IsLetter(r) && !unicode.IsUpper(r)
}

// lineMarks returns the marks of comments and quotations at the beginning of a line that ends without
// white space, and the offset of the text after them.
func lineMarks(line []byte) (marks []byte, n int) {
	from := skip(line, 0, isBlank)
	i := from
	for i < len(line) {
		switch rest := line[i:]; {
		case bytes.IndexByte([]byte(">#;%*"), rest[0]) >= 0:
			i++
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("--")):
			i += 2
		case i > from && bytes.HasPrefix(rest, []byte(" >")): // a quotation in a quotation
			i += 2
		case i > from && isBlank(rest[0]):
			return line[from:i], i + 1
		default:
			return nil, 0
		}
	}
	return line[from:], len(line)
}
