package scanner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// blocking returns options under which every finding from the marker rule blocks.
func blocking() scanner.Options {
	return scanner.Options{Blocks: func(f *scanner.Finding) bool { return f.Rule.ID == "tst-marker" }}
}

// pinning returns an engine that refuses tools that differ from their trusted version,
// and compares them with the approved ones, if any.
func pinning(t *testing.T, o scanner.Options, approved ...string) *scanner.Engine {
	t.Helper()
	e, err := scanner.New(append(only("version-pin"), markerRule()), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(approved) == 0 {
		return e
	}
	s := scanner.NewSnapshot()
	if _, err := e.Keeping().Run(t.Context(), replay.Events([]*scanner.Event{listing(0, approved...)}), s); err != nil {
		t.Fatal(err)
	}
	return e.Against(s, nil)
}

// listing returns the result of tools/list.
func listing(i int, tools ...string) *scanner.Event {
	return frame(i, mcp.ServerToClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, i, strings.Join(tools, ", ")))
}

// tool returns a definition.
func tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description)
}

func calling(i int, name string) *scanner.Event {
	return frame(i, mcp.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"path":"x"}}}`, i, name))
}

// deny is a policy that always denies one tool, and denies another depending on its arguments.
type deny struct{}

func (deny) Decide(r *scanner.PolicyRequest) scanner.Decision {
	if r.Target == "denied" || r.Target == "guarded" && !r.Unlogged {
		return scanner.Decision{Verdict: scanner.Block, Rule: "deny", Reason: "it is denied"}
	}
	return scanner.Decision{}
}

// shownWithheld describes the definitions that an outcome withholds.
func shownWithheld(o *scanner.Outcome) string {
	var out []string
	for _, w := range o.Withheld {
		out = append(out, fmt.Sprintf("%s %s %d %s by %s: %s", w.Kind, w.Name, w.Index, w.Pointer, w.Decision.Rule, w.Decision.Reason))
	}
	return strings.Join(out, "; ")
}

// TestWithheldDefinitions checks that the outcome of a list names the withheld definitions with the
// reason, that rewriting removes exactly these, and that calls to them are refused for the same
// reason.
func TestWithheldDefinitions(t *testing.T) {
	reviewed := scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Block, Reviewed: true}}
	for name, c := range map[string]struct {
		engine *scanner.Engine
		lists  [][]string
		want   string // withheld from the last list
		cut    string
	}{
		"poisoned": {pinning(t, blocking()), [][]string{{tool("a", "Adds."), tool("b", "zqmarker"), tool("c", "Counts.")}},
			"tool b 1 /result/tools/1 by tst-marker: found", tool("a", "Adds.") + ", " + tool("c", "Counts.")},
		"nothing blocks": {pinning(t, scanner.Options{}), [][]string{{tool("b", "zqmarker")}}, "", tool("b", "zqmarker")},
		"changed": {pinning(t, scanner.Options{}), [][]string{{tool("a", "Adds.")}, {tool("a", "Adds more."), tool("n", "New.")}},
			`tool a 0 /result/tools/0 by version-pin: the tool "a" of server "srv" changed since it was trusted`, tool("n", "New.")},
		"changed back": {pinning(t, scanner.Options{}), [][]string{{tool("a", "Adds.")}, {tool("a", "Adds more.")}, {tool("a", "Adds.")}}, "", tool("a", "Adds.")},
		"changed and allowed": {pinning(t, scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Alert}}),
			[][]string{{tool("a", "Adds.")}, {tool("a", "Adds more.")}}, "", tool("a", "Adds more.")},
		"twice in one list": {pinning(t, scanner.Options{}), [][]string{{tool("a", "Adds."), tool("a", "Adds more.")}},
			`tool a 1 /result/tools/1 by version-pin: the tool "a" of server "srv" changed since it was trusted`, tool("a", "Adds.")},
		"changed since it was approved": {pinning(t, scanner.Options{}, tool("a", "Adds.")), [][]string{{tool("a", "Adds more.")}},
			`tool a 0 /result/tools/0 by version-pin: the tool "a" of server "srv" changed since it was trusted`, ""},
		"pending": {pinning(t, reviewed, tool("a", "Adds.")), [][]string{{tool("a", "Adds."), tool("n", "New.")}},
			`tool n 1 /result/tools/1 by version-pin: nobody has approved the tool "n" of server "srv"`, tool("a", "Adds.")},
		"denied": {pinning(t, scanner.Options{Policy: deny{}}), [][]string{{tool("denied", "Adds."), tool("guarded", "Adds.")}},
			"tool denied 0 /result/tools/0 by deny: it is denied", tool("guarded", "Adds.")},
		"poisoned and denied": {pinning(t, scanner.Options{Policy: deny{}, Blocks: blocking().Blocks}), [][]string{{tool("denied", "zqmarker")}},
			"tool denied 0 /result/tools/0 by deny: it is denied", ""},
	} {
		t.Run(name, func(t *testing.T) {
			live := c.engine.Live()
			var list *scanner.Event
			var out *scanner.Outcome
			for i, tools := range c.lists {
				list = listing(i, tools...)
				out = live.Step(list)
			}
			if got := shownWithheld(out); got != c.want {
				t.Errorf("withheld: %q, want %q", got, c.want)
			}
			want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, len(c.lists)-1, c.cut)
			if got := out.Rewrite(list.Frame, list.Frame); string(got) != want {
				t.Errorf("rewritten as %s, want %s", got, want)
			}
			if action := out.Action(); (action == scanner.Rewrite) != (c.want != "") {
				t.Errorf("the action is %s", action)
			}
			for _, w := range out.Withheld {
				if w.Denied != (w.Decision.Rule == "deny") {
					t.Errorf("%s: denied is %v", w.Name, w.Denied)
				}
				called := live.Step(calling(10, w.Name))
				if d := called.Decision; d != w.Decision || d.Reason == "" || called.Action() != scanner.Refuse {
					t.Errorf("the call of %s: %+v, want %+v", w.Name, d, w.Decision)
				}
			}
			if d := live.Step(calling(11, "n")).Decision; d.Verdict == scanner.Block && !strings.Contains(c.want, "tool n ") {
				t.Errorf("a call of a tool that is not withheld: %+v", d)
			}
		})
	}
}

// TestWithheldOfAllKinds checks that prompts, resources and the instructions of a server
// are withheld as well, and that a message is refused if poisoned text is not in a
// definition.
func TestWithheldOfAllKinds(t *testing.T) {
	e := pinning(t, blocking())
	for _, c := range []struct{ result, withheld, rewritten, request, action string }{
		{`{"prompts":[{"name":"p","description":"zqmarker"}]}`, "prompt p 0 /result/prompts/0 by tst-marker: found", `{"prompts":[]}`,
			`"prompts/get","params":{"name":"p"}`, "rewrite"},
		{`{"resources":[{"uri":"x://a"},{"uri":"x://b","description":"zqmarker"}]}`, "resource x://b 1 /result/resources/1 by tst-marker: found",
			`{"resources":[{"uri":"x://a"}]}`, `"resources/read","params":{"uri":"x://b"}`, "rewrite"},
		{`{"serverInfo":{"name":"s","version":"1"},"instructions":"zqmarker","capabilities":{}}`, "server  -1 /result/instructions by tst-marker: found",
			`{"serverInfo":{"name":"s","version":"1"},"capabilities":{}}`, "", "rewrite"},
		{`{"serverInfo":{"name":"s","title":"zqmarker"},"instructions":"Add numbers."}`, "", `{"serverInfo":{"name":"s","title":"zqmarker"},"instructions":"Add numbers."}`, "", "refuse"},
		{`{"tools":["zqmarker"]}`, "", `{"tools":["zqmarker"]}`, "", "refuse"},
	} {
		live := e.Live()
		text := func(result string) string { return `{"jsonrpc":"2.0","id":1,"result":` + result + `}` }
		out := live.Step(frame(1, mcp.ServerToClient, text(c.result)))
		if got := shownWithheld(out); got != c.withheld || out.Action().String() != c.action {
			t.Errorf("%s: withheld %q, %s", c.result, got, out.Action())
		}
		if got := out.Rewrite([]byte(text(c.result)), []byte(text(c.result))); string(got) != text(c.rewritten) {
			t.Errorf("%s: rewritten as %s", c.result, got)
		}
		if c.request == "" {
			continue
		}
		asked := live.Step(frame(2, mcp.ClientToServer, `{"jsonrpc":"2.0","id":2,"method":`+c.request+`}`))
		if asked.Decision != out.Withheld[0].Decision || asked.Action() != scanner.Refuse {
			t.Errorf("%s: asked for it: %+v", c.result, asked.Decision)
		}
	}
}

// TestWithheldInstructions checks the reason for withholding instructions, which have no name.
func TestWithheldInstructions(t *testing.T) {
	says := func(text string) *scanner.Event {
		return frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"},"instructions":"`+text+`"}}`)
	}
	live := pinning(t, scanner.Options{}).Live()
	live.Step(says("Add."))
	if got, want := shownWithheld(live.Step(says("Subtract."))), `server  -1 /result/instructions by version-pin: the instructions of server "srv" changed since they were trusted`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWithheldBehindOthers checks that a definition is withheld even if its findings were dropped
