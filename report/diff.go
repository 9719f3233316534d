package report

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
)

const (
	styleAdded   = "\x1b[32m"
	styleRemoved = "\x1b[31m"
)

// diffLines returns the lines of a diff, escaped and bounded. A diff is the only multi-line text in
// a finding.
func diffLines(s string) []string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	if more := len(lines) - text.DiffLines + 1; more > 1 {
		lines = append(lines[:text.DiffLines-1:text.DiffLines-1], text.MoreLines(more))
	}
	for i, l := range lines {
		lines[i] = visible(l, text.DiffWidth)
	}
	return lines
}

// change is the kind of a diff line.
type change byte

// The prefixes of the lines of a unified diff; names is for the header lines, which name the compared
// definitions.
const (
	kept    change = ' '
	added   change = '+'
	removed change = '-'
	hunk    change = '@'
	names   change = 'n'
)

// changes returns the kind of each line of a diff.
func changes(lines []string) []change {
	out := make([]change, len(lines))
	inside := false
	for i, line := range lines {
		out[i] = kept
		if line == "" {
			continue
		}
		switch c := change(line[0]); {
		case c == hunk:
			out[i], inside = hunk, true
		case !inside && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
			out[i] = names
		case c == added || c == removed:
			out[i] = c
		}
	}
	return out
}

// diffStyles are the ANSI styles of diff lines.
var diffStyles = map[change]string{added: styleAdded, removed: styleRemoved, hunk: styleDim, names: styleBold}

// diff writes the lines of a diff next to the label "diff".
func (p *textPrinter) diff(lines []string) {
	what := changes(lines)
	for i, line := range lines {
		style, label := diffStyles[what[i]], ""
		if i == 0 {
			label = "diff"
			p.w.WriteString(strings.Repeat(" ", labelIndent) + p.styled(styleDim, label))
		}
		for j, piece := range wrap(line, p.width-bodyIndent, true) {
			gap := bodyIndent
			if i == 0 && j == 0 {
				gap -= labelIndent + len(label)
			}
			if piece = strings.TrimRight(piece, " "); piece == "" {
				p.w.WriteByte('\n')
				continue
			}
			if style != "" {
				piece = p.styled(style, piece)
			}
			p.w.WriteString(strings.Repeat(" ", gap) + piece + "\n")
		}
	}
}
