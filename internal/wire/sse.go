package wire

import (
	"bytes"
	"io"
	"strconv"
)

// longestField is the length of the longest known field name, "event" or "retry", after a byte
// order mark.
const longestField = len(bom) + len("event")

// retryDigits is the maximum length of the retry field. Nine digits of milliseconds are eleven
// days, longer than any useful wait, and fit into any int.
const retryDigits = 9

// SSEEvent is one event of an event stream.
type SSEEvent struct {
	Type       string // the event field, or "message" if there is none
	ID         string // this event's own id field; the caller tracks the last one seen
	Data       []byte // the data lines joined with LF, valid until the next call; as sent, even if not UTF-8
	Retry      int    // the retry field in milliseconds, or 0 if there is none
	HasData    bool   // the data is not empty; a priming event has an id, but no data or empty data
	Oversize   bool   // Size exceeds the cap: Data is nil and the bytes were discarded while reading
	Size       int64  // total bytes of data, id and event, even if discarded
	Ambiguous  bool   // EndsElsewhere is true for a line other than data, in the event or before it
	Incomplete bool   // the stream ended inside the event; browsers drop such an event, but it must be inspected
}

// SSEReader splits an event stream into events by the rules of the WHATWG HTML standard: LF, CR
// and CRLF end a line, one byte order mark is skipped, comments and unknown fields are ignored.
// Unlike a browser, it also returns events without data, an event cut off by the end of the stream,
// and an empty event for ambiguous lines at the end.
type SSEReader struct {
	r   io.Reader
	max int64 // 0 or less: no cap
	buf []byte
	pos int
	end int
	lf  int   // index of the next LF at or after pos, or end; cached while searching for CR
	err error // the reader's error, returned after the events before it

	skipLF    bool // the last line ended in CR, so an LF that follows belongs to it
	firstLine bool

	// The current line.
	name    []byte // the field name up to the colon
	field   field
	opened  bool   // the colon was seen
	trimmed bool   // the space after the colon was dropped
	started bool   // the line is not empty
	watched []byte // end of the line read so far, unless it is data

	// The current event.
	event     SSEEvent
	known     bool // a known field was seen
	dataLines bool
	data      []byte
	kind      []byte
	id        []byte
	newID     []byte // of the current line
	retry     []byte // of the current line
}

type field int

const (
	fieldUnknown field = iota
	fieldComment
	fieldData
	fieldEvent
	fieldID
	fieldRetry
)

// NewSSEReader returns an SSEReader on r that holds no event with more than max bytes of
// values. There is no cap if max is 0 or less.
func NewSSEReader(r io.Reader, max int64) *SSEReader {
	return &SSEReader{r: r, max: max, firstLine: true}
}

// SSEEventIn returns the first event in a part of an event stream, marked incomplete if the part
// ends before the event does. begins is set if the part is the start of the stream.
func SSEEventIn(part []byte, begins bool) SSEEvent {
	s := SSEReader{buf: part, end: len(part), lf: -1, err: io.EOF, firstLine: begins}
	e, _ := s.Next()
	return e
}

// Next returns the next event, or io.EOF at the end. An error from the underlying reader is
// returned after the events that preceded it.
func (s *SSEReader) Next() (SSEEvent, error) {
	s.reset()
	for {
		if s.pos == s.end {
			if s.err != nil {
				return s.last()
			}
			s.fill()
			continue
		}
		if s.skipLF {
			s.skipLF = false
			if s.buf[s.pos] == '\n' {
				s.pos++
				continue
			}
		}
		stop, ended := s.lineEnd()
		s.feed(s.buf[s.pos:stop])
		s.pos = stop
		if !ended {
			continue
		}
		s.skipLF = s.buf[stop] == '\r'
		s.pos++
		if s.endLine() && s.known {
			return s.dispatch(), nil
		}
	}
}

// last ends the stream and returns an unfinished event as incomplete.
func (s *SSEReader) last() (SSEEvent, error) {
	if s.started {
		s.endLine()
	}
	if !s.known && !s.event.Ambiguous {
		return SSEEvent{}, s.err
	}
	s.event.Incomplete = true
	return s.dispatch(), nil
}

// lineEnd returns the end of the line in the buffer, and whether the buffer contains it.
func (s *SSEReader) lineEnd() (int, bool) {
	if s.lf < s.pos {
		s.lf = s.end
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '\n'); i >= 0 {
			s.lf = s.pos + i
		}
	}
	if i := bytes.IndexByte(s.buf[s.pos:s.lf], '\r'); i >= 0 {
		return s.pos + i, true
	}
	return s.lf, s.lf < s.end
}

// fill refills the consumed buffer with a single read.
func (s *SSEReader) fill() {
	if s.buf == nil {
		s.buf = make([]byte, firstBuffer)
	}
	s.pos, s.lf = 0, -1
	s.end, s.err = read(s.r, s.buf)
}

