package drift

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// metaChange is the difference between the declarations in two values of a member such as _meta.
type metaChange struct {
	*change
	root     string // pointer to the member with the declaration
	pointer  string // pointer to the most severe change
	severity scanner.Severity
	told     []string
}

// maxGrants is the maximum number of changes reported for one definition.
const maxGrants = 32

func (m *metaChange) say(weight scanner.Severity, pointer, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if weight > m.severity {
		m.severity, m.pointer = weight, pointer
		m.told = slices.Insert(m.told, 0, what) // put the worst change first, so that it is shown
	} else if len(m.told) < maxGrants {
		m.told = append(m.told, what)
	}
}

// grant is a set of permissions declared under a key, at any depth.
type grant struct {
	key    string
	list   bool
	values map[string]string // values, with their JSON pointers
}

// declared contains the permissions and safeguards in a declaration.
type declared struct {
	doc        *wire.Doc
	known      map[string]bool // keys that existed before, or nil if irrelevant
	hints      bool            // ignore the hints of the specification, which are reported elsewhere
	grants     map[string]*grant
	safeguards map[string]*safeguard
}

// granted collects the permissions in a declaration. Because no specification defines the format,
// granted recognises keys by their words. Unless known is nil, granted also includes lists under
// keys that are not in known.
func granted(doc *wire.Doc, root int, known map[string]bool) *declared {
	d := &declared{doc, known, root >= 0 && doc.KeyIs(root, "annotations"), map[string]*grant{}, map[string]*safeguard{}}
	switch {
	case root < 0:
	case d.hints || doc.KeyIs(root, "_meta"):
		d.collect(root, "", false)
	default: // the member name itself is a key
		d.member(root, "", false)
	}
	return d
}

// keysOf returns the names of all members of a value, at any depth.
func keysOf(doc *wire.Doc, root int) map[string]bool {
	all := map[string]bool{}
	for i := max(root, 0); root >= 0 && i < int(doc.Nodes[root].Next); i++ {
		if doc.Nodes[i].KeyEnd > 0 {
			all[doc.KeyString(i)] = true
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
			d.add(i, key, jsonschema.Text(d.doc, i), list)
		}
	}
}

func (d *declared) member(c int, key string, list bool) {
	name := d.doc.KeyString(c)
	if d.hints && isHint(name) || d.safeguard(c, name) {
		return
	}
	if key != "" && anyWord(key, naming) && rank(jsonschema.Text(d.doc, c)) != 0 {
		d.add(c, key, name, true)
	}
	inner := ""
	switch {
	case anyWord(name, granting), d.known != nil && !d.known[name] && d.doc.Kind(c) == wire.Array:
		inner = name
	case list:
		inner = key
	}
	if d.doc.Kind(c) == wire.Bool && inner == key && key != "" {
		return // only the name of the member counts
	}
	d.collect(c, inner, list)
}

func (d *declared) add(i int, key, value string, list bool) {
	id := names.FoldName(key)
	g := d.grants[id]
	if g == nil {
		g = &grant{key: key, values: map[string]string{}}
		d.grants[id] = g
	}
	values := []string{value}
	if anyWord(key, naming) && d.doc.Kind(i) == wire.String { // scopes are often written as one string
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

// rank returns how permissive a value is, or -1 if unknown. A value that ends in a wildcard ranks
// as "*"; a mount ranks by its mode, which follows the last colon.
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

// mostOpen returns the highest rank of the values, or -1 if all are unknown.
func (g *grant) mostOpen() int {
	most := -1
	for value := range g.values {
		most = max(most, rank(value))
	}
	return most
}

// harmless reports whether a value permits nothing or only reading.
func harmless(value string) bool {
	if r := rank(value); r >= 0 {
		return r <= 1
	}
	return onlyReads(value)
}

// limits reports whether a grant permits only reading.
func (g *grant) limits() bool {
	return !slices.ContainsFunc(g.names(), func(v string) bool { return !harmless(v) })
}

// first rates a value under a new key. If the key may replace a removed one, the value is rated as
// a change, not as a first declaration.
func (g *grant) first(value string, dropped bool) scanner.Severity {
	if dropped && !harmless(value) && (rank(value) >= 0 || g.list || anyWord(value, beyondReading)) {
		return scanner.High
	}
	return scanner.Low
}

// grown rates a value that was added under an approved key.
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
