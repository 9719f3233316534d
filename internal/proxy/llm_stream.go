package proxy

import (
	"bytes"
	"io"
	"net/http"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// llmStream forwards a streamed answer. Text is forwarded at once; the events of a call are held
// until the call is complete and has been inspected.
type llmStream struct {
	*llmExchange
	closer io.Closer
	blocks blockReader
	frames io.Reader // replaces blocks for an Amazon event stream
	flow   llmFlow   // nil until the format is known
	format string

	part  []byte // data not inspected yet
	nth   int    // number of events in part
	heard bool   // a part of the stream was inspected
	held  []*llmEvent
	doc   wire.Doc

	out  []byte    // ready to be read
	err  error     // returned after out
	long bool      // an event that is too long is being forwarded
	tail io.Reader // the rest, forwarded without inspection; nil while the stream is inspected

	begun bool   // something was returned
	early []byte // events before the first one with a known format, if they are kept
	due   bool   // inspect part once out has been returned
}

// llmEvent is an event in a stream.
type llmEvent struct {
	block
	data []byte
	nth  int // index in the part that it is inspected with, or -1
}

// rewritten appends the event with its refused items replaced.
func (e *llmEvent) rewritten(dst []byte, said []replay.Said) []byte {
	if data := rewriteLLM(e.data, said); data != nil {
		return append(dst, withData(e.block, data)...)
	}
	return append(dst, e.raw...)
}

// byEvent groups items by the event that contains them.
func byEvent(said []replay.Said) map[int][]replay.Said {
	by := map[int][]replay.Said{}
	for _, s := range said {
		by[s.Event] = append(by[s.Event], s)
	}
	return by
}

// llmFlow assembles an answer from the stream events of one API.
type llmFlow interface {
	// take returns what to do with an event. doc contains its data.
	take(e *llmEvent, doc *wire.Doc) llmStep
	// decide applies the decisions about the held events.
	decide(said []replay.Said)
	// write appends what the agent gets instead of an event.
	write(dst []byte, e *llmEvent, doc *wire.Doc) []byte
}

// llmStep is the action to take for an event.
type llmStep uint8

const (
	passOn  llmStep = iota
	holdOn          // hold until the call is complete
	judgeIt         // inspect, together with everything held
)

// maxPart is the maximum size, in bytes, of the part of a stream that is recorded and inspected at a
// time if no event is held.
const maxPart = 256 << 10

func (s *llmStream) Close() error {
	s.blocks.close()
	if s.err == nil { // the agent is gone
		s.part, s.held = nil, nil
		s.finish()
		s.err = io.EOF
	}
	return s.closer.Close()
}

// Read returns the parts of the stream that may be forwarded.
func (s *llmStream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		switch {
		case s.due:
			s.due = false
			s.out = s.release(nil, false)
		case s.err != nil:
			return 0, s.err
		default:
			s.step()
		}
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	first := !s.begun
	s.begun = true
	for !first && n < len(p) && len(s.out) == 0 && s.err == nil && !s.due && s.blocks.ready() { // return data that arrived together in one read
		s.step()
		m := copy(p[n:], s.out)
		s.out, n = s.out[m:], n+m
	}
	return n, nil
}

// step reads the next block and decides what to forward.
func (s *llmStream) step() {
	switch {
	case s.tail != nil:
		s.forward()
		return
	case s.frames != nil:
		s.frame()
		return
	}
	b, err := s.blocks.next()
	switch {
	case err != nil:
		s.out = nil
		s.finish()
		s.err = err
	case b.kind == event:
		s.event(b)
	case b.kind == nothing && b.begins && (wire.BeginsLikeJSON(bytes.TrimPrefix(b.raw, []byte(markUTF8))) || s.wideCharset(b.raw) != ""):
		s.document(b)
	case b.kind == nothing:
		if s.out = b.raw; wire.AmbiguousEvent(b.raw, nil) && s.gate.refuses(s.scope(), wire.AmbiguousReason) {
			s.out = nil
		}
	case s.long || s.pass(tooLongReason(mcp.ServerToClient, s.gate.MaxMessage)):
		if !s.long { // held events come first
			s.out = s.release(nil, false)
		}
		s.out, s.long = append(s.out[:len(s.out):len(s.out)], b.raw...), !b.ends
	default:
		s.refuse(tooLongReason(mcp.ServerToClient, s.gate.MaxMessage) + ", and fail_closed is set")
	}
}

// forward forwards the next piece of the tail.
func (s *llmStream) forward() {
	p := make([]byte, smallBuffer)
	n, err := s.tail.Read(p)
	if s.out, s.err = p[:n], err; err != nil {
		s.finish()
	}
}

// refuse ends the stream with an error.
func (s *llmStream) refuse(why string) {
	s.out, s.part, s.held, s.early = s.failed(why), nil, nil, nil
	s.finish()
	s.err = io.EOF
}

// failed returns an error as an event in the stream.
func (s *llmStream) failed(why string) []byte {
	s.asked()
	why = "blocked by mcpscan: " + why
	if s.frames != nil {
		return wire.AppendEventFrame(nil, "exception", "modelStreamErrorException", bedrockShape.body(http.StatusBadGateway, why))
	}
	return shapeOf(s.llmExchange.format, s.in.URL.Path).event(why)
}

// event handles an event.
func (s *llmStream) event(b block) {
	data := wire.SSEEventIn(b.raw, b.begins).Data
	if wire.AmbiguousEvent(b.raw, data) && s.gate.refuses(s.scope(), wire.AmbiguousReason) {
		s.refuse(wire.AmbiguousReason)
		return
	}
	s.inspect(b, bytes.TrimSpace(data), b.raw)
}

// inspect handles an event with this data. recorded is the event in server-sent form.
func (s *llmStream) inspect(b block, data, recorded []byte) {
	e := &llmEvent{block: b, data: data, nth: s.nth}
	err, lenient := s.doc.Parse(e.data), false
	if err != nil {
		err = s.doc.Parse(wire.Lenient(e.data))
		lenient = err == nil
	}
	switch {
	case wire.ExceedsLimit(err) && s.gate.refuses(s.scope(), exceeding.Reason):
		s.refuse(exceeding.Reason)
		return
	case lenient && !s.pass(notJSON):
		s.refuse(notJSON + ", and fail_closed is set")
		return
	case lenient:
		e.data = s.doc.Data
		recorded = withData(block{raw: recorded, begins: b.begins}, e.data)
	}
	s.part, s.nth = append(s.part, recorded...), s.nth+1
	valid := err == nil
	if s.flow == nil && valid {
		s.known(e.data)
	}
	step := passOn
	if s.flow != nil && !s.gate.Observe {
		if !valid {
			s.doc.SetText(e.data)
		}
		if step = s.flow.take(e, &s.doc); step == passOn && !b.ends && s.frames == nil && len(s.held) > 0 {
			step = holdOn // the stream ends within this event, so nothing may follow it
		}
	}
	switch {
	case step == passOn && s.flow != nil && !s.gate.Observe:
		e.nth = -1 // it is not in the next part to inspect
		s.out = s.flow.write(nil, e, &s.doc)
	case step == passOn:
		s.out = b.raw
	case step == holdOn:
		s.out = nil
		s.hold(e)
	default:
		s.out = nil
		s.hold(e)
		s.due = true
	}
	s.due = s.due || len(s.part) > maxPart && len(s.held) == 0
	s.wait()
}

// wait holds events back until one identifies the format, if streams in unknown formats are
// refused.
func (s *llmStream) wait() {
	switch {
	case s.flow != nil:
		s.out, s.early = append(s.early, s.out...), nil
	case s.mustKnow():
		if s.early, s.out = append(s.early, s.out...), nil; len(s.early) > maxPart {
			s.refuse(unknownStream + ", and fail_closed is set")
		}
	}
}

// mustKnow reports whether a stream in an unknown format is refused.
func (s *llmStream) mustKnow() bool {
	return s.gate.FailClosed && !s.gate.Observe && s.asked() == "" && s.llmExchange.format != "" && s.mayCall()
}

const unknownStream = "a provider stream in an unknown format"

// hold keeps a copy of an event, because the memory of its block is reused.
func (s *llmStream) hold(e *llmEvent) {
	e.raw, e.data = bytes.Clone(e.raw), bytes.Clone(e.data)
	s.held = append(s.held, e)
}

// release inspects the pending part of the stream, and appends what the agent gets instead of
// the held events.
func (s *llmStream) release(dst []byte, final bool) []byte {
	if s.flow == nil && s.format == "" {
		s.part, s.nth = nil, 0
		return dst
	}
	part := s.part
	if part == nil {
		part = []byte{}
	}
	s.asked()
	said, unread := s.inspectMessage(&replay.LLMMessage{Session: s.session, Request: s.id, Dialect: replay.Dialect(s.format), Answer: true, SSE: part, More: !final}, s.given)
	s.part, s.nth, s.heard = nil, 0, true
	if unread != "" && !s.pass("a model response was not inspected: "+unread) {
		why := unread + ", and fail_closed is set"
		if !final {
			s.refuse(why)
			return s.out
		}
		s.held = nil
		return append(dst, s.failed(why)...)
	}
	if s.flow == nil || s.gate.Observe {
		return dst
	}
	s.flow.decide(said)
	for _, e := range s.held {
		if s.doc.Parse(e.data) != nil {
			s.doc.SetText(e.data)
		}
		dst = s.flow.write(dst, e, &s.doc)
	}
	s.held = nil
	return dst
}

// finish inspects the rest of the stream at its end.
func (s *llmStream) finish() {
	if s.flow != nil || s.heard {
		s.out = s.release(s.out, true)
		return
	}
	if s.asked(); s.part != nil && s.llmExchange.format != "" {
		s.pass(unknownStream)
		if s.early != nil {
			s.early, s.out = nil, s.failed(unknownStream+", and fail_closed is set")
		}
	}
}

// known chooses the format of a stream if an event's data identifies it.
func (s *llmStream) known(data []byte) {
	switch format := replay.Knows(data); replay.Dialect(format) {
	case "gemini":
		s.flow, s.format = &geminiFlow{}, format
		if format == interactionStream {
			s.flow = &interactionFlow{*newAnthropicFlow()}
		}
	case "anthropic":
		s.flow, s.format = newAnthropicFlow(), format
	case "openai-responses":
		s.flow, s.format = newResponsesFlow(), format
	default:
		switch format {
		case chatStream:
			s.flow, s.format = newChatFlow(), format
		case converseStream:
			s.flow, s.format = &converseFlow{*newAnthropicFlow(), map[string]bool{}}, format
		}
	}
}

// chatStream is the name of the format of Chat Completions streams.
const chatStream = "an OpenAI Chat Completions stream"

// isError reports whether a body is an error from a provider.
func isError(body []byte) bool {
	v, err := wire.Skim(body, wire.MaxNodes)
	return err == nil && v.Get("error").Kind() > wire.Null
}

// unjudged returns the decision about a call that is incomplete or unreadable. Such a call is refused
// because its effect is unknown.
func unjudged(name string) *replay.Said {
	return &replay.Said{Name: name, Decision: scanner.Decision{Verdict: scanner.Block, Check: scanner.RegistryCheck, Reason: "the call is incomplete or could not be inspected"}}
}

// appendEvent appends an event with this name and data.
func appendEvent(dst []byte, name, data string) []byte {
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	return append(append(append(dst, "data: "...), data...), "\n\n"...)
}

// raw returns a member's raw value, or "" if there is none.
func raw(doc *wire.Doc, n int, key string) string {
	if m := doc.Get(n, key); m >= 0 {
		return string(doc.Raw(m))
	}
	return ""
}

func str(doc *wire.Doc, n int, key string) string {
	s, _ := doc.Str(n, key)
	return s
}
