package lockfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Error is a problem in a lockfile, with its position.
type Error struct {
	Path         string
	Line, Column int
	Pointer      string // JSON Pointer into the file, or ""
	Msg          string
}

func (e *Error) Error() string {
	at := fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
	if e.Pointer != "" {
		at += ": " + e.Pointer
	}
	return at + ": " + e.Msg
}

// Is reports whether data looks like a lockfile, even an invalid one.
func Is(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 4096)], []byte(`"lockfile": "mcpscan.lock/`))
}

// Parse reads a lockfile. Unknown, duplicate and contradictory members are errors. All errors are of
// type *Error.
func Parse(path string, data []byte) (*File, error) {
	p := &parser{at: scanner.NewPlaces(path, data), file: &File{Path: path, Servers: map[string]*Server{}, data: data}}
	if bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")) || bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		return nil, &Error{path, 1, 1, "", "the file begins with a byte order mark, which editors and PowerShell add; save it as UTF-8 without one"}
	}
	if err := p.conflict(data); err != nil {
		return nil, err
	}
	var syntax *wire.SyntaxError
	p.doc.MaxNodes = maxNodes
	if err := p.doc.Parse(data); errors.As(err, &syntax) {
		at := p.at.At(min(syntax.Offset, len(data)))
		return nil, &Error{path, at.Line, at.Column, "", syntax.Msg + "; restore the lockfile from version control, or delete it and write it again with mcpscan lock"}
	}
	if p.root(); p.err != nil {
		return nil, p.err
	}
	return p.file, nil
}

// Intact returns an error if the digests of an entry do not match its definition, because using
// such a file would approve definitions that were never reviewed.
func (f *File) Intact() error {
	for _, name := range f.Names() {
		for _, key := range f.Servers[name].Keys() {
			e := f.Servers[name].Entries[key]
			for _, s := range []*Shown{&e.Shown, e.Seen} {
				if s == nil {
					continue
				}
				if want := describe(key.Kind, s.Definition); want.Digest != s.Digest || want.Parts != s.Parts || want.MCPProxy != s.MCPProxy && !hasZero(s.Definition) {
					return &Error{f.Path, e.Place.Line, e.Place.Column, "", fmt.Sprintf(
						"the digests of %q do not match its definition: the lockfile was edited without mcpscan, so mcpscan does not change it; restore it from version control, or run mcpscan pins reset", key.Name)}
				}
			}
		}
	}
	return nil
}

// Names returns the sorted names of the servers.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.Servers)) }

// Keys returns the keys of a server's entries, sorted by kind and name.
func (s *Server) Keys() []mcp.DefinitionKey {
	return slices.SortedFunc(maps.Keys(s.Entries), mcp.DefinitionKey.Compare)
}

// parser reads a lockfile. It keeps the first error; what it reads after that is discarded.
type parser struct {
	doc  wire.Doc
	at   *scanner.Places
	file *File
	err  error
}

// conflict reports merge conflict markers.
func (p *parser) conflict(data []byte) error {
	line := 0
	for l := range bytes.Lines(data) {
		line++
		if bytes.HasPrefix(l, []byte("<<<<<<< ")) || bytes.HasPrefix(l, []byte(">>>>>>> ")) {
			return &Error{p.file.Path, line, 1, "", "unresolved merge conflict; keep one side (git checkout --ours or --theirs), then run mcpscan lock and approve the remaining changes"}
		}
	}
	return nil
}

// fail records an error, unless there was one before.
func (p *parser) fail(node int, format string, args ...any) {
	if p.err == nil {
		at := p.at.At(int(p.doc.Nodes[node].Start))
		p.err = &Error{p.file.Path, at.Line, at.Column, string(p.doc.AppendPointer(nil, 0, node)), fmt.Sprintf(format, args...)}
	}
}

// object rejects values other than objects, and unknown or duplicate members. A node below 0 means
// that an optional member is missing.
func (p *parser) object(node int, known ...string) {
	if node >= 0 && p.doc.Kind(node) != wire.Object {
		p.fail(node, "expected an object, found %s", p.doc.Kind(node))
	}
	seen := map[string]bool{}
	for c, key := range p.children(node) {
		switch {
		case seen[key]:
			p.fail(c, "duplicate member %q; remove one", key)
		case known != nil && !slices.Contains(known, key):
			p.fail(c, "unknown member %q: expected %s; a newer mcpscan may have written it", key, strings.Join(known, ", "))
		}
		seen[key] = true
	}
}

// children returns the members of an object with their keys, until there is an error.
func (p *parser) children(node int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for c := p.doc.First(node); c >= 0 && p.err == nil; c = p.doc.Next(c) {
			if !yield(c, p.doc.KeyString(c)) {
				return
			}
		}
	}
}

