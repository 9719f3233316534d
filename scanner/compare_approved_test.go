package scanner_test

import (
	"fmt"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestCompare checks that the result of a rule's Compare check is available when the
// message is judged, and that a rule that panics in it is reported once.
func TestCompare(t *testing.T) {
	var compared, judged []string
	r := only("drift-description")[0]
	r.ID = "tst-compare"
	r.Compare = func(p *scanner.ComparePass) any {
		compared = append(compared, p.Approved.Description+p.Definition.Description)
		if p.Definition.Name == "c" {
			panic("compare")
		}
		return p.Definition.Name + " compared"
	}
	r.Judge = func(p *scanner.JudgePass) {
		p.Changed(func(d *mcp.Definition, _ *scanner.Offered) {
			judged = append(judged, fmt.Sprint(d.Name, " ", p.Comparison(d)))
			if d.Name == "c" {
				panic("judge")
			}
		})
	}
	e, err := scanner.New([]scanner.Rule{r}, scanner.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	approved := scanner.NewSnapshot()
	if _, err := e.Keeping().Run(t.Context(), replay.Events([]*scanner.Event{listing(0, tool("a", "1"), tool("b", "1"), tool("c", "1"))}), approved); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		engine *scanner.Engine
		want   string
	}{
		"of a server": {e.Against(approved, nil), "[12 12] [a a compared c <nil>]"},
		"of a pair":   {e.Since(approved, true), "[] [a <nil> c <nil>]"},
	} {
		compared, judged = nil, nil
		out := c.engine.Live().Step(listing(0, tool("a", "2"), tool("b", "1"), tool("c", "2"), tool("d", "2")))
		if got := fmt.Sprint(compared, judged); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if len(out.Findings) != 1 || out.Findings[0].Rule.ID != "rule-crashed" {
			t.Errorf("%s: found %+v", name, out.Findings)
		}
	}
}
