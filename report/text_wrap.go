package report

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// markOn and markOff surround highlighted text while it is wrapped. They cannot occur in
// visible text, and have no width.
const (
	markOn  = '\x01'
	markOff = '\x02'
)

// blank stands in for a space at which wrap must not break the line.
const blank = '\x03'

// keep prevents s, such as a file name with spaces, from being broken when it is wrapped.
func keep(s string) string { return strings.ReplaceAll(s, " ", string(blank)) }

// ownCommand matches the name of a command of mcpscan, with its flags and placeholders such as SERVER.
var ownCommand = lazyregexp.New(`\bmcpscan (?:(?:pins|policy|held) )?[a-z]+(?: (?:--[a-z-]*|[A-Z]+\b))*`)

// keepCommands prevents the commands in a text, which a user may copy, from being broken when the text
// is wrapped. After "run: ", the rest of the text is a command with its arguments.
func keepCommands(s string) string {
	prose, arguments, found := strings.Cut(s, "run: mcpscan ")
	for _, name := range ownCommand.FindAllString(prose, -1) {
		prose = strings.Replace(prose, name, keep(name), 1)
	}
	if found {
		prose += "run: " + keep("mcpscan "+arguments)
	}
	return prose
}

// wrap breaks visible text at spaces into lines of at most the given width. A word longer than a
// line gets its own line, so that names and locations can be copied. If anywhere is set (for
// untrusted text), wrap breaks such a word between characters, but never inside an escape such as
// <U+202E>. Otherwise, it keeps commands whole.
func wrap(s string, columns int, anywhere bool) []string {
	var lines []string
	if !anywhere {
		s = keepCommands(s)
	}
	for {
		end, fits := cut(s, columns)
		if fits {
			return append(lines, unblank(s))
		}
		next := end
		if at := breakAt(s, end, columns, anywhere); at > 0 {
			end, next = at, at
		} else if !anywhere {
			return append(lines, unblank(s))
		}
		lines = append(lines, unblank(strings.TrimRight(s[:end], " ")))
		if s = strings.TrimLeft(s[next:], " "); s == "" {
			return lines
		}
	}
}

func unblank(s string) string { return strings.ReplaceAll(s, string(blank), " ") }

// breakAt returns the index of the space to break at: the last one before end or, if words must
// stay whole and there is none, the first one after it. It returns 0 if the word at end must be
// broken or is the last one.
func breakAt(s string, end, columns int, anywhere bool) int {
	if s[end] == ' ' {
		return end
	}
	at := strings.LastIndexByte(s[:end], ' ')
	if !anywhere {
		if strings.Trim(s[:max(at, 0)], " ") != "" {
			return at
		}
		if behind := strings.IndexByte(s[end:], ' '); behind > 0 {
			return end + behind
		}
		return 0
	}
	if at <= 0 {
		return 0
	}
	word, _, _ := strings.Cut(s[at+1:], " ")
	if _, fits := cut(word, columns); !fits {
		return 0
	}
	return at
}

// cut returns the number of bytes of s that fit into a width, at least those of one character, and
// whether that is all of s.
func cut(s string, columns int) (end int, fits bool) {
	used := 0
	for end < len(s) {
		size, w := atom(s[end:])
		if used+w > columns && end > 0 {
			return end, false
		}
		used += w
		end += size
	}
	return end, true
}

// columnsOf returns the width of s in a terminal.
func columnsOf(s string) int {
	columns := 0
	for s != "" {
		size, w := atom(s)
		columns += w
		s = s[size:]
	}
	return columns
}

// clip truncates s to a width and marks the cut with an ellipsis.
func clip(s string, columns int) string {
	if _, fits := cut(s, columns); fits {
		return s
	}
	end, _ := cut(s, columns-1)
	return s[:end] + "…"
}

// atom returns the size and width of the first indivisible unit of s: a character, or the
// escape of one.
func atom(s string) (size, columns int) {
	if strings.HasPrefix(s, "<U+") || strings.HasPrefix(s, "<0x") {
		if i := strings.IndexByte(s[:min(len(s), len("<U+10FFFF>"))], '>'); i > 0 && !strings.Contains(s[:i], " ") {
			return i + 1, i + 1
		}
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == markOn || r == markOff {
		return size, 0
	}
	return size, runeColumns(r)
}

// runeColumns returns the width of a character in a terminal. Combining marks count as one
// column, so that a series of them cannot make an endless line.
func runeColumns(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
