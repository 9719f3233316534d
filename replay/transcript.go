package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// transcript reads the bodies and lines of a file in sequence, because their meaning depends on
// earlier ones.
type transcript struct {
	name   string
	o      Options
	reader llm.Reader
	talk   *conversations
	yield  func(*scanner.Event)
	stream eventText

	readers map[string]*llm.Reader // readers of exchanges with an incomplete response
	nth     int                    // index of the current event in its part of a stream
}

// pulled returns a source for the events that the function run yields.
func pulled(run func(yield func(*scanner.Event))) scanner.Source {
	next, _ := iter.Pull(func(yield func(*scanner.Event) bool) {
		going := true
		run(func(e *scanner.Event) { going = going && yield(e) })
	})
	return &made{next: func() (chunk, bool) {
		e, ok := next()
		if !ok {
			return nil, false
		}
		return chunk{e}, true
	}}
}

func newTranscript(name string, o Options, yield func(*scanner.Event)) *transcript {
	t := &transcript{name: name, o: o, yield: yield, talk: newConversations(name, o.Servers, o.Memory, yield), readers: map[string]*llm.Reader{}}
	t.reader = llm.Reader{Max: o.MaxMessage, Emit: t.talk.take}
	return t
}

func (t *transcript) end() {
	t.dispatch()
	t.reader.End()
	for _, request := range slices.Sorted(maps.Keys(t.readers)) {
		t.readers[request].End()
	}
	t.talk.flush()
	t.talk.bare.report(t.talk.yield)
}

// openTranscript reads a file with one body or transcript entry per line, or with an event stream.
func openTranscript(name string, r io.Reader, o Options) scanner.Source {
	return pulled(func(yield func(*scanner.Event)) {
		t := newTranscript(name, o, yield)
		lines, last := wire.NewLineReader(r, o.MaxMessage), 0
		for {
			l, err := lines.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				yield(skipped(name, max(last, 1), "%v", fmt.Errorf("reading %s after line %d: %w", name, last, err)))
				break
			}
			if l.Number > last+1 { // an empty line ends an event
				t.dispatch()
			}
			last = l.Number
			if l.Oversize {
				yield(skipped(name, l.Number, "a line exceeds the limit of %d bytes (--max-message)", o.MaxMessage))
				continue
			}
			t.line(l.Number, bytes.Clone(l.Data))
		}
		t.end()
	})
}

// openTranscriptDocument reads a document that is a single body or transcript.
func openTranscriptDocument(name string, data []byte, root wire.Value, broken *scanner.Event, o Options) scanner.Source {
	return pulled(func(yield func(*scanner.Event)) {
		t := newTranscript(name, o, yield)
		if !t.recorded(scanner.Origin{File: name, Line: 1, Column: 1, Exact: true}, data, root, broken != nil) {
			yield(skipped(name, 1, "%s", unknownBody))
		}
		t.end()
		if broken != nil {
			yield(broken)
		}
	})
}

// line reads a line: a body, a field of a stream event, or a line that is not part of the
// transcript.
func (t *transcript) line(number int, data []byte) {
	if opensJSON(bytes.TrimLeft(data, " \t\xEF\xBB\xBF")) {
		t.dispatch()
		t.body(number, data)
		return
	}
	for _, field := range bytes.Split(data, []byte("\r")) { // a carriage return ends a line of an event stream
		if !t.stream.field(number, field, t.o.MaxMessage) {
			t.dispatch()
			t.other(number, 1, data)
			return
		}
		if len(field) == 0 {
			t.dispatch()
		}
	}
}

// body reads a line of JSON.
func (t *transcript) body(number int, data []byte) {
	at := scanner.Origin{File: t.name, Line: number, Column: 1, Exact: true}
	root, err := wire.Skim(data, archiveValues)
	if err != nil || !isTranscript(root) || !t.recorded(at, data, root, false) {
		t.other(number, 1, data)
		return
	}
	t.talk.flush()
}

// recorded reads a body in the file, either alone or in a record of events.jsonl.
func (t *transcript) recorded(at scanner.Origin, data []byte, root wire.Value, broken bool) bool {
	if kind, _ := root.Str("type"); kind != typeLLM {
		return t.reader.ReadValue(llm.NewText(at, data), root, "", broken)
	}
	return t.record(at, data, root, broken)
}

