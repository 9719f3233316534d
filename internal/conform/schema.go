package conform

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// schema is a compiled schema. Without rules, it allows either everything or nothing.
type schema struct {
	rules   []rule
	nothing bool
	tracks  bool // its rules must record which parts of a value they evaluate
}

// rule is a keyword, or several that are checked together.
type rule struct {
	of      kinds
	reports string // keyword of a violation; "" if the parts of the rule report their own
	last    bool   // report nothing else about a value that violates this rule
	holds   check
}

// kinds is a set of value kinds.
type kinds uint8

const (
	integers kinds = 1 // only the integers among the numbers
	numbers  kinds = 1 << wire.Number
	texts    kinds = 1 << wire.String
	arrays   kinds = 1 << wire.Array
	objects  kinds = 1 << wire.Object
	all      kinds = 1<<wire.Null | 1<<wire.Bool | numbers | texts | arrays | objects
)

// draft is a version of JSON Schema.
type draft int

const (
	draft7 draft = iota
	draft2019
	draft2020
)

// dialects maps the supported values of $schema to their drafts.
var dialects = map[string]draft{
	"http://json-schema.org/draft-07/schema#":      draft7,
	"http://json-schema.org/draft-07/schema":       draft7,
	"https://json-schema.org/draft-07/schema#":     draft7,
	"https://json-schema.org/draft-07/schema":      draft7,
	"https://json-schema.org/draft/2019-09/schema": draft2019,
	"https://json-schema.org/draft/2020-12/schema": draft2020,
}

// retargeting contains keywords that change the target of a reference.
var retargeting = []string{"$id", "$dynamicRef", "$recursiveRef", "$dynamicAnchor"}

// names are keywords that are looked up together.
type names = [3]string

// found contains the nodes of keywords that are looked up together, or -1 for each that is absent.
type found = [3]int

// keyword describes a rule and where it applies. The first of its names identifies the rule.
type keyword struct {
	names    names
	from, to draft
	of       kinds
	reports  bool
	last     bool
	check    func(c *compiler, k *keyword, at found) check // returns nil if there is nothing to check
}

// keywords are in the order in which they are checked. A value that violates type, const, enum or
// format is not checked further.
var keywords = []keyword{
	{names{"type"}, draft7, draft2020, all, true, true, (*compiler).types},
	{names{"const"}, draft7, draft2020, all, true, true, (*compiler).equals},
	{names{"enum"}, draft7, draft2020, all, true, true, (*compiler).equals},
	{names{"format"}, draft7, draft7, texts, true, true, (*compiler).format},
	{names{"$ref"}, draft2019, draft2020, all, false, false, (*compiler).reference},
	{names{"minProperties"}, draft7, draft2020, objects, true, false, (*compiler).count},
	{names{"maxProperties"}, draft7, draft2020, objects, true, false, (*compiler).count},
	{names{"required"}, draft7, draft2020, objects, true, false, (*compiler).required},
	{names{"dependencies"}, draft7, draft2020, objects, false, false, (*compiler).dependent},
	{names{"properties", "patternProperties", "additionalProperties"}, draft7, draft2020, objects, false, false, (*compiler).members},
	{names{"propertyNames"}, draft7, draft2020, objects, true, false, (*compiler).memberNames},
	{names{"dependentSchemas"}, draft2019, draft2020, objects, false, false, (*compiler).dependent},
	{names{"dependentRequired"}, draft2019, draft2020, objects, true, false, (*compiler).dependent},
	{names{"minItems"}, draft7, draft2020, arrays, true, false, (*compiler).count},
	{names{"maxItems"}, draft7, draft2020, arrays, true, false, (*compiler).count},
	{names{"uniqueItems"}, draft7, draft2020, arrays, true, false, (*compiler).unique},
	{names{"items", "additionalItems"}, draft7, draft2019, arrays, false, false, (*compiler).items},
	{names{"prefixItems", "items"}, draft2020, draft2020, arrays, false, false, (*compiler).items},
	{names{"contains"}, draft7, draft7, arrays, true, false, (*compiler).contains},
	{names{"contains", "minContains", "maxContains"}, draft2019, draft2020, arrays, true, false, (*compiler).contains},
	{names{"minLength"}, draft7, draft2020, texts, true, false, (*compiler).count},
	{names{"maxLength"}, draft7, draft2020, texts, true, false, (*compiler).count},
	{names{"pattern"}, draft7, draft2020, texts, true, false, (*compiler).pattern},
	{names{"minimum"}, draft7, draft2020, numbers, true, false, (*compiler).number},
	{names{"maximum"}, draft7, draft2020, numbers, true, false, (*compiler).number},
	{names{"exclusiveMinimum"}, draft7, draft2020, numbers, true, false, (*compiler).number},
	{names{"exclusiveMaximum"}, draft7, draft2020, numbers, true, false, (*compiler).number},
	{names{"multipleOf"}, draft7, draft2020, numbers, true, false, (*compiler).number},
	{names{"not"}, draft7, draft2020, all, false, false, (*compiler).not},
	{names{"allOf"}, draft7, draft2020, all, false, false, (*compiler).allOf},
	{names{"anyOf"}, draft7, draft2020, all, true, false, (*compiler).someOf},
	{names{"oneOf"}, draft7, draft2020, all, true, false, (*compiler).someOf},
	{names{"if", "then", "else"}, draft7, draft2020, all, false, false, (*compiler).choice},
	{names{"unevaluatedProperties"}, draft2019, draft2020, objects, false, false, (*compiler).unevaluated},
	{names{"unevaluatedItems"}, draft2019, draft2020, arrays, false, false, (*compiler).unevaluated},
}

