package config

import (
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// Triage decides what happens to findings: it sets their severities, and marks those that were
// accepted or already known. It does not read the clock: whether an ignore has expired depends
// on the time of the finding.
type Triage struct {
	Settings *Settings
	Forced   Choice                      // if set, exactly these are reported, unless refused
	Refused  Choice                      // never reported
	Baseline map[string]scanner.Severity // previously known findings by fingerprint
	Now      time.Time                   // time for findings without one; zero if unknown

	Unapproved bool // disregard approvals made in the change under review
	Partial    bool // only some findings are decided on, so an ignore without a match may still be of use

	used []uses // indexed like the ignores
	seen seen
}

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
