package config_test

import (
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestTextSwitches checks that definitions and results have separate switches, which
// settings for categories and rules override.
func TestTextSwitches(t *testing.T) {
	reads := scanner.Rule{ID: "tst-one", Category: "exfiltration", Text: func(*scanner.TextPass) {}}
	for _, c := range []struct {
		text                    string
		runs, inOutput, outside bool
	}{
		{"", true, true, true},
		{"detection: {enabled: true}\noutput_inspection: {enabled: true, on_detection: alert}", true, true, true},
		{"detection: {enabled: false}", true, true, false},
		{"output_inspection: {enabled: false, on_detection: block}", true, false, true},
		{"detection: {enabled: false}\noutput_inspection: {enabled: false}", false, false, false},
		{"detection: {builtin: {output_poisoning: false}}", true, false, true},
		{"detection: {builtin: {exfiltration: false}}", false, false, false},
		{"detection: {builtin: {exfiltration: false, output_poisoning: true}}", false, false, false},
		{"detection: {builtin: {exfiltration: true, output_poisoning: false}}", true, false, true},
		{"detection: {enabled: false, rules: {tst-one: {enabled: true}}}\noutput_inspection: {enabled: false}", true, true, true},
		{"output_inspection: {enabled: false}\noverrides: [{server: s, builtin: {output_poisoning: true}}]", true, true, true},
		{"overrides: [{server: s, builtin: {output_poisoning: false}}]", true, false, true},
		{"overrides: [{server: x, builtin: {output_poisoning: false}}]", true, true, true},
	} {
		s := parse(t, c.text)
		_, runs := s.Rule(&reads)
		triage := config.Triage{Settings: s}
		inOutput := triage.Decide(&scanner.Finding{Rule: &reads, Category: "output_poisoning", Server: "s"})
		outside := triage.Decide(&scanner.Finding{Rule: &reads, Category: "exfiltration", Server: "s"})
		if runs != c.runs || inOutput != c.inOutput || outside != c.outside {
			t.Errorf("%s: runs %v, in a result %v, elsewhere %v", c.text, runs, inOutput, outside)
		}
	}
}

// TestConfigurationsAreNoTexts checks that the switches for text do not switch off a rule about
// client configurations.
func TestConfigurationsAreNoTexts(t *testing.T) {
	secret := scanner.Rule{ID: "tst-one", Category: "exfiltration", Config: func(*scanner.ConfigPass) {}}
	if _, runs := parse(t, "detection: {enabled: false}\noutput_inspection: {enabled: false}").Rule(&secret); !runs {
		t.Error("it is switched off with the texts")
	}
}

// TestBlocks checks that a result is blocked because of an instruction found in it,
// unless the finding is accepted.
func TestBlocks(t *testing.T) {
	const block = "output_inspection: {on_detection: block}\n"
	when := time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)
	sure, unsure := vocabulary().Rules[0], vocabulary().Rules[0]
	sure.Confidence, unsure.Confidence = scanner.ConfidenceMedium, scanner.ConfidenceLow
	unsure.ID += "-unsure"
	for _, c := range []struct {
		text     string
		category string
		severity scanner.Severity
		want     bool
	}{
		{"", "output_poisoning", scanner.Critical, false},
		{"output_inspection: {on_detection: alert}", "output_poisoning", scanner.Critical, false},
		{block, "output_poisoning", scanner.Medium, true},
		{block, "output_poisoning", scanner.Low, false},
		{block, "exfiltration", scanner.Critical, false},
		{block + "detection: {alert_threshold: low}", "output_poisoning", scanner.Low, true},
		{block + "detection: {alert_threshold: high}", "output_poisoning", scanner.Medium, false},
		{block + "detection: {rules: {tst-one: {severity: low}}}", "output_poisoning", scanner.Critical, false},
		{block + "detection: {rules: {tst-one: {enabled: false}}}", "output_poisoning", scanner.Critical, false},
		{block + "ignores: [{rule: tst-one, reason: ours}]", "output_poisoning", scanner.Critical, false},
		{block + "ignores: [{rule: tst-one, reason: ours, expires: 2026-01-06}]", "output_poisoning", scanner.Critical, false},
		{block + "ignores: [{rule: tst-one, reason: ours, expires: 2026-01-05}]", "output_poisoning", scanner.Critical, true},
		{block + "ignores: [{server: other, reason: theirs}]", "output_poisoning", scanner.Critical, true},
	} {
		triage := config.Triage{Settings: parse(t, c.text)}
		f := scanner.Finding{Rule: &sure, Category: c.category, Severity: c.severity, Server: "s", Time: when}
		if got := triage.Blocks(&f); got != c.want {
			t.Errorf("%s: %s at %s blocks: %v", c.text, c.category, c.severity, got)
		}
	}
	for severity, want := range map[scanner.Severity]bool{scanner.Medium: false, scanner.High: true} {
		f := scanner.Finding{Rule: &unsure, Category: "output_poisoning", Severity: severity, Server: "s", Time: when}
		if got := (&config.Triage{Settings: parse(t, block)}).Blocks(&f); got != want {
			t.Errorf("a finding of low confidence at %s blocks: %v", severity, got)
		}
		if !(&config.Triage{Settings: parse(t, block+"detection: {alert_threshold: medium}")}).Blocks(&f) {
			t.Errorf("a finding of low confidence at %s does not block where the threshold says so", severity)
		}
	}
}

