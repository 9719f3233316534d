package config

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpscan/mcpscan/internal/configfile"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

func rulesOf(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := ParsePolicy("policy.toml", []byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return p
}

// TestCompare checks the effects of changing a policy and of reverting the change.
func TestCompare(t *testing.T) {
	const (
		deny  = "[[rule]]\naction='deny'\ntool='delete_*'\n"
		allow = "[[rule]]\naction='allow'\ntool='read_*'\n"
		ask   = "[[rule]]\naction='prompt'\ntool='delete_*'\n"
		one   = "[[rule]]\naction='deny'\ntool='delete_all'\n"
		named = "[rules.r]\naction='deny'\nmatch.tool_name='delete_*'\n"
		off   = named + "enabled=false\n[rules.o]\naction='log'\nmatch.tool_name='x'\n"
	)
	for _, c := range []struct {
		before, now string
		there, back []configfile.Effect
	}{
		{before: deny + allow, now: allow + deny, there: []configfile.Effect{configfile.Keeps, configfile.Weakens}, back: []configfile.Effect{configfile.Weakens, configfile.Keeps}},
		{before: deny, now: deny + allow, there: []configfile.Effect{configfile.Weakens}, back: []configfile.Effect{configfile.Keeps}},
		{before: allow, now: deny + allow, there: []configfile.Effect{configfile.Keeps}, back: []configfile.Effect{configfile.Weakens}},
		{before: ask + allow, now: deny + allow, there: []configfile.Effect{configfile.Keeps, configfile.Keeps}, back: []configfile.Effect{configfile.Weakens, configfile.Weakens}},
		{before: one + allow, now: deny + allow, there: []configfile.Effect{configfile.Keeps, configfile.Keeps}, back: []configfile.Effect{configfile.Keeps, configfile.Weakens}},
		{before: named, now: off, there: []configfile.Effect{configfile.Weakens, configfile.Weakens}, back: []configfile.Effect{configfile.Keeps, configfile.Weakens}},
		{before: deny, now: named, there: []configfile.Effect{configfile.Weakens, configfile.Keeps, configfile.Weakens}, back: []configfile.Effect{configfile.Keeps, configfile.Keeps, configfile.Weakens}},
		{before: "# as before\n" + deny + allow, now: deny + "description='reviewed'\n" + allow},
	} {
		for _, way := range [...]struct {
			before, now string
			want        []configfile.Effect
		}{{c.before, c.now, c.there}, {c.now, c.before, c.back}} {
			var got []configfile.Effect
			changes := policy.Compare(rulesOf(t, way.before), rulesOf(t, way.now))
			for _, change := range changes {
				got = append(got, change.Effect)
			}
			if !slices.Equal(got, way.want) {
				t.Errorf("%s\nto\n%s\n%+v, want the effects %v", way.before, way.now, changes, way.want)
			}
		}
	}
	if p := rulesOf(t, deny); len(policy.Compare(nil, nil)) > 0 || policy.Compare(nil, p)[0].Effect != configfile.Keeps || policy.Compare(p, nil)[0].Effect != configfile.Weakens {
		t.Error("a policy that is new weakens nothing, and one that is gone does")
	}
}

// TestCompareIsSound checks that if a change to a policy is not reported as weakening, no request
// gets a milder verdict.
func TestCompareIsSound(t *testing.T) {
	pattern := rapid.StringMatching(`([ab*]|\*\*|\?|b/){1,2}`)
	name := rapid.StringMatching(`([ab]|b/){1,3}`)
	harmless := 0
	rapid.Check(t, func(t *rapid.T) {
		rule := func(listed bool, n int) string {
			action := rapid.SampledFrom([]string{"allow", "deny", "prompt"}).Draw(t, "action")
			if listed {
				return fmt.Sprintf("[[rule]]\naction='%s'\ntool='%s'\n", action, pattern.Draw(t, "tool"))
			}
			return fmt.Sprintf("[rules.r%d]\naction='%s'\nmatch.tool_name='%s'\n", n, action, pattern.Draw(t, "tool"))
		}
		listed := rapid.Bool().Draw(t, "listed")
		var before, now []string
		for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
			before = append(before, rule(listed, i))
		}
		for i, r := range before { // unchanged, removed, or preceded by a new rule
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				now = append(now, rule(listed, 10+i))
			case 1:
				now = append(now, rule(listed, 20+i), r)
			default:
				now = append(now, r)
			}
		}
		parse := func(rules []string) *policy.Policy {
			text := ""
			for _, r := range rules {
				text += r
			}
			p, err := ParsePolicy("p", []byte(text))
			if err != nil {
				t.Skip(err)
			}
			return p
		}
		was, is := parse(before), parse(now)
		if slices.ContainsFunc(policy.Compare(was, is), func(c configfile.SettingsChange) bool { return c.Effect == configfile.Weakens }) {
			return
		}
		harmless++
		for range 30 {
			r := &scanner.PolicyRequest{Method: "tools/call", Target: name.Draw(t, "target")}
			if a, b := was.Decide(r), is.Decide(r); b.Verdict < a.Verdict {
				t.Fatalf("%q: %s before, %s now\n%s\nto\n%s", r.Target, a.Verdict, b.Verdict, before, now)
			}
		}
	})
	if harmless == 0 {
		t.Error("no change was found to be harmless")
	}
}