// text returns an optional string member.
func (p *parser) text(node int, member string) string {
	s, ok := p.doc.Str(node, member)
	if c := p.doc.Get(node, member); c >= 0 && !ok {
		p.fail(c, "expected a string, found %s", p.doc.Kind(c))
	}
	return s
}

// texts returns an optional member that is a list of strings.
func (p *parser) texts(node int, member string) (all []string) {
	list := p.doc.Get(node, member)
	if list >= 0 && p.doc.Kind(list) != wire.Array {
		p.fail(list, "expected an array of strings, found %s", p.doc.Kind(list))
	}
	for c := p.doc.First(list); c >= 0 && p.err == nil; c = p.doc.Next(c) {
		if p.doc.Kind(c) != wire.String {
			p.fail(c, "expected a string, found %s", p.doc.Kind(c))
			break
		}
		all = append(all, p.doc.TextString(c))
	}
	return all
}

// flag returns an optional member that is true or false.
func (p *parser) flag(node int, member string) bool {
	c := p.doc.Get(node, member)
	if c >= 0 && p.doc.Kind(c) != wire.Bool {
		p.fail(c, "expected true or false, found %s", p.doc.Kind(c))
	}
	return c >= 0 && string(p.doc.Raw(c)) == "true"
}

func (p *parser) root() {
	version, ok := p.doc.Str(0, "lockfile")
	servers := p.doc.Get(0, "servers")
	switch {
	case p.doc.Kind(0) != wire.Object:
		p.fail(0, "expected a lockfile (an object), found %s", p.doc.Kind(0))
	case !ok:
		p.fail(0, "the member \"lockfile\" is missing: not an mcpscan lockfile, or only part of one")
	case version != Version:
		p.fail(p.doc.Get(0, "lockfile"), "version %q: this mcpscan reads %s; use the mcpscan that wrote the file, or a newer one", version, Version)
	}
	p.object(0, "lockfile", "servers")
	if servers < 0 {
		p.fail(0, "the member \"servers\" is missing; restore the lockfile, or delete it and write it again with mcpscan lock")
	}
	p.object(servers)
	for c, name := range p.children(servers) {
		p.server(c, name)
	}
}

func (p *parser) server(node int, name string) {
	p.object(node, "client", "identity", "instructions", "prompts", "resourceTemplates", "resources", "serverInfo", "tools")
	n := &p.doc.Nodes[node]
	s := &Server{Name: name, Entries: map[mcp.DefinitionKey]*Entry{}, start: int(n.Start), end: int(n.End), Place: p.at.At(int(n.KeyStart))}
	p.file.Servers[name] = s
	p.about(node, s)
	if c := p.doc.Get(node, "instructions"); c >= 0 {
		p.entry(c, s, mcp.DefinitionKey{Kind: mcp.ServerSubject}, "")
	}
	for _, k := range kinds {
		list := p.doc.Get(node, k.member)
		p.object(list)
		for c, name := range p.children(list) {
			p.entry(c, s, mcp.DefinitionKey{Kind: k.kind, Name: name}, k.key)
		}
	}
}

func (p *parser) entry(node int, s *Server, key mcp.DefinitionKey, named string) {
	p.object(node, "agentsh", "approved", "definition", "digest", "listed", "mcpproxy", "parts", "seen", "status")
	e := &Entry{Place: p.at.At(int(p.doc.Nodes[node].KeyStart)), Status: Status(p.text(node, "status")), Shown: p.shown(node, key, named)}
	if c := p.doc.Get(node, "seen"); c >= 0 {
		p.object(c, "agentsh", "definition", "digest", "mcpproxy", "parts")
		seen := p.shown(c, key, named)
		e.Seen = &seen
	}
	e.Gone = !p.flag(node, "listed") && p.doc.Get(node, "listed") >= 0
	e.Approval = p.approval(node)
	s.Entries[key] = e
	p.consistent(node, e.Status, e.Approval, e.Seen != nil)
}

// consistent rejects an entry whose members contradict each other, so that editing the status
// to "approved" approves nothing.
func (p *parser) consistent(node int, status Status, approval *Approval, seen bool) {
	switch {
	case status != Approved && status != Changed && status != Pending:
		p.fail(node, "the status is %q: expected approved, pending or changed", status)
	case status != Pending && approval == nil:
		p.fail(node, "the status is %q, but nobody approved it: the member \"approved\" is missing; restore the entry, or delete it and run mcpscan lock and mcpscan approve", status)
	case status == Pending && approval != nil:
		p.fail(node, "the status is \"pending\", but \"approved\" names an approver; restore the entry, or delete it and run mcpscan lock and mcpscan approve")
	case (status == Changed) != seen:
		p.fail(node, "the status is %q: entries with the status \"changed\" have the member \"seen\", and others do not", status)
	}
}

