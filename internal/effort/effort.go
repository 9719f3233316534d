// Package effort lets a test show that work is at most linear in the size of its input. It measures
// the processor time of the process, which does not include time spent waiting because of other
// load on the machine. It compares times for different sizes with each other and never with an
// absolute value, so slow machines and the race detector do not matter.
package effort

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	// times is the ratio between the sizes of the large and the small input.
	times = 64
	// tooMuch is the maximum ratio of the time for the large input to the total time for the
	// small ones. The ratio is 1 for linear work, about 2 for linear work with a logarithmic
	// factor, and 64 for quadratic work. The maximum allows for memory effects, because page
	// faults alone can make one run five times as slow as the next.
	tooMuch = 16
	// enough is the time to measure in the first attempt. Some kernels count processor time in
	// ticks of 10 ms, and cache contention distorts short measurements, so a failed attempt is
	// repeated with more time. Quadratic work fails every time.
	enough   = 5 * time.Millisecond
	attempts = 32
	// memoryLimit is the memory size, in bytes, at which the garbage collector runs although it is
	// off.
	memoryLimit = 1 << 30
)

// Linear fails the test if work for an input of this size takes far more processor time than work
// for smaller inputs that add up to the same size. Given a size, prepare creates the input, which
// is not measured, and returns the work. No other test in the process may run at the same time.
func Linear(t testing.TB, name string, size int, prepare func(size int) (work func())) {
	t.Helper()
	small := prepare(size / times)
	AtMost(t, tooMuch, fmt.Sprintf("%s: size %d, compared with %d times size %d", name, size, times, size/times), func() {
		for range times {
			small()
		}
	}, prepare(size))
}

// AtMost fails the test if work takes more than limit times the processor time of other.
func AtMost(t testing.TB, limit int, name string, other, work func()) {
	t.Helper()
	var least, most time.Duration
	// The garbage collector's time depends on all live memory, so turn it off.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for attempt := range time.Duration(attempts) {
		runtime.GC()
		for most < (attempt+1)*enough && least < (attempt+1)*enough {
			// alternate, so that other load affects both
			least += of(other)
			most += of(work)
		}
		if most <= time.Duration(limit)*least {
			return
		}
	}
	t.Errorf("%s: %v of processor time instead of %v: expected at most %d times as much", name, most, least, limit)
}

// of returns the processor time of the work.
func of(work func()) time.Duration {
	start := spent()
	work()
	return spent() - start
}
