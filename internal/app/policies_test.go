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
	for _, c := range []struct {
		policies []scanner.Policy
		want     string
	}{
		{[]scanner.Policy{nil, allow, nil}, "allow"}, {[]scanner.Policy{allow, block}, "block"},
		{[]scanner.Policy{block, allow}, "block"}, {[]scanner.Policy{block, nil, again}, "block"},
	} {
		if d := together(c.policies...).Decide(nil); d.Rule != c.want {
			t.Errorf("%v: %s", c.policies, d.Rule)
		}
	}
	if p := together(nil, nil); p != nil {
		t.Errorf("no policy is %v", p)
	}
}
