package lockfile

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Approve approves everything selected that is waiting for approval, and returns it. If a reason is
// given, Approve also renews approvals that a user gave without one. When it then approves definitions
// of a whole server, it also approves an identity that only mcpscan itself approved, because scan --base
// reports a new server until a user approves it. With a reason, a server that the user named is approved
// even if nothing in it is waiting for approval: its last approval may have been automatic, or may
// predate a change that no lockfile shows.
func (f *File) Approve(by string, reason string, at time.Time, selectors ...Selector) (approved []Change) {
	for _, sel := range selectors {
		s, explained := f.Servers[sel.Server], reason != ""
		var entries []Change
		for _, k := range s.Keys() {
			if e := s.Entries[k]; sel.Selects(k) && (e.Status != Approved || explained && unexplained(e.Approval)) {
				entries = append(entries, Change{Server: sel.Server, DefinitionKey: k, Was: e.Status, Entry: e})
			}
		}
		switch l := s.Identity; {
		case l == nil || !sel.All:
		case l.Waits(), explained && unexplained(l.Approval), explained && automatic(l.Approval) && len(entries) > 0,
			explained && sel.Named && len(entries) == 0:
			approved = append(approved, s.identityChange())
		}
		approved = append(approved, entries...)
	}
	for _, c := range approved {
		if l := c.Identity; l != nil {
			*l = baseline.LockedIdentity{Identity: l.Last(), Approval: &Approval{By: by, At: at, Reason: reason}}
			continue
		}
		e := c.Entry
		if e.Seen != nil {
			e.Shown, e.Seen = *e.Seen, nil
		}
		e.Status, e.Approval = Approved, &Approval{By: by, At: at, Reason: reason}
	}
	return approved
}

// unexplained reports whether a user gave an approval without a reason; a reason can be added
// later.
func unexplained(a *Approval) bool { return a != nil && a.Reason == "" && !automatic(a) }

// automatic reports whether mcpscan itself gave an approval.
func automatic(a *Approval) bool {
	return a != nil && (a.By == baseline.FirstUse || a.By == baseline.Auto)
}

// Change is an entry, or the identity of a server, and its previous status.
type Change struct {
	Server string
	mcp.DefinitionKey
	Was   Status
	Entry *Entry // nil for an identity

	Identity    *baseline.LockedIdentity // nil for an entry
	Differences []string                 // differences between the approved identity and the current one
}

// identityChange returns the Change that approves a server's identity.
func (s *Server) identityChange() Change {
	c := Change{Server: s.Name, Was: identityStatus(s.Identity), Identity: s.Identity}
	if s.Identity.Seen != nil {
		c.Differences = s.Identity.Identity.Differences(s.Identity.Seen)
	}
	return c
}

// Waiting returns the entries and identities whose last seen form is not approved.
func (f *File) Waiting() (waiting []Change) {
	for _, name := range f.Names() {
		if s := f.Servers[name]; s.Identity.Waits() {
			waiting = append(waiting, s.identityChange())
		}
		for _, k := range f.Servers[name].Keys() {
			if e := f.Servers[name].Entries[k]; e.Status != Approved {
				waiting = append(waiting, Change{Server: name, DefinitionKey: k, Was: e.Status, Entry: e})
			}
		}
	}
	return waiting
}

// Find returns the entries selected by SERVER:NAME.
func (f *File) Find(s string) (found []Change, err error) {
	sel, err := f.ParseSelector(s)
	if err != nil {
		return nil, err
	}
	if sel.All {
		return nil, fmt.Errorf("expected SERVER:NAME, found only a server: %q", s)
	}
	server := f.Servers[sel.Server]
	for _, k := range server.Keys() {
		if sel.Selects(k) {
			found = append(found, Change{Server: sel.Server, DefinitionKey: k, Was: server.Entries[k].Status, Entry: server.Entries[k]})
		}
	}
	return found, nil
}

// Last returns the last seen definition.
func (e *Entry) Last() *Shown {
	if e.Seen != nil {
		return e.Seen
	}
	return &e.Shown
}

// Is reports whether a digest matches the definition by any formula. It accepts digests with and
// without the prefix used in agentsh's documentation.
func (s *Shown) Is(digest string) bool {
	hash := strings.TrimPrefix(digest, "sha256:")
	return digest != "" && (digest == s.Digest.String() || hash == s.AgentSH || hash == s.MCPProxy)
}
