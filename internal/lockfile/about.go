package lockfile

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// about reads serverInfo, client and identity.
func (p *parser) about(node int, s *Server) {
	p.members(p.doc.Get(node, "serverInfo"), infoMembers(&s.Info))
	if c := p.doc.Get(node, "client"); c >= 0 {
		s.Client = &mcp.ClientInfo{}
		p.members(c, []member{{"name", &s.Client.Name}, {"capabilities", &s.Client.Capabilities}})
	}
	if c := p.doc.Get(node, "identity"); c >= 0 {
		s.Identity = p.lockedIdentity(c)
	}
}

// lockedIdentity reads an identity with its status. An identity without a status counts as
// approved, because the first lockfiles had no status.
func (p *parser) lockedIdentity(c int) *baseline.LockedIdentity {
	l := &baseline.LockedIdentity{Identity: p.identity(c, "approved", "seen", "status")}
	if seen := p.doc.Get(c, "seen"); seen >= 0 {
		l.Seen = p.identity(seen)
	}
	l.Approval = p.approval(c)
	status := Status(p.text(c, "status"))
	if l.Pending = status == Pending; status != "" || l.Approval != nil || l.Seen != nil {
		p.consistent(c, status, l.Approval, l.Seen != nil)
	}
	return l
}

func (p *parser) identity(c int, beside ...string) *baseline.Identity {
	id := &baseline.Identity{}
	p.members(c, identityMembers(id), beside...)
	return id
}

// members reads the members of an object, which may have no others except those named in beside.
func (p *parser) members(node int, of []member, beside ...string) {
	var known []string
	for _, m := range of {
		known = append(known, m.name)
	}
	slices.Sort(known)
	p.object(node, append(known, beside...)...)
	for _, m := range of {
		switch v := m.value.(type) {
		case *string:
			*v = p.text(node, m.name)
		case *[]string:
			*v = p.texts(node, m.name)
		case *bool:
			*v = p.flag(node, m.name)
		}
	}
}

// member is an object member's name and the variable that stores its value: a *string, *[]string
// or *bool.
type member struct {
	name  string
	value any
}

func infoMembers(i *mcp.ServerInfo) []member {
	return []member{{"name", &i.Name}, {"protocol", &i.Protocol}, {"title", &i.Title}, {"version", &i.Version}}
}

func identityMembers(id *baseline.Identity) []member {
	return []member{{"command", &id.Command}, {"cwd", &id.Cwd}, {"digest", &id.Digest}, {"ecosystem", (*string)(&id.Ecosystem)},
		{"executable", &id.Executable}, {"integrity", &id.Integrity}, {"package", &id.Package}, {"pinned", &id.Pinned},
		{"resolved", &id.Resolved}, {"transport", &id.Transport}, {"url", &id.URL}, {"version", &id.Version},
		{"args", &id.Args}, {"env", &id.Env}, {"headers", &id.Headers}, {"exact", &id.Exact}}
}
