package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// drifted compares two documents of definitions, and returns the drift-* rules'
// findings, whether any definition differs, and what was skipped.
func drifted(t interface {
	Helper()
	Fatal(...any)
}, e *scanner.Engine, old, now string) (found []*scanner.Finding, differs bool, skipped []scanner.Skipped) {
	t.Helper()
	read := func(e *scanner.Engine, text string, sink scanner.Sink) scanner.Result {
		events, err := replay.Definitions("definitions.json", []byte(text))
		if err != nil {
			t.Fatal(err, text)
		}
		res, err := e.Run(context.Background(), replay.Events(events), sink)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	before, after := scanner.NewSnapshot(), scanner.NewSnapshot()
	read(e.Keeping(), old, before)
	read(e.Keeping(), now, after)
	for _, o := range after.Servers {
		for key, d := range o.Definitions {
			was := before.Servers[o.Server].Definitions[key]
			differs = differs || was == nil || was.Digest != d.Digest
		}
	}
	res := read(e.Since(before, true), now, each(func(f *scanner.Finding) {
		if strings.HasPrefix(f.Rule.ID, "drift-") || f.Rule.ID == "rule-crashed" {
			found = append(found, f)
		}
	}))
	return found, differs, res.Coverage.Skipped
}

// TestHiddenDifferences checks that differences that a digest or a reader could miss change the
// digest and cause a finding.
func TestHiddenDifferences(t *testing.T) {
	e := engine(t, rules.All())
	const tool = `{"tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object","properties":{"n":%s}}}]}`
	for _, tt := range []struct{ name, old, now string }{
		{"a maximum beyond 2^53", fmt.Sprintf(tool, `{"type":"integer","maximum":9007199254740993}`), fmt.Sprintf(tool, `{"type":"integer","maximum":9007199254740992}`)},
		{"a negative default beyond 2^53", fmt.Sprintf(tool, `{"type":"integer","default":-9223372036854775808}`), fmt.Sprintf(tool, `{"type":"integer","default":-9223372036854775807}`)},
		{"a choice beyond 2^53", fmt.Sprintf(tool, `{"enum":[9007199254740993]}`), fmt.Sprintf(tool, `{"enum":[9007199254740992]}`)},
		{"an integer of twenty digits", fmt.Sprintf(tool, `{"const":18446744073709551615}`), fmt.Sprintf(tool, `{"const":18446744073709551614}`)},
		{"an integer in _meta", `{"tools":[{"name":"a","inputSchema":{},"_meta":{"id":9007199254740993}}]}`, `{"tools":[{"name":"a","inputSchema":{},"_meta":{"id":9007199254740992}}]}`},
		{"another half of a pair in a text", `{"tools":[{"name":"a","description":"\ud800"}]}`, `{"tools":[{"name":"a","description":"\ud801"}]}`},
		{"half of a pair for the replacement character", `{"tools":[{"name":"a","description":"\ufffd"}]}`, `{"tools":[{"name":"a","description":"\udfff"}]}`},
		{"half of a pair in a parameter's description", fmt.Sprintf(tool, `{"description":"\ud800"}`), fmt.Sprintf(tool, `{"description":"\ud801"}`)},
		{"half of a pair in a parameter's name", fmt.Sprintf(tool, `{"properties":{"\ud800":{}}}`), fmt.Sprintf(tool, `{"properties":{"\ud801":{}}}`)},
		{"half of a pair in a choice", fmt.Sprintf(tool, `{"enum":["\ud800"]}`), fmt.Sprintf(tool, `{"enum":["\ud801"]}`)},
		{"half of a pair in the name", `{"tools":[{"name":"a\ud800"}]}`, `{"tools":[{"name":"a\ud801"}]}`},
		{"half of a pair in instructions", `{"instructions":"\ud800","tools":[]}`, `{"instructions":"\ud801","tools":[]}`},
		{"an empty description", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a","description":""}]}`},
		{"an empty description of a parameter", fmt.Sprintf(tool, `{}`), fmt.Sprintf(tool, `{"description":""}`)},
		{"an empty title", `{"tools":[{"name":"a","title":""}]}`, `{"tools":[{"name":"a"}]}`},
		{"an empty title among the hints", `{"tools":[{"name":"a","annotations":{}}]}`, `{"tools":[{"name":"a","annotations":{"title":""}}]}`},
		{"empty hints", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a","annotations":{}}]}`},
		{"an empty schema of results", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a","outputSchema":{}}]}`},
		{"an empty _meta", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a","_meta":{}}]}`},
		{"null for an absent description", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a","description":null}]}`},
		{"an empty list of required parameters", fmt.Sprintf(tool, `{}`), fmt.Sprintf(tool, `{"required":[]}`)},
		{"no arguments of a prompt", `{"prompts":[{"name":"p"}]}`, `{"prompts":[{"name":"p","arguments":[]}]}`},
		{"an empty description of a resource", `{"resources":[{"uri":"file:///a","name":"a"}]}`, `{"resources":[{"uri":"file:///a","name":"a","description":""}]}`},
	} {
		found, differs, _ := drifted(t, e, tt.old, tt.now)
		if !differs {
			t.Errorf("%s: one digest for both", tt.name)
		}
		if len(found) == 0 {
			t.Errorf("%s: no finding", tt.name)
		}
	}
}

type each func(*scanner.Finding)

func (each) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (e each) Finding(f *scanner.Finding) error {
	kept := *f
	e(&kept)
	return nil
}

// wholeTool has every member that a definition can have.
const wholeTool = `{"name":"t","title":"T","description":"Reads a page. It never writes one.","x-own":{"a":[1,"b"]},
"icons":[{"src":"https://a.example/i.png","sizes":["48x48"]}],"annotations":{"title":"T","readOnlyHint":true,"destructiveHint":false},
"execution":{"taskSupport":"optional"},"_meta":{"policy":{"effects":["read"],"permissions":{"camera":{}}},"n":1},
"inputSchema":{"type":"object","title":"In","$schema":"s","properties":{"page":{"type":"string","pattern":"^/srv/","description":"Where it is","minLength":1},
"mode":{"anyOf":[{"enum":["a","b"]},{"type":"null"}],"default":"a"},"list":{"type":"array","items":{"$ref":"#/$defs/i"},"maxItems":3},"map":{"additionalProperties":{"type":"integer"}}},
"required":["page"],"allOf":[{"properties":{"n":{"type":"integer","maximum":5}}}],"if":{"required":["mode"]},"then":{"properties":{"why":{"type":"string"}}},
"additionalProperties":false,"$defs":{"i":{"type":"object","properties":{"id":{"type":"string"}}}}},
"outputSchema":{"type":"object","properties":{"text":{"type":"string","description":"What stands there"}}}}`

// mutate changes a random value in a tree.
func mutate(t *rapid.T, v any) any {
	descend := rapid.IntRange(0, 5).Draw(t, "descend") > 0
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if len(keys) > 0 && descend {
			k := rapid.SampledFrom(keys).Draw(t, "key")
			switch rapid.IntRange(0, 9).Draw(t, "member") {
			case 0:
				delete(v, k)
			case 1:
				v[k+"_"] = v[k]
				delete(v, k)
			default:
				v[k] = mutate(t, v[k])
			}
			return v
		}
		v[rapid.SampledFrom([]string{"type", "required", "enum", "$ref", "anyOf", "x", "description", "properties", "readOnlyHint", "effects", "not"}).Draw(t, "new")] = leaf(t)
		return v
	case []any:
		if len(v) > 0 && descend {
			i := rapid.IntRange(0, len(v)-1).Draw(t, "element")
			if rapid.Bool().Draw(t, "cut") {
				return slices.Delete(v, i, i+1)
			}
			v[i] = mutate(t, v[i])
			return v
		}
		return append(v, leaf(t))
	}
	return leaf(t)
}

func leaf(t *rapid.T) any {
	return rapid.SampledFrom([]any{nil, true, false, 7, "x", "#/$defs/i", "#", "string", "Deletes all of it at once", []any{}, []any{"page", "z"},
		map[string]any{}, map[string]any{"type": "string"}, map[string]any{"properties": map[string]any{"q": true}, "required": []any{"q"}}, []any{map[string]any{"$ref": "#"}}}).Draw(t, "leaf")
}

// TestNoChangeIsSilent checks that any change in a definition is reported by a
// rule, and that no rule panics.
func TestNoChangeIsSilent(t *testing.T) {
	e := engine(t, rules.All())
	rapid.Check(t, func(t *rapid.T) {
		var tree any
		if err := json.Unmarshal([]byte(wholeTool), &tree); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(t, "approved changes") {
			tree = mutate(t, tree)
		}
		old, _ := json.Marshal(tree)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			tree = mutate(t, tree)
		}
		now, _ := json.Marshal(tree)
		if tree, ok := tree.(map[string]any); !ok || tree["name"] != "t" || !strings.Contains(string(old), `"name":"t"`) {
			return
		}
		found, differs, _ := drifted(t, e, `{"tools":[`+string(old)+`]}`, `{"tools":[`+string(now)+`]}`)
		for _, f := range found {
			if f.Rule.ID == "rule-crashed" {
				t.Fatalf("%s\nold: %s\nnow: %s", f.Message, old, now)
			}
		}
		if differs != (len(found) > 0) {
			t.Fatalf("differs: %v, reported: %d\nold: %s\nnow: %s", differs, len(found), old, now)
		}
	})
}

// repeated joins n copies of format, with each % replaced by the copy's number.
func repeated(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(format, "%", fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

// TestLargeChangesAreTold checks that changes beyond every limit on a comparison are reported.
func TestLargeChangesAreTold(t *testing.T) {
	e := engine(t, rules.All())
	tool := func(description, schema string) string {
		return `{"tools":[{"name":"t","description":"` + description + `","inputSchema":` + schema + `}]}`
	}
	object := func(properties, more string) string {
		return `{"type":"object","properties":{` + properties + `}` + more + `}`
	}
	const params = 2000 // more than any limit on parameters, values and variants
	prose := strings.Repeat("It reads a page of the book. ", 4700)
	for name, c := range map[string]struct {
		old, now string
		least    scanner.Severity
	}{
		"a sentence in 128 KB":      {tool(prose, "{}"), tool(prose[:len(prose)/2]+"It deletes the book. "+prose[len(prose)/2:], "{}"), scanner.Medium},
		"128 KB of other sentences": {tool("Reads.", "{}"), tool(strings.ReplaceAll(prose, "reads", "deletes"), "{}"), scanner.Medium},
		"128 KB without a blank":    {tool("Reads.", "{}"), tool(strings.Repeat("x", 1<<17), "{}"), scanner.Note},
		"256 KB of line feeds":      {tool("Reads.", "{}"), tool(strings.Repeat(`\n`, 1<<18), "{}"), scanner.Note},
		"2,000 parameters, renamed": {tool("", object(repeated(params, `"a%":{"type":"string"}`), "")), tool("", object(repeated(params, `"b%":{"type":"string"}`), "")),
			scanner.Note},
		"2,000 parameters, one required": {tool("", object(repeated(params, `"a%":{"type":"string"}`), "")), tool("", object(repeated(params, `"a%":{"type":"string"}`)+`,"z":{"type":"string"}`, `,"required":["z"]`)),
			scanner.Medium},
		"2,000 parameters, all required": {tool("", object(repeated(params, `"a%":{"type":"string"}`), "")), tool("", object(repeated(params, `"b%":{"type":"string"}`), `,"required":[`+repeated(params, `"b%"`)+`]`)),
			scanner.Medium},
		"2,000 secrets": {tool("", object(repeated(params, `"a%":{"type":"string"}`), "")), tool("", object(repeated(params, `"a%_secret":{"type":"string"}`), `,"required":[`+repeated(params, `"a%_secret"`)+`]`)),
			scanner.High},
		"4,000 hosts": {tool("Reads.", "{}"), tool(strings.Repeat("It sends a page to https://x%.example/. ", 4000), "{}"), scanner.High},
		"2,000 descriptions": {tool("", object(repeated(params, `"a%":{"description":"The value of a%"}`), "")), tool("", object(repeated(params, `"a%":{"description":"Value of a%"}`), "")),
			scanner.Note},
		"2,000 references": {tool("", object(repeated(params, `"a%":{"$ref":"#/$defs/d%"}`), `,"$defs":{`+repeated(params, `"d%":{"type":"integer"}`)+`}`)),
			tool("", object(repeated(params, `"a%":{"$ref":"#/$defs/d%"}`), `,"$defs":{`+repeated(params, `"d%":{"type":"string"}`)+`}`)), scanner.Medium},
		"2,000 values": {tool("", `{"enum":[`+repeated(params, `"a%"`)+`]}`), tool("", `{"enum":[`+repeated(params, `"b%"`)+`]}`), scanner.Medium},
		"2,000 variants": {tool("", `{"anyOf":[`+repeated(params, `{"properties":{"a%":{}}}`)+`]}`), tool("", `{"anyOf":[`+repeated(params, `{"properties":{"a%":{"type":"string"}}}`)+`]}`),
			scanner.Note},
		"variants without end": {tool("", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[`+repeated(60, `{"$ref":"#/$defs/a","x":%}`)+`]}}}`),
			tool("", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[`+repeated(60, `{"$ref":"#/$defs/a","y":%}`)+`]}}}`), scanner.High},
		"more places than are compared": {tool("", object(repeated(20100, `"a%":{"type":"integer"}`), "")), tool("", object(repeated(20100, `"a%":{"type":"number"}`), "")), scanner.High},
	} {
		start := time.Now()
		found, _, _ := drifted(t, e, c.old, c.now)
		worst := scanner.Note
		for _, f := range found {
			worst = max(worst, f.Severity)
			if f.Rule.ID == "rule-crashed" {
				t.Errorf("%s: %s", name, f.Message)
			}
		}
		if len(found) == 0 || worst < c.least {
			t.Errorf("%s: %d findings, the worst %s: expected at least %s", name, len(found), worst, c.least)
		}
		t.Logf("%-32s %8v %d findings, the worst %s", name, time.Since(start).Round(time.Millisecond), len(found), worst)
	}
}
