package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/mcpscan/mcpscan/scanner"
)

// The limits on the lists below the findings. The JSON report has the rest.
const (
	maxListed = 3
	maxRows   = 20

	// countColumns is the width of the table's numeric columns.
	countColumns = 37
	minLabel     = 8
)

// tally counts the listed findings with the same label.
type tally struct {
	label  string
	counts Counts
}

// table writes the number of findings by server, or by rule if there is only one server. It omits a
// table with a single row, which would only repeat the summary.
func (p *textPrinter) table(findings []Finding) error {
	title, rows := "server", p.tallies(findings, func(f Finding) string { return f.Server })
	if len(rows) < 2 {
		title, rows = "rule", p.tallies(findings, func(f Finding) string { return f.Rule })
	}
	if len(rows) < 2 {
		return nil
	}
	head := []string{title}
	for _, s := range slices.Backward(scanner.Severities[:]) {
		head = append(head, s.String())
	}
	var cells [][]string
	for _, row := range rows[:min(len(rows), maxRows)] {
		cells = append(cells, row.cells())
	}
	out, err := Table(head, cells, tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithAlignment(tw.Alignment{tw.AlignLeft, tw.AlignRight, tw.AlignRight, tw.AlignRight, tw.AlignRight, tw.AlignRight}))
	if err != nil {
		return err
	}
	p.w.WriteString(out)
	if more := len(rows) - maxRows; more > 0 {
		fmt.Fprintf(p.w, "and %d more\n", more)
	}
	return p.w.WriteByte('\n')
}

// Table returns a table without ruled lines, like the output of ps. Columns are aligned to the left
// unless options say otherwise.
func Table(head []string, rows [][]string, options ...tablewriter.Option) (string, error) {
	var b strings.Builder
	t := tablewriter.NewTable(&b, append([]tablewriter.Option{
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithRowAlignment(tw.AlignLeft),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.Padding{Right: "  ", Overwrite: true}),
		tablewriter.WithTrimSpace(tw.Off),
	}, options...)...)
	t.Header(head)
	if err := cmp.Or(t.Bulk(rows), t.Render()); err != nil {
		return "", err
	}
	var trimmed strings.Builder
	for line := range strings.Lines(b.String()) { // the last cell is padded, too
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return trimmed.String(), nil
}

func (t tally) cells() []string {
	cells := []string{t.label}
	for _, s := range slices.Backward(scanner.Severities[:]) {
		n := "·"
		if c := t.counts.Of(s); c > 0 {
			n = strconv.Itoa(c)
		}
		cells = append(cells, n)
	}
	return cells
}

// tallies groups findings by key, worst first.
func (p *textPrinter) tallies(findings []Finding, key func(Finding) string) []tally {
	var rows []tally
	for _, group := range together(findings, key) {
		row := tally{label: "(none)"}
		if name := key(group[0]); name != "" {
			row.label = clip(shownName(name), max(minLabel, p.width-countColumns))
		}
		for i := range group {
			*row.counts.of(group[i].Severity)++
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b tally) int {
		return cmp.Or(b.counts.compare(a.counts), strings.Compare(a.label, b.label))
	})
	return rows
}

// verdict summarises the run.
func (p *textPrinter) verdict(r *Report) {
	p.title(verdict(r))
	for _, line := range scopes(r) {
		p.block(0, 0, line)
	}
}

// coverage writes what was not inspected.
func (p *textPrinter) coverage(r *Report) {
	c := r.Coverage
	p.reasons("Not inspected", c.Skipped)
	p.reasons("Left out", c.Ignored)
	for i, note := range c.notes() {
		if i == 0 {
			p.w.WriteByte('\n')
		}
		p.block(0, 0, note)
	}
}

func (p *textPrinter) reasons(title string, list []Skipped) {
	if len(list) == 0 {
		return
	}
	digits := 0
	for _, s := range list {
		digits = max(digits, len(strconv.Itoa(s.Count)))
	}
	p.w.WriteByte('\n')
	p.title(title + ":")
	for i, s := range list {
		if i == maxRows {
			p.block(0, digits+2*labelIndent, fmt.Sprintf("and %s more", Count(len(list)-i, "reason")))
			break
		}
		what := visible(s.Reason, textLimit)
		if s.First != nil {
			what += ", first at " + keep(place(*s.First))
		}
		number := fmt.Sprintf("%*d", labelIndent+digits, s.Count)
		p.w.WriteString(number)
		p.block(len(number), digits+2*labelIndent, what)
	}
}
