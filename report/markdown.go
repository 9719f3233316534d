package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxMarkdown is the maximum size of the report in bytes. GitHub accepts a step summary of up to
// 1 MiB, and does not display a longer one at all.
const maxMarkdown = 900 << 10

// leftOut is the number of bytes reserved for the sentence about omitted findings.
const leftOut = 200

// writeMarkdown writes the report for a job summary, a comment or a file: the verdict, the counts,
// the open findings by server with the worst first, the findings that are approved, suppressed or
// unchanged, and what was not inspected. Each rule is explained only once. Findings that would make
// the report too long for GitHub are left out and counted: first those that are not open, then the
// least severe.
//
// Untrusted text is written as code, or in sentences without markup: see prose and code.
func writeMarkdown(w *bufio.Writer, r *Report, o Options) error {
	m := &markdownWriter{rules: byID(o.Rules)}
	head, tail := m.head(r), m.tail(r)
	room := maxMarkdown - len(head) - len(tail) - leftOut
	body, left := m.body(r, room)
	if left > 0 {
		head += fmt.Sprintf("%s left out to keep this report below %d KiB; any open ones among them are the least severe. The JSON report lists more.\n\n", Count(left, "finding"), maxMarkdown>>10)
	}
	_, err := io.WriteString(text.Guard(w), head+body+tail)
	return err
}

// markdownWriter builds the parts of a report.
type markdownWriter struct {
	rules map[string]*scanner.Rule // rules by ID
}

// head returns the verdict and the counts.
func (m *markdownWriter) head(r *Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## mcpscan\n\n**%s**\n\n", verdict(r))
	if r.Summary.Findings.Total() > 0 {
		b.WriteString("| findings |")
		for _, s := range slices.Backward(scanner.Severities[:]) {
			fmt.Fprintf(&b, " %s |", s)
		}
		b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(scanner.Severities)) + "\n")
		m.row(&b, "open", r.Summary.Open())
		for _, row := range decidedCounts(r) {
			m.row(&b, row.label, row.counts)
		}
		b.WriteByte('\n')
	}
	for _, line := range summary(r) {
		b.WriteString(prose(line) + "\n")
	}
	b.WriteByte('\n')
	return b.String()
}

// decidedCounts returns the counts of findings that need no action.
func decidedCounts(r *Report) []tally {
	return slices.DeleteFunc([]tally{{"suppressed", r.Summary.Suppressed}, {"unchanged", r.Summary.Unchanged}, {"approved", r.Summary.Approved}},
		func(t tally) bool { return t.counts.Total() == 0 })
}

func (m *markdownWriter) row(b *strings.Builder, label string, c Counts) {
	t := tally{label, c}
	b.WriteString("| " + strings.Join(t.cells(), " | ") + " |\n")
}

// block is a finding rendered as Markdown.
type block struct {
	*Finding
	text string
}

// body returns the findings that fit into the given number of bytes, and the number left out.
func (m *markdownWriter) body(r *Report, room int) (string, int) {
	known := map[string]bool{} // rules and servers whose text is already deducted from room
	pay := func(key, text string) {
		if !known[key] {
			known[key] = true
			room -= len(text)
		}
	}
	var open []block
	list := worstFirst(r.Findings)
	for _, f := range list {
		b := block{f.Finding, m.finding(f)}
		pay("rule "+f.Rule, m.explained(f.Rule))
		pay("server "+f.Server, serverHeading(f.Finding))
		if room -= len(b.text); room < 0 {
			break
		}
		open = append(open, b)
	}
	decided, more := m.decided(r, max(room, 0))
	return m.byServer(open) + decided, len(list) - len(open) + more
}

// byServer groups findings by server, keeping their order, and explains each rule after its
// first finding.
func (m *markdownWriter) byServer(list []block) string {
	var out strings.Builder
	told := map[string]bool{}
	for _, blocks := range together(list, func(b block) string { return b.Server }) {
		out.WriteString(serverHeading(blocks[0].Finding))
		for _, b := range blocks {
			out.WriteString(b.text)
			if !told[b.Rule] {
				told[b.Rule] = true
				out.WriteString(m.explained(b.Rule))
			}
		}
	}
	return out.String()
}

func serverHeading(f *Finding) string {
	if f.Server == "" {
		return "### The whole input\n\n"
	}
	return "### Server " + code(visible(f.Server, textLimit)) + "\n\n"
}

