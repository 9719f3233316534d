// Package replay turns recordings into events: events.jsonl, audit logs, the
// JSON-RPC logs of other tools, HAR, and documents of definitions. It also
// holds the recorder, which writes what the readers read.
//
// Formats are recognised by content. What cannot be read becomes an event that
// says so, never silence. The package must never know what a rule is.
package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Options of a reader.
type Options struct {
	MaxMessage int64 // bytes; a longer line is counted and not read into memory
}

// ErrFormat is wrapped by the error of Open for a file that is no recording.
var ErrFormat = errors.New("not a recording")

// sniffBytes is how much of a file is looked at to recognise its format.
const sniffBytes = 64 << 10

// Open returns the events of a recording. name is what findings call the file.
// The error says what was expected when the content is no recording at all.
func Open(name string, r io.Reader, o Options) (scanner.Source, error) {
	plain, err := decompress(r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	br := bufio.NewReaderSize(plain, sniffBytes)
	head, err := br.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	switch f := sniff(head, err != nil); f {
	case formatLines:
		return newLineSource(name, br, o, &jsonLines{file: name}), nil
	case formatPrefixed:
		return newLineSource(name, br, o, &prefixedLines{file: name}), nil
	case formatDocument:
		return openDocument(name, br, o)
	case formatHTTP:
		return openHTTP(name, br, o)
	case formatEmpty:
		return nil, fmt.Errorf("%s is empty: %w", name, ErrFormat)
	}
	return nil, fmt.Errorf("%s: %w: expected events.jsonl, a log with one JSON-RPC message a line, HAR, or one of these in gzip or zstd", name, ErrFormat)
}

// decompress unwraps gzip and zstd, by their magic numbers.
func decompress(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	magic, err := br.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		zr, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return zr, nil
	case bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		// One goroutine and a bounded window: a small file must not claim gigabytes.
		zr, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return zr, nil
	}
	return br, nil
}

type format int

const (
	formatUnknown  format = iota
	formatEmpty           // nothing but white space
	formatLines           // one JSON value a line
	formatPrefixed        // log lines that end in a message
	formatDocument        // one JSON value over several lines
	formatHTTP            // HTTP exchanges as text
)

// sniffLines is how many lines may be something else before the first that
// tells the format: a banner, a comment, a cut-off record.
const sniffLines = 50

// sniff recognises a format by its head; whole says that head is all there is.
func sniff(head []byte, whole bool) format {
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	if len(bytes.TrimSpace(head)) == 0 {
		if whole {
			return formatEmpty
		}
		return formatUnknown
	}
	var doc wire.Doc
	rest, first := head, true
	for range sniffLines {
		line, tail, complete := bytes.Cut(rest, []byte("\n"))
		rest = tail
		if f := sniffLine(bytes.TrimSpace(line), complete || whole, first, &doc); f != formatUnknown {
			return f
		}
		first = first && len(bytes.TrimSpace(line)) == 0
		if !complete {
			break
		}
	}
	return formatUnknown
}

func sniffLine(line []byte, complete, first bool, doc *wire.Doc) format {
	switch {
	case len(line) == 0:
		return formatUnknown
	case isSegment(line) || bytes.HasPrefix(line, []byte("### curl")):
		return formatHTTP
	case line[0] == '{' || line[0] == '[':
		if !complete { // a line longer than the head: only recordings have those
			return formatLines
		}
		if doc.Parse(line) == nil {
			if doc.Kind(doc.Get(0, "log")) == wire.Object {
				return formatDocument
			}
			return formatLines
		}
		if first {
			// Cut off in the middle of a string or a member: a record; after an
			// opening bracket or a comma: the first line of a document.
			if last := line[len(line)-1]; last == '{' || last == '[' || last == ',' {
				return formatDocument
			}
		}
	default:
		if _, at := splitPrefix(line); at > 0 && doc.Parse(line[at:]) == nil {
			return formatPrefixed
		}
	}
	return formatUnknown
}

// chunk is a piece of input made of events that are ready.
type chunk []*scanner.Event

func (c chunk) Events(yield func(*scanner.Event)) {
	for _, e := range c {
		yield(e)
	}
}

func (c chunk) Release() {}

// once is a source with a single chunk.
type once struct{ events chunk }

func (o *once) Next() (scanner.Chunk, error) {
	c := o.events
	o.events = nil
	if c == nil {
		return nil, io.EOF
	}
	return c, io.EOF
}

// Join reads one source after another.
func Join(sources ...scanner.Source) scanner.Source { return &joined{sources} }

type joined struct{ sources []scanner.Source }

func (j *joined) Next() (scanner.Chunk, error) {
	for len(j.sources) > 0 {
		c, err := j.sources[0].Next()
		if errors.Is(err, io.EOF) {
			j.sources = j.sources[1:]
			err = nil
			if c == nil {
				continue
			}
		}
		return c, err
	}
	return nil, io.EOF
}

func skipped(name string, line int, format string, args ...any) *scanner.Event {
	return &scanner.Event{Kind: scanner.SkippedEvent, Reason: fmt.Sprintf(format, args...), Origin: scanner.Origin{File: name, Line: line, Column: 1}}
}

// baseName is the last element of a path in either notation, without the
// endings of recordings: what a session or server is called that has no name.
func baseName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	for _, ext := range []string{".gz", ".zst", ".jsonl", ".json", ".log", ".har", ".txt", ".events"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}
