package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// edit replaces a range of bytes with text.
type edit struct {
	start, end int
	text       string
}

// apply applies non-overlapping edits. ok is false if edits overlap or lie outside data.
func apply(data []byte, edits []edit) (out []byte, ok bool) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	at := 0
	for _, e := range edits {
		if e.start < at || e.end < e.start || e.end > len(data) {
			return nil, false
		}
		out = append(append(out, data[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, data[at:]...), true
}

// manuscript is the text of a file being edited.
type manuscript struct {
	format string
	text   []byte
	lines  []int // offset of the start of each line
}

func newManuscript(format string, text []byte) *manuscript {
	m := &manuscript{format: format, text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			m.lines = append(m.lines, i+1)
		}
	}
	return m
}

// at returns the offset of a position, or -1 if it is outside the text.
func (m *manuscript) at(p Position) int {
	if p.Line < 1 || p.Line > len(m.lines) {
		return -1
	}
	off := m.lines[p.Line-1]
	for range p.Column - 1 {
		if off >= len(m.text) {
			return -1
		}
		_, n := utf8.DecodeRune(m.text[off:])
		off += n
	}
	return off
}

// before returns the text from the start of a line to an offset in it.
func (m *manuscript) before(off int) string {
	if off < 0 || off > len(m.text) {
		return ""
	}
	return string(m.text[bytes.LastIndexByte(m.text[:off], '\n')+1 : off])
}

// newline returns the line ending of the file.
func (m *manuscript) newline() string {
	if i := bytes.IndexByte(m.text, '\n'); i > 0 && m.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// token returns the range of a string in the file, including its quotes. It returns an error for
// notations that cannot be moved within the file, such as a YAML block scalar.
func (m *manuscript) token(n *node) (start, end int, err error) {
	start = m.at(n.pos)
	if start < 0 || start >= len(m.text) || n.kind != kindString {
		return 0, 0, uneditable(n)
	}
	rest := m.text[start:]
	switch {
	case m.format == "toml" && (bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte(`'''`))):
		return 0, 0, uneditable(n)
	case rest[0] == '"':
		end = closing(rest, true, '"')
	case rest[0] == '\'' && m.format == "yaml":
		end = 1
		for end < len(rest) && (rest[end] != '\'' || end+1 < len(rest) && rest[end+1] == '\'') {
			if rest[end] == '\'' {
				end++
			}
			end++
		}
		end++
	case rest[0] == '\'' && m.format == "toml":
		end = closing(rest, false, '\'')
	case m.format == "yaml" && n.text != "" && strings.HasPrefix(string(rest), n.text):
		end = len(n.text) // a plain scalar has no escapes
	}
	if end <= 0 || end > len(rest) || bytes.ContainsAny(rest[:end], "\r\n") {
		return 0, 0, uneditable(n)
	}
	return start, start + end, nil
}

// closing returns the length of a quoted string, or -1 if it is unterminated.
func closing(text []byte, escapes bool, quote byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && escapes:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return -1
}

// uneditable returns the error for a value that cannot be edited.
func uneditable(n *node) error {
	return fmt.Errorf("the value at line %d, column %d cannot be edited safely: write it as one quoted string on one line", n.pos.Line, n.pos.Column)
}

// quote quotes a string so that JSON, TOML and YAML all accept it.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// list describes how a list of strings is written in a file.
type list struct {
	between string // separates two added items
	last    string // separates the last added item from the first existing one
	empty   int    // the offset at which to insert the first item of an empty list
}

// list returns the syntax for inserting items at the beginning of a list.
func (m *manuscript) list(n *node) (l list, err error) {
	start := m.at(n.pos)
	if start < 0 || start >= len(m.text) {
		return l, uneditable(n)
	}
	switch {
	case m.text[start] == '[' && len(n.items) == 0:
		return list{between: ", ", empty: start + 1}, nil
	case m.text[start] == '[':
		l = list{between: ", ", last: ", "}
		first := m.at(n.items[0].pos)
		if first < 0 {
			return l, uneditable(n)
		}
		if indent := m.before(first); strings.TrimSpace(indent) == "" && first > start {
			l.last = "," + m.newline() + indent
		}
		return l, nil
	case m.format == "yaml" && m.text[start] == '-' && len(n.items) > 0:
		l.between = m.newline() + strings.Repeat(" ", n.pos.Column-1) + "- "
		l.last = l.between
		return l, nil
	}
	return l, uneditable(n)
}

// added returns the ways to insert a list as a new member before the member whose key begins at the
// given offset: on a line of its own, and on the same line.
func (m *manuscript) added(key string, words []string, ahead int) []edit {
	before, nl := m.before(ahead), m.newline()
	insert := func(text string) edit { return edit{ahead, ahead, text} }
	flow := "[" + strings.Join(words, ", ") + "]"
	switch m.format {
	case "json":
		member := quote(key) + ": " + flow + ","
		if before != "" && strings.TrimSpace(before) == "" {
			return []edit{insert(member + nl + before), insert(member + " ")}
		}
		return []edit{insert(member + " ")}
	case "toml": // the text before the offset may be the prefix of a dotted key, which must be repeated
		return []edit{insert(key + " = " + flow + nl + before), insert(key + " = " + flow + ", ")}
	}
	indent := strings.Repeat(" ", utf8.RuneCountInString(before))
	item := nl + indent + "  - "
	return []edit{insert(key + ":" + item + strings.Join(words, item) + nl + indent), insert(key + ": " + flow + ", ")}
}
