package config

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// unwrap returns the ways to remove the proxy from an entry. The first restores the original bytes;
// the others restore as much as possible if the entry was edited since. It returns nil for an entry
// that is not wrapped.
func (d *draft) unwrap(i int) (steps []step, why string) {
	e := &d.file.Entries[i]
	w, ok := wrappingOf(e)
	if !ok {
		if e.Proxy != nil {
			return nil, "it starts an mcpscan proxy that wrap did not write: restore the server's own command by hand"
		}
		return nil, ""
	}
	h, err := d.holderOf(i)
	if err != nil {
		return nil, err.Error()
	}
	for _, edits := range d.outOf(h, w) {
		steps = append(steps, step{edits, func(before, after *draft, i int) bool { return provesUnwrap(before, after, i, w) }})
	}
	if len(steps) == 0 {
		return nil, "its arguments were moved or rewritten after it was wrapped: restore the server's own command by hand"
	}
	return steps, ""
}

// outOf returns the ways to remove the proxy and its arguments from in front of a command.
func (d *draft) outOf(h holder, w wrapping) (all [][]edit) {
	if h.command.kind == kindArray { // the program is an item of the list
		items := h.command.items
		if at := w.command + 1; at < len(items) {
			return [][]edit{{{start: d.at(items[0].pos), end: d.at(items[at].pos)}}}
		}
		return nil
	}
	if h.args == nil || h.args.kind != kindArray || w.command >= len(h.args.items) {
		return nil
	}
	from, to, err := d.token(h.command)
	items := h.args.items
	start, end, err2 := d.token(items[w.command])
	if err != nil || err2 != nil {
		return nil
	}
	command := edit{from, to, string(d.text[start:end])}
	first := d.at(items[0].pos)
	if w.command+1 < len(items) { // the command has arguments now, whatever its original form
		return [][]edit{{command, {start: first, end: d.at(items[w.command+1].pos)}}}
	}
	if list := d.at(h.args.pos); w.form == nullArgs && list >= 0 {
		if length := bytes.IndexByte(d.text[end:], ']'); length >= 0 {
			all = append(all, []edit{command, {list, end + length + 1, "null"}})
		}
	}
	if key, next := d.at(h.argsKey), d.at(h.commandKey); w.form == noArgs && h.argsFollows && key < next && end <= next {
		if d.blank(end, next) {
			all = append(all, []edit{command, {start: key, end: next}})
		}
	}
	// If the list was empty before, wrap put its words right after the bracket. White space between the
	// bracket and the words means that a client has since reformatted the list, so the white space is
	// removed as well.
	if list := d.at(h.args.pos); list >= 0 && list+1 < first && d.text[list] == '[' && strings.TrimSpace(string(d.text[list+1:first])) == "" {
		if length := bytes.IndexByte(d.text[end:], ']'); length >= 0 && strings.Trim(string(d.text[end:end+length]), ", \t\r\n") == "" {
			all = append(all, []edit{command, {start: list + 1, end: end + length}})
		}
	}
	return append(all, []edit{command, {start: first, end: end}})
}

// blank reports whether the bytes between the last argument and the next key can be removed without
// losing anything, such as a comment.
func (d *draft) blank(from, to int) bool {
	between := d.text[from:to]
	if d.format == "toml" { // the prefix of a dotted key is repeated
		if nl := bytes.LastIndexByte(between, '\n'); nl >= 0 {
			between = between[:nl]
		}
	}
	return strings.Trim(string(between), "] ,\t\r\n") == ""
}

// provesUnwrap reports whether an entry now starts the command that was behind the proxy, and
// nothing else has changed.
func provesUnwrap(before, after *draft, i int, w wrapping) bool {
	if len(before.file.Entries) != len(after.file.Entries) {
		return false
	}
	was, is := before.file.Entries[i], after.file.Entries[i]
	was.Command, was.Args, was.Proxy = was.Args[w.command], was.Args[w.command+1:], nil
	return alike(&was, &is) && sameExcept(before, after, i)
}

// provesWrap reports whether an entry is wrapped, nothing else has changed, and every byte can be
// restored.
func provesWrap(before, after *draft, i int, f form, by Wrapper) bool {
	if len(before.file.Entries) != len(after.file.Entries) {
		return false
	}
	was, is := before.file.Entries[i], after.file.Entries[i]
	w, ok := wrappingOf(&is)
	if !ok || !w.exact || w.form != f || w.options != by.Options || is.Command != by.Program || is.Proxy == nil {
		return false
	}
	is.Span, is.Proxy = maps.Clone(is.Span), &configfile.EntryProxy{}
	seeThrough(&is, w)
	if is.Proxy = nil; !alike(&was, &is) || !sameExcept(before, after, i) {
		return false
	}
	steps, _ := after.unwrap(i)
	if len(steps) == 0 {
		return false
	}
	plain, ok := apply(after.text, steps[0].edits)
	return ok && bytes.Equal(plain, before.text)
}

// sameExcept reports whether two drafts are equivalent except for entry i.
func sameExcept(before, after *draft, i int) bool {
	a, b := before.file, after.file
	if len(a.Entries) != len(b.Entries) || len(a.Problems) != len(b.Problems) || a.Shape != b.Shape || a.Client != b.Client {
		return false
	}
	for k := range a.Entries {
		if k != i && !alike(&a.Entries[k], &b.Entries[k]) {
			return false
		}
	}
	return sameSettings(a.Settings, b.Settings)
}

func sameSettings(a, b []configfile.Setting) bool {
	return slices.EqualFunc(a, b, func(x, y configfile.Setting) bool { return x.Pointer == y.Pointer && x.Text == y.Text })
}

// alike reports whether two entries are equal, ignoring their positions.
func alike(a, b *Server) bool {
	x, y := *a, *b
	if len(x.Problems) != len(y.Problems) || !sameSettings(x.Other, y.Other) {
		return false
	}
	for _, e := range [...]*Server{&x, &y} {
		e.Pos, e.Span, e.Problems, e.Other = Position{}, nil, nil, nil
		if len(e.Args) == 0 {
			e.Args = nil
		}
	}
	return reflect.DeepEqual(x, y)
}
