package wire

import (
	"bytes"
	"io"
)

const (
	firstBuffer = 64 << 10 // size of a pipe buffer; most frames fit
	emptyReads  = 100      // as in bufio: a reader is considered broken after this many empty reads
	bom         = "\xEF\xBB\xBF"
	slack       = len(bom) + 2 // extra bytes for a line at the cap: a byte order mark, a CR and one byte too many
)

// Line is one frame of a newline-delimited stream.
type Line struct {
	Data     []byte // the line without line ending or byte order mark, valid until the next call
	Number   int    // the physical line number from 1, including blank lines
	Offset   int64  // offset of Data in the stream
	Size     int64  // length of the line, even if Data is nil
	Oversize bool   // Size exceeds the cap: Data is nil and the bytes were discarded while reading
}

// LineReader splits a stream into lines. It accepts what real peers send: LF and CRLF, a byte
// order mark before the first line, blank lines (skipped) and an unterminated last line. A line
// longer than the cap is measured, but not kept in memory.
type LineReader struct {
	r      io.Reader
	max    int64 // 0 or less: no cap
	buf    []byte
	pos    int   // start of the line in buf
	end    int   // end of what was read into buf
	base   int64 // stream offset of buf[0]
	number int
	err    error // the reader's error, returned after the data before it
}

// NewLineReader returns a LineReader on r that holds no line longer than max bytes. There is no
// cap if max is 0 or less.
func NewLineReader(r io.Reader, max int64) *LineReader {
	return &LineReader{r: r, max: max}
}

// Next returns the next line that is not blank, or io.EOF at the end. An error from the underlying
// reader is returned after the data that preceded it.
func (l *LineReader) Next() (Line, error) {
	for {
		line, err := l.physical()
		if err != nil || line.Oversize || !blank(line.Data) {
			return line, err
		}
	}
}

// physical returns the next line, blank or not.
func (l *LineReader) physical() (Line, error) {
	seen := l.pos // there is no LF before it
	for {
		if i := bytes.IndexByte(l.buf[seen:l.end], '\n'); i >= 0 {
			line := l.cut(seen+i, seen+i+1)
			return line, nil
		}
		seen = l.end
		// The line ending and the byte order mark do not count against the cap.
		if l.max > 0 && int64(l.end-l.pos)-l.max >= int64(slack) {
			return l.discard()
		}
		if l.err == nil {
			seen -= l.room()
			l.fill()
			continue
		}
		if l.pos == l.end {
			return Line{}, l.err
		}
		return l.cut(l.end, l.end), nil
	}
}

// cut returns buf[pos:stop] as a line and continues at next.
func (l *LineReader) cut(stop, next int) Line {
	start := l.pos
	if l.number == 0 && bytes.HasPrefix(l.buf[start:stop], []byte(bom)) {
		start += len(bom)
	}
	if stop > start && l.buf[stop-1] == '\r' {
		stop--
	}
	l.pos = next
	l.number++
	line := Line{Number: l.number, Offset: l.base + int64(start), Size: int64(stop - start)}
	if l.max > 0 && line.Size > l.max {
		line.Oversize = true
	} else {
		line.Data = l.buf[start:stop:stop]
	}
	return line
}

// Detach passes the memory of the last returned line to the caller: the line stays valid, and l
// continues with a new buffer.
func (l *LineReader) Detach() {
	rest := l.buf[l.pos:l.end]
	l.base += int64(l.pos)
	l.buf = make([]byte, max(firstBuffer, len(rest)))
	l.pos, l.end = 0, copy(l.buf, rest)
}

// discard reads to the end of a line that exceeds the cap and keeps only its length.
func (l *LineReader) discard() (Line, error) {
	l.number++
	line := Line{Number: l.number, Offset: l.base + int64(l.pos), Oversize: true}
	if l.number == 1 && bytes.HasPrefix(l.buf[l.pos:l.end], []byte(bom)) {
		l.pos += len(bom)
		line.Offset += int64(len(bom))
	}
	last := byte(0)
	for {
		i := bytes.IndexByte(l.buf[l.pos:l.end], '\n')
		stop := l.end
		if i >= 0 {
			stop = l.pos + i
		}
		if stop > l.pos {
			last = l.buf[stop-1]
			line.Size += int64(stop - l.pos)
		}
		l.pos = stop
		if i >= 0 {
			l.pos++
		}
		if i >= 0 || l.err != nil {
			break
		}
		l.room()
		l.fill()
	}
	if last == '\r' {
		line.Size--
	}
	return line, nil
}

// room makes space for a read and returns the number of bytes by which it moved the content
// down. A line is moved at most once before the buffer doubles, so the work is linear in the
// input.
func (l *LineReader) room() int {
	switch {
	case l.pos == l.end:
		moved := l.pos
		l.base += int64(moved)
		l.pos, l.end = 0, 0
		if l.buf == nil {
			l.buf = make([]byte, firstBuffer)
		}
		return moved
	case l.end < len(l.buf):
		return 0
	case l.pos > 0:
		moved := l.pos
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.base += int64(moved)
		l.pos = 0
		return moved
	default:
		size := 2 * len(l.buf)
		if l.max > 0 && l.max < int64(size) {
			size = int(l.max) + slack // beyond this, physical discards the line
		}
		grown := make([]byte, max(size, len(l.buf)+slack))
		copy(grown, l.buf[:l.end])
		l.buf = grown
		return 0
	}
}

// fill reads once into the free end of the buffer.
func (l *LineReader) fill() {
	n, err := read(l.r, l.buf[l.end:])
	l.end += n
	l.err = err
}

// read calls r.Read until it returns data or an error.
func read(r io.Reader, p []byte) (int, error) {
	for range emptyReads {
		n, err := r.Read(p)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

func blank(p []byte) bool { return len(bytes.Trim(p, " \t\r")) == 0 }