// compiler compiles the rules of a schema.
type compiler struct {
	values
	draft    draft
	keywords []keyword       // the table of that name, to which methods cannot refer without an initialization cycle
	made     map[int]*schema // by node, because references may lead to any node, including enclosing ones
	failed   bool            // the schema cannot be used
}

// read compiles a schema, or returns nil if the text is not a schema or uses an unsupported
// feature.
func read(doc *wire.Doc, text []byte) *schema {
	if len(text) > maxSchema || doc.Parse(text) != nil || doc.Kind(0) != wire.Object {
		return nil
	}
	c := compiler{values: valuesOf(doc), draft: draft2020, keywords: keywords, made: map[int]*schema{}}
	if at := doc.Get(0, "$schema"); at >= 0 {
		said, _ := doc.Str(0, "$schema")
		known := false
		if c.draft, known = dialects[said]; !known {
			return nil
		}
	}
	for i := range doc.Nodes {
		for _, name := range retargeting {
			if doc.Kind(i) == wire.String && doc.KeyIs(i, name) && (doc.Nodes[i].Parent != 0 || name != "$id") {
				return nil
			}
		}
	}
	if s := c.schema(0); !c.failed {
		return s
	}
	return nil
}

// schema compiles the schema at node i, once.
func (c *compiler) schema(i int) *schema {
	if s := c.made[i]; s != nil {
		return s
	}
	s := &schema{}
	c.made[i] = s
	switch {
	case c.Kind(i) == wire.Bool:
		s.nothing = string(c.Raw(i)) == "false"
	case c.Kind(i) != wire.Object:
		c.failed = true
	case c.draft == draft7 && c.Get(i, "$ref") >= 0: // $ref disables all other keywords of its schema
		s.rules = append(s.rules, rule{of: all, holds: c.reference(nil, found{c.Get(i, "$ref")})})
	case c.Nodes[i].Len > 0:
		c.rules(s, i)
	}
	return s
}

func (c *compiler) rules(s *schema, i int) {
	for k := range c.keywords {
		k := &c.keywords[k]
		if c.draft < k.from || c.draft > k.to {
			continue
		}
		at := found{-1, -1, -1}
		for n, name := range k.names {
			if name != "" {
				at[n] = c.Get(i, name)
			}
		}
		if at == (found{-1, -1, -1}) {
			continue
		}
		made := rule{of: k.of, last: k.last}
		if k.reports {
			made.reports = k.names[0]
		}
		if made.holds = k.check(c, k, at); made.holds != nil {
			s.rules = append(s.rules, made)
			s.tracks = s.tracks || strings.HasPrefix(k.names[0], "unevaluated")
		}
	}
}

// list returns the elements of the array, or the members of the object, at node i.
func (c *compiler) list(i int, kind wire.Kind) (children []int) {
	c.failed = c.failed || c.Kind(i) != kind
	if !c.failed {
		for n := c.first(i); n >= 0; n = c.next(n) {
			children = append(children, n)
		}
	}
	return children
}

// schemas returns the schemas in the array at node i, which must not be empty.
func (c *compiler) schemas(i int) (list []*schema) {
	for _, n := range c.list(i, wire.Array) {
		list = append(list, c.schema(n))
	}
	c.failed = c.failed || len(list) == 0
	return list
}

// words returns the strings in the array at node i.
func (c *compiler) words(i int) (list []string) {
	for _, n := range c.list(i, wire.Array) {
		list = append(list, c.word(n))
	}
	return list
}

func (c *compiler) word(i int) string {
	if c.Kind(i) != wire.String {
		c.failed = true
		return ""
	}
	return string(c.content(i))
}

// optional compiles the schema at node i, or returns nil if there is none.
func (c *compiler) optional(i int) *schema {
	if i < 0 {
		return nil
	}
	return c.schema(i)
}

// target returns the schema, in the same document, that the reference at node i refers to.
func (c *compiler) target(i int) *schema {
	pointer, local := wire.LocalReference(c.word(i))
	at := 0
	for _, token := range strings.Split(pointer, "/")[1:] {
		at = c.Child(at, token)
	}
	if c.failed = c.failed || !local || at < 0; c.failed {
		return &schema{}
	}
	return c.schema(at)
}
