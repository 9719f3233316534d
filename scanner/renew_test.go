package scanner_test

import (
	"fmt"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestRenew checks that later events are compared with renewed approvals, also if there were none
// before, and that only those definitions count as released that nobody had approved in the listed form.
func TestRenew(t *testing.T) {
	reviewed := scanner.Options{Blocks: blocking().Blocks, Pinning: &scanner.Pinning{OnChange: scanner.Block, Reviewed: true}}
	poisoned := tool("bad", "zqmarker")
	for name, c := range map[string]struct {
		first, then []string // approved
		withheld    [2]int   // definitions of the list, before and after
		released    string
	}{
		"first approval":     {nil, []string{tool("a", "A."), tool("b", "B.")}, [2]int{3, 1}, "map[srv:[tool tool]]"},
		"another":            {[]string{tool("a", "A.")}, []string{tool("a", "A."), tool("b", "B.")}, [2]int{2, 1}, "map[srv:[tool]]"},
		"of another form":    {nil, []string{tool("a", "Other."), tool("b", "Other.")}, [2]int{3, 3}, "map[]"},
		"withdrawn":          {[]string{tool("a", "A."), tool("b", "B.")}, []string{tool("c", "C.")}, [2]int{1, 3}, "map[]"},
		"of a poisoned tool": {nil, []string{poisoned}, [2]int{3, 3}, "map[srv:[tool]]"},
	} {
		live := pinning(t, reviewed, c.first...).Live()
		list := func(i int) int {
			return len(live.Step(listing(i, tool("a", "A."), tool("b", "B."), poisoned)).Withheld)
		}
		before := list(1)
		released := live.Renew(pinning(t, reviewed, c.then...))
		if before != c.withheld[0] || fmt.Sprint(released) != c.released {
			t.Errorf("%s: withheld %d, released %v", name, before, released)
		}
		if c.released != "map[]" && live.Step(calling(2, "bad")).Decision.Verdict != scanner.Block {
			t.Errorf("%s: a withheld tool can be called before it is listed again", name)
		}
		if after := list(3); after != c.withheld[1] {
			t.Errorf("%s: withheld %d afterwards", name, after)
		}
		if d := live.Step(calling(4, "a")).Decision; (d.Verdict == scanner.Block) != (c.withheld[1] == 3) {
			t.Errorf("%s: after the next list, a call gets %+v", name, d)
		}
	}
}
