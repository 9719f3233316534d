package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// The limits on lists in formats for people. The JSON report has the rest.
const (
	maxListed = 3
	maxRows   = 20

	// countColumns is the width of the table's numeric columns.
	countColumns = 37
	minLabel     = 8
)

// tally counts the findings with the same label.
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
	p.w.WriteString(Table(head, cells, true))
	if more := len(rows) - maxRows; more > 0 {
		fmt.Fprintf(p.w, "and %d more\n", more)
	}
	return p.w.WriteByte('\n')
}

// Table returns a table without ruled lines, like the output of ps, with two spaces between columns.
// Cells are aligned to the left; if numbers is set, the cells of all columns but the first are
// aligned to the right. Without a head, the table has rows only.
func Table(head []string, rows [][]string, numbers bool) string {
	widths := make([]int, len(head))
	for _, row := range slices.Concat([][]string{head}, rows) {
		widths = append(widths, make([]int, max(len(row)-len(widths), 0))...)
		for i, cell := range row {
			widths[i] = max(widths[i], columnsOf(cell))
		}
	}
	var b strings.Builder
	write := func(row []string, right bool) {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-columnsOf(cell))
			if right && i > 0 {
				line.WriteString(pad + cell + "  ")
			} else {
				line.WriteString(cell + pad + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if len(head) > 0 {
		write(head, false)
	}
	for _, row := range rows {
		write(row, numbers)
	}
	return b.String()
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
		what := keepCommands(visible(s.Reason, textLimit))
		if s.First != nil {
			what += ", first at " + keep(place(*s.First))
		}
		number := fmt.Sprintf("%*d", labelIndent+digits, s.Count)
		p.w.WriteString(number)
		p.block(len(number), digits+2*labelIndent, what)
	}
}
