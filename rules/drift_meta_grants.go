package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// metaChange is the difference between two _meta declarations.
type metaChange struct {
	*change
	root     string // the member that declares it
	pointer  string // of the worst
	severity scanner.Severity
	told     []string
}

// maxGrants bounds the changes reported for one definition.
const maxGrants = 32

func (m *metaChange) say(weight scanner.Severity, pointer, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if weight > m.severity {
		m.severity, m.pointer = weight, pointer
		m.told = slices.Insert(m.told, 0, what) // so that it is among what is shown
	} else if len(m.told) < maxGrants {
		m.told = append(m.told, what)
	}
}

// grant is what is declared under a key about what a tool may do or access, at any place.
type grant struct {
	key    string
	list   bool
	values map[string]string // to the place where they are
}

// declared is what a declaration permits, and its safeguards.
type declared struct {
	doc        *wire.Doc
	known      map[string]bool // keys that are not new; nil where that does not matter
	hints      bool            // those of the specification are reported for elsewhere
	grants     map[string]*grant
	safeguards map[string]*safeguard
}

// granted collects what a declaration grants. Its shape is not specified, so the words of its
// keys count, and those of lists under unknown keys.
func granted(doc *wire.Doc, root int, known map[string]bool) *declared {
	d := &declared{doc, known, root >= 0 && doc.KeyIs(root, "annotations"), map[string]*grant{}, map[string]*safeguard{}}
	switch {
	case root < 0:
	case d.hints || doc.KeyIs(root, "_meta"):
		d.collect(root, "", false)
	default: // its own name says what it is
		d.member(root, "", false)
	}
	return d
}

// keysOf returns the names of all members in a value.
func keysOf(doc *wire.Doc, root int) map[string]bool {
	all := map[string]bool{}
	for i := max(root, 0); root >= 0 && i < int(doc.Nodes[root].Next); i++ {
		if doc.Nodes[i].KeyEnd > 0 {
			all[keyOf(doc, i)] = true
		}
	}
	return all
}

func (d *declared) collect(i int, key string, list bool) {
	switch d.doc.Kind(i) {
	case wire.Object:
		for c := d.doc.First(i); c >= 0; c = d.doc.Next(c) {
			d.member(c, key, list)
		}
	case wire.Array:
		for c := d.doc.First(i); c >= 0; c = d.doc.Next(c) {
			d.collect(c, key, true)
		}
	default:
		if key != "" {
			d.add(i, key, textOf(d.doc, i), list)
		}
	}
}

func (d *declared) member(c int, key string, list bool) {
	name := keyOf(d.doc, c)
	if d.hints && isHint(name) || d.safeguard(c, name) {
		return
	}
	if key != "" && anyWord(key, naming) && rank(textOf(d.doc, c)) != 0 {
		d.add(c, key, name, true)
	}
	inner := ""
	switch {
	case grants(name), d.known != nil && !d.known[name] && d.doc.Kind(c) == wire.Array:
		inner = name
	case list:
		inner = key
	}
	if d.doc.Kind(c) == wire.Bool && inner == key && key != "" {
		return // its name is what counts
	}
	d.collect(c, inner, list)
}

func (d *declared) add(i int, key, value string, list bool) {
	id := scanner.FoldName(key)
	g := d.grants[id]
	if g == nil {
		g = &grant{key: key, values: map[string]string{}}
		d.grants[id] = g
	}
	values := []string{value}
	if anyWord(key, naming) && d.doc.Kind(i) == wire.String { // scopes are often written as one text
		if several := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == ';' }); len(several) > 1 {
			values, list = several, true
		}
	}
	g.list = g.list || list
	for _, value := range values {
		g.values[strings.ToLower(strings.TrimSpace(value))] = string(d.doc.AppendPointer(nil, 0, i))
	}
}

func (g *grant) names() []string { return slices.Sorted(maps.Keys(g.values)) }

func (g *grant) has(value string) bool {
	_, is := g.values[value]
	return is
}

// rank returns how permissive a value is, -1 for other values. A trailing wildcard is
// everything below it; the mount mode comes last.
func rank(value string) int {
	value = strings.ToLower(strings.TrimSpace(value))
	if strings.HasSuffix(value, ":*") || strings.HasSuffix(value, "/*") || strings.HasSuffix(value, "/**") {
		value = "*"
	}
	if last := value[strings.LastIndexByte(value, ':')+1:]; last == "ro" || last == "rw" {
		value = last
	}
	return slices.IndexFunc(openness, func(r []string) bool { return slices.Contains(r, value) })
}

// mostOpen is the highest rank among the values, -1 for none.
func (g *grant) mostOpen() int {
	most := -1
	for value := range g.values {
		most = max(most, rank(value))
	}
	return most
}

// harmless reports a value that is closed or only permits reading.
func harmless(value string) bool {
	if r := rank(value); r >= 0 {
		return r <= 1
	}
	return onlyReads(value)
}

// limits reports a grant that only permits reading.
func (g *grant) limits() bool {
	return !slices.ContainsFunc(g.names(), func(v string) bool { return !harmless(v) })
}

// first rates a value under a new key. A key that replaces another one is not new.
func (g *grant) first(value string, dropped bool) scanner.Severity {
	if dropped && !harmless(value) && (rank(value) >= 0 || g.list || anyWord(value, beyondReading)) {
		return scanner.High
	}
	return scanner.Low
}

// grown weighs a value that was not among those that were approved.
func (g *grant) grown(now *grant, value string) scanner.Severity {
	most, is := g.mostOpen(), rank(value)
	switch {
	case is >= 0 && most >= 0 && is <= most:
		return scanner.Note
	case harmless(value):
		return scanner.Low
	case is >= 0, now.list, g.list, anyWord(value, beyondReading):
		return scanner.High
	}
	return scanner.Low
}
