package scanner

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Source provides events in chunks that can be read independently.
type Source interface {
	// Next returns the next chunk, or io.EOF. It is called from one goroutine.
	Next() (Chunk, error)
}

// Chunk is a piece of input. Events is called once, on any goroutine, and must not depend on
// the contents of other chunks; an event and its frame stay valid until Release.
type Chunk interface {
	Events(yield func(*Event))
	Release()
}

// Sink receives events and findings in the order in which they are judged, from a single goroutine.
// The arguments of its methods are valid only during the call, but findings may be kept.
type Sink interface {
	Event(*Event, *Outcome) error
	Finding(*Finding) error
}

// Result contains the results of a run, except the findings.
type Result struct {
	Stats    Stats
	Coverage Coverage
	Bounds   []Bound // how much of each limit shared by all sessions was used
}

// Add merges the result of another run into r.
func (r *Result) Add(other Result) {
	s, c := &r.Stats, &r.Coverage
	s.Servers, s.Tools, s.Sessions, s.Calls = s.Servers+other.Stats.Servers, s.Tools+other.Stats.Tools, s.Sessions+other.Stats.Sessions, s.Calls+other.Stats.Calls
	c.Events, c.Inspected = c.Events+other.Coverage.Events, c.Inspected+other.Coverage.Inspected
	c.Noise, c.Evicted = c.Noise+other.Coverage.Noise, c.Evicted+other.Coverage.Evicted
	c.Skipped, c.Ignored = append(c.Skipped, other.Coverage.Skipped...), append(c.Ignored, other.Coverage.Ignored...)
}

// batch is a chunk on its way from the source through a worker to the judge. Once its events have
// been judged, its memory is reused for another chunk.
type batch struct {
	chunk  Chunk
	events []*Event
	facts  []*Facts
	values []Value       // the values of all its messages
	done   chan struct{} // receives when the events have been inspected
	left   int           // events not judged yet
	size   int           // size of the chunk in memory
	bytes  int           // total memory kept by the batch
}

// batches is a pool of batches.
type batches struct{ pool sync.Pool }

func (p *batches) get(c Chunk) *batch {
	b, _ := p.pool.Get().(*batch)
	if b == nil {
		b = &batch{done: make(chan struct{}, 1)}
	}
	b.chunk = c
	return b
}

// maxReused is the maximum number of events, and of values, of a batch whose memory is reused. A chunk
// has about 20 events, or far more if its lines are very short.
const maxReused = 1024

func (p *batches) put(b *batch) {
	if len(b.facts) > maxReused || len(b.values) > maxReused {
		return
	}
	for _, f := range b.facts {
		f.reset()
	}
	clear(b.events)
	clear(b.values)
	b.chunk, b.events, b.facts, b.values, b.size, b.bytes = nil, b.events[:0], b.facts[:0], b.values[:0], 0, 0
	p.pool.Put(b)
}

// next returns the facts to fill for the next event.
func (b *batch) next() *Facts {
	n := len(b.facts)
	if n == cap(b.facts) || b.facts[:n+1][n] == nil {
		b.facts = append(b.facts, &Facts{Messages: make([]Message, 0, 1)})
	}
	b.facts = b.facts[:n+1]
	return b.facts[n]
}

// maxAhead bounds the bytes that are read but not yet inspected. It is needed because a chunk can
// be one long line, and each worker holds a chunk.
const maxAhead = 32 << 20

// ahead counts the bytes that were read but not inspected yet.
type ahead struct {
	changed sync.Cond
	bytes   int
}

// wait blocks until more may be read.
func (a *ahead) wait() {
	a.changed.L.Lock()
	defer a.changed.L.Unlock()
	for a.bytes > maxAhead {
		a.changed.Wait()
	}
}

// add counts n bytes as read or, if n is negative, -n bytes as inspected.
func (a *ahead) add(n int) {
	a.changed.L.Lock()
	defer a.changed.L.Unlock()
	a.bytes += n
	a.changed.Signal()
}

// Run inspects and judges everything from src. The order of judging depends only on the input, so
// the result and the calls to the sinks do not depend on the number of workers. An error from the
// source or a sink ends the run; the result then covers what was judged before.
func (e *Engine) Run(ctx context.Context, src Source, sinks ...Sink) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan *batch, e.options.Workers)
	ordered := make(chan *batch, 2*e.options.Workers)
	var readErr error
	var wg sync.WaitGroup
	ahead := &ahead{changed: sync.Cond{L: new(sync.Mutex)}}
	pool := &batches{}
	wg.Go(func() {
		defer close(work)
		defer close(ordered)
		readErr = read(ctx, src, ahead, pool, work, ordered)
	})
	for range e.options.Workers {
		wg.Go(func() { e.inspect(work) })
	}
	j := newJudge(e)
	sinkErr := j.run(ordered, ahead, pool, sinks, cancel)
	wg.Wait()
	return j.result(), errors.Join(sinkErr, readErr)
}

func read(ctx context.Context, src Source, ahead *ahead, pool *batches, work, ordered chan<- *batch) error {
	for ctx.Err() == nil {
		ahead.wait()
		chunk, err := src.Next()
		if chunk != nil {
			b := pool.get(chunk)
			if c, ok := chunk.(sized); ok {
				b.size = c.Size()
			}
			ahead.add(b.size)
			ordered <- b
			work <- b
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (e *Engine) inspect(work <-chan *batch) {
	in := e.NewInspector()
	for b := range work {
		in.kept = b.values
		b.chunk.Events(func(ev *Event) {
			b.events = append(b.events, ev)
			in.inspectBoth(ev, b.next())
			ev.tree = nil // the tree belongs to the worker
		})
		b.values = in.kept
		b.done <- struct{}{}
	}
}

// result returns the result for the events so far.
func (j *judge) result() Result {
	return Result{Stats: j.stats, Coverage: j.coverage.result(), Bounds: j.bounds()}
}

// run judges batches until there are no more. After an error from a sink, it receives the remaining
// batches without judging them, so that all workers terminate.
func (j *judge) run(ordered <-chan *batch, ahead *ahead, pool *batches, sinks []Sink, cancel func()) (failed error) {
	o := newOrder(pool)
	judge := func(e *Event, facts *Facts) {
		if failed != nil {
			return
		}
		if failed = j.deliver(e, facts, sinks); failed != nil {
			cancel()
		}
	}
	for b := range ordered {
		<-b.done
		ahead.add(-b.size)
		o.feed(b, judge)
	}
	o.flush(judge)
	return failed
}

func (j *judge) deliver(e *Event, facts *Facts, sinks []Sink) error {
	out := j.judge(e, facts)
	if e.Kind == SharedEvent {
		return nil
	}
	for _, s := range sinks {
		if err := s.Event(e, out); err != nil {
			return err
		}
		for i := range out.Findings {
			if err := s.Finding(&out.Findings[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
