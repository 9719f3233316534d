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
	approvals  sync.RWMutex    // held for reading during a step, because its parts must use the same approvals

	mu    sync.Mutex
	judge *judge
}

// Live returns a Live that has not seen any message yet.
func (e *Engine) Live() *Live {
	l := &Live{inspectors: make(chan *Inspector, e.options.Workers), judge: newJudge(new(*e))} // a copy, because Renew changes it
	l.judge.withholding = &withholding{refused: map[withheldKey]refusedDefinition{}, blocked: map[mcp.DefinitionKey]*Finding{}, listed: map[mcp.DefinitionKey]mcp.Digest{}}
	return l
}

// Withholds reports whether findings, or changes to definitions, can make the engine withhold
// definitions or refuse results. If not, the engine refuses only what a policy or a session rule
// refuses.
func (l *Live) Withholds() bool {
	e := l.judge.engine
	return e.options.Blocks != nil || e.pins && e.options.Pinning.OnChange == Block
}

// Renew makes l compare later events with the approved definitions of e, which must not differ from l's
// engine in anything else. It returns, for each server, the kinds of the definitions that l withheld
// because nobody had approved them, and that e approves. Requests for these are refused until the server
// lists them again, because their text may have been withheld for another reason as well.
func (l *Live) Renew(e *Engine) (released map[string][]mcp.SubjectKind) {
	l.approvals.Lock()
	defer l.approvals.Unlock()
	l.judge.engine.comparison = e.comparison
	return l.judge.withholding.released(e.approved)
}

// Step judges one event. It does not wait for later events or the end of the input. After it
// returns, the caller owns the frame, the event and the outcome.
func (l *Live) Step(e *Event) *Outcome {
	l.approvals.RLock()
	defer l.approvals.RUnlock()
	facts := &Facts{}
	if e.Kind != SharedEvent { // a SharedEvent was inspected on the other connection
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
	facts := &Facts{}
	in.inspectBoth(e, facts)
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
