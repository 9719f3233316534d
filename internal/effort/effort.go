// Package effort lets a test show that work grows with the size of its input and no
// faster. What is measured is the processor time of the process, which passes only
// while the process works: other load on the machine does not lengthen it. It is
// compared with itself for another size and never with a figure, so a slow machine
// and the race detector do not matter either.
package effort

import (
	"fmt"
	"testing"
	"time"
)

const (
	// Times is how many times the size of the small input the large one is given.
	Times = 8
	// Linear work takes eight times as much, with a logarithm ten times, and quadratic
	// work sixty-four times.
	tooMuch = 32
	// What takes less is repeated: caches and the collector of garbage blur a short
	// piece of work.
	enough = 20 * time.Millisecond
	// A measurement that is blurred is taken again. The square fails each time.
	attempts = 8
)

// Linear fails the test if work for an input of Times the size takes far more than
// Times as much processor time. Given a size, prepare makes the input, which is not
// measured, and returns the work. No other test of the process may run meanwhile.
func Linear(t testing.TB, name string, size int, prepare func(size int) (work func())) {
	t.Helper()
	AtMost(t, tooMuch, fmt.Sprintf("%s: size %d, compared with size %d", name, size*Times, size), prepare(size), prepare(size*Times))
}

// AtMost fails the test if some work takes more than a number of times as much processor
// time as other work.
func AtMost(t testing.TB, times int, name string, other, work func()) {
	t.Helper()
	least, most := of(other), of(work)
	for range attempts - 1 {
		if most <= time.Duration(times)*least {
			return
		}
		least, most = min(least, of(other)), min(most, of(work))
	}
	if most > time.Duration(times)*least {
		t.Errorf("%s: %v of processor time instead of %v: expected at most %d times as much", name, most, least, times)
	}
}

// of is the processor time that one run of the work takes.
func of(work func()) time.Duration {
	start, runs := spent(), 0
	for {
		work()
		runs++
		if took := spent() - start; took >= enough || runs == Times {
			return max(took/time.Duration(runs), time.Microsecond)
		}
	}
}
