package scanner

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Live decides about the messages of connections that are open, one at a time, and
// remembers what it needs for those behind them. It is safe for use by several
// goroutines: messages are inspected side by side, and judged one after the other, by the
// sessions and servers that their events name.
//
// It puts nothing in order: a message is judged when it comes.
type Live struct {
	inspectors chan *Inspector // that nobody uses

	mu    sync.Mutex
	judge *judge
}

// Live returns a Live with nothing in its memory.
func (e *Engine) Live() *Live {
	l := &Live{inspectors: make(chan *Inspector, e.workers), judge: newJudge(e)}
	l.judge.withholding = &withholding{refused: map[withheldKey]Decision{}, blocked: map[mcp.DefinitionKey]*Finding{}, listed: map[mcp.DefinitionKey]mcp.Digest{}}
	return l
}

// Step judges one event. It needs neither later events nor the end of the input. The frame and
// the event belong to the caller again when it returns, and so does the outcome.
func (l *Live) Step(e *Event) *Outcome {
	if e.Kind == SharedEvent { // somebody else has inspected it
		return l.decide(e, &Facts{})
	}
	out := l.decide(e, l.inspect(e))
	out.place(e.Frame)
	return out
}

// decide judges an event by its facts, when its turn comes.
func (l *Live) decide(e *Event, facts *Facts) *Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Seq = l.judge.seq + 1
	return l.judge.step(e, facts)
}

// inspect inspects an event with an inspector that nobody else uses at the same time.
func (l *Live) inspect(e *Event) *Facts {
	var in *Inspector
	select {
	case in = <-l.inspectors:
	default:
		in = l.judge.engine.NewInspector()
	}
	facts := in.Inspect(e)
	e.tree = nil // it belongs to the inspector
	in.forget()
	select {
	case l.inspectors <- in:
	default: // as many as there are cores lie ready
	}
	return facts
}

// Result returns the result of the messages so far.
func (l *Live) Result() Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.judge.result()
}

// step is judge with an outcome that stays as it is.
func (j *judge) step(e *Event, facts *Facts) *Outcome {
	j.found, j.out = nil, Outcome{}
	out := *j.judge(e, facts)
	return &out
}
