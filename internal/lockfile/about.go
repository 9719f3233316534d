package lockfile

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
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
		s.Client = &scanner.ClientInfo{}
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
	s.Identity = &scanner.LockedIdentity{}
	return p.lockedIdentity(c, s.Identity)
}

// identityNames are the members of an identity.
var identityNames = []string{"args", "command", "cwd", "digest", "ecosystem", "env", "exact", "executable", "headers", "integrity", "package", "pinned", "resolved", "transport", "url", "version"}

// lockedIdentity reads an identity with its status, as an entry has one. One without a
// status was approved: lockfiles had none at first.
func (p *parser) lockedIdentity(c int, l *scanner.LockedIdentity) (err error) {
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

func (p *parser) identity(c int, beside ...string) (*scanner.Identity, error) {
	if err := p.object(c, slices.Concat(identityNames, beside)...); err != nil {
		return nil, err
	}
	id := &scanner.Identity{}
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

// member is a member of an object and where its value is kept.
type member[T any] struct {
	name  string
	value *T
}

func infoMembers(i *scanner.ServerInfo) []member[string] {
	return []member[string]{{"name", &i.Name}, {"protocol", &i.Protocol}, {"title", &i.Title}, {"version", &i.Version}}
}

func identityMembers(id *scanner.Identity) []member[string] {
	return []member[string]{{"command", &id.Command}, {"cwd", &id.Cwd}, {"digest", &id.Digest}, {"ecosystem", (*string)(&id.Ecosystem)},
		{"executable", &id.Executable}, {"integrity", &id.Integrity}, {"package", &id.Package}, {"pinned", &id.Pinned},
		{"resolved", &id.Resolved}, {"transport", &id.Transport}, {"url", &id.URL}, {"version", &id.Version}}
}

func identityLists(id *scanner.Identity) []member[[]string] {
	return []member[[]string]{{"args", &id.Args}, {"env", &id.Env}, {"headers", &id.Headers}}
}

// Format returns the file as it is written: sorted, one property a line, the same
// bytes for the same content.
func (f *File) Format() ([]byte, error) {
	b := appendText([]byte(`{"lockfile":`), Version)
	b = append(b, `,"servers":{`...)
	for i, name := range f.Names() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = f.Servers[name].append(b)
	}
	b = append(b, "}}"...)
	doc := wire.Doc{MaxNodes: 4_000_000}
	if err := doc.Parse(b); err != nil {
		return nil, err
	}
	return append(doc.AppendIndented(nil, 0, 0), '\n'), nil
}

func (s *Server) append(b []byte) []byte {
	o := object{b: append(b, '{')}
	if c := s.Client; c != nil {
		o.key("client")
		in := object{b: append(o.b, '{')}
		in.list("capabilities", c.Capabilities)
		in.text("name", c.Name)
		o.b = append(in.b, '}')
	}
	if l := s.Identity; l != nil {
		o.key("identity")
		in := object{b: append(o.b, '{')}
		in.approval(l.Approval)
		in.identity(l.Identity)
		if l.Seen != nil {
			in.key("seen")
			seen := object{b: append(in.b, '{')}
			seen.identity(l.Seen)
			in.b = append(seen.b, '}')
		}
		if l.Pending || l.Approval != nil {
			in.text("status", string(identityStatus(l)))
		}
		o.b = append(in.b, '}')
	}
	o.key("serverInfo")
	in := object{b: append(o.b, '{')}
	in.members(infoMembers(&s.Info))
	o.b = append(in.b, '}')
	if e := s.Entries[scanner.DefinitionKey{Kind: scanner.ServerSubject}]; e != nil {
		o.key("instructions")
		o.b = e.append(o.b)
	}
	for _, k := range kinds {
		in, any := object{}, false
		for _, key := range s.Keys() {
			if key.Kind != k.kind {
				continue
			}
			if !any {
				o.key(k.member)
				in, any = object{b: append(o.b, '{')}, true
			}
			in.key(key.Name)
			in.b = s.Entries[key].append(in.b)
		}
		if any {
			o.b = append(in.b, '}')
		}
	}
	return append(o.b, '}')
}

func (e *Entry) append(b []byte) []byte {
	o := object{b: append(b, '{')}
	o.approval(e.Approval)
	e.Shown.append(&o)
	if e.Seen != nil {
		o.key("seen")
		in := object{b: append(o.b, '{')}
		e.Seen.append(&in)
		o.b = append(in.b, '}')
	}
	if e.Gone {
		o.raw("listed", []byte("false"))
	}
	o.text("status", string(e.Status))
	return append(o.b, '}')
}

func (s *Shown) append(o *object) {
	digest := s.Digest.String()
	o.members([]member[string]{{"agentsh", &s.AgentSH}, {"digest", &digest}, {"mcpproxy", &s.MCPProxy}})
	o.raw("definition", s.Definition)
	o.key("parts")
	in := object{b: append(o.b, '{')}
	for i, part := range scanner.DefinitionParts {
		d := s.Parts[i].String()
		in.members([]member[string]{{part, &d}})
	}
	o.b = append(in.b, '}')
}

// object writes the members of a JSON object.
type object struct {
	b    []byte
	more bool
}

func (o *object) key(name string) {
	if o.more {
		o.b = append(o.b, ',')
	}
	o.more = true
	o.b = append(appendText(o.b, name), ':')
}

func (o *object) approval(a *Approval) {
	if a == nil {
		return
	}
	o.key("approved")
	in := object{b: append(o.b, '{')}
	in.text("at", a.At.UTC().Format("2006-01-02T15:04:05Z"))
	in.text("by", a.By)
	in.members([]member[string]{{"reason", &a.Reason}})
	o.b = append(in.b, '}')
}

func (o *object) identity(id *scanner.Identity) {
	for _, l := range identityLists(id) {
		if len(*l.value) > 0 {
			o.list(l.name, *l.value)
		}
	}
	o.members(identityMembers(id))
	if id.Exact {
		o.raw("exact", []byte("true"))
	}
}

func identityStatus(l *scanner.LockedIdentity) Status {
	switch {
	case l.Pending:
		return Pending
	case l.Seen != nil:
		return Changed
	}
	return Approved
}

func (o *object) raw(name string, value []byte) {
	o.key(name)
	o.b = append(o.b, value...)
}

func (o *object) text(name, value string) {
	o.key(name)
	o.b = appendText(o.b, value)
}

// members writes texts, without those that are empty.
func (o *object) members(of []member[string]) {
	for _, m := range of {
		if *m.value != "" {
			o.text(m.name, *m.value)
		}
	}
}

func (o *object) list(name string, values []string) {
	o.key(name)
	o.b = append(o.b, '[')
	for i, v := range values {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = appendText(o.b, v)
	}
	o.b = append(o.b, ']')
}

func appendText(b []byte, s string) []byte {
	return wire.AppendString(b, []byte(toValid(s)))
}
