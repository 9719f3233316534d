package config

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// entryReader fills in one Server from one object.
type entryReader struct {
	s    *Server
	keys map[string]*node
	// spellings contains the members not looked up yet, by lower-case key.
	spellings map[string][]member
}

// entry reads one entry in a container. It always returns a Server: unreadable parts become
// problems. It also returns the members that it did not read.
func (r *reader) entry(shape string, e member) (Server, []member) {
	s := Server{Name: e.key, Pos: e.pos, Span: map[string]Position{}}
	b := &entryReader{s: &s}
	if !e.value.is(kindObject) {
		b.problem(e.value.pos, "the entry is %s: expected an object with a command or a url", e.value.kind)
		return s, nil
	}
	b.keys = b.index("", e.value)
	members := e.value.members
	if t := b.keys["transport"]; t.is(kindObject) { // Continue's old list format nests the entry
		inner := b.index("transport", t)
		maps.Copy(b.keys, inner)
		b.keys["transport"] = inner["transport"]
		members = slices.DeleteFunc(slices.Concat(members, t.members), func(m member) bool { return m.value == t })
	}
	b.spellings = map[string][]member{}
	for _, m := range members {
		low := strings.ToLower(m.key)
		b.spellings[low] = append(b.spellings[low], m)
	}
	b.command()
	b.texts(&s.Args, "args", "/args", "args")
	b.environment()
	b.text(&s.Cwd, "/cwd", "cwd", "working_directory", "workingDirectory")
	b.address(r.file.Client)
	b.envFiles()
	b.headers()
	client := r.clientOfEntry(shape)
	b.switches(client)
	b.tools()
	b.transport(client, r.gemini)
	return s, b.unread(members)
}

// unread returns the members that were not looked up.
func (b *entryReader) unread(members []member) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return b.spellings[strings.ToLower(m.key)] == nil })
}

// others collects the scalars in an entry's members, at any depth, except those in entries and
// containers that were read.
func (r *reader) others(s *Server, members iter.Seq2[string, *node]) {
	for at, n := range members {
		if r.read[n] {
			continue
		}
		if n.scalar() {
			s.Other = append(s.Other, configfile.Setting{Pointer: at, Text: n.text, Pos: n.pos})
		}
		r.others(s, n.below(at))
	}
}

// problem adds a problem and its position.
func (b *entryReader) problem(pos Position, format string, args ...any) {
	b.s.Problems = append(b.s.Problems, fmt.Sprintf(format, args...)+fmt.Sprintf(" (line %d, column %d)", pos.Line, pos.Column))
}

// index returns the last value of each key and reports duplicate keys.
func (b *entryReader) index(where string, n *node) map[string]*node {
	out := make(map[string]*node, len(n.members))
	first := make(map[string]Position, len(n.members))
	for _, m := range n.members {
		if p, ok := first[m.key]; ok {
			name := m.key
			if where != "" {
				name = where + "/" + m.key
			}
			b.problem(m.pos, "%s is defined twice, first at %s: mcpscan uses the last one, but clients may differ; remove one", Quoted(name), p)
		} else {
			first[m.key] = m.pos
		}
		out[m.key] = m.value
	}
	return out
}

// first returns the value of the first given key that is present and not null.
func (b *entryReader) first(keys ...string) *node {
	_, n := b.named(keys...)
	return n
}

// named is like first, but also returns the key that was found.
func (b *entryReader) named(keys ...string) (string, *node) {
	for _, k := range keys {
		b.anyCase(k)
		if n := b.keys[k]; n != nil && n.kind != kindNull {
			return k, n
		}
	}
	return "", nil
}

// anyCase looks up a key in any case, and reports spellings in another case. If there are several
// spellings, the value of the last one is used, as in clients written in Go.
func (b *entryReader) anyCase(key string) {
	low := strings.ToLower(key)
	spellings := b.spellings[low]
	delete(b.spellings, low)
	for _, m := range spellings {
		if m.key != key {
			b.problem(m.pos, "the key %s is a misspelling of %s: its value is checked, but clients differ in whether they read it; correct the key", Quoted(m.key), key)
			b.keys[key] = spellings[len(spellings)-1].value
		}
	}
}

// only is like named, but also reports each other key that is present with a different value.
func (b *entryReader) only(keys ...string) (string, *node) {
	k, n := b.named(keys...)
	for _, other := range keys {
		for _, m := range b.spellings[strings.ToLower(other)] {
			if n != nil && m.value.kind != kindNull && (m.value.kind != n.kind || m.value.text != n.text) {
				b.problem(m.pos, "%s beside %s: clients differ in which one they use, and only %s was checked; remove one", Quoted(m.key), Quoted(k), Quoted(k))
			}
		}
	}
	return k, n
}

// text reads a string.
func (b *entryReader) text(into *string, span string, keys ...string) {
	if k, n := b.only(keys...); n != nil {
		b.put(into, span, k, n)
	}
}

// put stores a scalar. It reports a value that is not a string, because clients may reject it.
func (b *entryReader) put(into *string, span, name string, n *node) {
	if n.kind != kindString {
		b.problem(n.pos, "%s is %s: expected a string", Quoted(name), n.kind)
	}
	if !n.scalar() {
		return
	}
	*into = n.text
	b.s.Span[span] = n.pos
}

// texts appends a list of strings. It also reads a single string, and reports it, because clients
// expect a list.
func (b *entryReader) texts(into *[]string, name, span string, keys ...string) {
	n := b.first(keys...)
	switch {
	case n == nil:
	case n.kind == kindArray:
		b.items(into, name, span, n.items)
	case n.kind == kindString:
		b.problem(n.pos, "%s is a string: expected a list of strings", Quoted(name))
		b.items(into, name, span, []*node{n})
	default:
		b.problem(n.pos, "%s is %s: expected a list of strings", Quoted(name), n.kind)
	}
}

// items appends the scalars among the nodes and reports the others.
func (b *entryReader) items(into *[]string, name, span string, nodes []*node) {
	for i, n := range nodes {
		if !n.scalar() {
			b.problem(n.pos, "%s has %s as item %d: expected a string", Quoted(name), n.kind, i+1)
			continue
		}
		b.s.Span[span+"/"+strconv.Itoa(len(*into))] = n.pos
		*into = append(*into, n.text)
	}
}

// pairs reads an object of strings. It keeps numbers and booleans as written, as clients do, and
// skips null, which VS Code uses for an unset variable.
func (b *entryReader) pairs(into *map[string]string, name, span string, n *node) {
	if n == nil {
		return
	}
	if !n.is(kindObject) {
		b.problem(n.pos, "%s is %s: expected an object of strings", Quoted(name), n.kind)
		return
	}
	values := b.index(name, n)
	for _, k := range slices.Sorted(maps.Keys(values)) {
		switch v := values[k]; {
		case v.scalar():
			b.pair(into, span, k, v.text, v.pos)
		case v.kind != kindNull:
			b.problem(v.pos, "%s is %s: expected a string", Quoted(name+"/"+k), v.kind)
		}
	}
}

func (b *entryReader) pair(into *map[string]string, span, k, v string, pos Position) {
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[k] = v
	b.s.Span[span+"/"+wire.EscapePointer(k)] = pos
}
