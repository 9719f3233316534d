package scanner

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Live decides on messages on open connections one at a time, and remembers what it needs for later
// ones. It is safe for concurrent use. Messages are inspected in parallel and judged one at a time,
// each in the session and for the server named in its event.
//
// Messages are judged in the order in which they arrive, without sorting them by time.
type Live struct {
	inspectors chan *Inspector // idle inspectors

	mu    sync.Mutex
	judge *judge
}

// Live returns a Live that has not seen any message yet.
func (e *Engine) Live() *Live {
	l := &Live{inspectors: make(chan *Inspector, e.options.Workers), judge: newJudge(e)}
	l.judge.withholding = &withholding{refused: map[withheldKey]Decision{}, blocked: map[mcp.DefinitionKey]*Finding{}, listed: map[mcp.DefinitionKey]mcp.Digest{}}
	return l
}

// Withholds reports whether findings, or changes to definitions, can make the engine withhold
// definitions or refuse results. If not, the engine refuses only what a policy or a session rule
// refuses.
func (l *Live) Withholds() bool {
	e := l.judge.engine
	return e.options.Blocks != nil || e.pins && e.options.Pinning.OnChange == Block
}

// Step judges one event. It does not wait for later events or the end of the input. After it
// returns, the caller owns the frame, the event and the outcome.
func (l *Live) Step(e *Event) *Outcome {
	facts := &Facts{}
	if e.Kind != SharedEvent { // inspected on the other connection
		facts = l.inspect(e)
	}
	out := l.decide(e, facts)
	out.place(e.Frame)
	return &out
}

// decide acquires the lock and judges an event on the basis of its facts. The outcome is not reused.
func (l *Live) decide(e *Event, facts *Facts) Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.judge
	e.Seq, j.found.all, j.out = j.seq+1, nil, Outcome{}
	return *j.judge(e, facts)
}

// inspect inspects an event with an inspector that is not in use elsewhere.
func (l *Live) inspect(e *Event) *Facts {
	var in *Inspector
	select {
	case in = <-l.inspectors:
	default:
		in = l.judge.engine.NewInspector()
		in.spare = cap(l.inspectors) > 1
	}
	facts := in.Inspect(e)
	if e.Unmasked != nil {
		in.inspectUnmasked(e, facts)
	}
	e.tree = nil // the tree belongs to the inspector
	in.forget()
	select {
	case l.inspectors <- in:
	default: // there are enough idle inspectors
	}
	return facts
}

// Result returns the result for the messages so far.
func (l *Live) Result() Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.judge.result()
}
