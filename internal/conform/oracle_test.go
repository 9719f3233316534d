package conform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/conform"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// oracle is a schema compiled by a library that has no limits.
type oracle struct{ compiled *jsonschema.Schema }

// nowhere is a loader that loads no schemas.
type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errors.New("there is none") }

func newOracle(schema []byte) (o oracle, err error) {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if m, ok := root.(map[string]any); ok {
		delete(m, "$id")
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := errors.Join(err, c.AddResource("schema:tool", root)); err != nil {
		return o, err
	}
	o.compiled, err = c.Compile("schema:tool")
	return o, err
}

// check returns the first violation that the library reports: its pointer and keyword.
// For some values, the library reports only whether they conform, not the position.
func (o oracle) check(value []byte) (pointer, keyword string, valid, placed, judged bool) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return "", "", false, false, false
	}
	var failed *jsonschema.ValidationError
	if !errors.As(o.compiled.Validate(v), &failed) {
		return "", "", true, true, true
	}
	placed, judged = true, true
	walk(failed, func(e *jsonschema.ValidationError) {
		switch e.ErrorKind.(type) {
		case *kind.PropertyNames: // the position of the next member overwrites its position
			placed = false
		case *kind.RefCycle:
			judged = false
		}
	})
	first := worst(failed, nil)
	for _, token := range first.InstanceLocation {
		pointer += "/" + wire.EscapePointer(token)
	}
	return pointer, strings.Join(keywords(first), "/"), false, placed, judged
}

func walk(e *jsonschema.ValidationError, f func(*jsonschema.ValidationError)) {
	f(e)
	for _, cause := range e.Causes {
		walk(cause, f)
	}
}

func worst(e, best *jsonschema.ValidationError) *jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			best = worst(cause, best)
		}
		return best
	}
	if best == nil || order(e) < order(best) {
		return e
	}
	return best
}

func order(e *jsonschema.ValidationError) string {
	return strings.Join(e.InstanceLocation, "\x00") + "\x00\x00" + strings.Join(keywords(e), "\x00")
}

// keywords returns the path of the violated keyword. This package reports violations of minContains
// and maxContains as violations of contains.
func keywords(e *jsonschema.ValidationError) []string {
	switch e.ErrorKind.(type) {
	case *kind.MinContains, *kind.MaxContains:
		return []string{"contains"}
	}
	return e.ErrorKind.KeywordPath()
}

// compare describes how the library and this package disagree on a value, or returns ""
// if they agree.
func (o oracle) compare(schema, value []byte) (difference string, done, valid bool) {
	v, done := conform.Judge(schema, value)
	pointer, keyword, valid, placed, judged := o.check(value)
	keyword, _, _ = strings.Cut(keyword, "/")
	switch {
	case !done || !judged:
		return "", false, false
	case valid != (v.Message == ""):
	case !valid && placed && (v.Pointer != pointer || v.Message != conform.MessageOf(keyword)):
	default:
		return "", true, valid
	}
	return fmt.Sprintf("%s against %s: %+v, and the library has %q at %q (valid: %v)", value, schema, v, keyword, pointer, valid), true, valid
}

// TestLikeTheLibrary checks that the library and this package agree on generated schemas and
// values.
func TestLikeTheLibrary(t *testing.T) {
	valid, invalid := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := generator{rt, rapid.IntRange(0, 2).Draw(rt, "draft")}
		schema := g.root()
		o, err := newOracle([]byte(schema))
		if err != nil {
			rt.Fatalf("%s: %v", schema, err)
		}
		for range 5 {
			value := g.value(3)
			difference, done, ok := o.compare([]byte(schema), []byte(value))
			switch {
			case difference != "":
				rt.Fatal(difference)
			case done && ok:
				valid++
			case done:
				invalid++
			}
		}
	})
	if valid < 10 || invalid < 10 {
		t.Errorf("%d values conform, and %d do not", valid, invalid)
	}
}

// generator generates schemas of a draft, and values that may conform to them.
type generator struct {
	*rapid.T
	draft int
}