func (p *parser) shown(node int, key mcp.DefinitionKey, named string) (s Shown) {
	c, kind := p.doc.Get(node, "definition"), wire.Object
	if key.Kind == mcp.ServerSubject {
		kind = wire.String
	}
	if c < 0 {
		p.fail(node, "the member \"definition\" is missing; restore the entry, or delete it and run mcpscan lock")
		return s
	}
	if found := p.doc.Kind(c); found != kind {
		p.fail(c, "expected %s, found %s", kind, found)
	}
	if name, _ := p.doc.Str(c, named); key.Kind != mcp.ServerSubject && name != key.Name {
		p.fail(c, "the definition is named %q, but its entry is named %q", name, key.Name)
	}
	s.Definition = p.doc.Raw(c)
	s.Digest = p.digest(node, "digest")
	s.AgentSH, s.MCPProxy = p.text(node, "agentsh"), p.text(node, "mcpproxy")
	parts := p.doc.Get(node, "parts")
	p.object(parts, mcp.DefinitionParts[:]...)
	for i, part := range mcp.DefinitionParts {
		if p.doc.Get(parts, part) >= 0 {
			s.Parts[i] = p.digest(parts, part)
		}
	}
	return s
}

func (p *parser) digest(node int, member string) (d mcp.Digest) {
	if err := d.Parse(p.text(node, member)); err != nil {
		p.fail(max(node, p.doc.Get(node, member)), "%v", err)
	}
	return d
}

func (p *parser) approval(node int) *Approval {
	c := p.doc.Get(node, "approved")
	if c < 0 {
		return nil
	}
	a, at := &Approval{}, ""
	p.members(c, []member{{"at", &at}, {"by", &a.By}, {"reason", &a.Reason}})
	when, err := time.Parse(time.RFC3339, at)
	a.At = when.UTC().Truncate(time.Second) // the precision of the file
	if err != nil || a.At.Year() < 0 || a.At.Year() > 9999 {
		p.fail(c, "\"at\" is %q: expected a time such as 2026-01-06T10:30:00Z", at)
	}
	if a.By == "" {
		p.fail(c, "\"by\" is missing: expected the name of the approver")
	}
	return a
}

// about reads serverInfo, client and identity.
func (p *parser) about(node int, s *Server) {
	p.members(p.doc.Get(node, "serverInfo"), infoMembers(&s.Info))
	if c := p.doc.Get(node, "client"); c >= 0 {
		s.Client = &mcp.ClientInfo{}
		p.members(c, []member{{"name", &s.Client.Name}, {"capabilities", &s.Client.Capabilities}})
	}
	if c := p.doc.Get(node, "identity"); c >= 0 {
		s.Identity = p.lockedIdentity(c)
		s.Identity.Identity.Name = s.Info.Name
		if seen := s.Identity.Seen; seen != nil {
			seen.Name = cmp.Or(seen.Name, s.Info.Name)
		}
	}
}

// lockedIdentity reads an identity with its status. An identity without a status counts as
// approved, because the first lockfiles had no status.
func (p *parser) lockedIdentity(c int) *baseline.LockedIdentity {
	l := &baseline.LockedIdentity{Identity: &baseline.Identity{}}
	p.members(c, identityMembers(l.Identity), "approved", "seen", "status")
	if seen := p.doc.Get(c, "seen"); seen >= 0 {
		l.Seen = &baseline.Identity{}
		p.members(seen, append(identityMembers(l.Seen), nameMember(l.Seen)...))
	}
	l.Approval = p.approval(c)
	status := Status(p.text(c, "status"))
	if l.Pending = status == Pending; status != "" || l.Approval != nil || l.Seen != nil {
		p.consistent(c, status, l.Approval, l.Seen != nil)
	}
	return l
}

// members reads members of an object; beside lists the other members that the object may have.
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

// nameMember is the reported name, which only an identity seen since the approval contains: serverInfo
// contains the approved one.
func nameMember(id *baseline.Identity) []member { return []member{{"name", &id.Name}} }

func identityMembers(id *baseline.Identity) []member {
	return []member{{"command", &id.Command}, {"cwd", &id.Cwd}, {"digest", &id.Digest}, {"ecosystem", (*string)(&id.Ecosystem)},
		{"executable", &id.Executable}, {"integrity", &id.Integrity}, {"package", &id.Package}, {"pinned", &id.Pinned},
		{"resolved", &id.Resolved}, {"transport", &id.Transport}, {"url", &id.URL}, {"version", &id.Version},
		{"args", &id.Args}, {"env", &id.Env}, {"headers", &id.Headers}, {"hosts", &id.Hosts}, {"exact", &id.Exact}}
}
