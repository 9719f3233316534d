package conform

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds of what a schema may have the validator do.
const (
	maxPattern  = 1024     // bytes of a pattern
	maxProgram  = 10_000   // instructions of the program that it is compiled to
	maxMatching = 32 << 20 // instructions for all bytes that one check matches
	maxNumber   = 64       // bytes of a number
	maxExponent = 3        // digits of its exponent: it is written out to be compared
)

// tame reports whether the numbers of a document can be compared with others.
func tame(doc *wire.Doc) bool {
	for i := range doc.Nodes {
		if doc.Kind(i) != wire.Number {
			continue
		}
		raw := doc.Raw(i)
		if e := bytes.LastIndexAny(raw, "eE"); len(raw) > maxNumber || e >= 0 && len(bytes.TrimLeft(raw[e+1:], "+-0")) > maxExponent {
			return false
		}
	}
	return true
}

// measure counts the parts of a schema as often as a value can be compared with them.
type measure struct {
	root   any
	of     map[string]int // by reference; 0 for one that is being counted
	failed bool           // there are too many, or they cannot be counted
}

// elsewhere are keywords that move what a reference leads to.
var elsewhere = map[string]bool{"$dynamicRef": true, "$recursiveRef": true, "$dynamicAnchor": true, "$id": true}

// dialects are those in which a reference is told by these keywords alone.
var dialects = map[string]bool{"http://json-schema.org/draft-07/schema#": true, "http://json-schema.org/draft-07/schema": true,
	"https://json-schema.org/draft-07/schema#": true, "https://json-schema.org/draft-07/schema": true,
	"https://json-schema.org/draft/2019-09/schema": true, "https://json-schema.org/draft/2020-12/schema": true}

// settle takes out of a schema what says where it was published, which nothing needs,
// and reports whether it is written in a dialect that is known.
func settle(root any) bool {
	m, ok := root.(map[string]any)
	if !ok {
		return false
	}
	if said, ok := m["$schema"].(string); !ok && m["$schema"] != nil || ok && !dialects[said] {
		return false
	}
	delete(m, "$id")
	return true
}

// parts counts the values in v, and those that it refers to. A schema that refers to
// itself, or elsewhere, has no number of parts.
func (m *measure) parts(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			n += m.member(key, member)
		}
	case []any:
		for _, element := range v {
			n += m.parts(element)
		}
	}
	if n = min(n, maxLooks+1); n > maxLooks {
		m.failed = true
	}
	return n
}

func (m *measure) member(key string, v any) int {
	ref, ok := v.(string)
	switch {
	case m.failed:
		return 1
	case ok && elsewhere[key], key == "format" && v == "regex": // which would have the value compiled
		m.failed = true
	case key == "$ref" && ok:
		return m.reference(ref)
	}
	return m.parts(v)
}

// reference counts what a reference leads to.
func (m *measure) reference(ref string) int {
	n, seen := m.of[ref]
	if seen {
		m.failed = m.failed || n == 0
		return n
	}
	target, ok := resolve(m.root, ref)
	if m.of[ref] = 0; !ok {
		m.failed = true
		return 1
	}
	n = m.parts(target)
	m.of[ref] = n
	return n
}

// resolve returns what a reference within the document leads to.
func resolve(root any, ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok || strings.Contains(ref, "%") {
		return nil, false
	}
	for token := range strings.SplitSeq(pointer, "/") {
		token = wire.UnescapePointer(token)
		switch v := root.(type) {
		case map[string]any:
			if root, ok = v[token]; !ok {
				return nil, false
			}
		case []any:
			i := index(token)
			if i < 0 || i >= len(v) {
				return nil, false
			}
			root = v[i]
		default:
			return nil, false
		}
	}
	return root, true
}

// index returns the place that a token of a pointer stands for, -1 for none.
func index(token string) int {
	if i, err := strconv.ParseUint(token, 10, 31); err == nil {
		return int(i)
	}
	return -1
}

// budget is the work that one check may spend on patterns.
type budget struct{ spent int }

var errPattern = errors.New("the pattern is too large")

// spentAll ends a check from within the validator, which has no other way out.
type spentAll struct{}

// compile compiles a pattern. Matching is linear, in the text and in the program.
func (b *budget) compile(pattern string) (jsonschema.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errPattern
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, errPattern
	}
	re, err := regexp.Compile(pattern)
	return &matcher{re, len(program.Inst), b}, err
}

// matcher is a pattern that spends a budget.
type matcher struct {
	*regexp.Regexp
	size   int
	budget *budget
}

// MatchString reports whether a text matches, as long as the budget lasts.
func (m *matcher) MatchString(s string) bool {
	if m.budget.spent += m.size * (len(s) + 1); m.budget.spent > maxMatching {
		panic(spentAll{})
	}
	return m.Regexp.MatchString(s)
}

// catch ends a check that has spent its budget, without a breach.
func (b *budget) catch(is *Breach) {
	switch why := recover().(type) {
	case nil:
	case spentAll:
		*is = Breach{}
	default:
		panic(why)
	}
}