// events reads a stream, or a part of one, from a string.
func (t *transcript) events(reader *llm.Reader, at scanner.Origin, stream []byte) {
	events := wire.NewSSEReader(bytes.NewReader(stream), t.o.MaxMessage)
	for t.nth = 0; ; t.nth++ {
		ev, err := events.Next()
		if err != nil {
			break
		}
		if ev.Oversize {
			t.yield(skipped(t.name, at.Line, "a server-sent event exceeds the limit of %d bytes (--max-message)", t.o.MaxMessage))
			continue
		}
		t.data(reader, llm.Quoted(at, bytes.Clone(ev.Data)), at)
	}
	t.talk.flush()
}

// data reads the data of a stream event.
func (t *transcript) data(reader *llm.Reader, text *llm.Text, at scanner.Origin) {
	data := bytes.TrimSpace(text.Data)
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		reader.Done()
	case !reader.Read(text):
		t.other(at.Line, at.Column, data)
	}
}

// other reads a line that is not part of the transcript as if it were a line of events.jsonl.
func (t *transcript) other(number, column int, data []byte) {
	var b lineBuffers // its memory is not reused, because the events refer to its parse tree
	(&jsonLines{t.name, t.o.Session}).decode(&b, line{number: number}, data, func(e *scanner.Event) {
		e.Origin.Column += column - 1
		if e.Kind == scanner.IgnoredEvent && e.Type != typeIgnored { // in a transcript, nothing unknown is ignored
			e.Kind = scanner.SkippedEvent
		}
		t.yield(e)
	})
}

// eventText joins the data lines of an event.
type eventText struct {
	data   []byte
	number int // number of the first data line
	column int
	lines  int
	over   bool // the event exceeds the limit
}

// maxJoined is the maximum size, in bytes, of an event with several data lines. Events from LLM APIs
// have a single data line.
const maxJoined = 8 << 20

// streamFields lists the fields of an event stream. Only data is read.
var streamFields = []string{"data", "event", "id", "retry"}

// field adds a line to the event, and reports whether the line belongs to an event stream.
func (s *eventText) field(number int, line []byte, most int64) bool {
	line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	name, value, _ := bytes.Cut(line, []byte(":"))
	known := len(name) == 0 || slices.Contains(streamFields, string(name))
	if known && string(name) == "data" {
		column := len("data:") + 1
		if v, ok := bytes.CutPrefix(value, []byte(" ")); ok {
			value, column = v, column+1
		}
		if s.lines > 0 && !s.over {
			s.data = append(s.data, '\n')
		} else if s.lines == 0 {
			s.number, s.column = number, column
		}
		if s.lines++; s.over || s.lines > 1 && len(s.data)+len(value) > maxJoined || most > 0 && int64(len(value)) > most {
			s.data, s.over = nil, true
			return known
		}
		s.data = append(s.data, value...)
	}
	return known
}

// dispatch reads the event collected so far, if any.
func (t *transcript) dispatch() {
	s := &t.stream
	if s.lines == 0 {
		return
	}
	at := scanner.Origin{File: t.name, Line: s.number, Column: s.column, Exact: true}
	if s.over {
		t.yield(skipped(t.name, s.number, "a server-sent event of several lines exceeds the limit of %d bytes", maxJoined))
		*s = eventText{}
		return
	}
	text := llm.NewText(at, s.data)
	if s.lines > 1 { // in the file, the data is on several lines
		text = llm.Quoted(at, s.data)
	}
	*s = eventText{}
	t.data(&t.reader, text, at)
	t.talk.flush()
}

// isTranscript reports whether a value belongs to a transcript, and is not a JSON-RPC message or a
// record that contains one.
func isTranscript(root wire.Value) bool {
	m := memberKinds(root)
	if root.Kind() == wire.Object {
		kind, _ := root.Str("type")
		switch {
		case kind == typeLLM:
			return true
		case m("jsonrpc") != wire.Invalid, known(kind), m.message(), m.asks():
			return false
		}
	}
	return llm.Recognise(root) != ""
}

// startsTranscript reports whether a line, which may be truncated, belongs to a transcript.
func startsTranscript(line []byte) bool {
	root, _ := wire.Skim(line, wire.MaxNodes)
	return root.Kind() >= wire.Array && isTranscript(root)
}

// startsStream reports whether a line belongs to a recorded event stream.
func startsStream(line []byte) bool {
	return bytes.HasPrefix(line, []byte("data:")) || bytes.HasPrefix(line, []byte("event:"))
}
