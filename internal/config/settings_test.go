package config_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

// vocabulary contains two rules in two categories.
func vocabulary() config.Vocabulary {
	return config.Vocabulary{
		Rules: []scanner.Rule{
			{ID: "tst-one", Category: "exfiltration", Severity: scanner.High},
			{ID: "tst-two", Category: "burst", Severity: scanner.Low},
		},
		Fields:   []string{"name", "result"},
		Profiles: map[string]config.Profile{"standard": {}, "strict": {Everywhere: map[string]scanner.Severity{"tst-two": scanner.Critical}}},
	}
}

func parse(t *testing.T, text string) *config.Settings {
	t.Helper()
	s, err := config.ParseSettings("mcpscan.yaml", []byte(text), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTriageOrder checks the precedence of settings, from lowest to highest: the profile, the file,
// servers, tools.
func TestTriageOrder(t *testing.T) {
	const all = `
overrides:
  - {tool: t, rules: {tst-two: {severity: high}}}
  - {server: s, rules: {tst-two: {severity: medium}}}
detection:
  rules: {tst-two: {severity: note}}
  profile: strict
`
	whole := vocabulary().Rules
	for _, c := range []struct{ text, server, tool, want string }{
		{"", "s", "t", "low"},
		{"detection: {profile: standard}", "s", "t", "low"},
		{"detection: {profile: strict}", "s", "t", "critical"},
		{all, "x", "x", "note"},
		{all, "s", "x", "medium"},
		{all, "x", "t", "high"},
		{all, "s", "t", "high"},
	} {
		triage := config.Triage{Settings: parse(t, c.text)}
		f := scanner.Finding{Rule: &whole[1], Severity: scanner.Low, Server: c.server, Name: c.tool}
		if !triage.Decide(&f) || f.Severity.String() != c.want {
			t.Errorf("%s\n%s of %s: %s, want %s", c.text, c.tool, c.server, f.Severity, c.want)
		}
	}
}

// TestRulesThatRun checks that a rule enabled by one override runs for all servers,
// but is reported only for that one.
func TestRulesThatRun(t *testing.T) {
	s := parse(t, `
detection: {builtin: {burst: false, exfiltration: false}}
overrides: [{server: s, builtin: {burst: true}}]
`)
	whole := vocabulary().Rules
	for i, want := range []bool{false, true} {
		if _, runs := s.Rule(&whole[i]); runs != want {
			t.Errorf("%s runs: %v", whole[i].ID, runs)
		}
	}
	triage := config.Triage{Settings: s}
	for server, want := range map[string]bool{"s": true, "x": false} {
		if triage.Decide(&scanner.Finding{Rule: &whole[1], Server: server}) != want {
			t.Errorf("a finding on the server %s is reported: %v", server, !want)
		}
	}
	forced := config.Triage{Settings: s, Forced: config.Choice{"tst-one": config.Elsewhere}}
	if !forced.Decide(&scanner.Finding{Rule: &whole[0]}) {
		t.Error("a rule that a flag asks for says nothing")
	}
}

// TestEngineFindingsStay checks that settings do not affect findings about input
// that was not inspected.
func TestEngineFindingsStay(t *testing.T) {
	triage := config.Triage{Settings: parse(t, `ignores: [{server: "**", reason: all of it}]`), Baseline: map[string]scanner.Severity{}}
	crashed := scanner.EngineRules()[0]
	f := scanner.Finding{Rule: &crashed, Severity: scanner.Medium, Server: "s"}
	triage.Baseline[f.Fingerprint()] = scanner.Critical
	if !triage.Decide(&f) || f.Status != scanner.Open {
		t.Errorf("%+v", f)
	}
}

// TestIgnoreExpires checks that an ignore expires at the end of its day, in UTC, according to the
// finding's time.
func TestIgnoreExpires(t *testing.T) {
	rule := vocabulary().Rules[0]
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, c := range []struct {
		found, now time.Time
		want       scanner.Status
		why        string
	}{
		{at("2026-01-06T23:59:59Z"), time.Time{}, scanner.Suppressed, ""},
		{at("2026-01-07T00:30:00+01:00"), time.Time{}, scanner.Suppressed, ""},
		{at("2026-01-07T00:00:00Z"), time.Time{}, scanner.Open, "it expired on 2026-01-06"},
		{at("2026-01-07T00:00:00Z"), at("2026-01-01T00:00:00Z"), scanner.Open, "it expired on 2026-01-06"},
		{time.Time{}, at("2026-01-01T00:00:00Z"), scanner.Suppressed, ""},
		{time.Time{}, time.Time{}, scanner.Open, "have no time"},
	} {
		triage := config.Triage{Settings: parse(t, `ignores: [{rule: tst-*, reason: r, expires: 2026-01-06}]`), Now: c.now}
		f := scanner.Finding{Rule: &rule, Time: c.found}
		triage.Decide(&f)
		why := ""
		for _, u := range triage.Unused(false) {
			why += u.Why
		}
		if f.Status != c.want || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("found %s, now %s: %s, %q; want %s, %q", c.found, c.now, f.Status, why, c.want, c.why)
		}
	}
}

// TestUnusedAmongManyServers checks that a run with more servers than are remembered reports an
// unused ignore only for a server that it is known to inspect, and no setting without effect.
func TestUnusedAmongManyServers(t *testing.T) {
	for servers, want := range map[int]string{3: "s1: it matches nothing\nall: it matches nothing\n1", 10_002: "s1: it matches nothing\nall: it matches nothing\n0"} {
		triage := config.Triage{Settings: parse(t, `
ignores: [{server: s1, reason: "s1: "}, {server: other, reason: "other: "}, {rule: tst-one, reason: "all: "}]
overrides: [{server: s1, tool: t, rules: {tst-one: {severity: low}}}, {server: other, rules: {tst-one: {severity: low}}}]
`)}
		got := ""
		for i := range servers {
			triage.See(&scanner.Event{Server: fmt.Sprint("s", i)}, &scanner.Outcome{})
		}
		for _, u := range triage.Unused(false) {
			got += u.Reason + u.Why + "\n"
		}
		if got += fmt.Sprint(len(triage.Unmatched(true))); got != want {
			t.Errorf("%d servers: got %q, want %q", servers, got, want)
		}
	}
}

// TestYAMLDocuments checks that settings are one document, and that nothing is dropped without a message.
func TestYAMLDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"---\nenforce_policy: true\n":                    "",
		"%YAML 1.2\n---\nenforce_policy: true\n":         "",
		"# c\n---\n# d\nenforce_policy: true\n---\n":     "",
		"enforce_policy: true\n---\nfail_closed: true\n": "more than one YAML document",
		"---\n# c\n---\nenforce_policy: true\n":          "s:3:1: the YAML document before this --- is empty",
		"---\n---\nnonsense: [":                          "s:2:1: the YAML document before this --- is empty",
	} {
		s, err := config.ParseSettings("s", []byte(text), vocabulary())
		if want == "" && (err != nil || s.Policy == nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %+v, %v, want %q", text, s, err, want)
		}
	}
}

