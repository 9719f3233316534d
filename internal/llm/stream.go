package llm

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// streams tracks the responses that arrive in pieces: open streams and incomplete calls.
type streams struct {
	running map[string]running
	parts   map[streamKey]*partial
	next    int
}

// running is a stream that has not ended.
type running struct {
	until string
	turn  string
	at    scanner.Origin
	order int
}

// streamKey identifies a part of a stream, such as a call.
type streamKey struct{ of, index string }

// partial is an incomplete call or result.
type partial struct {
	at         scanner.Origin
	raw        []byte // in an Anthropic stream: the block that starts the call
	id, name   []byte
	server     string // "" if the format does not name it
	args       []byte
	order      int
	over, free bool // args are over the limit, or are text and not JSON
	result     bool // not a call, but a result, each piece of which was read immediately
}

// maxStreams is the maximum number of open streams in a file, and of incomplete calls in them.
const maxStreams = 256

func (s *streams) start(key, until string, at scanner.Origin, turn string) bool {
	if len(s.running) >= maxStreams {
		return false
	}
	if s.running == nil {
		s.running = map[string]running{}
	}
	s.next++
	s.running[key] = running{until, turn, at, s.next}
	return true
}

func (s *streams) stop(key string) { delete(s.running, key) }

// open begins a call or a result at a view, and reports whether there is room for it.
func (r *Reader) open(key streamKey, at View, p *partial) bool {
	s := &r.streams
	if len(s.parts) >= maxStreams {
		r.skip(at, "more incomplete calls in streams than the limit of %d", maxStreams)
		return false
	}
	if s.parts == nil {
		s.parts = map[streamKey]*partial{}
	}
	s.next++
	p.at, p.order = at.Origin(), s.next
	s.parts[key] = p
	return true
}

func (s *streams) take(key streamKey) *partial {
	p := s.parts[key]
	delete(s.parts, key)
	return p
}

// of returns the parts of a stream in the order in which they began.
func (s *streams) of(stream string) []streamKey {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(s.parts)), func(k streamKey) bool { return k.of != stream })
	slices.SortFunc(keys, func(a, b streamKey) int { return cmp.Compare(s.parts[a].order, s.parts[b].order) })
	return keys
}

// grow appends to the arguments of an incomplete call.
func (r *Reader) grow(key streamKey, v View, more []byte) {
	p := r.streams.parts[key]
	switch {
	case p == nil:
		r.skip(v, "%s: a fragment of a call without its start", r.format)
	case p.over: // a later fragment must not seem to follow those before the omitted one
	case r.Max > 0 && int64(len(p.args)+len(more)) > r.Max:
		p.over = true
	default:
		p.args = append(p.args, more...)
	}
}

// joined returns the arguments of a call as one string.
func (r *Reader) joined(p *partial) View {
	if p.over {
		r.skipAt(p.at, "the arguments of a call exceed the limit of %d bytes (--max-message): the rest was not inspected", r.Max)
	}
	v, _ := r.quoted(p.at, wire.AppendString(nil, p.args))
	return v
}

// brokenBlocks emits the incomplete calls in a stream, and reports that they are incomplete.
func (r *Reader) brokenBlocks(stream string) {
	if s, known := r.streams.running[stream]; known {
		r.turn, r.history = s.turn, false
	}
	for _, key := range r.streams.of(stream) {
		p := r.streams.take(key)
		switch {
		case p.result:
			continue
		case p.raw != nil:
			r.anthropicPartial(key, p)
		default:
			r.chatPartial(key, p)
		}
		r.skipAt(p.at, "a stream ends within a call: its arguments are incomplete")
	}
}

// brokenOff ends a stream that has no end event.
func (r *Reader) brokenOff(stream string) {
	if s, known := r.streams.running[stream]; known {
		r.brokenBlocks(stream)
		r.streams.stop(stream)
		r.skipAt(s.at, "a stream ends early: %s is missing", s.until)
	}
}

// End reports the streams and calls that are incomplete at the end of the file.
func (r *Reader) End() {
	s := &r.streams
	keys := slices.SortedFunc(maps.Keys(s.running), func(a, b string) int { return cmp.Compare(s.running[a].order, s.running[b].order) })
	for _, key := range keys {
		r.brokenOff(key)
	}
	for len(s.parts) > 0 { // parts of streams whose beginning is missing
		first := slices.MinFunc(slices.Collect(maps.Keys(s.parts)), func(a, b streamKey) int { return cmp.Compare(s.parts[a].order, s.parts[b].order) })
		r.brokenBlocks(first.of)
	}
}

// Done handles the [DONE] that ends the streams of some APIs.
func (r *Reader) Done() {
	s := &r.streams
	keys := slices.SortedFunc(maps.Keys(s.running), func(a, b string) int { return cmp.Compare(s.running[a].order, s.running[b].order) })
	for _, key := range keys {
		if until := s.running[key].until; until == doneMark || until == interactionEnd {
			r.brokenBlocks(key)
			s.stop(key)
		}
	}
}

// doneMark ends a stream of Chat Completions.
const doneMark = "[DONE]"

// readNotice reads an event that is not about a tool.
func readNotice(r *Reader, b *body) {
	if b.str("type") == "error" || b.str("event_type") == "error" {
		r.ignoreAt(b.origin(b.root, ""), "an error from the model provider")
	}
}
