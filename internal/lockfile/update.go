package lockfile

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Policy determines what is approved without a review. It never approves changes.
type Policy struct {
	Hold   bool                     // even definitions that a server offers when first locked stay pending
	Auto   func(server string) bool // approve new definitions of a known server
	Refuse func(server string) bool // approve nothing, because the server has a critical finding
}

// by returns the approver for new definitions of a server, or "" if they must wait.
func (p Policy) by(server string, known bool) string {
	switch {
	case p.Refuse != nil && p.Refuse(server):
		return ""
	case !known && !p.Hold:
		return baseline.FirstUse
	case p.Auto != nil && p.Auto(server):
		return baseline.Auto
	}
	return ""
}

// DropAmbiguous deletes from a snapshot each server of which only one form could be approved: its name is
// configured for different servers, or it lists a definition twice in different forms. It returns the reasons.
func DropAmbiguous(now *scanner.Snapshot) (left []scanner.Skipped) {
	for _, name := range now.Names() {
		switch o := now.Servers[name]; {
		case o.Rival != (scanner.Location{}):
			left = append(left, rivals(o))
		case len(o.Duplicates) > 0:
			left = append(left, listedTwice(o))
		default:
			continue
		}
		delete(now.Servers, name)
	}
	return left
}

// rivals explains that a server's name is configured for different servers.
func rivals(o *scanner.Offer) scanner.Skipped {
	reason := fmt.Sprintf("server %q was not locked: %s and %s configure it differently, and one lockfile can hold only one of them; make them equal, rename one, or lock one into another file with --lockfile",
		o.Server, place(o.Location), place(o.Rival))
	return scanner.Skipped{Reason: reason, Count: 1, First: o.Rival}
}

// listedTwice explains that a server lists a definition twice in different forms.
func listedTwice(o *scanner.Offer) scanner.Skipped {
	t := o.Duplicates[0]
	reason := fmt.Sprintf("server %q was not locked: it lists the %s %q twice with different definitions", o.Server, t.Kind, t.Name)
	if t.First != t.Second { // all definitions in a live server's list have the same location
		reason += fmt.Sprintf(" (%s and %s)", place(t.First), place(t.Second))
	}
	return scanner.Skipped{Reason: reason + ", and only one could be approved; report this to its author", Count: 1, First: t.Second}
}

// Update records what servers offer, according to a snapshot. Servers and lists that the snapshot lacks
// remain unchanged. A server that is new in the file takes over the approvals of a server with the same
// command or address: otherwise, all changes to the definitions of a renamed server would be approved at
// first use. If the arguments differ, it takes over only those of the definitions.
func (f *File) Update(now *scanner.Snapshot, p Policy, at time.Time) {
	started, departed := map[string]*Server{}, mcp.Departed[*Server, *Entry]{}
	for _, name := range f.Names() {
		s := f.Servers[name]
		if now.Servers[name] == nil {
			departed.Add(s.Identity.Last(), s, s.Entries)
		}
		if key := s.Identity.Last().Key(); key != "" && started[key] == nil {
			started[key] = s
		}
	}
	for _, name := range now.Names() {
		o := now.Servers[name]
		if f.Servers[name] == nil {
			if like := started[o.Identity.Key()]; like != nil {
				f.Servers[name] = like.named(name)
			} else if was, ok := mcp.Renamed(departed, o.Identity, o.Definitions); ok {
				f.Servers[name] = &Server{Name: name, Entries: was.named(name).Entries}
			}
		}
		f.update(name, o, p, at)
	}
}

func place(l scanner.Location) string { return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column) }

func (f *File) update(name string, o *scanner.Offer, p Policy, at time.Time) {
	s, known := f.Servers[name]
	if !known {
		s = &Server{Name: name, Entries: map[mcp.DefinitionKey]*Entry{}}
		f.Servers[name] = s
	}
	by := p.by(name, known)
	if o.Identity != nil {
		s.identify(o.Identity, by, at)
	}
	if o.Info.Name != "" || o.Info.Protocol != "" {
		s.Info = completed(s.Info, o.Info)
	}
	if o.Client != nil {
		s.Client = o.Client
	}
	for _, key := range o.Keys() {
		shown := describe(key.Kind, o.Definitions[key].Sent)
		e := s.Entries[key]
		if e == nil {
			e = &Entry{}
			s.Entries[key] = e
		}
		e.see(shown, by, at)
	}
	for _, key := range s.Keys() {
		if o.Lists[key.Kind] && o.Definitions[key] == nil {
			s.Entries[key].Gone = true
		}
	}
}