func (g generator) pick(texts ...string) string { return rapid.SampledFrom(texts).Draw(g.T, "text") }

func (g generator) root() string {
	dialect := [...]string{"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"}
	inner := g.schema(3)
	if inner == "true" || inner == "false" || inner == "{}" {
		inner = `{"minimum":1}`
	}
	return fmt.Sprintf(`{"$schema":%q,"$defs":{"x":%s,"y":%s},%s`, dialect[g.draft], g.schema(2), g.schema(2), inner[1:])
}

func (g generator) schema(depth int) string {
	if depth == 0 {
		return g.pick("true", "false", "{}", `{"type":"string"}`, `{"type":"integer"}`, `{"minLength":2}`, `{"minimum":1}`, `{"not":{}}`, `{"const":"a"}`)
	}
	said := map[string]string{}
	for range rapid.IntRange(0, 4).Draw(g.T, "keywords") {
		g.keyword(said, depth-1)
	}
	if ref, ok := said["$ref"]; ok && g.draft == 0 { // the library does not ignore all siblings of a reference, as it should
		said = map[string]string{"$ref": ref}
	}
	var members []string
	for name, v := range said {
		members = append(members, fmt.Sprintf("%q:%s", name, v))
	}
	slices.Sort(members)
	return "{" + strings.Join(members, ",") + "}"
}

func (g generator) keyword(said map[string]string, depth int) {
	some := func() string { return g.schema(depth) }
	list := func() string {
		return "[" + strings.Join(slices.Collect(func(yield func(string) bool) {
			for range rapid.IntRange(1, 3).Draw(g.T, "length") {
				if !yield(some()) {
					return
				}
			}
		}), ",") + "]"
	}
	names := func() string { return g.pick(`["a"]`, `["b"]`, `["a","c"]`, `[]`) }
	number := func() string { return g.pick("0", "1", "1.0", "2", "0.1", "-2", "1e0", "0.3", "15e-1", "10", "1E1") }
	count := func() string { return g.pick("0", "1", "2", "2.0", "3") }
	name := g.pick("type", "type", "type", "const", "enum", "$ref", "minProperties", "maxProperties", "required", "required", "dependencies", "properties", "properties", "properties",
		"patternProperties", "additionalProperties", "additionalProperties", "propertyNames", "minItems", "maxItems", "uniqueItems", "items", "items", "contains", "minLength", "maxLength", "pattern",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "not", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependentRequired",
		"unevaluatedProperties", "unevaluatedItems", "prefixItems", "minContains")
	switch name {
	case "type":
		said[name] = g.pick(`"object"`, `"object"`, `"array"`, `"string"`, `"number"`, `"integer"`, `"boolean"`, `"null"`, `["string","null"]`, `["integer","object","array"]`)
	case "const":
		said[name] = g.value(1)
	case "enum":
		said[name] = "[" + g.value(1) + "]"
		if g.pick("", "more") != "" {
			said[name] = "[" + g.value(0) + ",[" + g.value(0) + "]]"
		}
	case "$ref":
		said[name] = g.pick(`"#/$defs/x"`, `"#/$defs/y"`, `"#/$defs/x"`, `"#"`)
	case "minProperties", "maxProperties", "minItems", "maxItems", "minLength", "maxLength":
		said[name] = count()
	case "minContains":
		if g.draft > 0 {
			said["contains"], said[name], said["maxContains"] = some(), count(), count()
		}
	case "required":
		said[name] = names()
	case "dependencies":
		said[name] = fmt.Sprintf(`{"a":%s,"b":%s}`, some(), names())
	case "dependentSchemas", "properties", "patternProperties":
		said[name] = fmt.Sprintf(`{"a":%s,"b":%s}`, some(), some())
	case "dependentRequired":
		said[name] = fmt.Sprintf(`{"a":%s}`, names())
	case "uniqueItems":
		said[name] = "true"
	case "pattern":
		said[name] = g.pick(`"^a"`, `"b"`, `"."`)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		said[name] = number()
	case "multipleOf":
		said[name] = g.pick("1", "0.1", "2", "0.05", "15", "3e-1", "1e2")
	case "allOf", "anyOf", "oneOf":
		said[name] = list()
	case "prefixItems":
		if g.draft == 2 {
			said[name] = list()
		}
	case "items":
		if said[name] = some(); g.draft < 2 && g.pick("", "list") != "" {
			said[name], said["additionalItems"] = list(), some()
		}
	case "if":
		said[name], said["then"], said["else"] = some(), some(), some()
	default: // a schema
		said[name] = some()
	}
}

