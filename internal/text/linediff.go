package text

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiffed is the maximum total size, in bytes, of the two strings that LineDiff
// compares.
const maxDiffed = 128 << 10

// LineDiff returns the unified diff of two strings under the given names. If they are too long to
// be compared line by line, ok is false and the diff states this.
func LineDiff(oldName, newName, before, after string) (diff string, ok bool) {
	if len(before)+len(after) > maxDiffed {
		return "@@ too long to compare line by line @@", false
	}
	return udiff.Unified(oldName, newName, before, after), true
}

// The bounds on a finding's diff: the number of lines, including the one that reports how many are
// omitted, and the width of a line in characters, excluding the ellipsis of a truncated line.
const (
	DiffLines = 60
	DiffWidth = 200
)

// MoreLines returns the last line of a diff with n omitted lines.
func MoreLines(n int) string { return fmt.Sprintf("… %d more lines", n) }

// ShowDiff prepares a unified diff for a report: each line is escaped, masked and truncated, and
// the number of lines is limited. Masking ignores the + and - marks, because otherwise it would
// miss secrets, such as the one in a removed line that begins with --token.
func ShowDiff(s string) string {
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

// diffLine returns a line of the diff for display; at is its offset in plain, the diff without
// its marks.
func diffLine(plain []byte, line string, at int) string {
	mark := ""
	if line != "" && bytes.IndexByte([]byte("+- @\\"), line[0]) >= 0 {
		mark = line[:1]
	}
	end := at + min(len(line), 4*DiffWidth)
	return Visible(mark+Excerpt(plain, at+len(mark), end), DiffWidth)
}
