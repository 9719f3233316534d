package scanner

import (
	"iter"
	"slices"
	"strings"
)

// reported is an issue that a rule has reported in a folded text. It becomes a finding once all
// rules have inspected the text.
type reported struct {
	rule *Rule
	Issue
}

// Reported reports whether the rule has already reported a part of Folded[start:end] at this
// severity or above, so that two of the rule's checks need not report the same text.
func (p *TextPass) Reported(start, end int, severity Severity) bool {
	return slices.ContainsFunc(p.reported, func(r reported) bool {
		return r.rule == p.rule && r.Start < end && start < r.End && r.Severity >= severity
	})
}

// Others yields the other rules that have so far reported a part of Folded[start:end], each with
// the severity that it reported. It omits user-defined patterns, because they can mean anything.
func (p *TextPass) Others(start, end int) iter.Seq2[*Rule, Severity] {
	return func(yield func(*Rule, Severity) bool) {
		for i := range p.reported {
			r := &p.reported[i]
			if r.rule != p.rule && !strings.HasPrefix(r.rule.ID, CustomGroup) && r.Start < end && start < r.End && !yield(r.rule, r.Severity) {
				return
			}
		}
	}
}

// Lower changes the severity of the issues that other rules have so far reported in the text: if rate
// returns a lower severity for an issue, Lower sets it and adds signal, which explains why.
func (p *TextPass) Lower(signal string, rate func(*Rule, *Issue) Severity) {
	for i := range p.reported {
		r := &p.reported[i]
		if r.rule == p.rule {
			continue
		}
		if lower := rate(r.rule, &r.Issue); lower < r.Severity {
			r.Severity, r.Signals = lower, append(slices.Clip(r.Signals), signal)
		}
	}
}

// Report reports a finding whose evidence is Folded[Start:End].
func (p *TextPass) Report(is Issue) {
	if p.Folded == nil {
		panic("Unusual and Lines must report with ReportSource: they see no folded text")
	}
	if p.reported = append(p.reported, reported{p.rule, is}); len(p.reported) >= maxReported {
		rule := p.rule
		p.keep()
		p.rule, p.reported = rule, p.reported[:0]
	}
}

// maxReported bounds the number of issues in a text that are held until all rules have inspected
// it.
const maxReported = 4096

// keep turns the issues reported in the folded text into findings.
func (p *TextPass) keep() {
	for i := range p.reported {
		r := &p.reported[i]
		p.rule = r.rule
		key := string(p.Folded[r.Start:min(r.End, r.Start+4*evidenceChars)])
		start, end := p.folded.Source(r.Start), p.folded.Source(r.End)
		p.in.text(p, r.Issue, start, end, key)
	}
}

// ReportSource reports a finding whose evidence is Source[Start:End].
func (p *TextPass) ReportSource(is Issue) {
	key := string(p.Source[is.Start:min(is.End, is.Start+4*evidenceChars)])
	p.in.text(p, is, is.Start, is.End, key)
}