func (g generator) value(depth int) string {
	form := rapid.IntRange(0, 4).Draw(g.T, "form")
	switch {
	case depth > 0 && form < 2:
		var list []string
		for range rapid.IntRange(0, 3).Draw(g.T, "length") {
			list = append(list, g.value(depth-1))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case depth > 0 && form < 4:
		var list []string
		for range rapid.IntRange(0, 4).Draw(g.T, "length") {
			list = append(list, g.pick(`"a"`, `"b"`, `"c"`, `"\u0061"`, `"ab"`, `"A"`)+":"+g.value(depth-1))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	return g.pick(`"a"`, `"ab"`, `"\u0061"`, `"\u00e9"`, `"aé"`, `""`, `1`, `1.0`, `10e-1`, `0.1`, `0.30000000000000001`, `0.3`, `-3`, `1.5`, `100`, `1e2`, `0`, `-0.0`, `true`, `false`, `null`)
}

// TestKeywords covers each keyword of each draft, and keywords that a draft lacks.
func TestKeywords(t *testing.T) {
	dialects := map[string]string{"7": "http://json-schema.org/draft-07/schema#", "2019": "https://json-schema.org/draft/2019-09/schema", "2020": "https://json-schema.org/draft/2020-12/schema"}
	for _, c := range []struct{ drafts, schema, conforms, violates string }{
		{"7 2019 2020", `"type":["integer","null"]`, `1 1.0 10e-1 1e2 null`, `1.5 "1" true [] {}`},
		{"7 2019 2020", `"enum":[1,"a",[1,{"b":2,"c":null}]]`, `1.0 10e-1 "\u0061" [1,{"c":null,"b":2e0}]`, `2 "b" [1] [1,{"b":2}] null`},
		{"7 2019 2020", `"const":{"a":[0.1]}`, `{"a":[1e-1]} {"a":2,"a":[0.10]}`, `{"a":[0.2]} {} {"a":[0.1],"b":1}`},
		{"7 2019 2020", `"properties":{"a":{"type":"null"}}`, `{"a":null} {"b":1} 5`, `{"a":1} {"a":null,"a":1}`},
		{"7 2019 2020", `"required":["a","b"]`, `{"b":1,"a":2} []`, `{} {"a":1}`},
		{"7 2019 2020", `"properties":{"a":{}},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false`, `{"a":1,"x1":"y"}`, `{"b":1} {"x":1}`},
		{"7 2019 2020", `"additionalProperties":{"type":"string"}`, `{"a":"x"}`, `{"a":1}`},
		{"7 2019 2020", `"propertyNames":{"pattern":"^[a-z]+$","maxLength":3}`, `{"abc":1} {}`, `{"abcd":1} {"A":1}`},
		{"7 2019 2020", `"minProperties":1,"maxProperties":2`, `{"a":1} {"a":1,"b":2} {"a":1,"a":2,"a":3}`, `{} {"a":1,"b":2,"c":3}`},
		{"7 2019 2020", `"items":{"type":"string"},"minItems":1,"maxItems":2`, `["a"] ["a","b"]`, `[] [1] ["a","b","c"]`},
		{"7 2019", `"items":[{"type":"string"},true],"additionalItems":false`, `[] ["a"] ["a",1]`, `[1] ["a",1,2]`},
		{"7 2019", `"items":[{"type":"string"}],"additionalItems":{"type":"null"}`, `["a",null]`, `["a",1]`},
		{"7 2019", `"items":true,"additionalItems":false`, `[1,2]`, ``},
		{"7 2019 2020", `"additionalItems":false`, `[1,2]`, ``},
		{"2020", `"prefixItems":[{"type":"string"}],"items":{"type":"null"}`, `[] ["a",null]`, `[1] ["a",1]`},
		{"2020", `"prefixItems":[{"type":"string"}],"items":false`, `["a"]`, `["a",1]`},
		{"7 2019", `"prefixItems":[false]`, `[1]`, ``},
		{"7 2019 2020", `"contains":{"const":1}`, `[2,1] {}`, `[] [2]`},
		{"2019 2020", `"contains":{"const":1},"minContains":2,"maxContains":3`, `[1,1] [1,2,1,1]`, `[1] [1,1,1,1]`},
		{"2019 2020", `"contains":{"const":1},"minContains":0`, `[] [2]`, ``},
		{"7", `"contains":{"const":1},"minContains":2`, `[1]`, `[]`},
		{"7 2019 2020", `"uniqueItems":true`, `[1,2,"1",[1],{"a":1},{"a":2},null,true]`, `[1,1.0] [{"a":1,"b":2},{"b":2,"a":1}] ["a","\u0061"] [0,-0.0]`},
		{"7 2019 2020", `"minimum":0.1,"maximum":12345678901234567890`, `0.1 1e-1 12345678901234567890 "x"`, `0.09999999999999999999999 12345678901234567891 -1`},
		{"7 2019 2020", `"exclusiveMinimum":0,"exclusiveMaximum":1e2`, `1e-200 99.9999999999999999999`, `0 -0.0 100.000 100`},
		{"7 2019 2020", `"multipleOf":0.01`, `19.99 0 -1 1e300`, `0.001 19.999`},
		{"7 2019 2020", `"multipleOf":6e3`, `6000 1.8e4 0`, `600 6001 0.6`},
		{"7 2019 2020", `"minLength":2,"maxLength":3`, `"ab" "éßx" "\ud83d\ude00a" 5`, `"a" "\ud83d\ude00" "abcd"`},
		{"7 2019 2020", `"pattern":"^a+$"`, `"aa" "\u0061" 1`, `"ab" ""`},
		{"7 2019 2020", `"allOf":[{"minimum":1},{"maximum":2}]`, `1 2`, `0 3`},
		{"7 2019 2020", `"anyOf":[{"type":"string"},{"minimum":3}]`, `"x" 3 null`, `2`},
		{"7 2019 2020", `"oneOf":[{"type":"integer"},{"minimum":3}]`, `1 3.5`, `3 1.5`},
		{"7 2019 2020", `"not":{"type":"string"}`, `1`, `"a"`},
		{"7 2019 2020", `"if":{"type":"string"},"then":{"minLength":1},"else":{"minimum":1}`, `"a" 1 null`, `"" 0`},
		{"7 2019 2020", `"then":false,"else":false`, `1`, ``},
		{"7 2019 2020", `"dependencies":{"a":["b"],"c":{"minProperties":2}}`, `{"b":1} {"a":1,"b":1} {"c":1,"d":1}`, `{"a":1} {"c":1}`},
		{"2019 2020", `"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"minProperties":2}}`, `{"b":1} {"a":1,"b":1}`, `{"a":1} {"c":1}`},
		{"7", `"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":false}`, `{"a":1,"c":1}`, ``},
		{"7 2019 2020", `"$defs":{"a b":{"type":"null"}},"properties":{"a":{"$ref":"#/$defs/a%20b"}}`, `{"a":null}`, `{"a":1}`},
		{"7 2019 2020", `"definitions":{"l/~":{"allOf":[{"type":"null"}]}},"properties":{"a":{"$ref":"#/definitions/l~1~0/allOf/0"}}`, `{"a":null}`, `{"a":1}`},
		{"7 2019 2020", `"properties":{"a":{"$ref":"#"}},"additionalProperties":false`, `{"a":{"a":{}}} 1`, `{"a":{"a":{"b":1}}}`},
		{"7", `"$defs":{"a":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/a","minimum":5}}`, `{"a":1}`, `{"a":"x"}`},
		{"2019 2020", `"$defs":{"a":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/a","minimum":5}}`, `{"a":5}`, `{"a":1} {"a":"x"}`},
		{"7 2019 2020", `"properties":{"a":true,"b":false,"c":{}}`, `{"a":1,"c":2}`, `{"b":1}`},
		{"2019 2020", `"properties":{"a":true},"anyOf":[{"required":["b"],"properties":{"b":true}},{"required":["c"],"properties":{"c":true}}],"unevaluatedProperties":false`, `{"a":1,"b":1} {"b":1,"c":1}`, `{"a":1} {"b":1,"d":1} {"a":1,"b":1,"e":1}`},
		{"2019 2020", `"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]`, `{}`, `{"a":1}`},
		{"2019 2020", `"if":{"required":["a"],"properties":{"a":true}},"unevaluatedProperties":{"type":"string"}`, `{"a":1} {"b":"x"}`, `{"a":1,"b":1} {"b":1}`},
		{"2019", `"items":[true],"contains":{"const":1},"unevaluatedItems":false`, `[1]`, `[1,1]`},
		{"2020", `"prefixItems":[true],"contains":{"const":1},"unevaluatedItems":false`, `[1] [2,1]`, `[1,2]`},
		{"7", `"unevaluatedProperties":false,"unevaluatedItems":false`, `{"a":1} [1]`, ``},
		{"7", `"format":"email"`, `"a.b+c@example.com" "\"a b\"@[127.0.0.1]" "a@[IPv6:::1]" 5`, `"a" "a..b@x.org" "a@-x.org" "a@[1.2.3]"`},
		{"7", `"format":"date-time"`, `"2024-02-29T23:59:60Z" "2024-01-01t00:00:00.123+01:00"`, `"2023-02-29T00:00:00Z" "2024-01-01 00:00:00Z" "2024-01-01T24:00:00Z" "2024-01-01T00:00:00"`},
		{"7", `"format":"date"`, `"2024-02-29"`, `"2023-02-29" "2024-2-1" ""`},
		{"7", `"format":"time"`, `"12:30:00Z" "12:30:00.5-23:59"`, `"12:30" "12:60:00Z" "12:30:00.Z"`},
		{"7", `"format":"uri"`, `"https://example.com/a?b#c" "mailto:x" "http://[::1]:80/"`, `"/a" "" "http://[::zz]/" "http://a b/"`},
		{"7", `"format":"uri-reference"`, `"/a" "" "#x"`, `"a\\b" "http://[::zz]/"`},
		{"7", `"format":"uuid"`, `"123e4567-e89b-12d3-a456-426614174000" "123E4567-E89B-12D3-A456-426614174000"`, `"123e4567e89b12d3a456426614174000" "123e4567-e89b-12d3-a456-42661417400g"`},
		{"7", `"format":"ipv4"`, `"1.2.3.4"`, `"1.2.3" "1.2.3.256" "01.2.3.4" "::1"`},
		{"7", `"format":"ipv6"`, `"::1" "::ffff:1.2.3.4"`, `"1.2.3.4" "fe80::1%eth0" ":::"`},
		{"7", `"format":"hostname"`, `"a.example.com." "a-b"`, `"-a.com" "a..b" "a_b" ""`},
		{"7", `"format":"unheard-of"`, `"x"`, ``},
		{"2019 2020", `"format":"email"`, `"x"`, ``},
	} {
		for _, draft := range strings.Fields(c.drafts) {
			schema := []byte(fmt.Sprintf(`{"$schema":%q,%s}`, dialects[draft], c.schema))
			o, err := newOracle(schema)
			if err != nil {
				t.Errorf("%s: %v", schema, err)
				continue
			}
			for want, listed := range map[bool]string{true: c.conforms, false: c.violates} {
				for d := json.NewDecoder(strings.NewReader(listed)); d.More(); {
					var value json.RawMessage
					if err := d.Decode(&value); err != nil {
						t.Fatalf("%s: %v", listed, err)
					}
					difference, done, valid := o.compare(schema, value)
					if difference != "" || !done || valid != want {
						t.Errorf("%s against %s: conforms is %v, done %v; %s", value, schema, valid, done, difference)
					}
				}
			}
		}
	}
}

// TestSchemasOfServers compares the library and this package for schemas of published
// servers, with values generated from them.
func TestSchemasOfServers(t *testing.T) {
	dumps, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "realservers", "dumps", "*.json"))
	if len(dumps) == 0 {
		t.Skip("../shared/realservers/dumps is not next to the repository: no schemas of servers to compare by")
	}
	seen, unused, values := map[string]bool{}, 0, 0
	for _, name := range dumps {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var dump struct {
			Tools []struct{ InputSchema, OutputSchema json.RawMessage }
		}
		if err := json.Unmarshal(data, &dump); err != nil {
			continue // the file has another form
		}
		for _, tool := range dump.Tools {
			for _, schema := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
				if len(schema) == 0 || seen[string(schema)] || len(seen) > 400 && testing.Short() {
					continue
				}
				seen[string(schema)] = true
				n := compareAll(t, schema)
				values += n
				if n == 0 {
					unused++
				}
			}
		}
	}
	t.Logf("%d schemas, of which %d are not used; %d values", len(seen), unused, values)
	if unused*20 > len(seen) {
		t.Errorf("%d of %d schemas are not used", unused, len(seen))
	}
}

