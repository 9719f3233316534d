package main

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestExplainedChain checks that decisions are shown in the order of the chain,
// whichever check decided first, and that checks without a decision are listed.
func TestExplainedChain(t *testing.T) {
	if len(chain(&scanner.Judged{Message: &scanner.Message{}})) != 0 {
		t.Error("nothing was decided, and there is a chain")
	}
	m := &scanner.Judged{Message: &scanner.Message{Kind: mcp.Request},
		Decision: scanner.Decision{Verdict: scanner.Block, Check: scanner.CrossServerCheck, Rule: "read-then-send", Reason: "read\x1b before"},
		Overruled: []scanner.Decision{
			{Verdict: scanner.Allow, Check: scanner.PolicyCheck, Rule: "mail", Location: scanner.Location{File: "policy.toml", Line: 3}},
			{Verdict: scanner.Allow, Check: scanner.PolicyCheck, Rule: "policy-denied"},
			{Verdict: scanner.Alert, Check: scanner.RateCheck, Rule: "rate-limit"}}}
	var p explainedLines
	p.decision(&explainedMessage{Kind: "request", Decision: checked(m.Decision), Checks: chain(m)})
	var got []string
	for line := range strings.Lines(p.b.String()) {
		got = append(got, strings.TrimSpace(line[labelWidth:]))
	}
	want := []string{
		"block by the cross-server check, read-then-send: read<U+001B> before",
		"registry: nothing",
		"cross-server: block, read-then-send: read<U+001B> before",
		"rate: alert, rate-limit",
		"pin: nothing",
		"policy: allow, mail (policy.toml:3)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
