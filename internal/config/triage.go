package config

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// Triage decides what happens to findings: it sets their severities, and marks those that were
// accepted or already known. It does not read the clock: whether an ignore has expired depends
// on the time of the finding.
type Triage struct {
	Settings *Settings
	Forced   Choice                      // reported unless refused; if set, nothing else is reported
	Refused  Choice                      // never reported
	Baseline map[string]scanner.Severity // previously known findings by fingerprint
	Now      time.Time                   // time for findings without one; zero if unknown

	Unapproved bool // disregard approvals made in the change under review

	used []uses // indexed like the ignores
}

// uses counts the findings that an ignore matched: those that it suppressed, those later than its
// expiry, and those without a time.
type uses struct{ applied, expired, undated int }

// Decide completes a finding. It returns false if the finding is not to be reported, because its
// rule is switched off where the finding occurs. It never changes the engine's own findings,
// because they report that something was not inspected.
func (t *Triage) Decide(f *scanner.Finding) bool {
	if f.Rule.Category == "engine" {
		return true
	}
	set, on := t.setting(f)
	if !on {
		return false
	}
	if set.Severity != nil {
		f.Severity = *set.Severity
	}
	if threshold := t.Settings.AlertThreshold; threshold != nil && f.Severity < *threshold && f.Action == "alert" {
		f.Action = "record"
	}
	if f.Status == scanner.Approved && t.Unapproved {
		f.Status, f.Reason = scanner.Open, ""
	}
	t.compareBaseline(f)
	t.applyIgnores(f)
	return true
}

// setting returns the settings that apply to a finding's rule at the finding's location, and
// whether the finding is reported.
func (t *Triage) setting(f *scanner.Finding) (set RuleSetting, on bool) {
	set = t.Settings.base(f.Rule, output(f))
	for _, l := range t.Settings.layers(f.Server, f.Name, output(f)) {
		l.apply(f.Rule, output(f), &set)
	}
	switch {
	case t.Refused.has(f):
		return set, false
	case len(t.Forced) > 0:
		return set, t.Forced.has(f)
	}
	return set, set.Enabled == nil || *set.Enabled
}

// compareBaseline sets a finding's status to unchanged if it was in the baseline and is no more severe now.
func (t *Triage) compareBaseline(f *scanner.Finding) {
	if t.Baseline == nil || f.Status != scanner.Open {
		return
	}
	if before, ok := t.Baseline[f.Fingerprint()]; ok && f.Severity <= before {
		f.Status = scanner.Unchanged
	}
}

// applyIgnores suppresses a finding that an ignore accepts. It tries every ignore, so that none is
// reported as unused because another one matched first.
func (t *Triage) applyIgnores(f *scanner.Finding) {
	if t.used == nil {
		t.used = make([]uses, len(t.Settings.Ignores))
	}
	when := t.when(f)
	fingerprint := sync.OnceValue(f.Fingerprint)
	for i := range t.Settings.Ignores {
		ignore, used := &t.Settings.Ignores[i], &t.used[i]
		if !ignore.matches(f, fingerprint) {
			continue
		}
		switch {
		case ignore.validAt(when):
			if used.applied++; f.Status != scanner.Suppressed {
				f.Status, f.Reason = scanner.Suppressed, ignore.Reason
			}
		case when.IsZero():
			used.undated++
		default:
			used.expired++
		}
	}
}

// when returns the finding's time, or t.Now if it has none, to check whether an ignore has expired.
func (t *Triage) when(f *scanner.Finding) time.Time {
	if f.Time.IsZero() {
		return t.Now
	}
	return f.Time
}

// validAt reports whether an ignore is still valid at a time. If the time is zero, an ignore with an
// expiry date is not valid.
func (i *Ignore) validAt(when time.Time) bool {
	return i.Expires.IsZero() || !when.IsZero() && when.Before(i.Expires)
}

// lastDay returns the last day on which the ignore is valid.
func (i *Ignore) lastDay() string { return i.Expires.AddDate(0, 0, -1).Format(time.DateOnly) }

func (i *Ignore) matches(f *scanner.Finding, fingerprint func() string) bool {
	return matchesGlob(i.Rule, f.Rule.ID) && matchesGlob(i.Server, f.Server) && matchesGlob(i.Tool, f.Name) &&
		(i.Fingerprint == "" || i.Fingerprint == fingerprint())
}

// Unused is an ignore that suppressed nothing.
type Unused struct {
	Ignore
	Why string
}

// Unused returns the ignores that suppressed nothing, in file order.
func (t *Triage) Unused() []Unused {
	var out []Unused
	for n, i := range t.Settings.Ignores {
		var u uses
		if t.used != nil {
			u = t.used[n]
		}
		last := i.lastDay()
		switch {
		case u.applied > 0:
		case u.expired > 0:
			out = append(out, Unused{i, fmt.Sprintf("it expired on %s, and matches a later event", last)})
		case u.undated > 0:
			out = append(out, Unused{i, fmt.Sprintf("it expires on %s, but the events that it matches have no time; set a date with --now", last)})
		default:
			out = append(out, Unused{i, "it matches nothing"})
		}
	}
	return out
}

// Choice maps the ID of each chosen rule to the places for which it is chosen.
type Choice map[string]Places

// Places is a set of places where findings can occur.
type Places uint8

// InOutputs is what a server answers: results, errors and other parts of responses.
const (
	InOutputs Places = 1 << iota
	Elsewhere
	everywhere = InOutputs | Elsewhere
)

// has reports whether a finding's rule is chosen for the place where the finding occurs.
func (c Choice) has(f *scanner.Finding) bool {
	place := Elsewhere
	if output(f) {
		place = InOutputs
	}
	return c[f.Rule.ID]&place != 0
}

// All reports whether a rule is chosen for all places.
func (c Choice) All(id string) bool { return c[id] == everywhere }

// Choose adds the rules that a name selects, and reports whether there are any. The name is a rule
// ID, a category, or tool_poisoning, agentsh's name for findings in definitions. agentsh names have
// underscores where IDs have hyphens; both are accepted. An exact category name takes precedence
// over a rule ID: version_pin and burst select all rules in the category of that name, and
// version-pin selects the rule.
func (c Choice) Choose(name string, all []scanner.Rule) bool {
	category := slices.Contains(scanner.Categories, name)
	name = strings.ReplaceAll(name, "_", "-")
	for i := range all {
		if all[i].ID == name && !category {
			c[name] = everywhere
			return true
		}
	}
	found := false
	for i := range all {
		r := &all[i]
		var places Places
		switch {
		case strings.ReplaceAll(r.Category, "_", "-") == name:
			places = everywhere
		case name == "tool-poisoning" && readsTexts(r):
			places = Elsewhere
		case name == "output-poisoning" && inspectsResults(r):
			places = InOutputs
		}
		if places != 0 {
			c[r.ID] |= places
			found = true
		}
	}
	return found
}