// compareAll compares the results for values generated from a schema, and returns how many checks
// were completed.
func compareAll(t *testing.T, schema []byte) (judged int) {
	o, err := newOracle(schema)
	var root any
	if err != nil || json.Unmarshal(schema, &root) != nil {
		return 0
	}
	random := rand.New(rand.NewPCG(1, uint64(len(schema))))
	for n := range 12 {
		s := sampler{random, root, n % 4}
		value, err := json.Marshal(s.value(root, 6))
		if err != nil {
			t.Fatal(err)
		}
		difference, done, _ := o.compare(schema, value)
		if difference != "" {
			t.Error(difference)
		}
		if done {
			judged++
		}
	}
	return judged
}

// sampler generates values for a schema, with some violations.
type sampler struct {
	*rand.Rand
	root  any
	slips int // violations in 20 values
}

func (s sampler) value(schema any, depth int) any {
	leaves := []any{"x", "", 1, 2.5, -3, true, nil, "2024-01-01", "https://example.com", "a@b.c", []any{1, "x"}, map[string]any{"a": 1}}
	m, _ := schema.(map[string]any)
	if m == nil || depth == 0 || s.IntN(20) < s.slips {
		return leaves[s.IntN(len(leaves))]
	}
	if ref, ok := m["$ref"].(string); ok {
		at := s.root
		for token := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
			inner, _ := at.(map[string]any)
			at = inner[token]
		}
		return s.value(at, depth-1)
	}
	for _, name := range []string{"enum", "anyOf", "oneOf", "allOf"} {
		if list, _ := m[name].([]any); len(list) > 0 {
			if name == "enum" {
				return list[s.IntN(len(list))]
			}
			return s.value(list[s.IntN(len(list))], depth-1)
		}
	}
	if v, ok := m["const"]; ok {
		return v
	}
	switch m["type"] {
	case "object":
		return s.object(m, depth)
	case "array":
		list := []any{}
		for range s.IntN(3) {
			list = append(list, s.value(m["items"], depth-1))
		}
		return list
	case "string":
		return leaves[[]int{0, 1, 7, 8, 9}[s.IntN(5)]]
	case "number", "integer":
		return leaves[2+s.IntN(3)]
	case "boolean":
		return true
	}
	return leaves[s.IntN(len(leaves))]
}

func (s sampler) object(m map[string]any, depth int) any {
	object := map[string]any{}
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	for name, member := range properties {
		if slices.Contains(required, any(name)) || s.IntN(2) == 0 {
			object[name] = s.value(member, depth-1)
		}
	}
	if s.IntN(20) < s.slips {
		object["other"] = 1
	}
	return object
}
