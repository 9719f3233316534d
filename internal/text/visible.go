package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with everything that is not plainly printable escaped, so that hostile text can
// neither control a terminal nor hide in a report: control and format characters, unusual spaces,
// private and unassigned code points become text such as <U+202E>, and invalid bytes text such as
// <0xFF>. Tabs and line breaks become spaces. The result is truncated to limit runes, with an
// ellipsis.
//
// The bracket of ##[error], ##vso[…] or ##teamcity[…] is escaped as well: the runners of several CI
// systems interpret such text as a command anywhere in a line of output.
func Visible(s string, limit int) string {
	if plainASCII(s) && len(s) <= limit && !strings.Contains(s, "##") {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), limit) + len("…"))
	count := 0
	for i, r := range s {
		out, escaped := escape(s[i:], r)
		if r == '[' && afterHashes(s[:i]) {
			out, escaped = "<U+005B>", true
		}
		if escaped {
			count += len(out)
		} else {
			count++
		}
		switch {
		case count > limit:
			b.WriteString("…")
			return b.String()
		case escaped:
			b.WriteString(out)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// VisibleEnds is like Visible, but removes excess text from the middle. It is for text such as
// error messages, whose end matters as much as the beginning.
func VisibleEnds(s string, limit int) string {
	whole := []rune(Visible(s, len(s)*len("<U+10FFFF>")))
	if len(whole) <= limit {
		return string(whole)
	}
	head := limit / 3
	return string(whole[:head]) + "…" + string(whole[len(whole)-(limit-head-1):])
}

// afterHashes reports whether s ends with ## and optional letters.
func afterHashes(s string) bool {
	for s != "" && letter(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return strings.HasSuffix(s, "##")
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

// escape returns the escaped form of r, with which rest begins, and whether r must be escaped.
func escape(rest string, r rune) (string, bool) {
	switch {
	case r >= ' ' && r < 0x7F:
		return "", false
	case r == '\n' || r == '\t' || r == '\r':
		return " ", true
	case r == utf8.RuneError && !strings.HasPrefix(rest, "\uFFFD"):
		return fmt.Sprintf("<0x%02X>", rest[0]), true
	case Unseen(r):
		return fmt.Sprintf("<U+%04X>", r), true
	}
	return "", false
}

// Unseen reports whether a character is invisible to readers, or looks like another one: a control
// character, white space other than the space, or an invisible character.
func Unseen(r rune) bool {
	return r != ' ' && (unicode.IsSpace(r) || !unicode.IsPrint(r) || ignorable(r))
}