// TestBlocksDefinitions checks that a definition is withheld because of its text, but not because
// of its structure.
func TestBlocksDefinitions(t *testing.T) {
	triage := config.Triage{Settings: parse(t, "output_inspection: {on_detection: block}\n")}
	for category, want := range map[string]bool{"exfiltration": true, "hidden_instructions": true, "schema": false, "version_pin": false} {
		r := scanner.Rule{ID: "tst-one", Category: category}
		f := scanner.Finding{Rule: &r, Category: category, Severity: scanner.High, Subject: mcp.ToolSubject}
		if got := triage.Blocks(&f); got != want {
			t.Errorf("%s in a tool is withheld: %v", category, got)
		}
		if f.Subject = mcp.CallSubject; triage.Blocks(&f) {
			t.Errorf("%s in a call blocks", category)
		}
	}
}

// TestSimilarityCheck covers the switch for comparing server names, and the one for all
// cross-server findings.
func TestSimilarityCheck(t *testing.T) {
	names := scanner.Rule{ID: "xs-server-lookalike", Category: "name_similarity"}
	shadow := scanner.Rule{ID: "shadow-tool", Category: "tool_shadowing"}
	for text, want := range map[string]bool{
		"":                              true,
		"cross_server: {shadow_tool: }": true,
		"cross_server: {shadow_tool: {enabled: true, similarity_check: true}}":                                               true,
		"cross_server: {shadow_tool: {similarity_check: false}}":                                                             false,
		"cross_server: {enabled: false, shadow_tool: {similarity_check: true}}":                                              false,
		"cross_server: {shadow_tool: {similarity_check: false}}\ndetection: {rules: {xs-server-lookalike: {enabled: true}}}": true,
	} {
		v := vocabulary()
		v.Rules = append(v.Rules, names, shadow)
		s, err := config.ParseSettings("mcpscan.yaml", []byte(text), v)
		if err != nil {
			t.Fatal(err)
		}
		if _, runs := s.Rule(&names); runs != want {
			t.Errorf("%s: names are compared: %v", text, runs)
		}
		if _, runs := s.Rule(&shadow); !runs {
			t.Errorf("%s: shadows are not reported", text)
		}
	}
	for text, want := range map[string]float64{
		"cross_server: {shadow_tool: {similarity_threshold: 0.9}}":                                          0.9,
		"detection: {similarity_threshold: 0.9}\ncross_server: {shadow_tool: {similarity_threshold: 0.90}}": 0.9,
		"cross_server: {shadow_tool: {similarity_check: true}}":                                             0,
	} {
		if got := parse(t, text).Similarity; got != want {
			t.Errorf("%s: the threshold is %g", text, got)
		}
	}
}

