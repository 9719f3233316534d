package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// verdict summarises a run in one sentence. If not everything was inspected, it says so next to "No
// findings".
func verdict(r *Report) string {
	open := r.Summary.Open()
	total, what, incomplete := open.Total(), "No findings.", "No findings, but not everything was inspected."
	if r.Summary.Findings.Total() > 0 {
		what, incomplete = "No open findings.", "No open findings, but not everything was inspected."
	}
	switch {
	case r.Coverage.Events == 0:
		return "Nothing was inspected: the input has no MCP messages and no definitions."
	case r.Coverage.Inspected == 0 && total == 0:
		return "Nothing was inspected."
	case total > 0:
		return fmt.Sprintf("%s: %s.", Count(total, "finding"), severities(open))
	case !r.Coverage.Complete():
		return incomplete
	}
	return what
}

// summary returns the sentences after the verdict: findings that need no action, what was
// inspected, and what is not listed.
func summary(r *Report) []string {
	return append(scopes(r), omitted(r)...)
}

// omitted returns the sentences about what is not listed.
func omitted(r *Report) []string {
	return slices.DeleteFunc([]string{hidden(r), unlisted(r)}, func(s string) bool { return s == "" })
}

// scopes returns the sentences about findings that need no action, and about what was
// inspected.
func scopes(r *Report) []string {
	var out []string
	decided := func(what string, c Counts, by string) {
		if by != "" {
			by = " (" + visible(by, textLimit) + ")"
		}
		if n := c.Total(); n > 0 {
			out = append(out, fmt.Sprintf("%s: %s: %s%s.", what, Count(n, "finding"), severities(c), by))
		}
	}
	by := ""
	if r.Config != nil {
		by = r.Config.File
	}
	decided("Suppressed", r.Summary.Suppressed, by)
	decided("Unchanged since the baseline", r.Summary.Unchanged, r.Baseline)
	out = append(out, approvals(r)...)
	out = append(out, scope(r))
	if names := reading(r); names != "" {
		out = append(out, names)
	}
	if r.Config != nil {
		out = append(out, r.Config.told()...)
	}
	return out
}

// told returns sentences that name the configuration used, and the changed files whose base version
// was used instead.
func (c *Config) told() (out []string) {
	if c.File != "" {
		out = append(out, fmt.Sprintf("Configuration: %s.", visible(c.File, textLimit)))
	}
	for _, file := range c.Changed {
		out = append(out, fmt.Sprintf("Used the base version of %s, not the changed one.", visible(file, textLimit)))
	}
	return out
}

// maxApprovals is the maximum number of approvals listed in a summary.
const maxApprovals = 20

// approvals returns sentences that say who approved what in the change under review, one per reason.
func approvals(r *Report) []string {
	approved := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Status != scanner.Approved.String() })
	reasons := together(approved, func(f Finding) string { return f.Reason })
	var out []string
	for i, findings := range reasons {
		if i == maxApprovals {
			return append(out, fmt.Sprintf("%s more.", Count(len(reasons)-i, "approval")))
		}
		var names []string
		for _, f := range findings {
			subject := visible(f.Server, maxResultName)
			if f.Tool != "" {
				subject += ":" + visible(f.Tool, maxResultName)
			}
			if !slices.Contains(names, subject) {
				names = append(names, subject)
			}
		}
		more := ""
		if len(names) > maxApprovals {
			names, more = names[:maxApprovals], fmt.Sprintf(" and %d more", len(names)-maxApprovals)
		}
		out = append(out, fmt.Sprintf("%s (%s%s).", opening(visible(findings[0].Reason, maxReason)), strings.Join(names, ", "), more))
	}
	if n := r.Summary.Approved.Total(); len(out) == 0 && n > 0 {
		out = append(out, fmt.Sprintf("Approved in this change: %s: %s.", Count(n, "finding"), severities(r.Summary.Approved)))
	}
	return out
}

