package replace

import (
	"fmt"
	"strings"
)

// Between returns a document with the text between two markers replaced. Only the first pair of
// markers counts.
func Between(document, begin, end, text string) (string, error) {
	head, rest, found := strings.Cut(document, begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("expected the lines %q and %q, in this order, with the text to replace between them", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + text + end + tail, nil
}
