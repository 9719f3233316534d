package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "p.toml:1:1: no rule: expected [[rule]] with action and tool, or [rules.NAME]"},
		{"comment alone", "# soon\n", "p.toml:1:1: no rule"},
		{"no rules in rules", "[rules]\n", "p.toml:1:1: no rule"},
		{"both forms", "[[rule]]\naction='deny'\ntool='x'\n[rules.a]\naction='deny'\nmatch.any=true\n", "p.toml:4:2: a file cannot mix [[rule]] and [rules.NAME]"},
		{"not TOML", "[[rule]]\naction = deny\n", "p.toml:2:10: not TOML"},
		{"single brackets", "[rule]\naction='deny'\ntool='x'\n", "p.toml:1:2: expected [[rule]], found a table; double the brackets"},
		{"list of rules", "[[rules]]\naction='deny'\n", "p.toml:1:3: expected [rules.NAME], found a list"},
		{"unknown key at the top", "[[rulse]]\naction='deny'\ntool='x'\n", `p.toml:1:3: unknown key "rulse"; did you mean "rule"?`},
		{"unknown key", "[[rule]]\naction='deny'\ntool='x'\narg.path='/x'\n", `p.toml:4:1: unknown key "arg"; did you mean "args"?`},
		{"key of the other form", "[[rule]]\naction='deny'\ntool='x'\nmessage='no'\n", `p.toml:4:1: unknown key "message"; expected action, args, description, server, tool`},
		{"unknown criterion", "[rules.a]\naction='deny'\n[rules.a.match]\ntool_nam=['x']\n", `p.toml:4:1: unknown key "tool_nam"; did you mean "tool_name"?`},
		{"unknown action", "[[rule]]\naction='dney'\ntool='x'\n", `p.toml:2:8: unknown action "dney"; did you mean "deny"?`},
		{"no text for an action", "[[rule]]\naction=true\ntool='x'\n", `p.toml:2:8: expected an action (allow, block, deny, log, prompt), found a boolean`},
		{"no action", "[[rule]]\ntool='x'\n", `p.toml:1:3: the rule has no action`},
		{"no tool", "[[rule]]\naction='deny'\n", `p.toml:1:3: rule 1 names no tool`},
		{"no match", "[rules.a]\naction='deny'\n", `p.toml:1:8: the rule "a" matches nothing`},
		{"no criterion", "[rules.a]\naction='deny'\nmatch={}\n", `p.toml:3:7: no criterion`},
		{"any is off", "[rules.a]\naction='deny'\nmatch.any=false\n", `no criterion`},
		{"any and more", "[rules.a]\naction='deny'\nmatch.any=true\nmatch.tool_name=['x']\n", `any = true matches every request`},
		{"empty list", "[rules.a]\naction='deny'\nmatch.tool_name=[]\n", `p.toml:3:17: "tool_name" is an empty list`},
		{"empty pattern", "[[rule]]\naction='deny'\ntool=''\n", `p.toml:3:6: an empty pattern matches nothing`},
		{"space", "[[rule]]\naction='deny'\ntool='x'\nserver=' files'\n", `p.toml:4:8: the pattern " files" begins or ends with a space`},
		{"escape", "[[rule]]\naction='deny'\ntool='x'\nargs.path=\"C:\\temp\"\n", `p.toml:4:11: the pattern "C:\u0009emp" has a control character`},
		{"long pattern", "[[rule]]\naction='deny'\ntool='" + strings.Repeat("x", maxPattern+1) + "'\n", `p.toml:3:6: the pattern has more than`},
		{"method", "[rules.a]\naction='deny'\nmatch.method=['resource/read']\n", `p.toml:3:15: the pattern "resource/read" matches no MCP method; did you mean "resources/read"?`},
		{"method glob", "[rules.a]\naction='deny'\nmatch.method=['tool/*']\n", `matches no MCP method`},
		{"event", "[rules.a]\naction='deny'\nmatch.event_type=['toolcall']\n", `unknown event_type "toolcall"; did you mean "tool_call"?`},
		{"allowed connections", "[rules.a]\naction='allow'\nmatch.event_type=['connect']\n", `p.toml:3:19: event_type "connect" works only in rules that refuse`},
		{"allowed dots", "[rules.a]\naction='allow'\nmatch.resource_path=['/a/../b']\n", `p.toml:3:22: the pattern "/a/../b" matches nothing`},
		{"long list", "[rules.a]\naction='deny'\nmatch.tool_name=[" + strings.Repeat("'x',", maxList+1) + "]\n", `p.toml:3:17: more than 1000 patterns in one list`},
		{"number for a pattern", "[[rule]]\naction='deny'\ntool='x'\nargs.port=22\n", `p.toml:4:11: expected a glob in quotes for "port", found a number`},
		{"nested argument", "[[rule]]\naction='deny'\ntool='x'\nargs.a.b='y'\n", `p.toml:4:6: expected a glob for the argument "a", found a table`},
		{"argument twice", "[[rule]]\naction='deny'\ntool='x'\nargs.path='y'\nargs.Path='z'\n", `p.toml:5:6: duplicate argument "Path", first at 4:6`},
		{"no arguments", "[[rule]]\naction='deny'\ntool='x'\nargs='y'\n", `p.toml:4:6: expected args.NAME`},
		{"key twice", "[[rule]]\naction='deny'\ntool='x'\ntool='y'\n", `p.toml:4:1: duplicate key "tool", first at 3:1`},
		{"name twice", "[rules.a]\naction='deny'\nmatch.any=true\n[rules.a]\naction='allow'\nmatch.any=true\n", `p.toml:4:8: duplicate rule name "a", first at 1:8`},
		{"priority", "[rules.a]\naction='deny'\npriority=-1\nmatch.any=true\n", `p.toml:3:10: expected a priority`},
		{"priority as text", "[rules.a]\naction='deny'\npriority='1'\nmatch.any=true\n", `p.toml:3:10: expected a priority`},
		{"enabled", "[rules.a]\naction='deny'\nenabled='no'\nmatch.any=true\n", `p.toml:3:9: expected true or false, found a string`},
		{"long description", "[[rule]]\naction='deny'\ntool='x'\ndescription='" + strings.Repeat("x", maxText+1) + "'\n", `p.toml:4:13: longer than`},
		{"hostile key", "[[rule]]\naction='deny'\ntool='x'\n\"\\u001b[2J\"=1\n", `unknown key "\u001b[2J"`},
		{"too long", strings.Repeat("#", MaxPolicy+1), "p.toml:1:1: larger than 4 MiB"},
		{"too many", strings.Repeat("[[rule]]\naction='deny'\ntool='x'\n", maxRules+1), "p.toml:30001:3: more than 10000 rules"},
		{"UTF-16", "\xff\xfe[\x00", "p.toml:1:1: expected UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ParsePolicy("p.toml", []byte(c.file))
			var failed *SettingsError
			if p != nil || !errors.As(err, &failed) {
				t.Fatalf("got %v, %v", p, err)
			}
			if got := failed.Error(); !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestParseTellsEverything checks that all problems are reported at once, in file order.
func TestParseTellsEverything(t *testing.T) {
	_, err := ParsePolicy("p.toml", []byte("[[rule]]\naction='x'\ntool=''\n[[rule]]\nacton='deny'\n"))
	want := []string{"p.toml:2:8: ", "p.toml:3:6: ", "p.toml:4:3: ", "p.toml:4:3: ", "p.toml:5:1: "}
	lines := strings.Split(fmt.Sprint(err), "\n")
	for i, line := range lines {
		if len(lines) != len(want) || !strings.HasPrefix(line, want[i]) {
			t.Fatalf("got\n%v\nwant lines that begin %q", err, want)
		}
	}
}

// TestReasonIsOurs checks that text from a policy appears in reports masked, escaped and truncated.
func TestReasonIsOurs(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte("[rules.\"a\\u001bb\"]\naction='deny'\nmessage=\"no\\u001b[2J, use ghp_0123456789abcdefABCDEF0123456789abcd\"\nmatch.any=true\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := p.Decide(&scanner.PolicyRequest{Method: "tools/call", Target: "x"})
	if strings.Contains(d.Rule+d.Reason, "\x1b") || strings.Contains(d.Reason, "9abcdefABC") {
		t.Errorf("%q %q", d.Rule, d.Reason)
	}
	if want := (scanner.Location{File: "p.toml", Line: 1, Column: 8}); d.Location != want {
		t.Errorf("location %v, want %v", d.Location, want)
	}
}

func FuzzParsePolicy(f *testing.F) {
	for _, s := range []string{
		"[[rule]]\naction='deny'\ntool='x*'\nargs.path='/etc/**'\nserver='s'\n",
		"[rules.a]\naction='allow'\npriority=1\nmessage='m'\n[rules.a.match]\nresource_path=['~/x/**', 'C:\\y']\nmethod=['tools/*']\nevent_type=['tool_call']\n",
		"[rules]\na={action='log',match={any=true},enabled=false}\n",
	} {
		f.Add(s, "tools/call", "read_file", "path", "/etc/passwd")
	}
	f.Fuzz(func(t *testing.T, file, method, target, name, text string) {
		p, err := ParsePolicy("p.toml", []byte(file))
		if err != nil {
			var failed *SettingsError
			if !errors.As(err, &failed) || len(failed.Problems) == 0 || strings.ContainsAny(failed.Error(), "\x1b\r") {
				t.Errorf("%q", err)
			}
			return
		}
		r := &scanner.PolicyRequest{Method: method, Target: target, Server: "s", Arguments: []scanner.Argument{{Name: name, Pointer: "/arguments/" + name, Text: text}}}
		d := p.Decide(r)
		if again := p.Decide(r); d != again {
			t.Errorf("%v, and then %v", d, again)
		}
		p.Check()
	})
}

// TestNamesThatAreTooLong checks that a name that is too long to compare matches a rule that
// refuses, but not a rule that allows.
func TestNamesThatAreTooLong(t *testing.T) {
	for action, want := range map[string]scanner.Verdict{"deny": scanner.Block, "allow": scanner.Log} {
		p, err := ParsePolicy("p.toml", []byte("[rules.a]\naction='"+action+"'\nmatch.tool_name=['x**']\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(&scanner.PolicyRequest{Method: "tools/call", Target: strings.Repeat("x", policy.MaxCompared+1)}); d.Verdict != want {
			t.Errorf("%s: %+v", action, d)
		}
	}
}
