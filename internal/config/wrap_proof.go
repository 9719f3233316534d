package config

import (
	"bytes"
	"maps"
	"reflect"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

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
	if is.Proxy = nil; !alike(&was, &is) || !onlyThatOne(before, after, i) {
		return false
	}
	steps, _ := after.unwrap(i)
	if len(steps) == 0 {
		return false
	}
	plain, ok := apply(after.text, steps[0].edits)
	return ok && bytes.Equal(plain, before.text)
}

// onlyThatOne reports whether two drafts are equivalent except for one entry.
func onlyThatOne(before, after *draft, i int) bool {
	a, b := before.file, after.file
	if len(a.Entries) != len(b.Entries) || len(a.Settings) != len(b.Settings) || len(a.Problems) != len(b.Problems) || a.Shape != b.Shape || a.Client != b.Client {
		return false
	}
	for k := range a.Entries {
		if k != i && !alike(&a.Entries[k], &b.Entries[k]) {
			return false
		}
	}
	for k := range a.Settings {
		if a.Settings[k].Pointer != b.Settings[k].Pointer || a.Settings[k].Text != b.Settings[k].Text {
			return false
		}
	}
	return true
}

// alike reports whether two entries are equal, ignoring their positions.
func alike(a, b *Server) bool {
	x, y := *a, *b
	if len(x.Problems) != len(y.Problems) {
		return false
	}
	for _, e := range [...]*Server{&x, &y} {
		e.Pos, e.Span, e.Problems = Position{}, nil, nil
		if len(e.Args) == 0 {
			e.Args = nil
		}
	}
	return reflect.DeepEqual(x, y)
}
