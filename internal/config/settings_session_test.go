package config_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestLimits checks that limits in the file reach the engine, and that the engine's
// defaults apply to all others.
func TestLimits(t *testing.T) {
	if got := parse(t, "cross_server:\nrate_limits: {enabled: true}").Limits(); !reflect.DeepEqual(got, scanner.Limits{}) {
		t.Errorf("%+v", got)
	}
	got := parse(t, `
cross_server:
  read_then_send: {window: 1m30s}
  cross_server_flow: {window: 1ns, same_turn_only: false}
  burst: {enabled: true, max_calls: 3, window: "24h"}
rate_limits: {default_rpm: 4, default_burst: 5, per_server: {a: {calls_per_minute: 6, burst: 7}, b: {burst: 8}, c: }}
`).Limits()
	want := scanner.Limits{ReadThenSend: 90 * time.Second, Flow: 1, AnyTurn: true, BurstCalls: 3, BurstWindow: 24 * time.Hour, BlockBursts: true,
		Rate:  scanner.RateLimit{CallsPerMinute: 4, Burst: 5},
		Rates: map[string]scanner.RateLimit{"a": {CallsPerMinute: 6, Burst: 7}, "b": {Burst: 8}, "c": {}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSwitchesOfSessionRules checks that the keys for calls have the lowest
// precedence, and that enabling a category does not enable a rule in it that is off by default.
func TestSwitchesOfSessionRules(t *testing.T) {
	burst := scanner.Rule{ID: "burst", Category: "burst"}
	rate := scanner.Rule{ID: "rate-limit", Category: "policy", OptIn: true}
	for _, c := range []struct {
		text   string
		rule   *scanner.Rule
		runs   bool
		spoken map[string]bool // whether findings of the rule on the server are reported
	}{
		{"", &burst, true, map[string]bool{"s": true}},
		{"cross_server: {burst: {enabled: false}}", &burst, false, nil},
		{"cross_server: {enabled: false, burst: {enabled: true}}", &burst, false, nil},
		{"cross_server: {enabled: true, burst: {enabled: false}}", &burst, false, nil},
		{"cross_server: {enabled: false}\ndetection: {builtin: {burst: true}}", &burst, true, map[string]bool{"s": true}},
		{"cross_server: {enabled: false}\noverrides: [{server: s, builtin: {burst: true}}]", &burst, true, map[string]bool{"s": true, "x": false}},
		{"", &rate, false, nil},
		{"detection: {builtin: {policy: true}}", &rate, false, nil},
		{"rate_limits: {enabled: true}", &rate, true, map[string]bool{"s": true}},
		{"rate_limits: {enabled: true}\ndetection: {builtin: {policy: false}}", &rate, false, nil},
		{"rate_limits: {enabled: true}\noverrides: [{server: s, builtin: {policy: false}}]", &rate, true, map[string]bool{"s": false, "x": true}},
	} {
		s := parse(t, c.text)
		if _, runs := s.Rule(c.rule); runs != c.runs {
			t.Errorf("%s: %s runs: %v", c.text, c.rule.ID, runs)
		}
		triage := config.Triage{Settings: s}
		for server, want := range c.spoken {
			if triage.Decide(&scanner.Finding{Rule: c.rule, Server: server}) != want {
				t.Errorf("%s: a finding of %s on the server %s is reported: %v", c.text, c.rule.ID, server, !want)
			}
		}
	}
}

// TestPatternsForWholeNames checks that a key without effect, because the name of its server is
// written as a pattern, is reported.
func TestPatternsForWholeNames(t *testing.T) {
	for text, want := range map[string]int{
		"rate_limits: {per_server: {mail: {burst: 2}}}":       0,
		"rate_limits: {per_server: {\"mail-*\": {burst: 2}}}": 1,
		"servers: [{id: mail, env_allow: [\"A_*\"]}]":         0,
		"servers: [{id: \"*\", env_allow: [\"A_*\"]}]":        1,
	} {
		if got := parse(t, text).Idle; len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
