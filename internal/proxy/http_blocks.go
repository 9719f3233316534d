package proxy

import (
	"bytes"
	"io"
)

// blockKind says what of an event stream a block is.
type blockKind uint8

const (
	nothing blockKind = iota // lines of no event: comments, blank lines, unknown fields
	event                    // the lines of one event, with the blank one that ends it
	part                     // of an event, or a line, that is too long
)

// block is a part of an event stream as it stands there, valid until the next one.
type block struct {
	raw    []byte
	kind   blockKind
	begins bool // it is the beginning of the stream
	ends   bool // of a part: what is too long ends with it
}

// blockReader cuts an event stream into blocks, which are the stream again when they are put
// together. Lines are those of the WHATWG HTML standard. What is of no event comes at once:
// it keeps connections alive.
type blockReader struct {
	r   io.Reader
	max int64 // of an event, in bytes
	err error // of r, told behind what came ahead of it

	hold    func() error // waits for a place for a large event; nil for no wait
	release func()
	held    bool

	buf   []byte
	start int // of the block under way
	pos   int // up to where it was looked at
	end   int // of what was read

	name []byte // how the line under way begins: as much as tells its field
	cr   bool   // the last line ended with CR: LF behind it belongs to it
	open bool   // the block under way has a field
	long bool   // it is too long: what comes of it is handed out
	read bool   // something was handed out
	told bool   // the first line has ended
}

const (
	smallBuffer = 4 << 10  // for a stream: most have small events
	largeBuffer = 64 << 10 // that is kept between events
	emptyReads  = 100      // so many reads without a byte are a broken reader
	markUTF8    = "\xEF\xBB\xBF"
	nameBytes   = len(markUTF8) + len("event:") // no field that an event has needs more
)

// next returns the next block, and the error of the reader at the end.
func (b *blockReader) next() (block, error) {
	for {
		for b.pos < b.end {
			c := b.buf[b.pos]
			switch {
			case c == '\n' && b.cr:
				b.cr = false
				if b.pos++; b.pos == b.start+1 && !b.long {
					return b.take(nothing), nil
				}
			case c == '\n' || c == '\r':
				b.pos++
				if b.cr = c == '\r'; b.cr && b.pos < b.end && b.buf[b.pos] == '\n' {
					b.cr = false
					b.pos++
				}
				if kind, done := b.endLine(); done {
					out := b.take(kind)
					out.ends = true
					return out, nil
				}
			default:
				b.cr = false
				n := bytes.IndexAny(b.buf[b.pos:b.end], "\r\n")
				if n < 0 {
					n = b.end - b.pos
				}
				b.name = append(b.name, b.buf[b.pos:b.pos+min(n, nameBytes-len(b.name))]...)
				b.pos += n
			}
		}
		if b.long = b.long || int64(b.pos-b.start) > b.max+largeBuffer; b.long && b.pos > b.start {
			return b.take(part), nil
		}
		switch {
		case b.err == nil:
			b.fill()
		case b.start == b.end:
			return block{}, b.err
		case b.open || b.isField(): // the end of the stream ends what is under way
			return b.take(event), nil
		default:
			return b.take(nothing), nil
		}
	}
}

// endLine ends the line under way, and returns what the block is that is complete with it.
func (b *blockReader) endLine() (kind blockKind, done bool) {
	blank := len(b.name) == 0 || !b.told && string(b.name) == markUTF8
	field := !blank && b.isField()
	b.name, b.told = b.name[:0], true
	switch {
	case blank && b.open:
		kind = event
	case b.open:
		return 0, false
	case field:
		b.open = true
		return 0, false
	}
	if b.long {
		kind = part
	}
	b.open, b.long = false, false
	return kind, true
}

// isField reports whether the line under way is of a field that an event has.
func (b *blockReader) isField() bool {
	name := b.name
	if !b.told {
		name = bytes.TrimPrefix(name, []byte(markUTF8))
	}
	name, _, _ = bytes.Cut(name, []byte(":"))
	switch string(name) {
	case "data", "event", "id", "retry":
		return true
	}
	return false
}

// take hands out what was looked at.
func (b *blockReader) take(kind blockKind) block {
	out := block{raw: b.buf[b.start:b.pos:b.pos], kind: kind, begins: !b.read}
	b.start, b.read = b.pos, true
	return out
}

// ready reports whether the next block is there, so that nobody waits for it.
func (b *blockReader) ready() bool { return bytes.Contains(b.buf[b.pos:b.end], []byte("\n\n")) }

// close gives up the place of a large event.
func (b *blockReader) close() {
	if b.held {
		b.held = false
		b.release()
	}
}

// fill reads once, into the memory of what was handed out or into more.
func (b *blockReader) fill() {
	if b.start == b.end {
		b.start, b.pos, b.end = 0, 0, 0
		if len(b.buf) > largeBuffer || b.buf == nil {
			b.buf = make([]byte, smallBuffer)
			b.close()
		}
	}
	if b.end == len(b.buf) {
		if b.start > 0 {
			b.end = copy(b.buf, b.buf[b.start:b.end])
			b.pos -= b.start
			b.start = 0
		} else {
			if len(b.buf) >= largeBuffer && b.hold != nil && !b.held {
				if b.err = b.hold(); b.err != nil {
					return
				}
				b.held = true
			}
			b.buf = append(b.buf, make([]byte, len(b.buf))...)
		}
	}
	for range emptyReads {
		n, err := b.r.Read(b.buf[b.end:])
		if b.end += n; n > 0 || err != nil {
			b.err = err
			return
		}
	}
	b.err = io.ErrNoProgress
}
