package lockfile

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// about reads serverInfo, client and identity.
func (p *parser) about(node int, s *Server) error {
	if c := p.doc.Get(node, "serverInfo"); c >= 0 {
		if err := p.object(c, "name", "protocol", "title", "version"); err != nil {
			return err
		}
		if err := p.members(c, infoMembers(&s.Info)); err != nil {
			return err
		}
	}
	if c := p.doc.Get(node, "client"); c >= 0 {
		s.Client = &mcp.ClientInfo{}
		if err := p.object(c, "capabilities", "name"); err != nil {
			return err
		}
		if err := p.text(c, "name", &s.Client.Name); err != nil {
			return err
		}
		if err := p.texts(c, "capabilities", &s.Client.Capabilities); err != nil {
			return err
		}
	}
	c := p.doc.Get(node, "identity")
	if c < 0 {
		return nil
	}
	s.Identity = &baseline.LockedIdentity{}
	return p.lockedIdentity(c, s.Identity)
}

// identityNames lists the members of an identity.
var identityNames = []string{"args", "command", "cwd", "digest", "ecosystem", "env", "exact", "executable", "headers", "integrity", "package", "pinned", "resolved", "transport", "url", "version"}

// lockedIdentity reads an identity with its status. An identity without a status counts as
// approved, because the first lockfiles had no status.
func (p *parser) lockedIdentity(c int, l *baseline.LockedIdentity) (err error) {
	if l.Identity, err = p.identity(c, "approved", "seen", "status"); err != nil {
		return err
	}
	if seen := p.doc.Get(c, "seen"); seen >= 0 {
		if l.Seen, err = p.identity(seen); err != nil {
			return err
		}
	}
	if l.Approval, err = p.approval(c); err != nil {
		return err
	}
	status := ""
	if err := p.text(c, "status", &status); err != nil {
		return err
	}
	if l.Pending = Status(status) == Pending; status == "" && l.Approval == nil && l.Seen == nil {
		return nil
	}
	return p.consistent(c, Status(status), l.Approval, l.Seen != nil)
}

func (p *parser) identity(c int, beside ...string) (*baseline.Identity, error) {
	if err := p.object(c, slices.Concat(identityNames, beside)...); err != nil {
		return nil, err
	}
	id := &baseline.Identity{}
	if err := p.members(c, identityMembers(id)); err != nil {
		return nil, err
	}
	for _, l := range identityLists(id) {
		if err := p.texts(c, l.name, l.value); err != nil {
			return nil, err
		}
	}
	var err error
	id.Exact, err = p.flag(c, "exact")
	return id, err
}

func (p *parser) members(node int, of []member[string]) error {
	for _, m := range of {
		if err := p.text(node, m.name, m.value); err != nil {
			return err
		}
	}
	return nil
}

// member is an object member's name and the variable that stores its value.
type member[T any] struct {
	name  string
	value *T
}

func infoMembers(i *mcp.ServerInfo) []member[string] {
	return []member[string]{{"name", &i.Name}, {"protocol", &i.Protocol}, {"title", &i.Title}, {"version", &i.Version}}
}

func identityMembers(id *baseline.Identity) []member[string] {
	return []member[string]{{"command", &id.Command}, {"cwd", &id.Cwd}, {"digest", &id.Digest}, {"ecosystem", (*string)(&id.Ecosystem)},
		{"executable", &id.Executable}, {"integrity", &id.Integrity}, {"package", &id.Package}, {"pinned", &id.Pinned},
		{"resolved", &id.Resolved}, {"transport", &id.Transport}, {"url", &id.URL}, {"version", &id.Version}}
}

func identityLists(id *baseline.Identity) []member[[]string] {
	return []member[[]string]{{"args", &id.Args}, {"env", &id.Env}, {"headers", &id.Headers}}
}
