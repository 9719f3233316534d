package servers

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// Listing configures how servers are listed.
type Listing struct {
	Declared   *policy.Lists // servers declared in mcpscan.yaml, with their environments; nil for none
	InheritEnv bool          // servers get the whole environment
	Named      []string      // variables that the command line passes on to the server

	Known    Known // identities to compare servers with
	Separate bool  // rename a server that reports the name of a different known server
	Block    bool  // do not start a server whose file is not known to be the approved one

	ClientName string
	Version    string // version of mcpscan, sent with its own client name
	Compare    bool   // each server is listed under two client names

	MaxMessage   int64         // in bytes
	StartTimeout time.Duration // until the first response
	StepTimeout  time.Duration // until each later response
	Timeout      time.Duration // for one server, from its start to its last list

	listed func()          // if set, called after a server was listed; the server is then watched for changes to its tools
	Until  <-chan struct{} // closing it stops the watch
}

// session is the session name of a listing. A second listing under another client name adds a suffix.
const session = "scan"

// Watcher receives the progress of a listing.
type Watcher struct {
	Record func(*scanner.Event) // called with each event in order, and may set its location; nil for none
	Asked  func()               // called after each server was listed
	Done   func(lacks string)   // called at the end; lacks describes the variables that servers did not get
}

// Source yields the given events, and then those of each target. The targets are listed in parallel.
func (l *Listing) Source(ctx context.Context, events []*scanner.Event, targets []Target, d *Disk, w Watcher) scanner.Source {
	feed := newFeed(targets, w.Record)
	go func() {
		defer close(feed.out)
		feed.sendAll(events)
		defer feed.hurryBefore(ctx)()
		var wg sync.WaitGroup
		missing := make([]missed, len(targets))
		for i, t := range targets {
			wg.Go(func() {
				defer feed.lanes[i].end()
				missing[i] = l.ask(ctx, t, feed.lanes[i], d)
				w.Asked()
			})
		}
		wg.Wait()
		w.Done(describeMissed(missing))
	}()
	return liveSource(feed.out)
}

// Watch sends the given events, lists the targets in parallel, sends endMarker, and watches the targets
// until l.Until is closed. If ctx is done before all targets are listed, Watch stops at once.
func (l *Listing) Watch(ctx context.Context, events []*scanner.Event, targets []Target, d *Disk, endMarker *scanner.Event) <-chan *scanner.Event {
	feed := newFeed(targets, nil)
	go func() {
		defer close(feed.out)
		feed.sendAll(events)
		running, interrupt := context.WithCancelCause(context.WithoutCancel(ctx))
		defer interrupt(nil)
		begun := context.AfterFunc(ctx, func() { interrupt(context.Cause(ctx)) })
		var listed, ended sync.WaitGroup
		for i, t := range targets {
			listed.Add(1)
			one := *l
			one.listed = sync.OnceFunc(func() {
				feed.lanes[i].end()
				listed.Done()
			})
			ended.Go(func() {
				defer one.listed()
				one.ask(running, t, feed.lanes[i], d)
			})
		}
		listed.Wait()
		begun()
		feed.out <- endMarker
		ended.Wait()
	}()
	return feed.out
}

// liveSource is a source that returns one event per chunk.
type liveSource <-chan *scanner.Event

func (s liveSource) Next() (scanner.Chunk, error) {
	e, ok := <-s
	if !ok {
		return nil, io.EOF
	}
	return single{e}, nil
}

// single is a chunk of one event.
type single struct{ event *scanner.Event }

func (s single) Events(yield func(*scanner.Event)) { yield(s.event) }
func (s single) Release()                          {}

// Punctual reports whether no later event can have an earlier time: the event is a message, and the feed
// assigns times to messages in order.
func (s single) Punctual() bool { return s.event.Kind == scanner.FrameEvent }
