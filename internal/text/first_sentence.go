package text

import "strings"

// FirstSentence returns the first sentence or line of s that is not a heading. It reads only the first
// limit bytes of s.
func FirstSentence(s string, limit int) string {
	_, first := headed(s, limit)
	return first
}

// Opening is like FirstSentence, but also returns the headings before the sentence.
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
