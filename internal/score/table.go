package score

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// Markdown returns the tables: first the totals, then tables by source and by rule
// for each set.
func (r *Result) Markdown() string {
	var b bytes.Buffer
	r.totals(&b)
	for i := range r.Sets {
		s := &r.Sets[i]
		title := strings.ToUpper(s.Name[:1]) + s.Name[1:]
		fmt.Fprintf(&b, "\n### %s, by source\n\n", title)
		s.bySource(&b)
		fmt.Fprintf(&b, "\n### %s, by rule\n\n", title)
		s.byRule(&b)
	}
	return b.String()
}

// totals writes a line for each set and class, and one for the published servers.
func (r *Result) totals(b *bytes.Buffer) {
	line(b, "texts", "rows", "flagged at `high`", "share", "average over sources and kinds", "flagged at `medium`", "share", "average over sources and kinds")
	rule(b, "lrrrrrrr")
	for i := range r.Sets {
		s := &r.Sets[i]
		for of, name := range [classes]string{attack: "attacks", subtleAttack: "subtle attacks", honest: "benign", honestAboutAttacks: "benign, about attacks"} {
			high, macroHigh := s.total(class(of), scanner.High)
			medium, macroMedium := s.total(class(of), scanner.Medium)
			if high.rows == 0 {
				continue
			}
			cells := []string{s.Name + ": " + name, number(high.rows)}
			if class(of) == attack || class(of) == subtleAttack {
				cells = append(cells, number(high.flagged), percent(high.rate()), percent(macroHigh), number(medium.flagged), percent(medium.rate()), percent(macroMedium))
			} else {
				cells = append(cells, number(high.flagged), bounded(high), "", number(medium.flagged), bounded(medium), "")
			}
			line(b, cells...)
		}
	}
	if s := r.Servers; s != nil {
		high, medium := s.at(scanner.High), s.at(scanner.Medium)
		line(b, fmt.Sprintf("tools of %d published packages", s.Packages), number(s.Tools), number(high.flagged), bounded(high), "", number(medium.flagged), bounded(medium), "")
	}
}

// bySource writes a line for each source, with its attack kinds combined.
func (s *Set) bySource(b *bytes.Buffer) {
	high := map[string]*[classes]count{}
	medium := map[string]*[classes]count{}
	for _, r := range s.rows {
		if high[r.Source] == nil {
			high[r.Source], medium[r.Source] = &[classes]count{}, &[classes]count{}
		}
		high[r.Source][r.class()].add(r.found.at(scanner.High))
		medium[r.Source][r.class()].add(r.found.at(scanner.Medium))
	}
	line(b, "source", "attacks found", "recall", "subtle attacks found at `medium`", "benign texts flagged", "benign texts about attacks flagged")
	rule(b, "lrrrrr")
	for _, source := range slices.Sorted(maps.Keys(high)) {
		h := high[source]
		recall := ""
		if h[attack].rows > 0 {
			recall = percent(h[attack].rate())
		}
		line(b, link(source), formatCount(h[attack]), recall, formatCount(medium[source][subtleAttack]), falsely(h[honest]), falsely(h[honestAboutAttacks]))
	}
}

// hits counts the attacks and the benign texts that a rule flagged.
type hits struct{ attacks, honest int }

// ruleHits counts the rows that each rule flagged at this severity or above.
func (s *Set) ruleHits(least scanner.Severity) map[string]hits {
	all := map[string]hits{}
	for _, r := range s.rows {
		for rule, severity := range r.found {
			if severity < least {
				continue
			}
			h := all[rule]
			if c := r.class(); c == attack || c == subtleAttack {
				h.attacks++
			} else {
				h.honest++
			}
			all[rule] = h
		}
	}
	return all
}

// byRule writes a line for each rule that flagged a row at medium or above.
func (s *Set) byRule(b *bytes.Buffer) {
	high, medium := s.ruleHits(scanner.High), s.ruleHits(scanner.Medium)
	line(b, "rule", "attacks at `high`", "benign texts at `high`", "precision", "attacks at `medium`", "benign texts at `medium`", "precision")
	rule(b, "lrrrrrr")
	for _, id := range slices.SortedFunc(maps.Keys(medium), func(x, y string) int {
		return cmp.Or(medium[y].attacks-medium[x].attacks, strings.Compare(x, y))
	}) {
		h, m := high[id], medium[id]
		line(b, "["+id+"](rules.md#"+id+")", number(h.attacks), number(h.honest), h.precision(), number(m.attacks), number(m.honest), m.precision())
	}
}

// precision returns the share of attacks among the flagged rows, with its confidence interval.
func (h hits) precision() string {
	n := h.attacks + h.honest
	if n == 0 {
		return ""
	}
	low, high := interval(h.attacks, n)
	return fmt.Sprintf("%s (%.1f–%.1f)", percent(float64(h.attacks)/float64(n)), 100*low, 100*high)
}

func line(b *bytes.Buffer, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// rule writes the line below a table header. In columns, l stands for a text column and r for a
// numeric one.
func rule(b *bytes.Buffer, columns string) {
	b.WriteByte('|')
	for _, c := range columns {
		b.WriteString(map[rune]string{'l': " --- |", 'r': " ---: |"}[c])
	}
	b.WriteByte('\n')
}

// link returns a link to a repository.
func link(source string) string { return "[" + source + "](https://github.com/" + source + ")" }

// formatCount formats a count, or returns "" if there are no rows.
func formatCount(c count) string {
	if c.rows == 0 {
		return ""
	}
	return number(c.flagged) + " of " + number(c.rows)
}

// falsely formats the number of false positives and the upper bound of the false-positive rate.
func falsely(c count) string {
	if c.rows == 0 {
		return ""
	}
	return formatCount(c) + " (≤ " + percent(atMost(c.flagged, c.rows, 0.05)) + ")"
}

// bounded formats the false-positive rate and its upper bound.
func bounded(c count) string {
	return percent(c.rate()) + " (≤ " + percent(atMost(c.flagged, c.rows, 0.05)) + ")"
}

// percent formats a share with a suitable number of digits.
func percent(share float64) string {
	switch share *= 100; {
	case share == 0 || share == 100:
		return fmt.Sprintf("%.0f %%", share)
	case share < 1:
		return fmt.Sprintf("%.2f %%", share)
	}
	return fmt.Sprintf("%.1f %%", share)
}

// number formats n with thousands separators.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
