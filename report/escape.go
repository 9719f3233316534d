package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
)

// visible escapes a string so that it is safe to display. The text in the scanner's findings is
// already escaped, but in a report read from a file, it may not be. Invalid bytes become U+FFFD
// first, as in JSON, so that a report looks the same before and after it is saved. Like the JSON
// form, visible escapes all characters for which unseen returns true, and the bracket in ##[; the
// scanner escapes only some of these characters.
func visible(s string, limit int) string {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	s = text.Visible(s, limit)
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unseen reports whether r is invisible or changes how the text around it is displayed. No report
// may contain such a character of its input unescaped.
func unseen(r rune) bool {
	if r >= ' ' && r < 0x7F {
		return false
	}
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// jsonEscaper passes on JSON text with some characters written as \uXXXX: the unseen characters in
// strings, of which the encoder itself escapes only the C0 controls, and the bracket that makes
// ##[error] a CI command. The JSON keeps its meaning, and is safe to show in a terminal, an editor
// or a job log.
type jsonEscaper struct {
	w      *bufio.Writer
	part   []byte // the start of a character that the last write split
	hashes int    // number of consecutive # at the end of the output, at most 2; letters after ## do not reset it
}

func newJSONEscaper(w io.Writer) *jsonEscaper { return &jsonEscaper{w: bufio.NewWriter(w)} }

// Write escapes a piece of UTF-8 JSON text.
func (e *jsonEscaper) Write(p []byte) (int, error) {
	n := len(p)
	if len(e.part) > 0 {
		p = append(e.part, p...)
		e.part = nil
	}
	from := 0 // start of the bytes to copy unchanged
	for i := 0; i < len(p); {
		if c := p[i]; c < utf8.RuneSelf && c != 0x7F {
			if c == '[' && e.hashes == 2 {
				e.w.Write(p[from:i])
				e.escape('[')
				from = i + 1
			}
			e.follow(c)
			i++
			continue
		}
		e.hashes = 0
		if !utf8.FullRune(p[i:]) {
			e.part = append(e.part, p[i:]...)
			p = p[:i]
			break
		}
		r, size := utf8.DecodeRune(p[i:])
		if unseen(r) {
			e.w.Write(p[from:i])
			e.escape(r)
			from = i + size
		}
		i += size
	}
	if _, err := e.w.Write(p[from:]); err != nil {
		return 0, err
	}
	return n, nil
}

// follow updates hashes after c was written.
func (e *jsonEscaper) follow(c byte) {
	switch {
	case c == '#':
		e.hashes = min(e.hashes+1, 2)
	case e.hashes == 2 && (c|0x20 >= 'a' && c|0x20 <= 'z'):
	default:
		e.hashes = 0
	}
}

func (e *jsonEscaper) escape(r rune) {
	for _, unit := range utf16.AppendRune(nil, r) {
		fmt.Fprintf(e.w, `\u%04x`, unit)
	}
}

// Flush writes the remaining bytes.
func (e *jsonEscaper) Flush() error { return e.w.Flush() }
