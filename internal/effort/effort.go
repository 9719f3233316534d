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
	// enough is the minimum total processor time of the runs on each of the two inputs in the first
	// attempt. Some kernels count processor time in ticks of 10 ms, and cache contention distorts
	// short measurements, so a failed attempt is repeated with more time. Quadratic work fails
	// every time.
	enough   = 5 * time.Millisecond
	attempts = 32
	// memoryLimit is the memory size, in bytes, at which the garbage collector runs even though it
	// is turned off.
	memoryLimit = 1 << 30
)

// Linear fails the test if work for an input of this size takes far more processor time than work
// for smaller inputs that add up to the same size. Given a size, prepare creates the input, which
// is not measured, and returns the work. No other test in the process may run at the same time.
func Linear(t testing.TB, name string, size int, prepare func(size int) (work func())) {
	t.Helper()
	AtMost(t, tooMuch, fmt.Sprintf("%s: size %d, compared with %d times size %d", name, size, times, size/times), times, prepare(size/times), prepare(size))
}

// AtMost fails the test if work takes more than limit times as much processor time as the given
// number of runs of the function other. That function runs only as often as the measurement
// requires; its mean time is multiplied by the number of runs.
func AtMost(t testing.TB, limit int, name string, runs int, other, work func()) {
	t.Helper()
	var least, most average
	// Turn off the garbage collector, because its time depends on all live memory.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	other() // the first run may prepare what later runs reuse
	for attempt := range time.Duration(attempts) {
		runtime.GC()
		// alternate, so that other load affects both
		least.measure(other, (attempt+1)*enough)
		most.measure(work, (attempt+1)*enough)
		if most.times(1) <= time.Duration(limit)*least.times(runs) {
			return
		}
	}
	t.Errorf("%s: %v of processor time: expected at most %d times %v", name, most.times(1), limit, least.times(runs))
}

// average holds the number of runs of some work and the processor time that they took, to compute
// the mean.
type average struct {
	spent time.Duration
	runs  int
}

// measure repeats the work until its runs took at least the given time in total.
func (a *average) measure(work func(), enough time.Duration) {
	for n := 1; a.spent < enough; n *= 2 { // a growing number, because reading the clock takes time
		start := spent()
		for range n {
			work()
		}
		a.spent += spent() - start
		a.runs += n
	}
}

// times returns the processor time of the given number of runs.
func (a *average) times(runs int) time.Duration {
	return time.Duration(runs) * a.spent / time.Duration(a.runs)
}
