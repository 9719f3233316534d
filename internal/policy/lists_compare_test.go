package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/scanner"
)

func namesOf(t *testing.T, globs ...string) (out []Name) {
	t.Helper()
	for _, glob := range globs {
		n, err := ParseName(glob)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// TestCompareEnvironment covers changes to the variables that a declared server may have.
func TestCompareEnvironment(t *testing.T) {
	declared := func(allow, deny string) *Lists {
		return &Lists{Servers: []Declared{{ID: "s", EnvAllow: namesOf(t, strings.Fields(allow)...), EnvDeny: namesOf(t, strings.Fields(deny)...)}}}
	}
	for _, c := range []struct {
		before, now *Lists
		want        configfile.Effect
	}{
		{declared("DB_*", ""), declared("DB_* AWS_*", ""), configfile.Weakens},
		{declared("DB_*", ""), declared("DB_HOST", ""), configfile.Keeps},
		{declared("DB_*", ""), declared("DB_TOKEN", ""), configfile.Weakens}, // a glob never allows a secret
		{declared("DB_*", ""), declared("", ""), configfile.Weakens},
		{declared("", "AWS_*"), declared("", ""), configfile.Weakens},
		{declared("", "AWS_*"), declared("", "*"), configfile.Keeps},
		{declared("", "AWS_*"), declared("AWS_REGION", ""), configfile.Weakens},
		{declared("", ""), declared("PATH", ""), configfile.Keeps},
		{declared("", "AWS_*"), &Lists{}, configfile.Weakens},
		{nil, declared("", "AWS_*"), configfile.Weakens}, // passes on all others
		{nil, declared("*", ""), configfile.Weakens},
		{nil, declared("DB_TOKEN", ""), configfile.Weakens},
		{nil, declared("PATH HOME", ""), configfile.Keeps},
		{nil, declared("", ""), configfile.Keeps},
		{declared("", ""), declared("DB_HOST", ""), configfile.Weakens},
		{declared("", ""), declared("", "AWS_*"), configfile.Weakens},
	} {
		changes := CompareLists(c.before, c.now)
		worst := (&configfile.ChangedSettings{Changes: changes}).Worst()
		if len(worst) == 0 || worst[0].Effect != c.want {
			t.Errorf("%+v to %+v: %+v, want effect %d", c.before, c.now, changes, c.want)
		}
	}
}

// TestComparePinning covers changes to the decisions about changed tools.
func TestComparePinning(t *testing.T) {
	alert, no := scanner.Alert, false
	if c := CompareLists(nil, &Lists{Pinning: Pinning{OnChange: &alert}}); len(c) != 1 || c[0].Effect != configfile.Weakens {
		t.Errorf("%+v", c)
	}
	if c := CompareLists(&Lists{Pinning: Pinning{TrustFirst: &no}}, nil); len(c) != 1 || c[0].Effect != configfile.Weakens {
		t.Errorf("%+v", c)
	}
	if c := CompareLists(nil, &Lists{Pinning: Pinning{TrustFirst: &no}}); len(c) != 1 || c[0].Effect != configfile.Keeps {
		t.Errorf("%+v", c)
	}
}

// TestCompareIsSound checks that if a change to lists is not reported as weakening, no call gets a
// milder verdict.
func TestCompareIsSound(t *testing.T) {
	glob := rapid.SampledFrom([]string{"*", "a", "b", "a*", "*b", "ab", "A", "?"})
	harmless, stricter := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func() Name {
			n, err := ParseName(glob.Draw(t, "glob"))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		servers := func() []ServerRule {
			return rapid.SliceOfN(rapid.Custom(func(*rapid.T) ServerRule { return ServerRule{ID: draw()} }), 0, 2).Draw(t, "servers")
		}
		tools := func() []ToolRule {
			return rapid.SliceOfN(rapid.Custom(func(*rapid.T) ToolRule { return ToolRule{Server: draw(), Tool: draw()} }), 0, 2).Draw(t, "tools")
		}
		for range 10 { // few changes are both harmless and stricter
			before := &Lists{Enforced: rapid.Bool().Draw(t, "enforced"), FailClosed: rapid.Bool().Draw(t, "closed"),
				ServerMode: Mode(rapid.IntRange(0, 2).Draw(t, "mode")), ToolMode: Mode(rapid.IntRange(0, 2).Draw(t, "mode")),
				AllowedServers: servers(), DeniedServers: servers(), AllowedTools: tools(), DeniedTools: tools()}
			now := *before
			for range rapid.IntRange(1, 2).Draw(t, "changes") {
				switch rapid.IntRange(0, 8).Draw(t, "change") {
				case 0:
					now.Enforced = true
				case 1:
					now.FailClosed = !now.FailClosed
				case 2:
					now.ServerMode = Mode(rapid.IntRange(0, 2).Draw(t, "mode"))
				case 3:
					now.ToolMode = Mode(rapid.IntRange(0, 2).Draw(t, "mode"))
				case 4:
					now.AllowedServers = servers()
				case 5:
					now.DeniedServers = append(slices.Clone(now.DeniedServers), servers()...)
				case 6:
					now.AllowedTools = tools()
				case 7:
					now.DeniedTools = tools()
				case 8:
					now.Servers = []Declared{{ID: "a"}}
				}
			}
			if slices.ContainsFunc(CompareLists(before, &now), func(c configfile.SettingsChange) bool { return c.Effect == configfile.Weakens }) {
				continue
			}
			harmless++
			for _, server := range []string{"a", "b", "ab", "ba", "A", "c"} {
				for _, tool := range []string{"a", "b", "ab", "ba", "A", "c", ""} {
					for _, known := range []*scanner.Known{nil, {Definition: &mcp.Definition{Name: tool}}} {
						r := &scanner.PolicyRequest{Server: server, Method: "tools/call", Target: tool, Tool: known}
						was, is := before.Policy().Decide(r), now.Policy().Decide(r)
						if is.Verdict < was.Verdict {
							t.Fatalf("%q of %q: %+v before, %+v now\n%+v\nto\n%+v", tool, server, was, is, before, now)
						}
						if is.Verdict > was.Verdict {
							stricter++
						}
					}
				}
			}
		}
	})
	if harmless == 0 || stricter == 0 {
		t.Errorf("%d changes were harmless, %d calls got a stricter verdict", harmless, stricter)
	}
}
