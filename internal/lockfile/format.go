package lockfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// ErrTooLarge is returned for a file that Load would reject because of its size.
var ErrTooLarge = errors.New("too large for a lockfile")

// Format returns the content to write to disk. The same data always gives the same bytes: keys are
// sorted, and each property is on its own line.
func (f *File) Format() ([]byte, error) {
	p := page{b: []byte{'{'}}
	p.value("lockfile", Version)
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

// inOrder sorts the keys of an object as [wire.Doc.AppendSorted] does.
func inOrder(keys []string) []string {
	slices.SortStableFunc(keys, func(a, b string) int { return wire.CompareUTF16([]byte(a), []byte(b)) })
	return keys
}

func (s *Server) write(p *page) {
	if c := s.Client; c != nil {
		p.value("client", fields{"capabilities": allValid(c.Capabilities), "name": toValid(c.Name)})
	}
	if l := s.Identity; l != nil {
		p.value("identity", identityFields(l))
	}
	if e := s.Entries[mcp.DefinitionKey{Kind: mcp.ServerSubject}]; e != nil {
		p.value("instructions", e.fields())
	}
	entries := map[mcp.SubjectKind][]string{}
	for _, key := range s.Keys() {
		entries[key.Kind] = append(entries[key.Kind], key.Name)
	}
	for _, k := range kinds {
		if k.kind == mcp.ToolSubject {
			info := fields{}.put(infoMembers(&s.Info))
			if s.Identity != nil {
				info.put(nameMember(s.Identity.Identity))
			}
			p.value("serverInfo", info)
		}
		names := inOrder(entries[k.kind])
		if len(names) == 0 {
			continue
		}
		p.open(k.member)
		for _, name := range names {
			p.value(name, s.Entries[mcp.DefinitionKey{Kind: k.kind, Name: name}].fields())
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
	err   error
}

func (p *page) key(name string) {
	if p.more {
		p.b = append(p.b, ',')
	}
	p.more = true
	p.b = wire.AppendNewline(p.b, p.depth+1)
	start := len(p.b)
	p.b = append(wire.AppendString(p.b, []byte(toValid(name))), ": "...)
	p.escape(start)
	p.nodes++
}

// escape escapes the characters in the text from start that a reviewer of the file would not see, such as
// those that reorder the text around them. Outside strings, only line feeds are such characters, and they
// stay.
func (p *page) escape(start int) {
	if !slices.ContainsFunc(p.b[start:], func(c byte) bool { return c >= 0x7F }) {
		return
	}
	added := string(p.b[start:])
	p.b = p.b[:start]
	for _, r := range added {
		if r == '\n' || !text.Unseen(r) {
			p.b = utf8.AppendRune(p.b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			p.b = fmt.Appendf(p.b, `\u%04x`, unit)
		}
	}
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

// value writes a value, with the keys of its objects sorted.
func (p *page) value(name string, v any) {
	if p.err != nil {
		return
	}
	data, err := json.Marshal(v)
	if p.err = err; err != nil {
		return
	}
	p.doc.MaxNodes = maxNodes
	if p.err = p.doc.Parse(data); p.err != nil {
		return
	}
	p.key(name)
	start := len(p.b)
	p.b = p.doc.AppendIndented(p.b, 0, p.depth+1)
	p.escape(start)
	if p.nodes += len(p.doc.Nodes) - 1; len(p.b) > MaxBytes || p.nodes > maxNodes {
		p.err = fmt.Errorf("%w: more than %d MiB or %d values; split the servers across several lockfiles with --lockfile", ErrTooLarge, MaxBytes>>20, maxNodes)
	}
}

// fields are the members of a JSON object.
type fields map[string]any

// put adds the members that are not empty.
func (f fields) put(of []member) fields {
	for _, m := range of {
		switch v := m.value.(type) {
		case *string:
			if *v != "" {
				f[m.name] = toValid(*v)
			}
		case *[]string:
			if len(*v) > 0 {
				f[m.name] = allValid(*v)
			}
		case *bool:
			if *v {
				f[m.name] = true
			}
		}
	}
	return f
}

func (f fields) approved(a *Approval) fields {
	if a != nil {
		f["approved"] = fields{"at": a.At.UTC().Format("2006-01-02T15:04:05Z"), "by": toValid(a.By)}.put([]member{{"reason", &a.Reason}})
	}
	return f
}

func (e *Entry) fields() fields {
	f := e.Shown.fields().approved(e.Approval)
	if e.Seen != nil {
		f["seen"] = e.Seen.fields()
	}
	if e.Gone {
		f["listed"] = false
	}
	f["status"] = e.Status
	return f
}

func (s *Shown) fields() fields {
	parts := fields{}
	for i, part := range mcp.DefinitionParts {
		if d := s.Parts[i].String(); d != "" {
			parts[part] = d
		}
	}
	digest := s.Digest.String()
	return fields{"definition": json.RawMessage(s.Definition), "parts": parts}.put([]member{{"agentsh", &s.AgentSH}, {"digest", &digest}, {"mcpproxy", &s.MCPProxy}})
}

func identityFields(l *baseline.LockedIdentity) fields {
	f := fields{}.put(identityMembers(l.Identity)).approved(l.Approval)
	if l.Seen != nil {
		seen := fields{}.put(identityMembers(l.Seen))
		if l.Seen.Name != l.Identity.Name { // serverInfo contains the approved name
			seen.put(nameMember(l.Seen))
		}
		f["seen"] = seen
	}
	if l.Pending || l.Approval != nil {
		f["status"] = identityStatus(l)
	}
	return f
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

func allValid(values []string) []string {
	out := []string{} // not nil, which would be null
	for _, v := range values {
		out = append(out, toValid(v))
	}
	return out
}
