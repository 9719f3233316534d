package rules_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// outcome collects all results of judging.
type outcome struct{ of []string }

func (o *outcome) Event(e *scanner.Event, out *scanner.Outcome) error {
	for i := range out.Messages {
		m := &out.Messages[i]
		o.of = append(o.of, fmt.Sprintf("%d %+v %+v %q", e.Origin.Line, m.Decision, m.Overruled, out.Skips))
	}
	return nil
}

func (o *outcome) Finding(f *scanner.Finding) error {
	o.of = append(o.of, fmt.Sprintf("%s %s %s %s %s %s", f.Rule.ID, f.Severity, f.Action, f.Name, f.Message, f.Pointer))
	return nil
}

// TestTraits runs all cases of all rules, and checks that no rule has findings about a
// message with none of the traits that it requests.
func TestTraits(t *testing.T) {
	var some, all []scanner.Rule
	for _, r := range rules.All() {
		if r.Judge == nil {
			continue
		}
		if r.On == 0 {
			t.Errorf("%s judges every message: name the traits of those that concern it", r.ID)
		}
		some = append(some, r)
		r.On = 0
		all = append(all, r)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	engines, said := map[string][2]*scanner.Engine{}, 0
	for _, file := range files {
		ar := archive(t, file)
		policy := member(ar, "policy.yaml")
		pair, ok := engines[policy]
		if !ok {
			pair = [2]*scanner.Engine{compiled(t, some, policy), compiled(t, all, policy)}
			engines[policy] = pair
		}
		var got [2]outcome
		for i, e := range pair {
			if _, err := against(t, e, ar).Run(context.Background(), source(t, ar), &got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if said += len(got[0].of); !slices.Equal(got[0].of, got[1].of) {
			t.Errorf("%s: asked about every message, the rules say\n%q\nand about those with their traits\n%q", file, got[1].of, got[0].of)
		}
	}
	if said == 0 {
		t.Error("no case came to anything")
	}
}
