package drift

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestLongTextsAreComparedInLittleMemory checks that comparing long texts allocates only a
// few times their size, however many words and sentences they have.
func TestLongTextsAreComparedInLittleMemory(t *testing.T) {
	prose := func(step int) string {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "Step%d reads it, then page%d. ", i*step, i*step)
		}
		return b.String()
	}
	r := changedText{before: prose(1), now: prose(3)}
	for name, tt := range map[string]struct {
		do   func()
		most int // multiple of the size of a text
	}{
		"the words that are lost":       {func() { r.dropped = []string{"never"}; lost(r) }, 8},
		"the sentences that were added": {func() { added(r.before, r.now) }, 14},
	} {
		tt.do() // allocates the data that is created only once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tt.do()
		runtime.ReadMemStats(&after)
		if used := int(after.TotalAlloc-before.TotalAlloc) / len(r.now); used > tt.most {
			t.Errorf("%s: %d times the text", name, used)
		}
	}
}
