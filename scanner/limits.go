package scanner

import (
	"cmp"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
)

// Limits are the limits for calls of a session. Zero means the value in DefaultLimits.
type Limits struct {
	ReadThenSend time.Duration // how long after a read a send on another server is reported
	Flow         time.Duration // the same for any other call
	AnyTurn      bool          // flows are reported between turns as well
	BurstCalls   int           // calls of one server within BurstWindow that are no burst yet
	BurstWindow  time.Duration
	Rate         RateLimit            // of each server that is not in Rates
	Rates        map[string]RateLimit // by server; what is zero in one is that of Rate

	// Category returns the user's category of a tool; nil if the user sets none.
	Category func(server, tool string) (c capability.Category, said bool)
}

// RateLimit is a bucket of Burst tokens, into which CallsPerMinute fall. A call takes
// one.
type RateLimit struct {
	CallsPerMinute int
	Burst          int
}

// DefaultLimits returns the limits that the agentsh documentation sets.
func DefaultLimits() Limits {
	return Limits{ReadThenSend: 30 * time.Second, Flow: 30 * time.Second, BurstCalls: 10, BurstWindow: 5 * time.Second,
		Rate: RateLimit{CallsPerMinute: 100, Burst: 10}}
}

// MostCalls is the highest limit that is a number of calls.
const MostCalls = 100_000

// complete fills in the defaults.
func (l *Limits) complete() {
	d := DefaultLimits()
	l.ReadThenSend = cmp.Or(l.ReadThenSend, d.ReadThenSend)
	l.Flow = cmp.Or(l.Flow, d.Flow)
	l.BurstCalls = cmp.Or(l.BurstCalls, d.BurstCalls)
	l.BurstWindow = cmp.Or(l.BurstWindow, d.BurstWindow)
	l.Rate = l.Rate.or(d.Rate)
}

// of returns the rate limit of a server.
func (l *Limits) of(server string) RateLimit { return l.Rates[server].or(l.Rate) }

func (r RateLimit) or(d RateLimit) RateLimit {
	return RateLimit{cmp.Or(r.CallsPerMinute, d.CallsPerMinute), cmp.Or(r.Burst, d.Burst)}
}

// window is how long the calls of a session are remembered.
func (l *Limits) window() time.Duration { return max(l.ReadThenSend, l.Flow) }

// bucket counts the calls of one server against its rate limit. Its level is in fractions of a
// token, CallsPerMinute of which are added in each nanosecond, so that nothing is rounded.
type bucket struct {
	started bool
	low     bool // it was empty, and has not been full since
	level   int64
	newest  time.Time
}

// aToken has as many parts as a minute has nanoseconds.
const aToken = int64(time.Minute)

// take takes a token for a call, unless the call was refused. It reports a call that finds
// none, and the first of them since the bucket was full. A call older than an earlier one
// finds the level that that one left.
func (b *bucket) take(now time.Time, l RateLimit, refused bool) (empty, first bool) {
	full, each := int64(l.Burst)*aToken, int64(l.CallsPerMinute)
	switch {
	case !b.started:
		b.started, b.level, b.newest = true, full, now
	case now.After(b.newest):
		gone, missing := int64(now.Sub(b.newest)), full-b.level
		if gone > missing/each {
			b.level = full
		} else {
			b.level += gone * each
		}
		b.newest = now
	}
	if b.level == full {
		b.low = false
	}
	if b.level < aToken {
		first, b.low = !b.low, true
		return true, first
	}
	if !refused {
		b.level -= aToken
	}
	return false, false
}

// recent are the times of a server's last calls, as many as a burst may have.
type recent struct {
	calls queue[stamp] // by time
	over  bool         // the last call was one too many
}

type stamp struct {
	when time.Time
	at   Location
}

// add takes in a call, but not one that was refused. It reports a call that is one too
// many, the first of them since one was not, and where the burst began.
func (r *recent) add(s stamp, l *Limits, refused bool) (over, first bool, began Location) {
	from, calls := s.when.Add(-l.BurstWindow), r.calls.all()
	n := len(calls)
	within := 0
	if n == l.BurstCalls && !calls[n-1].when.After(s.when) {
		if !calls[0].when.Before(from) {
			within, began = n, calls[0].at
		}
	} else if n == l.BurstCalls { // an older one: only those before it count
		for i := n - 1; i >= 0 && !calls[i].when.Before(from); i-- {
			if !calls[i].when.After(s.when) {
				within, began = within+1, calls[i].at
			}
		}
	}
	over = within >= l.BurstCalls
	first, r.over = over && !r.over, over
	if !refused {
		for len(calls) > 0 && calls[0].when.Before(from.Add(-l.BurstWindow)) { // no late call is compared with it
			r.calls.drop()
			calls = calls[1:]
		}
		r.calls.insert(s, l.BurstCalls, func(o stamp) bool { return o.when.After(s.when) })
	}
	return over, first, began
}
