package text

import "strings"

// FirstSentence returns the first sentence or line of s that is not a heading, truncated to at most
// limit bytes.
func FirstSentence(s string, limit int) string {
	_, first := headed(s, limit)
	return first
}

// Opening returns s up to the end of its first sentence, with the headings before it.
func Opening(s string, limit int) string {
	headings, first := headed(s, limit)
	return headings + first
}

func headed(s string, limit int) (headings, first string) {
	s = strings.TrimSpace(s[:min(len(s), limit)])
	at := 0
	for strings.HasPrefix(s[at:], "#") {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			break
		}
		at += end
		at += len(s[at:]) - len(strings.TrimLeft(s[at:], " \t\r\n"))
	}
	headings, first = s[:at], strings.TrimLeft(s[at:], "#*_>`- \t")
	for i := range len(first) {
		if first[i] == '\n' || first[i] == '.' && (i+1 == len(first) || first[i+1] == ' ' || first[i+1] == '\n') {
			return headings, first[:i]
		}
	}
	return headings, first
}