// hidden counts the open findings that are not listed because of their severity, and says how to list
// them. It returns "" if there are none. Findings that are not open have their own counts.
func hidden(r *Report) string {
	if r.Summary.Hidden <= 0 {
		return ""
	}
	left := r.Summary.Open()
	for i := range r.Findings {
		if f := &r.Findings[i]; f.open() {
			*left.of(f.Severity)--
		}
	}
	for _, u := range r.Summary.Unlisted {
		*left.of(u.Severity) -= u.Count
	}
	var parts []string
	lowest := scanner.Note
	for _, s := range slices.Backward(scanner.Severities[:]) {
		n := left.Of(s)
		if n <= 0 {
			continue
		}
		what := s.String() + " finding"
		if s == scanner.Note {
			what = "note"
		}
		parts, lowest = append(parts, Count(n, what)), s
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s not listed (--min-severity %s lists them)", strings.Join(parts, ", "), lowest)
}

// severities formats the counts by severity, worst first.
func severities(c Counts) string {
	var parts []string
	for _, s := range slices.Backward(scanner.Severities[:]) {
		if n := c.Of(s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

// scope describes what was inspected.
func scope(r *Report) string {
	s := r.Summary
	parts := []string{Count(s.Servers, "server"), Count(s.Tools, "tool")}
	if s.Sessions > 0 {
		parts = append(parts, Count(s.Sessions, "session"))
	}
	if s.Calls > 0 {
		parts = append(parts, Count(s.Calls, "call"))
	}
	inspected := Count(r.Coverage.Events, "event")
	if r.Coverage.Inspected < r.Coverage.Events || !r.Coverage.Complete() {
		inspected = fmt.Sprintf("%d of %s", r.Coverage.Inspected, inspected)
	}
	return fmt.Sprintf("Inspected: %s; %s.", inspected, strings.Join(parts, ", "))
}

// notes mentions output that is not JSON-RPC and sessions that were closed early, neither of which
// makes the run incomplete.
func (c Coverage) notes() []string {
	var notes []string
	if c.Noise > 0 {
		notes = append(notes, fmt.Sprintf("Not valid JSON-RPC: %s of output.", Count(c.Noise, "line")))
	}
	if c.Evicted > 0 {
		notes = append(notes, fmt.Sprintf("Closed to limit memory use: %s, the longest idle first.", Count(c.Evicted, "session")))
	}
	return notes
}

// Count formats a number with its noun, whose plural ends in s: 1 finding, 2 findings.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// incompleteID is the check name for input that was not inspected, in formats that name
// checks.
const incompleteID = "not-inspected"

// gaps returns the reasons why input was not inspected. It also returns one for a run with nothing
// to inspect, so that the run does not look clean.
func gaps(r *Report) []Skipped {
	if r.Coverage.Events == 0 && r.Coverage.Complete() {
		return []Skipped{{Reason: "the input has no MCP messages and no definitions", Count: 1}}
	}
	return r.Coverage.Skipped
}

// opening capitalises the first word of s, unless it is a name.
func opening(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// status describes why a finding is not open: the decision about it, and the reason.
func status(f *Finding) string {
	if f.Status == scanner.Approved.String() && f.Reason != "" { // the reason already says who approved it
		return visible(f.Reason, maxReason)
	}
	out := visible(f.Status, maxResultName)
	if f.Reason != "" {
		out += ": " + visible(f.Reason, maxReason)
	}
	return out
}

// fixes returns the fix of each rule, by ID.
func fixes(rules []scanner.Rule) map[string]string {
	out := map[string]string{}
	for i := range rules {
		out[rules[i].ID] = rules[i].Fix
	}
	return out
}

// byID returns the rules of a run, by ID.
func byID(rules []scanner.Rule) map[string]*scanner.Rule {
	out := map[string]*scanner.Rule{}
	for i := range rules {
		out[rules[i].ID] = &rules[i]
	}
	return out
}
