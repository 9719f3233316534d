package lockfile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// ErrTooLarge is returned for a file that Load would reject.
var ErrTooLarge = errors.New("too large for a lockfile")

// Format returns the file as written to disk: sorted, with one property per line, and
// deterministic.
func (f *File) Format() ([]byte, error) {
	p := page{b: []byte{'{'}}
	p.value("lockfile", appendText(nil, Version))
	p.open("servers")
	for _, name := range inOrder(f.Names()) {
		p.open(name)
		f.Servers[name].write(&p)
		p.close()
	}
	p.close()
	p.close()
	if p.err != nil {
		return nil, p.err
	}
	return append(p.b, '\n'), nil
}

// inOrder sorts the keys of an object as [wire.Doc.SortedMembers] does.
func inOrder(keys []string) []string {
	slices.SortStableFunc(keys, func(a, b string) int { return wire.CompareUTF16([]byte(a), []byte(b)) })
	return keys
}

func (s *Server) write(p *page) {
	if c := s.Client; c != nil {
		o := object{b: []byte{'{'}}
		o.list("capabilities", c.Capabilities)
		o.text("name", c.Name)
		p.value("client", append(o.b, '}'))
	}
	if l := s.Identity; l != nil {
		o := object{b: []byte{'{'}}
		o.approval(l.Approval)
		o.members(identityMembers(l.Identity))
		if l.Seen != nil {
			o.key("seen")
			seen := object{b: append(o.b, '{')}
			seen.members(identityMembers(l.Seen))
			o.b = append(seen.b, '}')
		}
		if l.Pending || l.Approval != nil {
			o.text("status", string(identityStatus(l)))
		}
		p.value("identity", append(o.b, '}'))
	}
	if e := s.Entries[mcp.DefinitionKey{Kind: mcp.ServerSubject}]; e != nil {
		p.value("instructions", e.append(p.scratch()))
	}
	entries := map[mcp.SubjectKind][]string{}
	for _, key := range s.Keys() {
		entries[key.Kind] = append(entries[key.Kind], key.Name)
	}
	for _, k := range kinds {
		if k.kind == mcp.ToolSubject {
			o := object{b: []byte{'{'}}
			o.members(infoMembers(&s.Info))
			p.value("serverInfo", append(o.b, '}'))
		}
		names := inOrder(entries[k.kind])
		if len(names) == 0 {
			continue
		}
		p.open(k.member)
		for _, name := range names {
			p.value(name, s.Entries[mcp.DefinitionKey{Kind: k.kind, Name: name}].append(p.scratch()))
		}
		p.close()
	}
}

// page writes nested objects with one property per line. It parses each value separately, so that
// its keys are sorted without a tree of the whole file in memory.
type page struct {
	b     []byte
	depth int
	more  bool // the open object has a member
	nodes int
	doc   wire.Doc
	buf   []byte
	err   error
}

// scratch returns the buffer for the next value.
func (p *page) scratch() []byte { return p.buf[:0] }

func (p *page) key(name string) {
	if p.more {
		p.b = append(p.b, ',')
	}
	p.more = true
	p.b = wire.AppendNewline(p.b, p.depth+1)
	p.b = append(appendText(p.b, name), ": "...)
	p.nodes++
}

func (p *page) open(name string) {
	p.key(name)
	p.b = append(p.b, '{')
	p.depth, p.more = p.depth+1, false
}

func (p *page) close() {
	if p.more {
		p.b = wire.AppendNewline(p.b, p.depth)
	}
	p.b = append(p.b, '}')
	p.depth, p.more = p.depth-1, true
}

func (p *page) value(name string, json []byte) {
	if p.buf = json; p.err != nil {
		return
	}
	p.doc.MaxNodes = maxNodes
	if p.err = p.doc.Parse(json); p.err != nil {
		return
	}
	p.key(name)
	p.b = p.doc.AppendIndented(p.b, 0, p.depth+1)
	if p.nodes += len(p.doc.Nodes) - 1; len(p.b) > MaxBytes || p.nodes > maxNodes {
		p.err = fmt.Errorf("%w: more than %d MiB or %d values; split the servers across several lockfiles with --lockfile", ErrTooLarge, MaxBytes>>20, maxNodes)
	}
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
	o.members([]member{{"agentsh", &s.AgentSH}, {"digest", &digest}, {"mcpproxy", &s.MCPProxy}})
	o.raw("definition", s.Definition)
	o.key("parts")
	in := object{b: append(o.b, '{')}
	for i, part := range mcp.DefinitionParts {
		d := s.Parts[i].String()
		in.members([]member{{part, &d}})
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
	in.members([]member{{"reason", &a.Reason}})
	o.b = append(in.b, '}')
}

func identityStatus(l *baseline.LockedIdentity) Status {
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

// members writes the members that are not empty.
func (o *object) members(of []member) {
	for _, m := range of {
		switch v := m.value.(type) {
		case *string:
			if *v != "" {
				o.text(m.name, *v)
			}
		case *[]string:
			if len(*v) > 0 {
				o.list(m.name, *v)
			}
		case *bool:
			if *v {
				o.raw(m.name, []byte("true"))
			}
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
