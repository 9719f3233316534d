package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/conform"
)

// TestSure: what is sure without the validator, the validator says as well; and most of
// what calls are given is sure.
func TestSure(t *testing.T) {
	sure := 0
	rapid.Check(t, func(rt *rapid.T) {
		schema, value := schemas(3).Draw(rt, "schema"), values(3).Draw(rt, "value")
		is, b := conform.Both(schema, value)
		if is && b.Message != "" {
			rt.Fatalf("%s against %s: it was sure, and %+v", value, schema, b)
		}
		if is {
			sure++
		}
	})
	if sure == 0 {
		t.Error("nothing was sure")
	}
	for _, c := range []struct {
		schema, value string
		want          bool
	}{
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}`, `{"a":"x","b":1}`, true},
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"enum":["x","y"]}}],"default":null}}}`, `{"a":["y","x"]}`, true},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","pattern":"x"}}}`, `{"a":"x"}`, true},
		{`{"type":"object","properties":{"b":{"type":"string","pattern":"x"}}}`, `{"b":"x"}`, false},
		{`{"type":"object","properties":{"b":{"type":"integer"}}}`, `{"b":1.0}`, false},
	} {
		if sure, b := conform.Both(c.schema, c.value); sure != c.want || b.Message != "" {
			t.Errorf("%s against %s: sure is %v, and %+v", c.value, c.schema, sure, b)
		}
	}
}

func oneOf(texts ...string) *rapid.Generator[string] { return rapid.SampledFrom(texts) }

// schemas generates schemas of a depth, and values those that may conform to them.
func schemas(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(rt *rapid.T) string {
		var members []string
		say := func(format string, args ...any) { members = append(members, fmt.Sprintf(format, args...)) }
		for range rapid.IntRange(0, 3).Draw(rt, "keywords") {
			switch rapid.IntRange(0, 9).Draw(rt, "keyword") {
			case 0, 1, 2:
				say(`"type":%s`, oneOf(`"object"`, `"object"`, `"array"`, `"string"`, `"number"`, `"integer"`, `"boolean"`, `"null"`, `["string","null"]`).Draw(rt, "type"))
			case 3:
				say(`"enum":%s`, oneOf(`["a"]`, `["a","é"]`, `["a",1]`, `[null]`).Draw(rt, "enum"))
			case 4:
				say(`"required":["%s"],"additionalProperties":%s`, oneOf("a", "b").Draw(rt, "name"), oneOf("true", "false", "{}").Draw(rt, "more"))
			case 5:
				say(`"minimum":%s,"maxLength":%d`, oneOf("1", "0.1", "-2", "1e0").Draw(rt, "least"), rapid.IntRange(0, 2).Draw(rt, "longest"))
			case 6:
				say(`"maximum":%s,"minLength":%d`, oneOf("1", "0.3", "2").Draw(rt, "most"), rapid.IntRange(0, 2).Draw(rt, "shortest"))
			case 7, 8:
				if depth > 0 {
					say(`"properties":{"a":%s,"b":%s}`, schemas(depth-1).Draw(rt, "a"), schemas(depth-1).Draw(rt, "b"))
				}
			case 9:
				if depth > 0 {
					say(`"items":%s,"anyOf":[%s,%s]`, schemas(depth-1).Draw(rt, "items"), schemas(depth-1).Draw(rt, "one"), schemas(depth-1).Draw(rt, "other"))
				}
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	})
}

func values(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(rt *rapid.T) string {
		kind := rapid.IntRange(0, 3).Draw(rt, "kind")
		switch {
		case depth > 0 && kind == 0:
			return fmt.Sprintf(`[%s,%s]`, values(depth-1).Draw(rt, "first"), values(depth-1).Draw(rt, "second"))
		case depth > 0 && kind < 3:
			return fmt.Sprintf(`{"%s":%s,"%s":%s}`, oneOf("a", "c").Draw(rt, "name"), values(depth-1).Draw(rt, "value"),
				oneOf("a", "b").Draw(rt, "name"), values(depth-1).Draw(rt, "value"))
		}
		return oneOf(`"a"`, `"\u00e9"`, `"aé"`, `""`, `1`, `1.0`, `10e-1`, `0.1`, `0.30000000000000001`, `-3`, `true`, `null`, `{}`, `[]`).Draw(rt, "leaf")
	})
}
