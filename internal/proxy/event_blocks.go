package proxy

import (
	"bytes"
	"context"
	"io"
)

// blockKind is the kind of content in a block.
type blockKind uint8

const (
	nothing blockKind = iota // lines outside events: comments, blank lines, unknown fields
	event                    // the lines of one event, including the blank line that ends it
	part                     // a piece of an event or line that is too long
)

// block is a raw piece of an event stream, valid until the next one is read.
type block struct {
	raw    []byte
	kind   blockKind
	begins bool // it starts the stream
	ends   bool // this block completes its event or line
}

// complete reports whether an event can follow the block.
func (b *block) complete() bool {
	end := lineEnd(b.raw)
	if b.kind == nothing {
		return len(end) > 0
	}
	return len(end) > 1 && string(end) != "\r\n"
}

// blockReader splits an event stream into blocks that concatenate to the same stream. Lines end as
// in the WHATWG HTML standard. Lines outside events are returned at once: they keep connections
// alive.
type blockReader struct {
	r   io.Reader
	max int64 // maximum size of a message in an event, in bytes
	err error // from r, returned after the data read before it

	ctx  context.Context // ends waiting for room
	room room            // for a large event

	buf   []byte
	start int // of the current block
	pos   int // of the next byte to scan
	end   int // of the data read

	name          []byte // beginning of the current line, enough to recognise its field
	cr            bool   // the last line ended with CR: a following LF belongs to it
	open          bool   // the current block has a field
	long          bool   // the current block is too long and returned in parts
	read          bool   // a block was returned
	pastFirstLine bool   // the first line has ended
}

const (
	smallBuffer = 4 << 10  // initial size: most streams have small events
	largeBuffer = 64 << 10 // largest buffer kept between events
	emptyReads  = 100      // empty reads after which the reader counts as broken
	markUTF8    = "\xEF\xBB\xBF"
	nameBytes   = len(markUTF8) + len("event:") // enough to recognise every field of an event
)

// next returns the next block, or the reader's error at the end.
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
		case b.open || b.isField(): // EOF ends the current block
			return b.take(event), nil
		default:
			return b.take(nothing), nil
		}
	}
}

// endLine ends the current line and, if that completes a block, returns its kind.
func (b *blockReader) endLine() (kind blockKind, done bool) {
	blank := len(b.name) == 0 || !b.pastFirstLine && string(b.name) == markUTF8
	field := !blank && b.isField()
	b.name, b.pastFirstLine = b.name[:0], true
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

// isField reports whether the current line is a field in an event.
func (b *blockReader) isField() bool {
	name := b.name
	if !b.pastFirstLine {
		name = bytes.TrimPrefix(name, []byte(markUTF8))
	}
	name, _, _ = bytes.Cut(name, []byte(":"))
	switch string(name) {
	case "data", "event", "id", "retry":
		return true
	}
	return false
}

// take returns the scanned bytes as a block.
func (b *blockReader) take(kind blockKind) block {
	out := block{raw: b.buf[b.start:b.pos:b.pos], kind: kind, begins: !b.read}
	b.start, b.read = b.pos, true
	return out
}

// rest returns what follows the last block, unchanged. No more blocks can be read.
func (b *blockReader) rest() io.Reader {
	r := b.r
	if b.err != nil {
		r = broken{b.err}
	}
	return io.MultiReader(bytes.NewReader(b.buf[b.start:b.end]), r)
}

// ready reports whether the end of an event is already buffered.
func (b *blockReader) ready() bool { return bytes.Contains(b.buf[b.pos:b.end], []byte("\n\n")) }

// close gives back the room of a large event.
func (b *blockReader) close() {
	if b.room.of != nil {
		b.room.leave()
	}
}

// fill reads once, reusing the memory of returned blocks or growing the buffer.
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
			if b.room.of != nil {
				if b.err = b.room.grow(b.ctx, int64(2*len(b.buf))); b.err != nil {
					return
				}
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
