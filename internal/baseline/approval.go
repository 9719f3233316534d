// Package baseline models what was approved about a server, and who approved it: the identity of
// the server, such as its command or address, and the approvals in a lockfile. It does no I/O and
// never reads the clock.
package baseline

import (
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/text"
)

// Approval records who approved something, when and why.
type Approval struct {
	By     string
	At     time.Time
	Reason string
}

// The approver names of automatic approvals: FirstUse for a server that is locked for the first
// time, Auto for a new definition from a server that the settings trust.
const (
	FirstUse = "first-use"
	Auto     = "auto"
)

// stated reports whether the approval names a person (not mcpscan), a time and a reason.
func (a *Approval) stated() bool {
	if a == nil || a.At.IsZero() || readable(a.Reason) == "" {
		return false
	}
	by := readable(a.By)
	return by != "" && by != FirstUse && by != Auto
}

// readable folds s, which removes invisible characters, and trims white space.
func readable(s string) string {
	var f text.Folder
	return strings.TrimSpace(string(f.Fold([]byte(s)).Text))
}

// Equal reports whether both approvals are by the same person, at the same time, for the same
// reason.
func (a *Approval) Equal(other *Approval) bool {
	return a != nil && other != nil && a.By == other.By && a.Reason == other.Reason && a.At.Equal(other.At)
}

// ReusedAs reports whether this approval names a person, a time and a reason, and current is a copy of
// it. Automatic approvals do not count: two of them are equal whenever they were made at the same
// time.
func (a *Approval) ReusedAs(current *Approval) bool { return a.stated() && a.Equal(current) }

// MadeSince reports whether the approval names a person, a time and a reason, and differs from before.
func (a *Approval) MadeSince(before *Approval) bool { return a.stated() && !a.Equal(before) }

// RewrittenAs reports whether somebody edited this approval into current. Adding a reason to a person's
// approval that had none is not an edit, because mcpscan approve does this.
func (a *Approval) RewrittenAs(current *Approval) bool {
	if a == nil || current == nil || a.Equal(current) {
		return false
	}
	return a.Reason != "" || a.By == FirstUse || a.By == Auto || !current.stated()
}