// named returns a copy of a server under another name.
func (s *Server) named(name string) *Server {
	other := &Server{Name: name, Identity: new(*s.Identity), Info: s.Info, Client: s.Client, Entries: map[mcp.DefinitionKey]*Entry{}}
	for key, e := range s.Entries {
		other.Entries[key] = new(*e)
	}
	return other
}

// completed returns what a server reports about itself now. If this includes no protocol version, as
// in a definition file, and the server has the same name and version as before, the previous protocol
// version is added.
func completed(before, now mcp.ServerInfo) mcp.ServerInfo {
	if before.Name == now.Name && before.Version == now.Version {
		now.Protocol = cmp.Or(now.Protocol, before.Protocol)
	}
	return now
}

// identify records the current identity of a server. The approved identity remains until a
// different one is approved; information that was missing before is added to it.
func (s *Server) identify(now *baseline.Identity, by string, at time.Time) {
	l := s.Identity
	if l == nil {
		l = &baseline.LockedIdentity{Identity: now, Pending: by == ""}
		if by != "" {
			l.Approval = &Approval{By: by, At: at}
		}
		s.Identity = l
		return
	}
	complete, same := l.Identity.Complete(now)
	switch {
	case same:
		if l.Identity, l.Seen = complete, nil; l.Approval == nil && !l.Pending { // from an old lockfile
			l.Approval = &Approval{By: baseline.FirstUse, At: at}
		}
	case l.Pending:
		l.Identity = now
	default:
		if l.Seen != nil {
			complete, _ = l.Seen.Complete(complete)
		}
		if l.Seen = complete; l.Approval == nil { // from an old lockfile
			l.Approval = &Approval{By: baseline.FirstUse, At: at}
		}
	}
}

// see records a definition as the server sends it now. The approved definition remains until a
// different one is approved; the entry keeps the status "changed" until the server sends exactly
// the approved definition again.
func (e *Entry) see(now Shown, by string, at time.Time) {
	e.Gone = false
	switch {
	case e.Approval == nil && by != "":
		*e = Entry{Status: Approved, Approval: &Approval{By: by, At: at}, Shown: now}
	case e.Approval == nil:
		e.Status, e.Shown = Pending, now
	case e.Digest == now.Digest:
		e.Status, e.Seen = Approved, nil
	default:
		e.Status, e.Seen = Changed, &now
	}
}

// Prune removes entries that are no longer listed, and returns how many.
func (f *File) Prune() (forgotten int) {
	for _, s := range f.Servers {
		for key, e := range s.Entries {
			if e.Gone {
				delete(s.Entries, key)
				forgotten++
			}
		}
	}
	return forgotten
}

// Approve approves everything selected that is waiting for approval, and returns it. With a reason, it
// also approves again what a user approved without one.
func (f *File) Approve(by string, reason string, at time.Time, selectors ...Selector) (approved []Change) {
	for _, sel := range selectors {
		s := f.Servers[sel.Server]
		if l := s.Identity; sel.All && (l.Waits() || reason != "" && l != nil && unexplained(l.Approval)) {
			approved = append(approved, s.identityChange())
		}
		for _, k := range s.Keys() {
			if e := s.Entries[k]; sel.Selects(k) && (e.Status != Approved || reason != "" && unexplained(e.Approval)) {
				approved = append(approved, Change{Server: sel.Server, DefinitionKey: k, Was: e.Status, Entry: e})
			}
		}
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
func unexplained(a *Approval) bool {
	return a != nil && a.Reason == "" && a.By != baseline.FirstUse && a.By != baseline.Auto
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
