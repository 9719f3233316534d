package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// The ANSI styles used if colour is enabled.
const (
	styleBold  = "\x1b[1m"
	styleDim   = "\x1b[2m"
	styleMatch = "\x1b[7m"
	styleOff   = "\x1b[0m"
)

// severityStyles maps severities, from note up, to ANSI styles.
var severityStyles = [...]string{"\x1b[2m", "\x1b[36m", "\x1b[33m", "\x1b[31m", "\x1b[1;31m"}

// The layout, in columns: labels and severities start at labelIndent, and text starts at bodyIndent.
// Lines narrower than minWidth would be unreadable.
const (
	defaultWidth = 80
	minWidth     = 40
	labelIndent  = 2
	bodyIndent   = 12
)

// textLimit is the maximum length, in characters, of most texts in a report. The scanner's own limits
// on findings are lower, but a saved report may have been edited.
const textLimit = 1000

// writeText writes the report for people: the findings, worst first and grouped by subject, their
// counts, and what was not inspected. If not everything was inspected, it says so next to "No
// findings". Findings that are not open are counted; the JSON report lists them.
func writeText(w *bufio.Writer, r *Report, o Options) error {
	p := &textPrinter{w: bufio.NewWriter(text.Guard(w)), width: defaultWidth, color: o.Color, fixes: fixes(o.Rules)}
	if o.Width > 0 {
		p.width = max(o.Width, minWidth)
	}
	open := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !f.open() })
	for _, g := range groups(open) {
		p.group(g)
	}
	if err := p.table(open); err != nil {
		return err
	}
	p.verdict(r)
	p.sessions(r)
	p.coverage(r)
	for _, left := range omitted(r) {
		p.w.WriteByte('\n')
		p.block(0, 0, left)
	}
	return p.w.Flush()
}

// textPrinter writes wrapped, indented text. w keeps write errors until it is flushed.
type textPrinter struct {
	w     *bufio.Writer
	width int
	color bool
	fixes map[string]string // by rule ID
}

// groups returns the findings grouped by server and subject. The group with the worst finding comes
// first, and so does the worst finding in each group.
func groups(findings []Finding) [][]repeated {
	folded := fold(findings, inSessions)
	out := together(folded, func(f repeated) [3]string { return [...]string{f.Server, f.Subject, f.Tool} })
	for _, g := range out {
		slices.SortStableFunc(g, func(a, b repeated) int { return cmp.Compare(b.Severity, a.Severity) })
	}
	slices.SortStableFunc(out, func(a, b []repeated) int { return cmp.Compare(b[0].Severity, a[0].Severity) })
	return out
}

// heading returns the heading of a group: the subject of its findings.
func heading(f *Finding) string {
	about := visible(f.Subject, textLimit)
	if f.Tool != "" {
		about = strings.TrimPrefix(about+" "+shownName(f.Tool), " ")
	}
	switch {
	case f.Server == "":
		return cmp.Or(about, "the whole input")
	case about == "":
		return shownName(f.Server)
	}
	return shownName(f.Server) + " › " + about
}

// shownName escapes an untrusted name, and quotes it if it is ambiguous.
func shownName(s string) string {
	out := visible(s, textLimit)
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@", r)
	}
	if strings.TrimLeftFunc(out, plain) == "" && out != "" {
		return out
	}
	return `"` + strings.ReplaceAll(out, `"`, `\"`) + `"`
}