// because there were too many.
func TestWithheldBehindOthers(t *testing.T) {
	var tools []string
	for i := range 2000 {
		tools = append(tools, tool(fmt.Sprint("t", i), "zqmarker"))
	}
	out := pinning(t, blocking()).Live().Step(listing(0, tools...))
	rules := map[string]int{} // "" for definitions that were not inspected
	for _, w := range out.Withheld {
		rules[w.Decision.Rule]++
	}
	if len(out.Withheld) != 2000 || rules["tst-marker"] == 0 || rules[""] == 0 {
		t.Errorf("of 2000 poisoned definitions %v are withheld", rules)
	}
}

// TestRewriteOtherFrame checks that an outcome does not rewrite a frame that
// belongs to another event.
func TestRewriteOtherFrame(t *testing.T) {
	out := pinning(t, blocking()).Live().Step(listing(0, tool("a", "zqmarker")))
	for _, other := range []string{``, `{`, `{"jsonrpc":"2.0","id":0,"result":{}}`, ` ` + `{"tools":[]}`} {
		if got := out.Rewrite([]byte(other), []byte(other)); got != nil {
			t.Errorf("%q was rewritten as %q", other, got)
		}
	}
}

// TestRewriteMasked checks that only the withheld definition is cut from the frame that was sent, whose
// secrets were masked before it was judged.
func TestRewriteMasked(t *testing.T) {
	frame := func(number, text string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"n":` + number + `,"tools":[` + tool("denied", text) + `,` + tool("good", text) + `]}}`
	}
	e := listing(1)
	e.Frame = []byte(frame(`"[masked]"`, "Uses [masked]."))
	sent := frame("123456789012", "Uses s3cret-value.")
	got := string(pinning(t, scanner.Options{Policy: deny{}}).Live().Step(e).Rewrite(e.Frame, []byte(sent)))
	if want := strings.Replace(sent, tool("denied", "Uses s3cret-value.")+",", "", 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRewriteProperty checks that rewriting preserves everything around the withheld definitions
// byte for byte, that the result parses, and that only these definitions are missing.
func TestRewriteProperty(t *testing.T) {
	e, err := scanner.New([]scanner.Rule{markerRule()}, blocking())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		space := rapid.SampledFrom([]string{"", "", " ", "\n", "\t \r\n"})
		pad := func() string { return space.Draw(rt, "space") }
		var all, kept []string
		list := pad()
		n := rapid.IntRange(0, 8).Draw(rt, "tools")
		bad := 0
		for i := range n {
			if i > 0 {
				list += pad() + "," + pad()
			}
			text := rapid.SampledFrom([]string{"Adds.", `a, ] } \" \u005d`, "zqmarker", `\u007aqmarker`, "grün"}).Draw(rt, "description")
			one := fmt.Sprintf(`{%s"name"%s:%s"t%d",%s"description":"%s","x":[1,%s2]}`, pad(), pad(), pad(), i, pad(), text, pad())
			all, list = append(all, one), list+one
			if strings.HasSuffix(text, "qmarker") {
				bad++
			} else {
				kept = append(kept, one)
			}
		}
		list += pad()
		before := rapid.SampledFrom([]string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[`, ` { "id" : 1, "result":{"nextCursor":"[",  "tools" :[`, `[{"jsonrpc":"2.0","method":"ping"},{"id":1,"result":{"tools":[`}).Draw(rt, "before")
		after := rapid.SampledFrom([]string{`]}}`, `] , "_meta":{"a":[ ]} } } `}).Draw(rt, "after")
		if strings.HasPrefix(before, "[") {
			after += "]\n"
		}
		sent := before + list + after
		out := e.Live().Step(frame(0, mcp.ServerToClient, sent))
		got := string(out.Rewrite([]byte(sent), []byte(sent)))
		if len(out.Withheld) != bad || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			rt.Fatalf("%s\n%d of %d withheld: %s", sent, len(out.Withheld), bad, got)
		}
		var left []json.RawMessage
		if err := json.Unmarshal([]byte("["+got[len(before):len(got)-len(after)]+"]"), &left); err != nil || !json.Valid([]byte(got)) {
			rt.Fatalf("%s\nbecame %s: %v", sent, got, err)
		}
		if len(left) != len(kept) {
			rt.Fatalf("%s\nbecame %s", sent, got)
		}
		for i := range left {
			if string(left[i]) != kept[i] {
				rt.Fatalf("%s\nhas %s for %s", got, left[i], kept[i])
			}
		}
		if bad == 0 && !bytes.Equal([]byte(got), []byte(sent)) {
			rt.Fatalf("nothing is withheld, and %s became %s", sent, got)
		}
		for _, w := range out.Withheld {
			if w.Index < 0 || w.Index >= len(all) || w.Name != fmt.Sprint("t", w.Index) || !strings.HasSuffix(w.Pointer, fmt.Sprint("/result/tools/", w.Index)) {
				rt.Fatalf("withheld %+v", w)
			}
		}
	})
}

// denyNamed is a policy that denies a tool if any of its names is denied.
type denyNamed struct{}

func (denyNamed) Decide(r *scanner.PolicyRequest) scanner.Decision {
	for i := range r.Arguments {
		if a := &r.Arguments[i]; a.Pointer == "/name" && a.Text == "denied" {
			return scanner.Decision{Verdict: scanner.Block, Rule: "deny", Reason: "it is denied"}
		}
	}
	return scanner.Decision{}
}

// TestPinsInAnotherCase checks that a changed definition is withheld however its list and its name are
// spelled: some parsers ignore case.
func TestPinsInAnotherCase(t *testing.T) {
	const changed = `"description":"Adds more.","inputSchema":{}}`
	for result, want := range map[string]string{
		`{"Tools":[{"name":"add",` + changed + `]}`:                              `{"Tools":[]}`,
		`{"tools":[{"Name":"add",` + changed + `]}`:                              `{"tools":[]}`,
		`{"tools":[{"name":"new","Name":"add",` + changed + `]}`:                 `{"tools":[]}`,
		`{"tools":[],"TOOLS":[{"NAME":"add",` + changed + `]}`:                   `{"tools":[],"TOOLS":[]}`,
		`{"Resources":[{"URI":"x://a","description":"New."}]}`:                   `{"Resources":[]}`,
		`{"resourcetemplates":[{"uritemplate":"y://{a}","description":"New."}]}`: `{"resourcetemplates":[]}`,
		`{"tools":[{"name":"new",` + changed + `]}`:                              `{"tools":[{"name":"new",` + changed + `]}`,
	} {
		says := func(result string) *scanner.Event {
			return frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":`+result+`}`)
		}
		live := pinning(t, scanner.Options{}).Live()
		live.Step(says(`{"tools":[` + tool("add", "Adds.") + `],"resources":[{"uri":"x://a"}],"resourceTemplates":[{"uriTemplate":"y://{a}"}]}`))
		e := says(result)
		if got := live.Step(e).Rewrite(e.Frame, e.Frame); string(got) != `{"jsonrpc":"2.0","id":1,"result":`+want+`}` {
			t.Errorf("%s: %s", result, got)
		}
	}
}

// TestWithheldByAnyName checks that a policy sees every name that a parser may read in a definition.
func TestWithheldByAnyName(t *testing.T) {
	engine := pinning(t, scanner.Options{Policy: denyNamed{}})
	for i, names := range []string{`"name":"denied"`, `"name":"denied","name":"ok"`, `"name":"ok","name":"denied"`, `"name":"ok","Name":"denied"`, `"name":"ok"`} {
		out := engine.Live().Step(listing(i, `{`+names+`,"inputSchema":{}}`))
		if denied := len(out.Withheld) > 0; denied != (i < 4) {
			t.Errorf("%s: withheld %+v", names, out.Withheld)
		}
	}
}
