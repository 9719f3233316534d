package config

import (
	"fmt"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// uses counts the findings that an ignore matched: those that it suppressed, those later than its
// expiry, and those without a time.
type uses struct{ applied, expired, undated int }

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

// Unused returns the ignores that suppressed nothing, in file order; if t.Partial is set, without those
// that matched nothing. all says that the run knows all configurations; otherwise, an ignore for a server
// that the run does not inspect may be of use.
func (t *Triage) Unused(all bool) []Unused {
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
			out = append(out, Unused{i, fmt.Sprintf("it expires on %s, but the events that it matches have no time; set the date with --now, as in --now today", last)})
		case !t.Partial && (all || i.Server == "" || t.seen.inspects(i.Server)):
			out = append(out, Unused{i, "it matches nothing"})
		}
	}
	return out
}
