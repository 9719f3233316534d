package scanner

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
)

// The bounds of a finding's diff: lines, the one that says how many are missing
// among them, and characters of a line, without the ellipsis of one that is cut.
const (
	DiffLines = 60
	DiffWidth = 200
)

// MoreLines is the last line of a diff that has n lines more than are shown.
func MoreLines(n int) string { return fmt.Sprintf("… %d more lines", n) }

// showDiff makes a unified diff fit for a report: each line visible, masked and
// bounded, and not too many of them. The mark that a line begins with is no part
// of the text: it is kept from what is masked, and must not obstruct
// it, as the mark of a removed line that begins with the flag --token would.
func showDiff(s string) string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return ""
	}
	lines := strings.Split(s, "\n")
	plain := []byte(s)
	at := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			plain[at] = ' '
		}
		at += len(line) + 1
	}
	shown := lines
	if len(lines) > DiffLines {
		shown = lines[:DiffLines-1]
	}
	out := make([]string, 0, DiffLines)
	at = 0
	for _, line := range shown {
		out = append(out, diffLine(plain, line, at))
		at += len(line) + 1
	}
	if more := len(lines) - len(shown); more > 0 {
		out = append(out, MoreLines(more))
	}
	return strings.Join(out, "\n")
}

// diffLine shows the line that is at an offset of a diff without its marks.
func diffLine(plain []byte, line string, at int) string {
	mark := ""
	if line != "" && bytes.IndexByte([]byte("+- @\\"), line[0]) >= 0 {
		mark = line[:1]
	}
	end := at + min(len(line), 4*DiffWidth)
	return text.Visible(mark+text.Excerpt(plain, at+len(mark), end), DiffWidth)
}
