package proxy

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// holding lets an event stream continue while some of its events are held. Questions to the client,
// held events once decided, notifications about changed lists, and the answers to refused posts of
// HTTP+SSE are sent between the server's events. holding needs no limit of its own: at most maxHeld
// events are held at a time, none are read from the server while the client reads nothing, each
// notification is queued only once, and each post waits until its answer is taken.
type holding struct {
	blocks  chan nextBlock // the next block from the server, read on another goroutine
	reading bool           // that goroutine is running; only it uses the block reader
	ended   bool           // the server sends no more blocks
	cut     bool           // its last block is not complete: no event can follow
	cancel  func()
	ctx     context.Context // ends with the stream or the proxy
	answers chan []byte     // events with the answers to refused posts of HTTP+SSE
	listens bool            // the proxy may send something at any time, because the stream belongs to no request

	mu    sync.Mutex
	count int           // undecided events
	ready []insertion   // to be sent next
	wake  chan struct{} // signals that ready or count changed
}

type nextBlock struct {
	block
	err error
}

// insertion is what the proxy itself adds to the stream: a question, a notification, or the outcome of
// a held event.
type insertion struct {
	raw     []byte
	about   *scanner.Outcome // outcome for the held event that was decided, otherwise nil
	refused bool
}

func newHolding(s *stream) *holding {
	h := &holding{blocks: make(chan nextBlock, 1), wake: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(s.in.Context())
	stop := context.AfterFunc(s.HTTP.ctx, cancel)
	h.ctx, h.cancel = ctx, func() { stop(); cancel() }
	return h
}

// add queues an insertion for the client. done means that a held event was decided.
func (h *holding) add(part insertion, done bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if done {
		h.count--
	}
	h.ready = append(h.ready, part)
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// first removes and returns the next insertion in the queue, unless the server is in the
// middle of an event. waits is true if any was queued or any event is undecided.
func (h *holding) first() (part *insertion, waits bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if waits = h.count+len(h.ready) > 0; len(h.ready) == 0 || h.cut && !h.ended {
		return nil, waits
	}
	part, h.ready = &h.ready[0], h.ready[1:]
	if h.cut {
		h.cut, part.raw = false, append([]byte("\n\n"), part.raw...)
	}
	return part, waits
}

// announce queues a notification for the client, unless the same one is already queued.
func (h *holding) announce(message []byte) {
	raw := appendMessage(nil, message)
	h.mu.Lock()
	waits := slices.ContainsFunc(h.ready, func(part insertion) bool { return bytes.Equal(part.raw, raw) })
	h.mu.Unlock()
	if !waits {
		h.add(insertion{raw: raw}, false)
	}
}

// next returns the next block from the server, or the next insertion from the proxy, whichever comes
// first. While events are held, and always in the response to a GET, another goroutine reads from the
// server, so that what the proxy sends need not wait for the server's next event. If the server ends
// the stream meanwhile, next returns io.EOF after the last outcome.
func (s *stream) next() (b block, part *insertion, err error) {
	h := s.holding
	if h == nil {
		b, err = s.blocks.next()
		return b, nil, err
	}
	for {
		part, waits := h.first()
		switch {
		case part != nil:
			return block{}, part, nil
		case h.ended && !waits:
			return block{}, nil, io.EOF
		case !waits && !h.reading && !h.listens:
			b, err := s.blocks.next()
			h.cut = !b.complete()
			return b, nil, err
		case !h.ended && !h.reading:
			h.reading = true
			go func() {
				b, err := s.blocks.next()
				h.blocks <- nextBlock{b, err}
			}()
		}
		answers := h.answers
		if h.cut {
			answers = nil
		}
		select {
		case n := <-h.blocks:
			h.reading = false
			if n.err != io.EOF {
				h.cut = !n.complete()
				return n.block, nil, n.err
			}
			h.ended = true
		case <-h.wake:
		case raw := <-answers:
			return block{}, &insertion{raw: raw}, nil
		}
	}
}

// insert sends the client an insertion.
func (s *stream) insert(p *insertion) {
	s.out = p.raw
	if p.about != nil {
		s.answered(p.about)
		s.lost = s.lost || p.refused && unreadable(p.about)
	}
}

// close stops waiting for answers and releases the block reader.
func (h *holding) close(blocks *blockReader) {
	h.cancel()
	if !h.reading {
		blocks.close()
		return
	}
	go func() {
		<-h.blocks // comes soon, because the body is closed
		blocks.close()
	}()
}

// hold holds an event until it is allowed or refused. Its ID is forwarded at once: if the ID were sent
// with the event, after later events, it would set the client's position back, and a client that resumes
// would get the later events twice.
func (s *stream) hold(b block, out *scanner.Outcome, frame []byte) {
	if s.holding == nil {
		s.holding = newHolding(s)
	}
	h := s.holding
	var raw []byte
	s.out, raw = withoutPosition(b)
	q := questionOf(&s.at, mcp.ServerToClient, frame, len(raw), out)
	var client asker
	if who := s.client(); s.at.transport == "http" && s.readsEvents() && s.elicits.able(who) {
		client = func(ctx context.Context, q *Question) (bool, bool) {
			return s.elicits.ask(ctx, q, who, func(m []byte) { h.add(insertion{raw: appendMessage(nil, m)}, false) })
		}
	}
	x, at := *s.exchange, s.at // copies, because an endpoint event changes both
	h.mu.Lock()
	h.count++
	h.mu.Unlock()
	s.answers.Go(func() {
		allowed, waits := s.gate.wait(h.ctx, q, client)
		if allowed {
			h.add(insertion{raw: raw, about: out}, true)
			return
		}
		sender, receiver := answers(out)
		if waits {
			x.tell(&at, s.head, sender)
		}
		if receiver != nil {
			receiver = appendMessage(nil, receiver)
		}
		h.add(insertion{receiver, out, true}, true)
	})
}

// withoutPosition moves the id and retry lines of an event to an event without data. position is
// nil if there are none.
func withoutPosition(b block) (position, rest []byte) {
	raw := b.raw
	if b.begins {
		raw = bytes.TrimPrefix(raw, []byte(markUTF8))
	}
	for len(raw) > 0 {
		line, end, after := cutLine(raw)
		switch name, _, _ := bytes.Cut(line, []byte(":")); string(name) {
		case "id", "retry":
			position = b.raw
		default:
			rest = append(append(rest, line...), end...)
		}
		raw = after
	}
	if position != nil {
		position = withData(b, nil)
	}
	if !(&block{raw: rest, kind: event}).complete() {
		rest = append(rest, "\n\n"...)
	}
	return position, rest
}
