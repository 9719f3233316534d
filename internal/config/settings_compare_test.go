package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

const (
	keeps   = configfile.Keeps
	accepts = configfile.Accepts
	weakens = configfile.Weakens
)

// TestCompare checks, for each key, the effect of changing it and of reverting the
// change.
func TestCompare(t *testing.T) {
	const ignore = "ignores: [{rule: tst-one, tool: t, reason: r%s}]"
	for _, c := range []struct {
		before, now  string
		there, back  configfile.Effect
		same, atLine int
	}{
		{before: "detection: {enabled: true}", now: "detection: {enabled: false}", there: weakens},
		{before: "output_inspection: {enabled: true}", now: "output_inspection: {enabled: false}", there: weakens},
		{before: "output_inspection: {on_detection: block}", now: "output_inspection: {on_detection: alert}", there: weakens},
		{before: "detection: {profile: strict}", now: "detection: {profile: standard}", there: weakens},
		{before: "detection: {builtin: {burst: true}}", now: "\ndetection:\n  builtin:\n    burst: false", there: weakens, atLine: 4},
		{before: "", now: "detection: {rules: {tst-two: {enabled: false}}}", there: weakens},
		{before: "", now: "detection: {rules: {tst-two: {severity: note}}}", there: weakens, back: keeps},
		{before: "detection: {rules: {tst-one: {severity: critical}}}", now: "detection: {rules: {tst-one: {severity: high}}}", there: weakens},
		{before: "detection: {rules: {tst-one: {severity: critical}}}", now: "", there: weakens},
		// A single severity for all of a rule's findings can be lower than the severity that some
		// of them had.
		{before: "", now: "detection: {rules: {tst-one: {severity: high}}}", there: accepts, back: weakens},
		{before: "", now: "detection: {rules: {tst-two: {severity: medium}}}", there: weakens, back: weakens},

		{before: "", now: "detection: {alert_threshold: critical}", there: weakens},
		{before: "detection: {alert_threshold: low}", now: "detection: {alert_threshold: medium}", there: weakens},
		{before: "", now: "detection: {alert_threshold: medium}", there: accepts, back: weakens},
		{before: "output_inspection: {on_detection: block}\ndetection: {alert_threshold: medium}", now: "output_inspection: {on_detection: block}\ndetection: {alert_threshold: high}", there: weakens},
		{before: "", now: "detection: {similarity_threshold: 0.9}", there: weakens},

		{before: "detection: {custom_patterns: [{name: p, pattern: secret}]}", now: "", there: weakens},
		{before: "detection: {custom_patterns: [{name: p, pattern: secret}]}", now: "detection: {custom_patterns: [{name: p, pattern: secrets}]}", there: weakens, back: weakens},
		{before: "detection: {custom_patterns: [{name: p, pattern: 'ab(?=c)'}]}", now: "detection: {custom_patterns: [{name: p, pattern: 'ab(?=d)'}]}", there: weakens, back: weakens},
		{before: "detection: {custom_patterns: [{name: p, pattern: secret}]}", now: "detection: {custom_patterns: [{name: p, pattern: secret, fields: [name]}]}", there: weakens},
		{before: "detection: {custom_patterns: [{name: p, pattern: secret, severity: high}]}", now: "detection: {custom_patterns: [{name: p, pattern: secret}]}", there: weakens},
		{before: "detection: {custom_patterns: [{name: p, pattern: secret}]}", now: "detection: {custom_patterns: [{name: p, pattern: secret, description: d}]}"},

		{before: "", now: "overrides: [{server: s, builtin: {burst: false}}]", there: weakens},
		{before: "", now: "overrides: [{server: s, rules: {tst-one: {severity: medium}}}]", there: weakens, back: accepts},
		{before: "overrides: [{server: s, rules: {tst-one: {severity: low}}}, {server: t, builtin: {burst: true}}]",
			now: "overrides: [{server: t, builtin: {burst: true}}, {server: s, rules: {tst-one: {severity: low}}}]", there: weakens, back: weakens},

		{before: "", now: fmt.Sprintf(ignore, ""), there: accepts},
		{before: fmt.Sprintf(ignore, ", expires: 2026-01-06"), now: fmt.Sprintf(ignore, ", expires: 2026-01-07"), there: accepts},
		{before: fmt.Sprintf(ignore, ""), now: "ignores: [{rule: tst-one, tool: t, reason: another}]"},
		{before: fmt.Sprintf(ignore, ""), now: "ignores: [{rule: tst-one, tool: 't*', reason: r}]", there: weakens, back: accepts},
		{before: "", now: "ignores: [{rule: tst-one, reason: r}]", there: weakens},
		{before: "ignores: [{rule: tst-one, reason: r}]", now: fmt.Sprintf(ignore, ""), back: weakens},
		{before: "", now: "ignores: [{fingerprint: 'f1:0123456789abcdef0123456789abcdef', reason: r}]", there: accepts},

		{before: "", now: "approval: {quarantine_enabled: false}", there: weakens},
		{before: "approval: {auto_trust_first: false}", now: "", there: weakens},
		{before: "", now: "approval: {skip_quarantine: [s]}", there: weakens},

		{before: "", now: "cross_server: {enabled: false}", there: weakens},
		{before: "", now: "cross_server: {read_then_send: {window: 10s}}", there: weakens},
		{before: "", now: "cross_server: {cross_server_flow: {window: 10s}}", there: weakens},
		{before: "", now: "cross_server: {burst: {max_calls: 11}}", there: weakens},
		{before: "", now: "cross_server: {burst: {window: 4s}}", there: weakens},
		{before: "cross_server: {burst: {enabled: true}}", now: "", there: weakens, back: keeps},
		{before: "cross_server: {cross_server_flow: {same_turn_only: false}}", now: "", there: weakens},
		{before: "", now: "cross_server: {categories: [{tool: t, category: compute}]}", there: weakens, back: weakens},

		{before: "rate_limits: {enabled: true}", now: "rate_limits: {enabled: true, default_rpm: 101}", there: weakens},
		{before: "rate_limits: {enabled: true}", now: "rate_limits: {enabled: true, per_server: {s: {burst: 11}}}", there: weakens},
		{before: "rate_limits: {enabled: true, per_server: {s: {burst: 10}}}", now: "rate_limits: {enabled: true}", same: 1},

		// Different settings with the same effect do not count as weakening.
		{before: "detection: {builtin: {burst: false}}", now: "detection: {rules: {tst-two: {enabled: false}}}", there: keeps, back: keeps},
		{before: "a", now: "a", same: 1},
	} {
		if c.before == "a" {
			c.before, c.now = "# nothing", "detection:\noverrides: []\nignores:\n"
		}
		there, back := compare(t, c.before, c.now), compare(t, c.now, c.before)
		if c.same == 1 {
			if len(there)+len(back) > 0 {
				t.Errorf("%s\nto\n%s\nis no change: %+v %+v", c.before, c.now, there, back)
			}
			continue
		}
		if got := worst(there); len(there) == 0 || got.Effect != c.there || c.atLine > 0 && got.Pos.Line != c.atLine {
			t.Errorf("%s\nto\n%s\n%+v, want effect %d at line %d", c.before, c.now, there, c.there, c.atLine)
		}
		if len(back) == 0 || worst(back).Effect != c.back {
			t.Errorf("%s\nback to\n%s\n%+v, want effect %d", c.now, c.before, back, c.back)
		}
	}
}

