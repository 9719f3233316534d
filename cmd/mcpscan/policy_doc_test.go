package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/policy"
)

// TestPolicyDocument checks that the examples in docs/policy.md load, contain
// nothing without effect, and use every key of a policy.
func TestPolicyDocument(t *testing.T) {
	document := readFile(t, root, "docs", "policy.md")
	var all strings.Builder
	for _, block := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(document, -1) {
		all.WriteString(block[1])
		p, err := config.ParsePolicy("docs/policy.md", []byte(block[1]))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range p.Check() {
			if !strings.Contains(found.Says, "disabled") {
				t.Errorf("the example %s reports %s", found.At, found.Says)
			}
		}
	}
	for _, word := range []string{"action", "tool", "args.", "server", "description", "message", "priority", "enabled", "resource_path", "method", "any"} {
		if !strings.Contains(all.String(), word) {
			t.Errorf("no example of docs/policy.md has %q", word)
		}
	}
	for _, word := range slices.Concat([]string{"tool_name", "event_type"}, policy.EventTypes) {
		if !strings.Contains(document, "`"+word+"`") {
			t.Errorf("docs/policy.md does not mention %q", word)
		}
	}
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(document, -1) {
		if f, err := parseFixture("docs/policy.md", []byte(block[1])); err != nil || len(f.expected) != 1 {
			t.Errorf("the fixture of docs/policy.md: %v", err)
		}
	}
}