// TestSettingsAreBounded checks that a file that would keep the parser busy is
// rejected.
func TestSettingsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"long":    "#" + strings.Repeat("x", config.MaxSettings),
		"deep":    strings.Repeat("[", 10000),
		"aliases": "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f]\n",
		"latin 1": "ignores: [{reason: \xe9}]",
	} {
		_, err := config.ParseSettings("s", []byte(text), vocabulary())
		var all *config.SettingsError
		if !errors.As(err, &all) || len(all.Problems) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzSettings checks that any file is either read or rejected, with a position for
// each problem and no terminal control characters in the message.
func FuzzSettings(f *testing.F) {
	f.Add("detection:\n  profile: strict\n  alert_threshold: low\n  builtin: {burst: false}\n  rules: {tst-one: {severity: low}}\n")
	f.Add("detection:\n  custom_patterns:\n    - {name: a, pattern: 'b(?=c)', fields: [name], category: burst, severity: low, description: d}\n")
	f.Add("overrides:\n  - &o {server: s*, tool: t, builtin: {}}\n  - <<: *o\nignores:\n  - {rule: '*', fingerprint: 'f1:00', reason: \"\\e\", expires: 2026-01-01}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := config.ParseSettings("s", []byte(text), vocabulary())
		if err == nil {
			(&config.Triage{Settings: s}).Decide(&scanner.Finding{Rule: &vocabulary().Rules[0], Server: "s", Name: "t"})
			return
		}
		var all *config.SettingsError
		if !errors.As(err, &all) {
			t.Fatalf("%T: %v", err, err)
		}
		if slices.ContainsFunc(all.Problems, func(p config.Problem) bool { return p.Pos.Line < 1 || p.Pos.Column < 1 }) {
			t.Errorf("a problem without a place: %v", err)
		}
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) {
			t.Errorf("control characters: %q", err)
		}
	})
}
