package config

import (
	"fmt"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// Triage decides what becomes of findings: what they weigh where they are, and
// which of them somebody has accepted or knew before. It has no clock: an ignore
// expires by the time of the finding.
type Triage struct {
	Settings *Settings
	Forced   Choice                      // what is reported whatever the settings say; where there is some, nothing else is
	Refused  Choice                      // what is not told
	Baseline map[string]scanner.Severity // by fingerprint: what was known before
	Now      time.Time                   // for findings without a time; zero where nobody says

	Unapproved bool // an approval in the change under review settles nothing

	used []uses // of each ignore
}

// uses counts what an ignore was asked for.
type uses struct{ applied, expired, undated int }

// Decide completes a finding, and returns false where its rule is switched off
// for what it stands in. What the engine reports of itself is left alone: it says
// that something was not looked at.
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
	t.known(f)
	t.ignored(f)
	return true
}

// setting returns what is known of a finding's rule where it is, and whether it
// is reported there.
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

// known marks a finding that stood in the baseline and is no worse now.
func (t *Triage) known(f *scanner.Finding) {
	if t.Baseline == nil || f.Status != scanner.Open {
		return
	}
	if before, ok := t.Baseline[f.Fingerprint()]; ok && f.Severity <= before {
		f.Status = scanner.Unchanged
	}
}

// ignored marks a finding that an ignore accepts. All of them are asked, so that
// none counts as useless for what another one was first to match.
func (t *Triage) ignored(f *scanner.Finding) {
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
		case ignore.holds(when):
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

// when is the time that an ignore of a finding expires by.
func (t *Triage) when(f *scanner.Finding) time.Time {
	if f.Time.IsZero() {
		return t.Now
	}
	return f.Time
}

// holds reports whether an ignore has not expired at a time. Without one it has.
func (i *Ignore) holds(when time.Time) bool {
	return i.Expires.IsZero() || !when.IsZero() && when.Before(i.Expires)
}

// lastDay is the day on which the ignore holds last.
func (i *Ignore) lastDay() string { return i.Expires.AddDate(0, 0, -1).Format(time.DateOnly) }

func (i *Ignore) matches(f *scanner.Finding, fingerprint func() string) bool {
	return globs(i.Rule, f.Rule.ID) && globs(i.Server, f.Server) && globs(i.Tool, f.Name) &&
		(i.Fingerprint == "" || i.Fingerprint == fingerprint())
}

// Unused is an ignore that suppressed nothing.
type Unused struct {
	Ignore
	Why string
}

// Unused returns the ignores that suppressed nothing, in the order of the file.
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
			out = append(out, Unused{i, fmt.Sprintf("it expires on %s, but its matches have no time; set one with --now", last)})
		default:
			out = append(out, Unused{i, "it matches nothing"})
		}
	}
	return out
}
