package conform_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/conform"
)

func check(schema, value string) conform.Violation {
	var c conform.Checker
	return c.Check(sha256.Sum256([]byte(schema)), sha256.Sum256([]byte(value)), []byte(schema), []byte(value))
}

// TestViolation checks the position and the message of violations.
func TestViolation(t *testing.T) {
	for _, c := range []struct{ schema, value, pointer, found, message string }{
		{`{"type":"object","required":["a"]}`, `{"b":1}`, "", `{"b":1}`, "lacks a member that the schema requires"},
		{`{"additionalProperties":false}`, `{"b":1}`, "", `{"b":1}`, "has a member that the schema does not define"},
		{`{"properties":{"a/b":{"items":{"type":"string"}}}}`, `{ "a/b" : [ "x" , 5 ] }`, "/a~1b/1", "5", "has a different type than the schema requires"},
		{`{"properties":{"a":{"enum":[1,2]}}}`, `{"a":3}`, "/a", "3", "is not one of the values that the schema allows"},
		{`{"properties":{"a":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`, `{"a":3}`, "/a", "3", "matches none of the alternatives in the schema, or more than one"},
		{`{"properties":{"a":{"multipleOf":0.1}}}`, `{"a":0.35}`, "/a", "0.35", "violates the schema"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.com/x","properties":{"a":{"format":"email"}}}`, `{"a":"x"}`, "/a", `"x"`, "violates the schema"},
		{`{"properties":{"a":{"format":"email"}}}`, `{"a":"x"}`, "", "", ""},
		{`{"properties":{"a":{"type":"integer"}}}`, `{"a":1.0}`, "", "", ""},
		{`{"allOf":[{"type":"object"}],"properties":{"a":{"$ref":"#/allOf/0"}}}`, `{"a":1}`, "/a", "1", "has a different type than the schema requires"},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "", `{"ab":1}`, "has a member with a name that the schema does not allow"},
		{`{"properties":{"a":{"type":"string"}}}`, `{"a":1,"a":"x"}`, "", "", ""},
	} {
		got := check(c.schema, c.value)
		if got.Pointer != c.pointer || got.Value != c.found || got.Message != c.message {
			t.Errorf("%s against %s: %+v", c.value, c.schema, got)
		}
		if got.Message != "" && !strings.HasPrefix(c.value[got.Offset:], c.found) {
			t.Errorf("%s against %s: it is not at %d", c.value, c.schema, got.Offset)
		}
	}
}

// TestViolationIsTheSameOneEachTime checks that members are visited in a fixed
// order.
func TestViolationIsTheSameOneEachTime(t *testing.T) {
	schema := `{"properties":{"a":{"type":"null","enum":[null]},"b":{"type":"null"},"c":{"type":"null"}},"required":["z"],"maxProperties":1,"additionalProperties":false}`
	want := check(schema, `{"d":1,"c":1,"b":1,"a":1}`)
	for range 50 {
		if got := check(schema, `{"d":1,"c":1,"b":1,"a":1}`); got != want {
			t.Fatalf("%+v, and %+v", got, want)
		}
	}
}

// TestNoVerdictTwice checks that a cached verdict is used only for its own pair of digests, no
// matter how many pairs are cached.
func TestNoVerdictTwice(t *testing.T) {
	var c conform.Checker
	for round := range 2 {
		for i := range 5000 {
			schema := []byte(fmt.Sprintf(`{"const":%d}`, i%500))
			value := []byte(fmt.Sprint(i % 7))
			b := c.Check(sha256.Sum256(schema), sha256.Sum256(value), schema, value)
			if conforms := i%500 == i%7; conforms != (b.Message == "") {
				t.Fatalf("round %d: %s against %s: %+v", round, value, schema, b)
			}
		}
	}
}