// compare compares two files.
func compare(t *testing.T, before, now string) []configfile.SettingsChange {
	t.Helper()
	v := vocabulary()
	for _, id := range []string{"rate-limit", "read-then-send", "cross-server-flow", "burst", "xs-server-lookalike", "version-pin", "binary-mismatch"} {
		v.Rules = append(v.Rules, scanner.Rule{ID: id, Category: "version_pin", Severity: scanner.High, OptIn: id == "rate-limit" || id == "version-pin"})
	}
	return config.Compare(read(t, before, v), read(t, now, v), []byte(now), v)
}

func read(t *testing.T, text string, v config.Vocabulary) *config.Settings {
	t.Helper()
	s, err := config.ParseSettings("mcpscan.yaml", []byte(text), v)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return s
}

func worst(changes []configfile.SettingsChange) configfile.SettingsChange {
	if len(changes) == 0 {
		return configfile.SettingsChange{}
	}
	return slices.MaxFunc(changes, func(a, b configfile.SettingsChange) int { return int(a.Effect) - int(b.Effect) })
}

// TestCompareBlames checks that, among several changed keys, only the harmful ones are reported.
func TestCompareBlames(t *testing.T) {
	changes := compare(t, "detection: {enabled: true, builtin: {burst: true}}\noutput_inspection: {enabled: true}",
		"detection: {enabled: true, builtin: {burst: true, exfiltration: true}, rules: {tst-two: {enabled: false}}}\noutput_inspection: {enabled: true}")
	for _, c := range changes {
		if want := strings.Join(c.Keys, ".") == "detection.rules.tst-two"; (c.Effect == weakens) != want {
			t.Errorf("%+v", c)
		}
	}
	if len(changes) != 2 {
		t.Errorf("%+v", changes)
	}
}
