package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Error is a problem in a lockfile, with its position.
type Error struct {
	Path         string
	Line, Column int
	Pointer      string // JSON Pointer into the file; empty if the file is not valid JSON
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

// Parse reads a lockfile. It is strict: all errors are of type *Error.
func Parse(path string, data []byte) (*File, error) {
	p := &parser{at: scanner.NewPlaces(path, data), file: &File{Path: path, Servers: map[string]*Server{}, data: data}}
	if err := p.conflict(data); err != nil {
		return nil, err
	}
	var syntax *wire.SyntaxError
	p.doc.MaxNodes = maxNodes
	if err := p.doc.Parse(data); errors.As(err, &syntax) {
		at := p.at.At(min(syntax.Offset, len(data)))
		return nil, &Error{path, at.Line, at.Column, "", syntax.Msg + "; restore the lockfile from version control, or delete it and write it again with mcpscan lock"}
	}
	if err := p.root(); err != nil {
		return nil, err
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
func (s *Server) Keys() []mcp.DefinitionKey { return sortedKeys(s.Entries) }

type parser struct {
	doc  wire.Doc
	at   *scanner.Places
	file *File
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

func (p *parser) fail(node int, format string, args ...any) error {
	at := p.at.At(int(p.doc.Nodes[node].Start))
	return &Error{p.file.Path, at.Line, at.Column, string(p.doc.AppendPointer(nil, 0, node)), fmt.Sprintf(format, args...)}
}

// object rejects values other than objects, and unknown or duplicate members.
func (p *parser) object(node int, known ...string) error {
	if p.doc.Kind(node) != wire.Object {
		return p.fail(node, "expected an object, found %s", p.doc.Kind(node))
	}
	seen := map[string]bool{}
	for c := p.doc.First(node); c >= 0; c = p.doc.Next(c) {
		key := p.key(c)
		switch {
		case seen[key]:
			return p.fail(c, "duplicate member %q; remove one", key)
		case known != nil && !slices.Contains(known, key):
			return p.fail(c, "unknown member %q: expected %s; a newer mcpscan may have written it", key, strings.Join(known, ", "))
		}
		seen[key] = true
	}
	return nil
}

func (p *parser) key(node int) string {
	var buf []byte
	return string(p.doc.Key(node, &buf))
}

// text reads an optional string member.
func (p *parser) text(node int, member string, into *string) error {
	c := p.doc.Get(node, member)
	if c < 0 {
		return nil
	}
	s, ok := p.doc.Str(node, member)
	if !ok {
		return p.fail(c, "expected a string, found %s", p.doc.Kind(c))
	}
	*into = s
	return nil
}

// texts reads an optional member that is a list of strings.
func (p *parser) texts(node int, member string, into *[]string) error {
	list := p.doc.Get(node, member)
	if list < 0 {
		return nil
	}
	if p.doc.Kind(list) != wire.Array {
		return p.fail(list, "expected an array of strings, found %s", p.doc.Kind(list))
	}
	for c := p.doc.First(list); c >= 0; c = p.doc.Next(c) {
		if p.doc.Kind(c) != wire.String {
			return p.fail(c, "expected a string, found %s", p.doc.Kind(c))
		}
		var buf []byte
		*into = append(*into, string(p.doc.Text(c, &buf)))
	}
	return nil
}

func (p *parser) flag(node int, member string) (on bool, err error) {
	c := p.doc.Get(node, member)
	if c >= 0 && p.doc.Kind(c) != wire.Bool {
		return false, p.fail(c, "expected true or false, found %s", p.doc.Kind(c))
	}
	return c >= 0 && string(p.doc.Raw(c)) == "true", nil
}

func (p *parser) root() error {
	if p.doc.Kind(0) != wire.Object {
		return p.fail(0, "expected a lockfile (an object), found %s", p.doc.Kind(0))
	}
	version, ok := p.doc.Str(0, "lockfile")
	switch {
	case !ok:
		return p.fail(0, "the member \"lockfile\" is missing: not an mcpscan lockfile, or only part of one")
	case version != Version:
		return p.fail(p.doc.Get(0, "lockfile"), "version %q: this mcpscan reads %s; use the mcpscan that wrote the file, or a newer one", version, Version)
	}
	if err := p.object(0, "lockfile", "servers"); err != nil {
		return err
	}
	servers := p.doc.Get(0, "servers")
	if servers < 0 {
		return p.fail(0, "the member \"servers\" is missing; write the file again with mcpscan lock")
	}
	if err := p.object(servers); err != nil {
		return err
	}
	for c := p.doc.First(servers); c >= 0; c = p.doc.Next(c) {
		if err := p.server(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) server(node int) error {
	if err := p.object(node, "client", "identity", "instructions", "prompts", "resourceTemplates", "resources", "serverInfo", "tools"); err != nil {
		return err
	}
	n := &p.doc.Nodes[node]
	s := &Server{Name: p.key(node), Entries: map[mcp.DefinitionKey]*Entry{}, start: int(n.Start), end: int(n.End), Place: p.at.At(int(n.KeyStart))}
	p.file.Servers[s.Name] = s
	if err := p.about(node, s); err != nil {
		return err
	}
	if c := p.doc.Get(node, "instructions"); c >= 0 {
		if err := p.entry(c, s, mcp.DefinitionKey{Kind: mcp.ServerSubject}, ""); err != nil {
			return err
		}
	}
	for _, k := range kinds {
		list := p.doc.Get(node, k.member)
		if list < 0 {
			continue
		}
		if err := p.object(list); err != nil {
			return err
		}
		for c := p.doc.First(list); c >= 0; c = p.doc.Next(c) {
			if err := p.entry(c, s, mcp.DefinitionKey{Kind: k.kind, Name: p.key(c)}, k.key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *parser) entry(node int, s *Server, key mcp.DefinitionKey, named string) error {
	if err := p.object(node, "agentsh", "approved", "definition", "digest", "listed", "mcpproxy", "parts", "seen", "status"); err != nil {
		return err
	}
	e := &Entry{Place: p.at.At(int(p.doc.Nodes[node].KeyStart))}
	status := ""
	if err := p.text(node, "status", &status); err != nil {
		return err
	}
	e.Status = Status(status)
	if err := p.shown(node, key, named, &e.Shown); err != nil {
		return err
	}
	if c := p.doc.Get(node, "seen"); c >= 0 {
		e.Seen = &Shown{}
		if err := p.object(c, "agentsh", "definition", "digest", "mcpproxy", "parts"); err != nil {
			return err
		}
		if err := p.shown(c, key, named, e.Seen); err != nil {
			return err
		}
	}
	listed, err := p.flag(node, "listed")
	if err != nil {
		return err
	}
	e.Gone = p.doc.Get(node, "listed") >= 0 && !listed
	if e.Approval, err = p.approval(node); err != nil {
		return err
	}
	s.Entries[key] = e
	return p.consistent(node, e.Status, e.Approval, e.Seen != nil)
}

// consistent rejects an entry whose members contradict each other, so that editing the status
// to "approved" approves nothing.
func (p *parser) consistent(node int, status Status, approval *Approval, seen bool) error {
	switch status {
	case Approved, Changed:
		if approval == nil {
			return p.fail(node, "the status is %q and nobody approved it: the member \"approved\" is missing; run mcpscan lock and mcpscan approve", status)
		}
	case Pending:
		if approval != nil {
			return p.fail(node, "the status is \"pending\" but \"approved\" names an approver; use mcpscan approve")
		}
	default:
		return p.fail(node, "the status is %q: expected approved, pending or changed", status)
	}
	if (status == Changed) != seen {
		return p.fail(node, "the status is %q: only entries with the status \"changed\" have the member \"seen\"", status)
	}
	return nil
}

func (p *parser) shown(node int, key mcp.DefinitionKey, named string, into *Shown) error {
	c := p.doc.Get(node, "definition")
	switch {
	case c < 0:
		return p.fail(node, "the member \"definition\" is missing; write the file again with mcpscan lock")
	case key.Kind == mcp.ServerSubject && p.doc.Kind(c) != wire.String:
		return p.fail(c, "expected a string, found %s", p.doc.Kind(c))
	case key.Kind != mcp.ServerSubject && p.doc.Kind(c) != wire.Object:
		return p.fail(c, "expected an object, found %s", p.doc.Kind(c))
	}
	if key.Kind != mcp.ServerSubject {
		if name, _ := p.doc.Str(c, named); name != key.Name {
			return p.fail(c, "the definition is named %q, but its entry %q", name, key.Name)
		}
	}
	into.Definition = p.doc.Raw(c)
	if err := p.digest(node, "digest", &into.Digest); err != nil {
		return err
	}
	if err := p.text(node, "agentsh", &into.AgentSH); err != nil {
		return err
	}
	if err := p.text(node, "mcpproxy", &into.MCPProxy); err != nil {
		return err
	}
	parts := p.doc.Get(node, "parts")
	if parts < 0 {
		return nil
	}
	if err := p.object(parts, mcp.DefinitionParts[:]...); err != nil {
		return err
	}
	for i, part := range mcp.DefinitionParts {
		if p.doc.Get(parts, part) >= 0 {
			if err := p.digest(parts, part, &into.Parts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *parser) digest(node int, member string, into *mcp.Digest) error {
	written := ""
	if err := p.text(node, member, &written); err != nil {
		return err
	}
	if err := into.Parse(written); err != nil {
		at := p.doc.Get(node, member)
		if at < 0 {
			at = node
		}
		return p.fail(at, "%v", err)
	}
	return nil
}

func (p *parser) approval(node int) (*Approval, error) {
	c := p.doc.Get(node, "approved")
	if c < 0 {
		return nil, nil
	}
	if err := p.object(c, "at", "by", "reason"); err != nil {
		return nil, err
	}
	a, at := &Approval{}, ""
	for _, m := range []struct {
		name string
		into *string
	}{{"at", &at}, {"by", &a.By}, {"reason", &a.Reason}} {
		if err := p.text(c, m.name, m.into); err != nil {
			return nil, err
		}
	}
	when, err := time.Parse(time.RFC3339, at)
	a.At = when.UTC().Truncate(time.Second) // the precision of the file
	if err != nil || a.At.Year() < 0 || a.At.Year() > 9999 {
		return nil, p.fail(c, "\"at\" is %q: expected a time such as 2026-01-06T10:30:00Z", at)
	}
	if a.By == "" {
		return nil, p.fail(c, "\"by\" is missing: expected who approved it")
	}
	return a, nil
}
