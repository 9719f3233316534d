package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

func TestCheck(t *testing.T) {
	const head = "[[rule]]\naction = 'allow'\ntool = 'read_*'\n"
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"nothing to tell", head + "[[rule]]\naction='deny'\ntool='*'\n", nil},
		{"never reached", head + "[[rule]]\naction='deny'\ntool='read_secret'\n", []string{"4:3: rule 2 is unreachable: every request that it matches is first matched by rule 1 at 1:3, which decides allow instead of deny"}},
		{"never reached by arguments", head + "[[rule]]\naction='deny'\ntool='read_x'\nargs.path='/etc/**'\nserver='s'\n", []string{"4:3: rule 2 is unreachable:"}},
		{"says the same", "[[rule]]\naction='deny'\ntool='**'\n[[rule]]\naction='block'\ntool='x'\n", []string{"4:3: rule 2 is unreachable: every request that it matches is first matched by rule 1 at 1:3, which decides the same"}},
		{"duplicate", head + head, []string{"4:3: rule 2 is a duplicate of rule 1 at 1:3"}},
		{"narrower first", "[[rule]]\naction='deny'\ntool='read_secret'\n" + head, nil},
		{"an argument that can be missing", "[[rule]]\naction='deny'\ntool='x'\nargs.a='**'\n[[rule]]\naction='allow'\ntool='x'\n", nil},
		{"all for one, any for the other", "[rules.a]\naction='allow'\nmatch.resource_path=['/x/**']\n[rules.b]\naction='deny'\nmatch.resource_path=['/x/y/**']\n", nil},
		{"paths", "[rules.a]\naction='deny'\nmatch.resource_path=['~/**']\n[rules.b]\naction='allow'\nmatch.resource_path=['/home/*/x/**']\n", []string{`4:8: rule "b" is unreachable: every request that it matches is first matched by rule "a" at 1:8`}},
		{"a home is not all homes", "[rules.a]\naction='deny'\nmatch.resource_path=['/home/a/**']\n[rules.b]\naction='deny'\nmatch.resource_path=['~/**']\n", nil},
		{"priority decides", "[rules.a]\naction='deny'\npriority=2\nmatch.tool_name=['x']\n[rules.b]\naction='log'\nmatch.any=true\n", []string{`1:8: rule "a" is unreachable: every request that it matches is first matched by rule "b" at 5:8`}},
		{"disabled", "[rules.a]\naction='deny'\nenabled=false\nmatch.any=true\n[rules.b]\naction='log'\nmatch.any=true\n", []string{`1:8: rule "a" is disabled`}},
		{"events and methods", "[rules.a]\naction='log'\nmatch.event_type=['list']\n[rules.b]\naction='log'\nmatch.method=['tools/list']\n", []string{`4:8: rule "b" is unreachable:`}},
		{"connections are not calls", "[rules.a]\naction='deny'\nmatch.event_type=['connect']\n[rules.b]\naction='prompt'\nmatch.event_type=['tool_call']\n", nil},
		{"contradiction", "[rules.a]\naction='deny'\nmatch.method=['resources/read']\nmatch.tool_name=['x']\n", []string{`1:8: rule "a" matches nothing`}},
		{"not decided about", "[rules.a]\naction='deny'\nmatch.method=['tools/list', 'notifications/*']\n", []string{`1:8: rule "a" has no effect: only rules with the action log apply`}},
		{"logged", "[rules.a]\naction='log'\nmatch.method=['tools/list']\n", nil},
		{"patterns", "[rules.a]\naction='deny'\nmatch.tool_name=['x*', 'xy', '[ab]', '*']\nmatch.resource_path=['/etc/']\n", []string{
			`3:18: the pattern "x*" adds nothing: "*" in the same list`, `3:24: the pattern "xy" adds nothing`, `3:30: the pattern "[ab]" adds nothing`,
			`3:30: the pattern "[ab]" has brackets`, `3:38: the pattern "*" does not match tool names that contain a slash`, `4:22: the pattern "/etc/" matches only the directory itself; to match its content, use "/etc/**"`}},
		{"white space", "[rules.a]\naction='deny'\nmatch.resource_path=['/etc/** ']\n", []string{`3:22: the pattern "/etc/** " begins or ends with white space`}},
		{"expressions", "[rules.a]\naction='deny'\nmatch.tool_name=['^sh', 'shell_.+', 'sh.*']\n", []string{
			`3:18: the pattern "^sh" looks like a regular expression`, `3:25: the pattern "shell_.+" looks like`}},
		{"values with a slash", "[[rule]]\naction='deny'\ntool='x'\nargs.a=['*drop*', '**x*', 'y/*']\n", []string{
			`4:9: the pattern "*drop*" does not match values that contain a slash; to match them, use "**drop**"`}},
		{"dots", "[rules.a]\naction='deny'\nmatch.resource_path=['/a/../etc/**', '**/../**']\n", []string{`3:22: the pattern "/a/../etc/**" adds nothing`, `3:22: the pattern "/a/../etc/**" matches only paths with ..`}},
		{"leading dots", "[rules.a]\naction='deny'\nmatch.resource_path=['../a/**', '.././../b', '..\\c', '~/../d', '../e/../f']\n", []string{`3:64: the pattern "../e/../f" matches only paths with ..`}},
		{"the same pattern twice", "[rules.a]\naction='deny'\nmatch.tool_name=['x', 'x']\n", []string{`3:23: the pattern "x" adds nothing`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ParsePolicy("p.toml", []byte(c.file))
			if err != nil {
				t.Fatal(err)
			}
			problems := p.Check()
			for i, got := range problems {
				line := fmt.Sprintf("%s: %s", got.At, got.Says)
				if i >= len(c.want) || !strings.HasPrefix(line, c.want[i]) {
					t.Errorf("unexpected: %s", line)
				}
			}
			if len(problems) < len(c.want) {
				t.Errorf("not reported: %q", c.want[len(problems):])
			}
		})
	}
}