// finding returns an open finding as Markdown, without the explanation of its rule.
func (m *markdownWriter) finding(f repeated) string {
	var b strings.Builder
	severity := strings.Trim(strings.ToUpper(f.Severity.String())+" "+prose(remarks(f.Finding)), " ")
	fmt.Fprintf(&b, "#### %s: %s%s\n\n", severity, m.rule(f.Rule), about(f.Finding))
	b.WriteString(prose(opening(visible(f.Message, textLimit))) + "\n\n")
	line := func(label, s string) {
		if s != "" {
			fmt.Fprintf(&b, "- %s: %s\n", label, s)
		}
	}
	line("Field", code(visible(f.Field, textLimit)))
	line("Evidence", code((&textPrinter{}).highlight(f.Evidence)))
	line("Decoded", code(f.Evidence.decoded()))
	line("Signals", prose(visible(strings.Join(f.Signals, ", "), textLimit)))
	line("Location", code(place(f.Location)))
	line("Seen", prose(seen(f)))
	for i, rel := range f.Related {
		if i == maxListed {
			line("Related", fmt.Sprintf("and %d more", len(f.Related)-i))
			break
		}
		line("Related", strings.Trim(code(place(rel.Location))+" "+prose(visible(rel.Message, textLimit)), " "))
	}
	b.WriteByte('\n')
	if diff := diffLines(f.Diff); len(diff) > 0 {
		b.WriteString(fence("diff", diff) + "\n")
	}
	return b.String()
}

// about returns the words that name a finding's subject, to be written after its rule.
func about(f *Finding) string {
	out := ""
	if f.Subject != "" {
		out = " in " + prose(visible(f.Subject, textLimit))
	}
	if f.Tool != "" {
		out += " " + code(visible(f.Tool, textLimit))
	}
	return out
}

// where returns the words that name a finding's server and location, to be written after [about].
func where(f *Finding) string {
	out := ""
	switch server := code(visible(f.Server, textLimit)); {
	case f.Server == "":
	case f.Subject == "server": // about wrote this word
		out = " " + server
	default:
		out = " of server " + server
	}
	if at := place(f.Location); at != "" {
		out += " at " + code(at)
	}
	return out
}

// rule returns a rule's name, with a link to its documentation if this version has the rule.
func (m *markdownWriter) rule(id string) string {
	name := code(ruleID(id))
	if r := m.rules[id]; r != nil {
		return "[" + name + "](" + ruleURI(r.ID) + ")"
	}
	return name
}

// explained returns why a rule's findings matter and what to do about them.
func (m *markdownWriter) explained(id string) string {
	r := m.rules[id]
	if r == nil {
		return ""
	}
	return fmt.Sprintf("**Why it matters.** %s\n\n**What to do.** %s\n\n", prose(visible(r.Why, textLimit)), prose(visible(r.Fix, textLimit)))
}

// decided returns the findings that need no action, one per line, as far as they fit into the given
// number of bytes, and the number left out.
func (m *markdownWriter) decided(r *Report, room int) (string, int) {
	var b strings.Builder
	left := 0
	for _, f := range fold(r.Findings, inSessions) {
		if f.open() {
			continue
		}
		line := fmt.Sprintf("- %s: %s%s%s: %s\n", f.Severity, m.rule(f.Rule), about(f.Finding), where(f.Finding), prose(status(f.Finding)))
		if b.Len() == 0 {
			line = "### Approved, suppressed and unchanged\n\n" + line
		}
		if b.Len()+len(line)+1 > room {
			left++
			continue
		}
		b.WriteString(line)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String(), left
}

// tail lists the sessions, what was not inspected, and the inputs.
func (m *markdownWriter) tail(r *Report) string {
	var b strings.Builder
	list := func(title string, lines []string) {
		for i, line := range lines {
			if i == 0 {
				b.WriteString("### " + title + "\n\n")
			}
			if i == maxRows {
				fmt.Fprintf(&b, "- and %d more\n", len(lines)-i)
				break
			}
			b.WriteString("- " + line + "\n")
		}
		if len(lines) > 0 {
			b.WriteByte('\n')
		}
	}
	list("Sessions", markdownSessions(r))
	list("Not inspected", markdownReasons(r.Coverage.Skipped))
	list("Left out", markdownReasons(r.Coverage.Ignored))
	for _, note := range r.Coverage.notes() {
		b.WriteString(note + "\n\n")
	}
	var unused, inputs []string
	for _, u := range r.UnusedIgnores {
		unused = append(unused, strings.Trim(code(place(u.Location))+" "+prose(visible(u.Why+": "+u.Reason, textLimit)), " "))
	}
	list("Ignores that suppress nothing", unused)
	for _, in := range r.Inputs {
		inputs = append(inputs, strings.Trim(prose(visible(in.Kind, textLimit))+" "+code(visible(in.Name, textLimit)), " "))
	}
	list("Inputs", inputs)
	b.WriteString("mcpscan " + code(visible(r.Tool.Version, maxResultName)) + "\n")
	return b.String()
}

func markdownReasons(list []Skipped) []string {
	var lines []string
	for _, s := range list {
		line := strconv.Itoa(s.Count) + " × " + prose(visible(s.Reason, textLimit))
		if s.First != nil {
			line += ", first at " + code(place(*s.First))
		}
		lines = append(lines, line)
	}
	return lines
}
