package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// metaChange is what two declarations beside a schema differ in.
type metaChange struct {
	*change
	pointer  string // of the worst
	severity scanner.Severity
	told     []string
}

// maxGrants bounds what is told of one change.
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

// grant is what is declared under one key that speaks of what a tool may do or touch,
// wherever the key stands.
type grant struct {
	key    string
	list   bool
	values map[string]string // to the place where they stand
}

// granted collects what a declaration grants. Nobody knows its shape: what counts
// is the words of its keys.
func granted(doc *wire.Doc, root int) map[string]*grant {
	all := map[string]*grant{}
	if root >= 0 {
		collectGrants(doc, root, "", false, all)
	}
	return all
}

func collectGrants(doc *wire.Doc, i int, key string, list bool, all map[string]*grant) {
	switch doc.Kind(i) {
	case wire.Object:
		for c := doc.First(i); c >= 0; c = doc.Next(c) {
			name := keyOf(doc, c)
			if key != "" && anyWord(key, naming) && rank(textOf(doc, c)) != 0 {
				addGrant(doc, c, key, name, true, all)
			}
			inner := ""
			switch {
			case grants(name):
				inner = name
			case list:
				inner = key
			}
			if doc.Kind(c) == wire.Bool && inner == key && key != "" {
				continue // its name is what counts
			}
			collectGrants(doc, c, inner, list, all)
		}
	case wire.Array:
		for c := doc.First(i); c >= 0; c = doc.Next(c) {
			collectGrants(doc, c, key, true, all)
		}
	default:
		if key != "" {
			addGrant(doc, i, key, textOf(doc, i), list, all)
		}
	}
}

func addGrant(doc *wire.Doc, i int, key, value string, list bool, all map[string]*grant) {
	id := scanner.FoldName(key)
	g := all[id]
	if g == nil {
		g = &grant{key: key, values: map[string]string{}}
		all[id] = g
	}
	g.list = g.list || list
	g.values[strings.ToLower(strings.TrimSpace(value))] = string(doc.AppendPointer(nil, 0, i))
}

func (g *grant) names() []string { return slices.Sorted(maps.Keys(g.values)) }

func (g *grant) has(value string) bool {
	_, is := g.values[value]
	return is
}

// rank returns the place of a value in openness, -1 for a value that has none.
func rank(value string) int {
	value = strings.ToLower(strings.TrimSpace(value))
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

// harmless reports a value that is closed, or lets a tool do no more than read.
func harmless(value string) bool {
	if r := rank(value); r >= 0 {
		return r <= 1
	}
	return onlyReads(value)
}

// limits reports a grant that lets a tool do no more than read.
func (g *grant) limits() bool {
	return !slices.ContainsFunc(g.names(), func(v string) bool { return !harmless(v) })
}

// first weighs a value under a key that is declared for the first time. One that
// comes in place of another key is no first.
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
