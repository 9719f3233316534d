package text

import "strings"

// FirstSentence returns the first sentence or line of s, truncated to limit bytes.
func FirstSentence(s string, limit int) string {
	s = s[:min(len(s), limit)]
	if end := strings.IndexAny(s, ".\n"); end >= 0 {
		s = s[:end]
	}
	return s
}
