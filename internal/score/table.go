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

// The marks between which Publish puts the tables.
const (
	begin = "<!-- figures: begin; written by go test ./internal/score -update -->\n"
	end   = "<!-- figures: end -->\n"
)

// Publish returns a document with its tables replaced.
func Publish(doc, tables string) (string, error) { return publish(doc, begin, end, tables) }

func publish(doc, begin, end, tables string) (string, error) {
	head, rest, ok := strings.Cut(doc, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("expected the lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + "\n" + tables + "\n" + end + tail, nil
}

// Markdown returns the tables: totals, then for each set those by source and by rule.
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

// totals has one line for each set and class.
func (r *Result) totals(b *bytes.Buffer) {
	line(b, "texts", "rows", "flagged at `high`", "share", "average over sources and kinds", "flagged at `medium`", "share", "average over sources and kinds")
	rule(b, "lrrrrrrr")
	for i := range r.Sets {
		s := &r.Sets[i]
		for of, name := range [classes]string{attack: "attacks", subtleAttack: "subtle attacks", honest: "honest", honestAboutAttacks: "honest, about attacks"} {
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

// bySource has one line for each source, with its kinds of attack taken together.
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
	line(b, "source", "attacks found", "recall", "subtle attacks found at `medium`", "honest texts flagged", "honest texts about attacks flagged")
	rule(b, "lrrrrr")
	for _, source := range slices.Sorted(maps.Keys(high)) {
		h := high[source]
		recall := ""
		if h[attack].rows > 0 {
			recall = percent(h[attack].rate())
		}
		line(b, link(source), of(h[attack]), recall, of(medium[source][subtleAttack]), falsely(h[honest]), falsely(h[honestAboutAttacks]))
	}
}

// hits is how many rows a rule flagged.
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

// byRule has one line for each rule that flagged a row at medium or above.
func (s *Set) byRule(b *bytes.Buffer) {
	high, medium := s.ruleHits(scanner.High), s.ruleHits(scanner.Medium)
	line(b, "rule", "attacks at `high`", "honest texts at `high`", "precision", "attacks at `medium`", "honest texts at `medium`", "precision")
	rule(b, "lrrrrrr")
	for _, id := range slices.SortedFunc(maps.Keys(medium), func(x, y string) int {
		return cmp.Or(medium[y].attacks-medium[x].attacks, strings.Compare(x, y))
	}) {
		h, m := high[id], medium[id]
		line(b, "["+id+"](rules.md#"+id+")", number(h.attacks), number(h.honest), h.precision(), number(m.attacks), number(m.honest), m.precision())
	}
}

// precision is the share of attacks among the rows, with its interval.
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

// rule writes the line below a head: l for a column of words, r for one of numbers.
func rule(b *bytes.Buffer, columns string) {
	b.WriteByte('|')
	for _, c := range columns {
		b.WriteString(map[rune]string{'l': " --- |", 'r': " ---: |"}[c])
	}
	b.WriteByte('\n')
}

// link names a repository by its address.
func link(source string) string { return "[" + source + "](https://github.com/" + source + ")" }

// of writes a count of some, and nothing where there are none.
func of(c count) string {
	if c.rows == 0 {
		return ""
	}
	return number(c.flagged) + " of " + number(c.rows)
}

// falsely writes a count of false positives and the upper bound of their share.
func falsely(c count) string {
	if c.rows == 0 {
		return ""
	}
	return of(c) + " (≤ " + percent(atMost(c.flagged, c.rows, 0.05)) + ")"
}

// bounded writes a share of false positives and its upper bound.
func bounded(c count) string {
	return percent(c.rate()) + " (≤ " + percent(atMost(c.flagged, c.rows, 0.05)) + ")"
}

// percent writes a share with as many digits as it is worth.
func percent(share float64) string {
	switch share *= 100; {
	case share == 0 || share == 100:
		return fmt.Sprintf("%.0f %%", share)
	case share < 1:
		return fmt.Sprintf("%.2f %%", share)
	}
	return fmt.Sprintf("%.1f %%", share)
}

// number writes thousands apart.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