// TestChoose checks which rules the names on the command line select.
func TestChoose(t *testing.T) {
	text := func(*scanner.TextPass) {}
	all := []scanner.Rule{
		{ID: "inj-a", Category: "hidden_instructions", Text: text},
		{ID: "sch-b", Category: "exfiltration"},
		{ID: "cfg-c", Category: "credential_theft", Config: func(*scanner.ConfigPass) {}},
		{ID: "sch-d", Category: "output_poisoning"},
		{ID: "shadow-tool", Category: "tool_shadowing"},
		{ID: "xs-e", Category: "tool_shadowing", Text: text},
		{ID: "cross-server-flow", Category: "cross_server_flow"},
		{ID: "read-then-send", Category: "cross_server_flow"},
		{ID: "custom-f", Category: "custom", Text: text},
	}
	const in, out, both = config.InOutputs, config.Elsewhere, config.InOutputs | config.Elsewhere
	for name, want := range map[string]config.Choice{
		"inj-a":             {"inj-a": both},
		"shadow_tool":       {"shadow-tool": both},
		"tool-shadowing":    {"shadow-tool": both, "xs-e": both},
		"cross-server-flow": {"cross-server-flow": both}, // selects the rule, not the category of the same name
		"cross_server_flow": {"cross-server-flow": both, "read-then-send": both},
		"tool-poisoning":    {"inj-a": out, "sch-b": out, "custom-f": out},
		"output_poisoning":  {"inj-a": in, "sch-d": both, "xs-e": in, "custom-f": in},
		"exfiltration":      {"sch-b": both},
		"nothing":           {},
		"Inj-a":             {},
	} {
		got := config.Choice{}
		if ok := got.Choose(name, all); ok != (len(want) > 0) {
			t.Errorf("%s means something: %v", name, ok)
		}
		for _, r := range all {
			if got[r.ID] != want[r.ID] {
				t.Errorf("%s: %s is chosen in %b, want %b", name, r.ID, got[r.ID], want[r.ID])
			}
		}
	}
}

// TestFlagsChooseFindings checks that the rules named by flags also determine which findings are
// reported.
func TestFlagsChooseFindings(t *testing.T) {
	one := vocabulary().Rules[0]
	result := scanner.Finding{Rule: &one, Category: "output_poisoning"}
	definition := scanner.Finding{Rule: &one, Category: "exfiltration"}
	for _, c := range []struct {
		triage              config.Triage
		inResult, elsewhere bool
	}{
		{config.Triage{Forced: config.Choice{"tst-one": config.InOutputs}}, true, false},
		{config.Triage{Forced: config.Choice{"tst-two": config.InOutputs | config.Elsewhere}}, false, false},
		{config.Triage{Refused: config.Choice{"tst-one": config.InOutputs}}, false, true},
		{config.Triage{Forced: config.Choice{"tst-one": config.InOutputs | config.Elsewhere}, Refused: config.Choice{"tst-one": config.Elsewhere}}, true, false},
	} {
		c.triage.Settings = parse(t, "")
		if c.triage.Decide(&result) != c.inResult || c.triage.Decide(&definition) != c.elsewhere {
			t.Errorf("%+v: in a result %v, elsewhere %v", c.triage, !c.inResult, !c.elsewhere)
		}
	}
}

// TestEnforces checks which settings make a proxy block more than by default.
func TestEnforces(t *testing.T) {
	for text, want := range map[string]bool{
		"": false,
		"output_inspection: {on_detection: alert}\nversion_pinning: {enabled: true, on_change: alert}\nrate_limits: {default_rpm: 9}\nenforce_policy: true": false,
		"denied_tools: [{server: s, tool: t}]":                       false,
		"output_inspection: {on_detection: block}":                   true,
		"version_pinning: {enabled: true}":                           true,
		"rate_limits: {enabled: true}":                               true,
		"cross_server: {burst: {enabled: true}}":                     true,
		"enforce_policy: true\nfail_closed: true":                    true,
		"enforce_policy: true\ndenied_tools: [{server: s, tool: t}]": true,
	} {
		if got := parse(t, text).Enforces(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
