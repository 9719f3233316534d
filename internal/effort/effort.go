// Package effort lets a test show that work grows with the size of its input and no
// faster. What is measured is the processor time of the process, which passes only
// while the process works: other load on the machine does not lengthen it. It is
// compared with itself for another size and never with a figure, so a slow machine
// and the race detector do not matter either.
package effort

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	// times is how many times the size of the small input the large one is given.
	times = 64
	// The work for so many small inputs takes as much as that for a large one where work is
	// linear, half as much with a logarithm, and a sixty-fourth of it where it is quadratic.
	// Between them lies what memory costs: of page faults alone one run can take five
	// times as much as the next.
	tooMuch = 16
	// What is measured in one attempt. Some kernels count processor time in ticks of 10 ms,
	// and other load blurs a short measurement by its use of caches: one that fails is
	// repeated with more, and the square fails each time.
	enough   = 5 * time.Millisecond
	attempts = 32
	// The collector runs all the same once the process takes this many bytes.
	memoryLimit = 1 << 30
)

// Linear fails the test if work for an input of this size takes far more processor time
// than work for a part of it, as often as there are such parts. Given a size, prepare
// makes the input, which is not measured, and returns the work. No other test of the
// process may run meanwhile.
func Linear(t testing.TB, name string, size int, prepare func(size int) (work func())) {
	t.Helper()
	small := prepare(size / times)
	AtMost(t, tooMuch, fmt.Sprintf("%s: size %d, compared with %d times size %d", name, size, times, size/times), func() {
		for range times {
			small()
		}
	}, prepare(size))
}

// AtMost fails the test if some work takes more than a number of times as much processor
// time as other work.
func AtMost(t testing.TB, limit int, name string, other, work func()) {
	t.Helper()
	var least, most time.Duration
	// What the garbage collector does depends on all that the process holds.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for attempt := range time.Duration(attempts) {
		runtime.GC()
		for most < (attempt+1)*enough && least < (attempt+1)*enough {
			// In turns, so that what else the machine does meets both.
			least += of(other)
			most += of(work)
		}
		if most <= time.Duration(limit)*least {
			return
		}
	}
	t.Errorf("%s: %v of processor time instead of %v: expected at most %d times as much", name, most, least, limit)
}

// of is the processor time that the work takes.
func of(work func()) time.Duration {
	start := spent()
	work()
	return spent() - start
}
