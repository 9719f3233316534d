package app

import (
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// always is a policy that always makes the same decision.
type always struct {
	verdict scanner.Verdict
	rule    string
}

func (a always) Decide(*scanner.PolicyRequest) scanner.Decision {
	return scanner.Decision{Verdict: a.verdict, Rule: a.rule}
}

func TestStrictestPolicyWins(t *testing.T) {
	allow, block, again := always{scanner.Allow, "allow"}, always{scanner.Block, "block"}, always{scanner.Block, "again"}
	for _, p := range []strictest{{allow, block}, {block, allow}, {block, again}, {strictest{allow, block}, again}} {
		if d := p.Decide(nil); d.Rule != "block" {
			t.Errorf("%v: %s", p, d.Rule)
		}
	}
}
