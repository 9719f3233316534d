package lockfile

import (
	"cmp"
	"fmt"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Policy determines what is approved without a review. It never approves changes.
type Policy struct {
	Hold   bool                     // do not approve the definitions of a new server at first use
	Auto   func(server string) bool // approve new definitions of a known server or, with Hold, of any server
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

// DropUnlockable deletes from a snapshot each server whose entry would be wrong, and returns the
// reasons. If a name is configured for different servers, or a server lists a definition twice in
// different forms, only one of them could be approved. If a list is missing, the entry would claim that
// the definitions recorded earlier are those of the current server. The file may be nil.
func (f *File) DropUnlockable(now *scanner.Snapshot) (left []scanner.Skipped) {
	for _, name := range now.Names() {
		switch o := now.Servers[name]; {
		case o.Rival != (scanner.Location{}):
			left = append(left, rivals(o))
		case len(o.Duplicates) > 0:
			left = append(left, listedTwice(o))
		case o.Unlisted && f.lacks(name, o):
			left = append(left, unlisted(o))
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

// lacks reports whether an offer lacks a list of which the file has definitions or, for a server that the
// file does not have, the list of tools. Other lists that a server declares but never returns do not matter.
func (f *File) lacks(name string, o *scanner.Offer) bool {
	if f == nil || f.Servers[name] == nil {
		return !o.Lists[mcp.ToolSubject]
	}
	for key, e := range f.Servers[name].Entries {
		if !e.Gone && key.Kind != mcp.ServerSubject && !o.Lists[key.Kind] {
			return true
		}
	}
	return false
}

// unlisted explains that a server's list is missing.
func unlisted(o *scanner.Offer) scanner.Skipped {
	reason := fmt.Sprintf("server %q was not locked, because it did not return all lists that it declares; an earlier entry is unchanged", o.Server)
	return scanner.Skipped{Reason: reason, Count: 1, First: o.Location}
}

// listedTwice explains that a server lists a definition twice in different forms.
func listedTwice(o *scanner.Offer) scanner.Skipped {
	t := o.Duplicates[0]
	reason := fmt.Sprintf("server %q was not locked: it lists the %s %q twice with different definitions", o.Server, t.Kind, t.Name)
	if t.First != t.Second { // all definitions in a live server's list have the same location
		reason += fmt.Sprintf(" (%s and %s)", place(t.First), place(t.Second))
	}
	return scanner.Skipped{Reason: reason + ", and only one could be approved; report this to the server's author", Count: 1, First: t.Second}
}

// Update records what servers offer, according to a snapshot. Servers and lists that the snapshot
// lacks remain unchanged. A server that is new in the file takes over the approvals of a server with
// the same command or address: otherwise, all changes to the definitions of a renamed server would be
// approved at first use. If the arguments differ but the server was probably renamed, it takes over
// only the approvals of definitions. Update returns the approved definitions that their server listed
// before and no longer lists, and the number of removed definitions.
func (f *File) Update(now *scanner.Snapshot, p Policy, at time.Time) (unlisted []Change, removed int) {
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
		gone, n := f.Servers[name].unlist(o)
		unlisted, removed = append(unlisted, gone...), removed+n
	}
	return unlisted, removed
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
		now := *o.Identity
		now.Name = o.Info.Name
		s.identify(&now, by, at)
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
}

// unlist marks the definitions that the server no longer lists, and returns those that were not marked
// yet. They keep only their approved form, because mcpscan approve must not accept another one unseen;
// unlist removes those that have none, and returns how many.
func (s *Server) unlist(o *scanner.Offer) (unlisted []Change, removed int) {
	for _, key := range s.Keys() {
		e := s.Entries[key]
		switch {
		case !o.Lists[key.Kind] || o.Definitions[key] != nil:
		case e.Approval == nil:
			delete(s.Entries, key)
			removed++
		default:
			if !e.Gone {
				unlisted = append(unlisted, Change{Server: s.Name, DefinitionKey: key, Was: e.Status, Entry: e})
			}
			e.Status, e.Seen, e.Gone = Approved, nil, true
		}
	}
	return unlisted, removed
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
