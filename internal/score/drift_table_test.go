package score

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// byWorst counts changes by their highest severity; the last element counts those
// without findings.
type byWorst [scanner.Critical + 2]int

const untold = int(scanner.Critical) + 1

func countByWorst(all []Change) (n byWorst) {
	for i := range all {
		if worst, any := all[i].Worst(); any {
			n[worst]++
		} else {
			n[untold]++
		}
	}
	return n
}

func (n byWorst) high() int { return n[scanner.High] + n[scanner.Critical] }

// Markdown returns the tables of docs/drift.md.
func (d *Drift) Markdown() string {
	var b bytes.Buffer
	line(&b, "changes", "pairs", "with a change", "reported", "note", "low", "medium", "high", "critical", "high or critical")
	rule(&b, "lrrrrrrrrr")
	for _, label := range []string{"malicious", "benign", "undeclared"} {
		var of []Change
		for _, c := range d.Labelled {
			if c.Label == label {
				of = append(of, c)
			}
		}
		worstLine(&b, "cases labelled "+label, of)
	}
	worstLine(&b, "single tools of two releases", d.Versions)
	worstLine(&b, "servers of two releases", d.Upgrades)
	if hits := d.Hits(); len(hits) > 0 {
		b.WriteString("\n")
		line(&b, "pair", "high or critical findings", "by")
		rule(&b, "lll")
		for _, h := range hits {
			line(&b, code(h.Change.Name), h.what(), "["+h.Rule+"](rules.md#"+h.Rule+")")
		}
	}
	return b.String()
}

func worstLine(b *bytes.Buffer, name string, all []Change) {
	if len(all) == 0 {
		return
	}
	n, changed, told := countByWorst(all), 0, 0
	for _, c := range all {
		if c.Differs {
			changed++
			if len(c.Findings) > 0 {
				told++
			}
		}
	}
	line(b, name, number(len(all)), number(changed), number(told), number(n[scanner.Note]), number(n[scanner.Low]), number(n[scanner.Medium]), number(n[scanner.High]), number(n[scanner.Critical]),
		percent(float64(n.high())/float64(len(all))))
}

// Alarm is a rule's findings at high or above for a published pair, with the affected tools and
// the highest severity.
type Alarm struct {
	*Change
	Rule     string
	Severity scanner.Severity
	Tools    []string
}

func (h *Alarm) what() string {
	var tools []string
	for _, t := range h.Tools[:min(len(h.Tools), 4)] {
		tools = append(tools, code(t))
	}
	if more := len(h.Tools) - len(tools); more > 0 {
		tools = append(tools, fmt.Sprintf("%d more", more))
	}
	return h.Severity.String() + ": " + strings.Join(tools, ", ")
}

// Hits returns the findings at high or above for published pairs, which are presumed benign.
func (d *Drift) Hits() (all []*Alarm) {
	for _, set := range [...][]Change{d.Versions, d.Upgrades} {
		for i := range set {
			by := map[string]*Alarm{}
			for _, f := range set[i].Findings {
				if f.Severity < scanner.High {
					continue
				}
				h := by[f.Rule]
				if h == nil {
					h = &Alarm{Change: &set[i], Rule: f.Rule}
					by[f.Rule], all = h, append(all, h)
				}
				h.Severity = max(h.Severity, f.Severity)
				if !slices.Contains(h.Tools, f.Tool) {
					h.Tools = append(h.Tools, f.Tool)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Alarm) int {
		return cmp.Or(strings.Compare(a.Change.Name, b.Change.Name), strings.Compare(a.Rule, b.Rule))
	})
	return all
}

// code formats a name as Markdown code. Package and tool names contain no backticks.
func code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }
