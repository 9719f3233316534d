package report

import (
	"cmp"
	"slices"

	"github.com/mcpscan/mcpscan/scanner"
)

// Of returns the number of findings with one severity.
func (c Counts) Of(s scanner.Severity) int { return *c.of(s) }

// Total returns the number of findings of all severities.
func (c Counts) Total() int { return c.Critical + c.High + c.Medium + c.Low + c.Note }

// Open returns the counts of findings that are neither suppressed, unchanged nor approved.
func (s Summary) Open() Counts {
	open := s.Findings
	for _, severity := range scanner.Severities {
		*open.of(severity) -= s.Suppressed.Of(severity) + s.Unchanged.Of(severity) + s.Approved.Of(severity)
	}
	return open
}

// open reports whether a finding is neither suppressed, unchanged nor approved.
func (f *Finding) open() bool { return f.Status == "" || f.Status == scanner.Open.String() }

func total(counts []Counts) (sum Counts) {
	for _, c := range counts {
		sum.add(c)
	}
	return sum
}

func (c *Counts) add(o Counts) {
	for _, s := range scanner.Severities {
		*c.of(s) += o.Of(s)
	}
}

// compare orders counts by the highest severity at which they differ.
func (c Counts) compare(o Counts) int {
	for _, s := range slices.Backward(scanner.Severities[:]) {
		if n := cmp.Compare(c.Of(s), o.Of(s)); n != 0 {
			return n
		}
	}
	return 0
}

func (c *Counts) of(s scanner.Severity) *int {
	return [...]*int{&c.Note, &c.Low, &c.Medium, &c.High, &c.Critical}[s]
}

// Complete reports whether everything that had to be inspected was inspected.
func (c Coverage) Complete() bool { return len(c.Skipped) == 0 }

// repeated is a finding merged with its duplicates in other sessions.
type repeated struct {
	*Finding     // the worst occurrence, open ones first
	times    int // occurrences in all sessions
	sessions int
}

// fold merges findings with the same key at the position of the first. Findings with an empty
// key stay separate.
func fold(findings []Finding, key func(*Finding) string) []repeated {
	out := make([]repeated, 0, len(findings))
	place := make(map[string]int, len(findings))
	for i := range findings {
		f := &findings[i]
		times := max(1, f.Occurrences)
		k := key(f)
		at, again := place[k]
		if !again || k == "" {
			place[k] = len(out)
			out = append(out, repeated{f, times, 1})
			continue
		}
		r := &out[at]
		r.times += times
		r.sessions++
		if f.open() && !r.open() || f.open() == r.open() && f.Severity > r.Severity {
			r.Finding = f
		}
	}
	return out
}

// together groups findings with the same key. Groups are in the order of their
// first findings.
func together[F any, K comparable](findings []F, key func(F) K) [][]F {
	var out [][]F
	place := map[K]int{}
	for _, f := range findings {
		k := key(f)
		at, known := place[k]
		if !known {
			at = len(out)
			place[k] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], f)
	}
	return out
}

// inSessions is a key for fold: it combines the same findings in different sessions, unless their
// messages differ, as for the lockfiles of two projects.
func inSessions(f *Finding) string {
	if f.Fingerprint == "" {
		return ""
	}
	return f.Fingerprint + "\x00" + f.Message
}

// inFile is a key for fold: it separates findings by file, but not by session.
func inFile(f *Finding) string {
	if f.Fingerprint == "" {
		return ""
	}
	return f.Fingerprint + "\x00" + f.Location.File
}

// worstFirst returns the open findings, worst first, with duplicates in several sessions
// merged.
func worstFirst(findings []Finding) []repeated {
	open := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !f.open() })
	list := fold(open, inSessions)
	slices.SortStableFunc(list, func(a, b repeated) int { return cmp.Compare(b.Severity, a.Severity) })
	return list
}