// TestHostileSchemas checks that schemas that would keep a validator busy, or make it
// fetch something, give no findings because they are refused. Each value violates its
// schema, so an unlimited check would find the violation, in some cases only after years.
func TestHostileSchemas(t *testing.T) {
	doubling := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"dependentSchemas":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	doubling += `"d40":{"type":"string"}}}`
	tree := `{"patternProperties":{"a":{"$ref":"#"},"^a":{"$ref":"#"},"a$":{"$ref":"#"}},"required":["x"]}`
	for name, c := range map[string]struct{ schema, value string }{
		"doubling":      {doubling, `{"a":1,"b":2}`},
		"recursive":     {tree, strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)},
		"by a name":     {`{"required":["x"],"$defs":{"n":{"$ref":"#/$defs/m"},"m":{"$ref":"#/$defs/n"}},"$ref":"#/$defs/n"}`, `{}`},
		"dynamic":       {`{"required":["x"],"properties":{"a":{"$dynamicRef":"#x"}}}`, `{}`},
		"other base":    {`{"required":["x"],"$defs":{"a":{"$id":"b","$ref":"#/$defs/c"}}}`, `{}`},
		"file":          {`{"required":["x"],"$ref":"file:///etc/passwd"}`, `{}`},
		"dialect":       {`{"required":["x"],"$schema":"https://example.com/s"}`, `{}`},
		"large number":  {`{"maximum":1}`, `1e999999`},
		"long number":   {`{"maximum":1}`, strings.Repeat("9", 5000)},
		"large bound":   {`{"maximum":-1e999999}`, `1`},
		"large pattern": {`{"pattern":"(((a{10}){10}){10}b?){9}"}`, `"` + strings.Repeat("a", 60000) + `!"`},
		"many patterns": {`{"items":{"pattern":"^(a|a|a|a)*(a?){200}$"}}`, `["` + strings.Repeat("a", 50000) + `!"]`},
		"many places":   {`{"items":{"allOf":[` + strings.Repeat(`{"type":"object"},`, 50) + `{}]}}`, `[` + strings.Repeat("1,", 20000) + `1]`},
		"of JavaScript": {`{"required":["x"],"properties":{"a":{"pattern":"(?=a)"}}}`, `{"a":"b"}`},
		"circular":      {`{"required":["x"],"allOf":[{"$ref":"#"}]}`, `{}`},
		"many fields":   {`{"items":{"required":["` + strings.Join(slices.Repeat([]string{"x"}, 5000), `","`) + `"]}}`, `[` + strings.Repeat(`{"x":1},`, 200) + `{}]`},
		"many equal":    {`{"items":{"$ref":"#"},"uniqueItems":true}`, strings.Repeat("[1,", 500) + strings.Repeat(`{"a":1.5e2},`, 5000) + "1,1" + strings.Repeat("]", 500)},
		"deep":          {strings.Repeat(`{"not":`, 600) + `{}` + strings.Repeat("}", 600), `1`},
		"no schema":     {`["x"]`, `1`},
		"no value":      {`{"type":"string"}`, `{`},
	} {
		if v := check(c.schema, c.value); v != (conform.Violation{}) {
			t.Errorf("%s: %+v", name, v)
		}
		if n := conform.Steps([]byte(c.schema), []byte(c.value)); n > 2*conform.MaxSteps {
			t.Errorf("%s: %d steps", name, n)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"pattern":"^x"}},"required":["b"]}`, `{"a":"y"}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[true,false,{"items":{}}]}}}`, `[1,{"a":null}]`)
	f.Add(`{"$schema":"https://json-schema.org/draft/2019-09/schema","unevaluatedProperties":false,"dependentSchemas":{"a":{"minProperties":2}}}`, `{"a":1e3}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		b := check(schema, value)
		if b.Message == "" && b != (conform.Violation{}) {
			t.Errorf("no violation, and yet %+v", b)
		}
		if b.Message != "" && !strings.HasPrefix(value[b.Offset:], b.Value) {
			t.Errorf("%q is not at %d", b.Value, b.Offset)
		}
	})
}

// TestPatterns checks that a pattern means what it means in JavaScript, or is not checked.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern               string
		conforming, violating []string
	}{
		{`^\\s[\\s-]a.\\/$`, []string{`\u00a0\u3000ab/`, ` -a\u00a0/`, `\ufeff\u000bab/`}, []string{`aaab/`, ` -a\n/`, ` -a\u2028/`}},
		{`^\\S+$`, []string{`a`, `\u0085`}, []string{`a b`, `a\u00a0b`, `\u2029`}},
		{`^[.]$`, []string{`.`}, []string{`a`}},
		{`^(?<a>x)(?:y)$`, []string{`xy`}, []string{`x`}},
		{`\\Aa`, []string{`Aa`, `b`}, nil},
		{`a\\z`, []string{`az`, `b`}, nil},
		{`^[\\S]$`, []string{` `}, nil},
		{`^[[:alpha:]]$`, []string{`:]`, `1`}, nil},
		{`^[]a]$`, []string{`b`}, nil},
		{`^[^]a]$`, []string{`a`}, nil},
		{`(?i)a`, []string{`b`}, nil},
		{`^\\x{41}$`, []string{`B`}, nil},
	} {
		violates := func(value string) bool {
			return check(`{"pattern":"`+c.pattern+`"}`, `"`+value+`"`) != (conform.Violation{})
		}
		for _, value := range c.conforming {
			if violates(value) {
				t.Errorf(`"%s" violates %s`, value, c.pattern)
			}
		}
		for _, value := range c.violating {
			if !violates(value) {
				t.Errorf(`"%s" does not violate %s`, value, c.pattern)
			}
		}
	}
}
