package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// chunkBytes is how much input a worker gets at a time: large enough to make passing it on
// cheap, small enough to bound memory use.
const chunkBytes = 64 << 10

// lineDecoder turns one line into events. It keeps no state between lines.
type lineDecoder interface {
	decode(b *lineBuffers, l line, data []byte, yield func(*scanner.Event))
}

// lineSource reads a file of lines in chunks.
type lineSource struct {
	name    string
	lines   *wire.LineReader
	o       Options
	records bool // the lines may be events.jsonl records
	max     int64
	decoder lineDecoder
	last    int         // number of the last line read
	broken  error       // why reading failed; reported after the lines that were read
	talk    *transcript // reads the LLM API messages of the recording; nil before the first
	said    chunk       // events of talk
	pool    sync.Pool   // pool of *lineChunk
	buffers sync.Pool   // pool of *lineBuffers
}

func newLineSource(name string, r io.Reader, o Options, d lineDecoder) *lineSource {
	s := &lineSource{name: name, lines: wire.NewLineReader(r, o.MaxMessage), o: o, max: o.MaxMessage, decoder: d}
	_, s.records = d.(*jsonLines)
	s.pool.New = func() any { return &lineChunk{source: s, data: make([]byte, 0, chunkBytes)} }
	s.buffers.New = func() any { return &lineBuffers{doc: wire.Doc{Names: &wire.Names{}}} }
	return s
}

// line is a line in a chunk: its position in the chunk's bytes and in the file.
type line struct {
	start, end int
	number     int
	oversize   int64  // length of a line that was not read; otherwise 0
	own        []byte // a line in separate memory, because it is long or the chunk is full; otherwise nil
}

// lineChunk is a run of lines. Once the lines have been judged, its memory returns to the pool.
type lineChunk struct {
	source *lineSource
	data   []byte
	long   int // bytes of lines in separate memory
	lines  []line
	events []scanner.Event
}

// lineBuffers holds the memory for decoding. Events are passed by pointer, so they are allocated in
// blocks that never move.
type lineBuffers struct {
	doc    wire.Doc
	events []scanner.Event
}

// event returns a new event for a line.
func (b *lineBuffers) event(file string, l line) *scanner.Event {
	if len(b.events) == cap(b.events) {
		b.events = make([]scanner.Event, 0, max(8, 2*cap(b.events)))
	}
	b.events = append(b.events, scanner.Event{Origin: scanner.Origin{File: file, Line: l.number, Column: 1}})
	return &b.events[len(b.events)-1]
}

// str converts s to a string, sharing the memory of recurring names.
func (b *lineBuffers) str(s []byte) string { return b.doc.Names.String(s) }

// Next collects lines until a chunk is full. A read error ends the file and becomes an event after
// the lines that were read, so that earlier findings and later inputs still count.
func (s *lineSource) Next() (scanner.Chunk, error) {
	if s.broken != nil {
		return chunk{skipped(s.name, max(s.last, 1), "%v", s.broken)}, io.EOF
	}
	if len(s.said) > 0 {
		said := s.said
		s.said = nil
		return said, nil
	}
	c := s.pool.Get().(*lineChunk)
	c.data, c.lines, c.long = c.data[:0], c.lines[:0], 0
	for len(c.data)+c.long < chunkBytes {
		l, err := s.lines.Next()
		if errors.Is(err, io.EOF) {
			return s.ended(c)
		}
		if err != nil {
			s.broken = fmt.Errorf("reading %s after line %d: %w", s.name, s.last, err)
			if len(c.lines) == 0 {
				return s.Next()
			}
			return c, nil
		}
		s.last = l.Number
		if s.llm(l) {
			if len(c.lines) > 0 {
				return c, nil
			}
			return s.Next()
		}
		if l.Oversize {
			c.lines = append(c.lines, line{number: l.Number, oversize: l.Size})
			continue
		}
		if len(c.data)+len(l.Data) > cap(c.data) {
			if len(l.Data) >= chunkBytes { // copying it would take twice the memory
				s.lines.Detach()
			} else {
				l.Data = bytes.Clone(l.Data)
			}
			c.lines, c.long = append(c.lines, line{number: l.Number, own: l.Data}), c.long+len(l.Data)
			continue
		}
		start := len(c.data)
		c.data = append(c.data, l.Data...)
		c.lines = append(c.lines, line{start: start, end: len(c.data), number: l.Number})
	}
	return c, nil
}

// llm reads a line with a body of an LLM API. It reads such lines in sequence, because their meaning
// depends on earlier ones. It returns false for any other line.
func (s *lineSource) llm(l wire.Line) bool {
	if l.Oversize || !bytes.Contains(l.Data, []byte(`"`+typeLLM+`"`)) || !s.records {
		return false
	}
	root, err := wire.Skim(l.Data, archiveValues)
	if kind, _ := root.Str("type"); err != nil || kind != typeLLM || root.Get("jsonrpc").Kind() != wire.Invalid {
		return false
	}
	if s.talk == nil {
		s.talk = newTranscript(s.name, s.o, func(e *scanner.Event) { s.said = append(s.said, e) })
	}
	s.talk.body(l.Number, bytes.Clone(l.Data))
	return true
}

// ended returns the next chunk that remains at the end of the file: first the lines in c, then the
// events that the transcript yields when it ends.
func (s *lineSource) ended(c *lineChunk) (scanner.Chunk, error) {
	if s.talk != nil {
		s.talk.end()
		s.talk = nil
	}
	if len(s.said) == 0 {
		return c.orNil(), io.EOF
	}
	if len(c.lines) > 0 {
		return c, nil
	}
	said := s.said
	s.said = nil
	return said, io.EOF
}

func (c *lineChunk) orNil() scanner.Chunk {
	if len(c.lines) == 0 {
		return nil
	}
	return c
}

// Events decodes the lines of the chunk.
func (c *lineChunk) Events(yield func(*scanner.Event)) {
	b := c.source.buffers.Get().(*lineBuffers)
	b.events = c.events
	defer func() {
		c.events, b.events = b.events, nil
		c.source.buffers.Put(b)
	}()
	for _, l := range c.lines {
		if l.oversize > 0 {
			yield(skipped(c.source.name, l.number, "a line exceeds the limit of %d bytes (--max-message)", c.source.max))
			continue
		}
		data := l.own
		if data == nil {
			data = c.data[l.start:l.end:l.end]
		}
		c.source.decoder.decode(b, l, data, yield)
	}
}

// Size returns the length of the lines. It must not depend on the capacity of recycled memory: the
// engine judges events earlier when many bytes are buffered, and must do so at the same event in
// each run.
func (c *lineChunk) Size() int { return len(c.data) + c.long }

// maxEvents is the maximum number of events of a chunk whose memory is reused.
const maxEvents = 256

// Release returns the chunk's memory to the pool.
func (c *lineChunk) Release() {
	clear(c.lines)
	clear(c.events)
	if c.events = c.events[:0]; cap(c.events) > maxEvents {
		c.events = nil
	}
	c.source.pool.Put(c)
}
