package servers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// feed passes on the events of servers that are listed in parallel, one server after the other. Rules
// about several servers report the one that is listed last, so the order must not depend on which server
// answers first. It assigns times, locations in a recording and order under one lock, so that all three
// agree. Its clock always advances, because events with equal times would have no order on replay.
type feed struct {
	mu     sync.Mutex
	moved  sync.Cond // signals that turn has changed
	out    chan *scanner.Event
	last   time.Time
	record func(*scanner.Event) // nil for none
	names  map[string]bool      // names of servers

	lanes []*lane // of the targets, in their order
	order []*lane // in the order in which their events are passed on
	turn  int     // index, in the field order, of the first lane that has not ended

	hurried bool // no lane waits
}

// lane passes on the events of one server. It holds them until all lanes before it have ended.
type lane struct {
	feed  *feed
	place int  // index in feed.order
	ended bool // the server was listed
	held  []*scanner.Event
	bytes int // total size of held

	unnamed bool   // no configuration names the server
	name    string // unique name of an unnamed server; "" until its first event is passed on
}

// maxHeld is the number of bytes of events that a lane holds before the server must wait. The lists of
// the largest published servers examined take 600 KiB.
const maxHeld = 16 << 20

// newFeed returns a feed for targets. It passes on the events of servers in the order of the servers'
// names, as in a lockfile, after those of servers whose names are still unknown.
func newFeed(targets []Target, record func(*scanner.Event)) *feed {
	f := &feed{out: make(chan *scanner.Event, 64), record: record, names: map[string]bool{}}
	f.moved.L = &f.mu
	named := map[*lane]string{}
	for _, t := range targets {
		l := &lane{feed: f, unnamed: t.Unnamed}
		if !t.Unnamed {
			named[l], f.names[t.Name] = t.Name, true
		}
		f.lanes = append(f.lanes, l)
	}
	f.order = slices.Clone(f.lanes)
	slices.SortStableFunc(f.order, func(a, b *lane) int { return strings.Compare(named[a], named[b]) })
	for i, l := range f.order {
		l.place = i
	}
	return f
}

// claim reserves and returns the requested name, or a similar one if it is taken.
func (f *feed) claim(name string) string {
	free := name
	for i := 2; f.names[free]; i++ {
		free = fmt.Sprintf("%s#%d", name, i)
	}
	f.names[free] = true
	return free
}

// sendAll passes on events with their own times.
func (f *feed) sendAll(events []*scanner.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range events {
		f.pass(e)
	}
}

func (f *feed) pass(e *scanner.Event) {
	if f.record != nil {
		f.record(e)
	}
	f.out <- e // the engine reads all events, even after an interrupt
}

// send passes on an event, or holds it until it is the lane's turn.
func (l *lane) send(e *scanner.Event) {
	f := l.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	e.Time = time.Now().UTC()
	for f.turn < l.place && l.bytes > maxHeld {
		f.moved.Wait()
	}
	if f.turn < l.place {
		l.held, l.bytes = append(l.held, e), l.bytes+len(e.Frame)+len(e.Unmasked)
		return
	}
	l.pass(e)
}

func (l *lane) pass(e *scanner.Event) {
	f := l.feed
	if l.unnamed {
		if l.name == "" {
			l.name = f.claim(e.Server)
		}
		e.Server, e.Origin = l.name, Endpoint(l.name)
	}
	if !e.Time.After(f.last) {
		e.Time = f.last.Add(1)
	}
	f.last = e.Time
	f.pass(e)
}

// end records that the lane's server was listed. Other servers do not wait for its later events.
func (l *lane) end() {
	f := l.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	l.ended = true
	f.advance()
}

// hurry stops waiting for servers: from now on, all events are passed on as they arrive.
func (f *feed) hurry() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hurried = true
	f.advance()
}

// advance moves on to the first lane that has not ended, and passes on what the lanes up to it hold.
func (f *feed) advance() {
	for f.turn < len(f.order) && (f.hurried || f.order[f.turn].ended) {
		f.turn++
		if f.turn == len(f.order) {
			break
		}
		next := f.order[f.turn]
		for _, e := range next.held {
			next.pass(e)
		}
		next.held = nil
	}
	f.moved.Broadcast()
}

// hurryBefore lets a feed hurry when nine tenths of the time until ctx's deadline have passed, if it has
// one: the engine must still judge what the other servers sent if one of them does not answer.
func (f *feed) hurryBefore(ctx context.Context) (stop func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return func() {}
	}
	timer := time.AfterFunc(time.Until(deadline)*9/10, f.hurry)
	return func() { timer.Stop() }
}
