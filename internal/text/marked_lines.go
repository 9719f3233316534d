package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// leastWrapped is the minimum length, in bytes, of a line that is wrapped rather than short.
const leastWrapped = 30

// MarkedLines finds comments, quotations and lines with times. It reuses its buffer; the zero value is ready
// for use.
type MarkedLines struct {
	s       []byte
	lines   []Line
	marks   []byte // before each line
	comment bool   // a block comment is open, whose lines can begin with an asterisk
}

// Yield yields each group of consecutive lines in s that begin with times, or with the same marks of a
// comment or quotation. It omits these beginnings, and groups in which no line continues the sentence of
// the line before. The group is valid until yield returns.
func (m *MarkedLines) Yield(s []byte, yield func(lines []Line)) {
	if bytes.IndexByte(s, '\n') < 0 {
		return
	}
	*m = MarkedLines{s: s, lines: m.lines[:0]}
	for l := range linesOf(s) {
		m.line(l, yield)
	}
	m.flush(yield)
	if m.s = nil; len(m.lines) > mostLines {
		m.lines = nil
	}
}

// mostLines is the maximum number of lines for which the buffer is kept.
const mostLines = 1024

func (m *MarkedLines) line(l Line, yield func([]Line)) {
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

func (m *MarkedLines) flush(yield func([]Line)) {
	for i := 1; i < len(m.lines); i++ {
		if m.continues(m.lines[i-1], m.lines[i]) {
			yield(m.lines)
			break
		}
	}
	m.lines = m.lines[:0]
}

// continues reports whether line l continues the sentence of the line before.
func (m *MarkedLines) continues(before, l Line) bool {
	if before.End-before.Start < leastWrapped || bytes.IndexByte([]byte(".!?:;"), m.s[before.End-1]) >= 0 {
		return false
	}
	r, _ := utf8.DecodeRune(m.s[l.Start:l.End])
	return unicode.IsLetter(r) && !unicode.IsUpper(r)
}

// lineMarks returns the marks of comments and quotations at the beginning of a line that ends without
// white space, and the offset of the text after them. For a time, it returns timeMarks.
func lineMarks(line []byte) (marks []byte, n int) {
	from := skip(line, 0, isBlank)
	if n := timeEnd(line, from); n > 0 {
		return timeMarks, n
	}
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

var timeMarks = []byte("time")

// timeEnd returns the offset of the text after the time with which a line of a log begins at from, or 0
// if there is no time. It also skips a date before the time, and a level in capitals after it.
func timeEnd(line []byte, from int) int {
	if from >= len(line) || letter(line[from]) { // no time begins with one
		return 0
	}
	end := 0
	for from < len(line) {
		word := line[from:]
		if n := bytes.IndexByte(word, ' '); n >= 0 {
			word = word[:n]
		}
		name := bytes.Trim(word, "[]():|-")
		switch {
		case end == 0 && isTime(name):
			end = from + len(word)
		case end == 0 && isDate(name), end > 0 && (len(name) == 0 || isCapitals(name)):
		default:
			return end
		}
		if from += len(word) + 1; end > 0 {
			end = min(from, len(line))
		}
	}
	return end
}

// isTime reports whether a word is a time with a colon, such as 10:30, 10:30:00.5Z or 2026-01-06T10:30:00+01:00.
func isTime(word []byte) bool {
	return len(word) >= len("10:30") && isDigit(word[0]) && bytes.IndexByte(word, ':') > 0 && len(bytes.Trim(word, "0123456789:.,+-TZ")) == 0
}

// isDate reports whether a word is a date in digits, such as 2026-01-06 or 06/01/2026.
func isDate(word []byte) bool {
	return len(word) >= len("6/1/2026") && isDigit(word[0]) && len(bytes.Trim(word, "0123456789-/.")) == 0
}