// TestCoversIsSound checks that if a rule is reported to cover another one, no
// request matches only the other one.
func TestCoversIsSound(t *testing.T) {
	pattern := rapid.StringMatching(`(/|~/|/home/)?([ab*]|\*\*|\?|b/){1,3}`)
	text := rapid.StringMatching(`(/|~/|/home/)?([ab]|b/){0,4}`)
	name := rapid.StringMatching(`(/|~/|/home/)?([ab]|b/){1,4}`) // every rule with a name refuses a call without one
	criteria := map[string]*rapid.Generator[string]{
		"tool_name": pattern, "resource_path": pattern, "method": rapid.SampledFrom([]string{"tools/*", "tools/call", "resources/read", "*/*"}),
		"event_type": rapid.SampledFrom([]string{"tool_call", "resource_*", "connect", "*"}),
	}
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		rule := func(i int) string {
			action := rapid.SampledFrom([]string{"allow", "deny"}).Draw(t, "action")
			if rapid.Bool().Draw(t, "listed") {
				out := fmt.Sprintf("[[rule]]\naction='%s'\ntool='%s'\n", action, pattern.Draw(t, "tool"))
				return out + fmt.Sprintf("args.path='%s'\n", pattern.Draw(t, "args"))
			}
			out := fmt.Sprintf("[rules.r%d]\naction='%s'\n", i, action)
			if i == 0 && rapid.Bool().Draw(t, "any") { // a pattern that covers most others, because some must be covered
				return out + "match.any=true\n"
			}
			for _, name := range []string{"tool_name", "resource_path", "method", "event_type"} {
				if rapid.Bool().Draw(t, name) {
					out += fmt.Sprintf("match.%s=['%s']\n", name, criteria[name].Draw(t, "pattern"))
				}
			}
			return out
		}
		for range 25 { // only few pairs cover each other
			second := rule(1)
			p, err := ParsePolicy("p", []byte(rule(0)+second))
			if err != nil || !slices.ContainsFunc(p.Check(), func(found policy.Problem) bool {
				return strings.Contains(found.Says, "is unreachable") || strings.Contains(found.Says, "is a duplicate")
			}) {
				continue
			}
			covered++
			for range 30 {
				r := &scanner.PolicyRequest{Method: rapid.SampledFrom([]string{"tools/call", "resources/read", "tools/list"}).Draw(t, "method"), Target: name.Draw(t, "target")}
				if rapid.Bool().Draw(t, "argument") {
					v := text.Draw(t, "value")
					r.Arguments = []scanner.Argument{{Name: "path", Pointer: "/arguments/path", Text: v}}
				}
				if d := p.Decide(r); d.Rule == "r1" || d.Rule == "rule 2" {
					t.Fatalf("%+v is decided by the covered rule", r)
				}
			}
		}
	})
	if covered == 0 {
		t.Error("no rule covered another one")
	}
}
