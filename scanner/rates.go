package scanner

import (
	"cmp"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Limits holds the limits on a session's calls. Zero means the value in DefaultLimits.
type Limits struct {
	ReadThenSend time.Duration // time after a read within which a send on another server is reported
	Flow         time.Duration // the same for any other call
	AnyTurn      bool          // also report flows across turns
	BurstCalls   int           // maximum number of calls to one server within BurstWindow that are not a burst
	BurstWindow  time.Duration
	BlockBursts  bool                 // block every call beyond BurstCalls, even if no data can leave or the calls are parallel
	Rate         RateLimit            // for servers that are not in Rates
	Rates        map[string]RateLimit // by server; zero fields default to those of Rate

	// Category returns the category that the user's settings assign to a tool. Category is nil
	// if they do not assign any tool a category.
	Category func(server, tool string) (c capability.Category, said bool)
}

// RateLimit is a token bucket of size Burst that is refilled with CallsPerMinute tokens per
// minute. A call takes one token.
type RateLimit struct {
	CallsPerMinute int
	Burst          int
}

// DefaultLimits returns the limits from the agentsh documentation.
func DefaultLimits() Limits {
	return Limits{ReadThenSend: 30 * time.Second, Flow: 30 * time.Second, BurstCalls: 10, BurstWindow: 5 * time.Second,
		Rate: RateLimit{CallsPerMinute: 100, Burst: 10}}
}

// MostCalls is the maximum that users can set for a limit on the number of calls.
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

// of returns a server's rate limit.
func (l *Limits) of(server string) RateLimit { return l.Rates[server].or(l.Rate) }

func (r RateLimit) or(d RateLimit) RateLimit {
	return RateLimit{cmp.Or(r.CallsPerMinute, d.CallsPerMinute), cmp.Or(r.Burst, d.Burst)}
}

// window returns how long a session's calls are remembered.
func (l *Limits) window() time.Duration { return max(l.ReadThenSend, l.Flow) }

// bucket counts the calls to one server against its rate limit. Its level is counted in fractions
// of a token. Each nanosecond adds CallsPerMinute fractions, so there is no rounding.
type bucket struct {
	started bool
	low     bool // it was empty, and has not been full since
	level   int64
	newest  time.Time
}

// aToken is the number of units in a token: one for each nanosecond of a minute.
const aToken = int64(time.Minute)

// take takes a token for a call, unless the call was refused. It reports whether there was no
// token, and whether this is the first such call since the bucket was last full. A late call does
// not refill the bucket: it finds the level that the newest call left.
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

// recent holds the times and locations of a server's last calls, up to the burst limit.
type recent struct {
	calls queue[stamp] // sorted by time
	over  bool         // the last call exceeded the limit
}

type stamp struct {
	when  time.Time
	at    Location
	id    string // of its request; "" if there is none
	open  bool   // it has no answer yet
	alone bool   // it began while no other call was open
}

// busy reports whether a call that began at the given time or later is open. It ignores earlier
// calls, which may never be answered.
func (r *recent) busy(from time.Time) bool {
	for _, s := range slices.Backward(r.calls.all()) {
		if s.when.Before(from) {
			break
		}
		if s.open {
			return true
		}
	}
	return false
}

// settle records that the call with an id was answered or blocked.
func (r *recent) settle(id string) {
	calls := r.calls.all()
	for i := range calls {
		if calls[i].id == id {
			calls[i].open = false
		}
	}
}

// parallel reports whether at most half of the last calls began while no other one was open.
func (r *recent) parallel() bool {
	alone, calls := 0, r.calls.all()
	for i := range calls {
		if calls[i].alone {
			alone++
		}
	}
	return 2*alone <= len(calls)
}

// add records a call unless it was refused. It reports whether the call exceeds the limit, whether
// it is the first of consecutive calls to do so, and where the burst began.
func (r *recent) add(s stamp, l *Limits, refused bool) (over, first bool, began Location) {
	from, calls := s.when.Add(-l.BurstWindow), r.calls.all()
	n := len(calls)
	within := 0
	if n == l.BurstCalls && !calls[n-1].when.After(s.when) {
		if !calls[0].when.Before(from) {
			within, began = n, calls[0].at
		}
	} else if n == l.BurstCalls { // for an older call, only those before it count
		for i := n - 1; i >= 0 && !calls[i].when.Before(from); i-- {
			if !calls[i].when.After(s.when) {
				within, began = within+1, calls[i].at
			}
		}
	}
	over = within >= l.BurstCalls
	first, r.over = over && !r.over, over
	if !refused {
		for len(calls) > 0 && calls[0].when.Before(from.Add(-l.BurstWindow)) { // drop calls that are too old to compare with any late call
			r.calls.drop()
			calls = calls[1:]
		}
		r.calls.insert(s, l.BurstCalls, func(o stamp) bool { return o.when.After(s.when) })
	}
	return over, first, began
}

// MessageClass classifies unsolicited messages by their effect on the receiver.
type MessageClass uint8

// The classes. Plain applies to notifications that belong to no other class.
const (
	Plain   MessageClass = iota // the message is read, displayed or logged
	Relists                     // the message makes the client request a list or a resource again
	Asks                        // the message puts a question to a person or a model
	messageClasses
)

// Limit returns how many messages of the class a server may send. A person needs several
// seconds per question, clients need not read a list more often than once a second, and a
// log that people follow has fewer than a hundred lines per second.
func (c MessageClass) Limit() RateLimit {
	switch c {
	case Asks:
		return RateLimit{CallsPerMinute: 10, Burst: 10}
	case Relists:
		return RateLimit{CallsPerMinute: 60, Burst: 60}
	}
	return RateLimit{CallsPerMinute: 6000, Burst: 1000}
}

// classOf returns the class of a server's message, or false if it does not count towards
// floods.
func classOf(m *Message) (c MessageClass, ok bool) {
	switch {
	case m.Kind == mcp.Request && requestSubject(m.Method) != mcp.NoSubject:
		return Asks, true
	case m.Kind != mcp.Notification:
		return 0, false
	case len(announcements[m.Method]) > 0, m.Method == "notifications/resources/updated":
		return Relists, true
	}
	return Plain, true
}

// Flood reports whether, since the server's bucket was last full, the current message is the first
// of its class that finds no token. It must be called only once per message.
func (p *JudgePass) Flood() (c MessageClass, first bool) {
	if p.Direction != mcp.ServerToClient || p.Now.IsZero() {
		return 0, false
	}
	c, ok := classOf(p.Message.Message)
	if !ok {
		return 0, false
	}
	if p.Server.floods == nil {
		p.Server.floods = new([messageClasses]bucket)
	}
	_, first = p.Server.floods[c].take(p.Now, c.Limit(), false)
	return c, first
}