// feed consumes a part of a line, which reads may split anywhere.
func (s *SSEReader) feed(p []byte) {
	if len(p) == 0 {
		return
	}
	s.started = true
	if !s.opened {
		i := bytes.IndexByte(p, ':')
		part := p
		if i >= 0 {
			part = p[:i]
		}
		// One byte more than the longest name is enough to distinguish a longer
		// name from all known ones.
		s.name = append(s.name, part[:min(len(part), longestField+1-len(s.name))]...)
		s.watch(part)
		if i < 0 {
			return
		}
		s.open()
		s.opened = true
		p = p[i+1:]
	}
	if !s.trimmed && len(p) > 0 {
		s.trimmed = true
		if p[0] == ' ' {
			p = p[1:]
		}
	}
	s.value(p)
}

// open begins a field once its name is complete.
func (s *SSEReader) open() {
	name := s.name
	if s.firstLine {
		name = bytes.TrimPrefix(name, []byte(bom))
	}
	switch string(name) {
	case "":
		s.field = fieldComment
	case "data":
		s.field = fieldData
		if s.dataLines {
			s.keep(&s.data, []byte{'\n'})
		}
		s.dataLines = true
	case "event":
		s.field = fieldEvent
		s.kind = s.kind[:0]
	case "id":
		s.field = fieldID
		s.newID = s.newID[:0]
	case "retry":
		s.field = fieldRetry
		s.retry = s.retry[:0]
	default:
		s.field = fieldUnknown
	}
	s.known = s.known || s.field > fieldComment
	s.watched = s.watched[:0]
}

// watch looks for characters at which only some clients end lines. p is a part of a line other than
// data.
func (s *SSEReader) watch(p []byte) {
	if s.event.Ambiguous {
		return
	}
	s.watched = append(s.watched, p...)
	s.event.Ambiguous = EndsElsewhere(s.watched)
	s.watched = append(s.watched[:0], s.watched[max(0, len(s.watched)-2):]...) // a character has up to three bytes
}

// value consumes a part of the field's value.
func (s *SSEReader) value(p []byte) {
	if s.field != fieldData {
		s.watch(p)
	}
	switch s.field {
	case fieldData:
		s.keep(&s.data, p)
	case fieldEvent:
		s.keep(&s.kind, p)
	case fieldID:
		s.keep(&s.newID, p)
	case fieldRetry:
		s.retry = append(s.retry, p[:min(len(p), retryDigits+1-len(s.retry))]...)
	case fieldUnknown, fieldComment:
	}
}

// keep appends to a value of the event, or only counts the bytes if that would exceed the cap.
func (s *SSEReader) keep(to *[]byte, p []byte) {
	s.event.Size += int64(len(p))
	if s.max > 0 && s.event.Size > s.max {
		s.event.Oversize = true
		s.data, s.kind, s.id, s.newID = s.data[:0], s.kind[:0], s.id[:0], s.newID[:0]
		return
	}
	*to = append(*to, p...)
}

// endLine ends the line and reports whether it was blank, which ends the event.
func (s *SSEReader) endLine() bool {
	empty := !s.started || s.firstLine && !s.opened && string(s.name) == bom
	if !empty && !s.opened {
		s.open()
	}
	switch {
	case empty:
	case s.field == fieldID && bytes.IndexByte(s.newID, 0) < 0: // the standard says to ignore an ID with a NUL
		s.id = append(s.id[:0], s.newID...)
	case s.field == fieldRetry:
		if n, ok := milliseconds(s.retry); ok {
			s.event.Retry = n
		}
	}
	s.name, s.watched = s.name[:0], s.watched[:0]
	s.opened, s.trimmed, s.started, s.firstLine = false, false, false, false
	s.field = fieldUnknown
	return empty
}

// dispatch completes the current event, which the next call of Next clears.
func (s *SSEReader) dispatch() SSEEvent {
	e := s.event
	e.ID = string(s.id)
	e.Type = eventType(s.kind)
	e.HasData = e.Oversize || len(s.data) > 0
	if !e.Oversize {
		e.Data = s.data[:len(s.data):len(s.data)]
	}
	return e
}

// reset clears the current event but keeps its buffers.
func (s *SSEReader) reset() {
	s.event = SSEEvent{}
	s.known, s.dataLines = false, false
	s.data, s.kind, s.id = s.data[:0], s.kind[:0], s.id[:0]
}

// eventType returns an event type, without an allocation for the two types that MCP uses.
func eventType(p []byte) string {
	switch string(p) {
	case "", "message":
		return "message"
	case "endpoint":
		return "endpoint"
	}
	return string(p)
}

// milliseconds parses the value of a retry field. The standard says to ignore a value that is not all
// digits; one longer than retryDigits is ignored, too.
func milliseconds(p []byte) (n int, ok bool) {
	if len(p) == 0 || len(p) > retryDigits {
		return 0, false
	}
	u, err := strconv.ParseUint(string(p), 10, 32)
	return int(u), err == nil
}