// remarks returns what distinguishes a finding from an ordinary alert: low confidence or a different
// action. The action "block" is shown as a verdict, because a recorded call may have been answered
// nevertheless.
func remarks(f *Finding) string {
	var out []string
	if f.Confidence == scanner.ConfidenceLow.String() {
		out = append(out, "low confidence")
	}
	switch f.Action {
	case "", "alert":
	case scanner.Block.String():
		out = append(out, "verdict: "+f.Action)
	default:
		out = append(out, visible(f.Action, textLimit))
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// seen describes when, how often and in which session a finding occurred, and when and where it last
// did.
func seen(f repeated) string {
	often := ""
	if f.times > 1 {
		often = fmt.Sprintf("%d times", f.times)
	}
	if f.sessions > 1 {
		often += fmt.Sprintf(" in %d sessions", f.sessions)
	}
	var parts []string
	if often != "" {
		parts = append(parts, often)
	}
	if when := when(f.Finding); when != "" {
		if often != "" {
			when = "first at " + when
		}
		parts = append(parts, when)
	}
	if f.Last != nil && f.sessions == 1 {
		// without the column, so that findings on a line can share a block
		last := place(Location{File: f.Last.Location.File, Line: f.Last.Location.Line})
		if f.Last.Timestamp != nil {
			last = visible(*f.Last.Timestamp, textLimit) + ", " + last
		}
		parts = append(parts, "last at "+last)
	}
	return strings.Join(parts, ", ")
}

// when describes when and in which session a finding occurred, or returns "" if the input has no time.
func when(f *Finding) string {
	switch {
	case f.Timestamp == nil:
		return ""
	case f.Session == "":
		return visible(*f.Timestamp, textLimit)
	}
	return visible(*f.Timestamp, textLimit) + " in session " + shownName(f.Session)
}

// place formats a location so that editors and terminals can link it.
func place(l Location) string {
	s := visible(l.File, textLimit)
	if s == "" || l.Line <= 0 {
		return s
	}
	s = fmt.Sprintf("%s:%d", s, l.Line)
	if l.Column > 0 {
		s = fmt.Sprintf("%s:%d", s, l.Column)
	}
	return s
}

// decoded returns the decoded form of the evidence, or "" if it was not encoded.
func (e Evidence) decoded() string {
	if e.Decoded == nil {
		return ""
	}
	return visible(*e.Decoded, textLimit)
}

// highlight returns the context of the evidence with the evidence marked.
func (p *textPrinter) highlight(e Evidence) string {
	before, match, after := inContext(e)
	return before + p.mark(match) + after
}

// mark marks evidence, if there is any.
func (p *textPrinter) mark(match string) string {
	switch {
	case match == "":
		return ""
	case p.color:
		return string(markOn) + match + string(markOff)
	}
	return "»" + match + "«"
}

// inContext returns the evidence and the text around it, or only the context if it does not
// contain the evidence.
func inContext(e Evidence) (before, evidence, after string) {
	match := visible(e.Text, textLimit)
	context := cmp.Or(visible(e.Context, textLimit), match)
	at := strings.Index(context, match)
	if at >= 0 && match != "" {
		return context[:at], match, context[at+len(match):]
	}
	shown, cut := strings.CutSuffix(match, "…")
	if at = strings.Index(context, shown); !cut || shown == "" || at < 0 {
		return context, "", ""
	}
	return context[:at], match, "" // the truncated match ends with the context
}

// line writes a label and its text, unless the text is empty.
func (p *textPrinter) line(label, s string) { p.labelled(label, s, false) }

// quote is like line, but for untrusted text, whose words can be arbitrarily long.
func (p *textPrinter) quote(label, s string) { p.labelled(label, s, true) }

func (p *textPrinter) labelled(label, s string, anywhere bool) {
	if s == "" {
		return
	}
	p.w.WriteString(strings.Repeat(" ", labelIndent))
	p.w.WriteString(p.styled(styleDim, label))
	p.lines(labelIndent+len(label), bodyIndent, wrap(s, p.width-bodyIndent, anywhere))
}

// block writes text indented to column indent. used is the number of columns already taken on
// the first line.
func (p *textPrinter) block(used, indent int, s string) {
	p.lines(used, indent, wrap(s, p.width-indent, false))
}

func (p *textPrinter) lines(used, indent int, lines []string) {
	open := false
	for i, l := range lines {
		gap := indent
		if i == 0 {
			gap = max(indent-used, min(used, 1))
		}
		l, open = marked(strings.TrimRight(l, " "), open)
		p.w.WriteString(strings.Repeat(" ", gap) + l + "\n")
	}
}

// title writes a line in bold, with a hanging indent if it is long.
func (p *textPrinter) title(s string) {
	for i, l := range wrap(s, p.width-labelIndent, false) {
		p.w.WriteString(strings.Repeat(" ", min(i, 1)*labelIndent) + p.styled(styleBold, l) + "\n")
	}
}

// marked replaces the marks in a line with styles. A style still open at the end of a line is
// closed there and reopened on the next line.
func marked(l string, open bool) (string, bool) {
	if !open && !strings.ContainsAny(l, string(markOn)+string(markOff)) {
		return l, false
	}
	if open {
		l = styleMatch + l
	}
	if i := strings.LastIndexAny(l, string(markOn)+string(markOff)); i >= 0 {
		open = l[i] == markOn
	}
	l = strings.NewReplacer(string(markOn), styleMatch, string(markOff), styleOff).Replace(l)
	if open {
		l += styleOff
	}
	return l, open
}

func (p *textPrinter) styled(style, s string) string {
	if !p.color {
		return s
	}
	return style + s + styleOff
}
