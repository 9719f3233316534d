// Package replay turns recordings into events: events.jsonl, audit logs, other tools' JSON-RPC
// logs, transcripts of agents, bodies of LLM APIs, HAR, HTTP exchanges as text, and documents of
// definitions. It also contains the recorder, which writes events.jsonl.
//
// Formats are recognised by content. Anything unreadable becomes an event that reports it; it must
// not be dropped silently. The package must not depend on rules.
package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Options configures a reader.
type Options struct {
	MaxMessage int64               // in bytes; a longer line is counted but not read into memory
	Session    string              // session of messages that name none; "" means one named after the file
	Memory     *Memory             // memory of transcripts read earlier; nil for none
	Servers    map[string][]string // known servers and their tools, to attribute tool names in transcripts
}

// ErrFormat is wrapped by the error that Open returns if the file is not a recording.
var ErrFormat = errors.New("not a recording")

// sniffBytes is how much of a file is examined to recognise its format.
const sniffBytes = 64 << 10

// Open returns the events in a recording. name is the file name used in findings. If the content is
// not a recording, the error describes what was expected.
func Open(name string, r io.Reader, o Options) (scanner.Source, error) {
	if o.Session == "" {
		o.Session = baseName(name)
	}
	plain, err := decompress(r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	br := bufio.NewReaderSize(decodeUTF16(plain), sniffBytes)
	head, err := br.Peek(sniffBytes)
	plain = br
	failed := err != nil && !errors.Is(err, io.EOF)
	if failed { // data read before the error is delivered first
		plain = io.MultiReader(bytes.NewReader(head), broken{err})
	}
	switch f := sniff(head, err != nil); {
	case startsFrames(head):
		return openFrames(name, plain, o), nil
	case f == formatLines:
		return newLineSource(name, plain, o, &jsonLines{name, o.Session}), nil
	case f == formatPrefixed:
		return newLineSource(name, plain, o, &prefixedLines{name, o.Session}), nil
	case f == formatDocument:
		return openDocument(name, plain, o)
	case f == formatHTTP:
		return openHTTP(name, plain, o)
	case f == formatTranscript:
		return openTranscript(name, plain, o), nil
	case failed:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case f == formatEmpty: // an empty recording
		return Events(nil), nil
	}
	return nil, fmt.Errorf("%s: %w: expected events.jsonl, a log with one JSON-RPC message per line, HAR, a transcript or a body of an LLM API, or one of these compressed with gzip or zstd", name, ErrFormat)
}

// broken is a reader that only returns an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// decompress unwraps gzip and zstd, which it recognises by their magic numbers.
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
		// Limit concurrency, window and memory, so that decoding a small file cannot take
		// gigabytes.
		zr, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return zr, nil
	}
	return br, nil
}

// decodeUTF16 decodes UTF-16 with a byte order mark, which redirections in Windows PowerShell write.
func decodeUTF16(r io.Reader) io.Reader {
	br := bufio.NewReader(r)
	if mark, _ := br.Peek(2); bytes.Equal(mark, []byte{0xFF, 0xFE}) || bytes.Equal(mark, []byte{0xFE, 0xFF}) {
		return transform.NewReader(br, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
	}
	return br
}

type format int

const (
	formatUnknown    format = iota
	formatEmpty             // nothing but white space
	formatLines             // one JSON value per line
	formatPrefixed          // log lines that end in a message
	formatDocument          // one JSON value over several lines
	formatHTTP              // HTTP exchanges as text
	formatTranscript        // bodies of LLM APIs or lines of a transcript, one per line, or an event stream
)

// sniffLines is the number of lines that are examined to recognise the format. Other lines, such as a
// banner, a comment or a truncated record, may precede the first line that identifies the format.
const sniffLines = 50

// sniff recognises a file's format by its head, the first bytes. whole is set if head is the entire
// file.
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
		line = bytes.TrimSpace(line)
		alone := first && whole && len(bytes.TrimSpace(tail)) == 0
		if (complete || whole) && tooDeep(line, &doc) {
			return formatLines // reported as too deep, whatever its format
		}
		if f := sniffLine(line, complete || whole, first, &doc); alone && (f == formatLines && !isLine(&doc) || f == formatTranscript && !startsStream(line)) {
			return formatDocument
		} else if f != formatUnknown {
			return f
		}
		first = first && len(line) == 0
		if !complete {
			break
		}
	}
	if looksLikeJSON.Match(head) { // the reader reports where the JSON becomes invalid
		return formatDocument
	}
	return formatUnknown
}

var (
	looksLikeJSON = lazyregexp.New(`^\s*(?:\{|\[\s*[\[{])`)
	archiveHead   = lazyregexp.New(`^\{\s*"log"\s*:\s*\{`)
)

// tooDeep reports whether a line is an object or an array that is nested too deeply.
func tooDeep(line []byte, doc *wire.Doc) bool {
	if len(line) <= wire.MaxDepth || !opensJSON(line) || line[len(line)-1] != line[0]+2 { // in ASCII, ] and } are two after [ and {
		return false
	}
	err := doc.Parse(line)
	return err != nil && strings.Contains(err.Error(), "nesting is deeper")
}

// isLine reports whether the only line of a file belongs to a recording and is not a small document,
// such as a dump of definitions or a client configuration.
func isLine(doc *wire.Doc) bool {
	if doc.Kind(0) == wire.Array {
		return isMessage(doc, doc.First(0))
	}
	return isMessage(doc, 0) || doc.Kind(doc.Get(0, "type")) == wire.String || payload(doc) >= 0
}

func sniffLine(line []byte, complete, first bool, doc *wire.Doc) format {
	switch {
	case len(line) == 0:
		return formatUnknown
	case startsStream(line):
		return formatTranscript
	case isSegment(line) || bytes.HasPrefix(line, []byte("### curl")):
		return formatHTTP
	case line[0] == '{' || line[0] == '[':
		if !complete { // a line longer than the head: a recording, HAR, or a single body
			if first && (archiveHead.Match(line) || startsTranscript(line)) {
				return formatDocument
			}
			return formatLines
		}
		if doc.Parse(line) == nil {
			if payload(doc) < 0 && startsTranscript(line) {
				return formatTranscript
			}
			if first && doc.Kind(doc.Get(doc.Get(0, "log"), "entries")) == wire.Array {
				return formatDocument
			}
			return formatLines
		}
		if first {
			// A line that ends inside a string or a member is a truncated record; one that ends
			// with an opening bracket or a comma is the first line of a document.
			if last := line[len(line)-1]; last == '{' || last == '[' || last == ',' {
				return formatDocument
			}
		}
	}
	if _, at := splitPrefix(line); at > 0 && doc.Parse(trimMetadata(line[at:])) == nil {
		return formatPrefixed
	}
	return formatUnknown
}

// chunk is a piece of input whose events are ready.
type chunk []*scanner.Event

func (c chunk) Events(yield func(*scanner.Event)) {
	for _, e := range c {
		yield(e)
	}
}

func (c chunk) Release() {}

// Size returns the total size of the chunk's frames in bytes.
func (c chunk) Size() (n int) {
	for _, e := range c {
		n += len(e.Frame)
	}
	return n
}

// once is a source that returns in-memory events. It returns and releases them in pieces, so that
// the engine need not hold the results of all of them at once.
type once struct{ events chunk }

const pieceEvents = 1024

func (o *once) Next() (scanner.Chunk, error) {
	if o.events == nil {
		return nil, io.EOF
	}
	n := min(len(o.events), pieceEvents)
	piece := slices.Clone(o.events[:n])
	clear(o.events[:n])
	if o.events = o.events[n:]; len(o.events) == 0 {
		o.events = nil
		return piece, io.EOF
	}
	return piece, nil
}

// made is a source of events that are created on demand.
type made struct {
	next   func() (events chunk, ok bool)
	broken *scanner.Event // last event, which reports why there are no more; nil if the input is complete
}

func (m *made) Next() (scanner.Chunk, error) {
	piece := chunk{}
	for size := 0; len(piece) < pieceEvents && size < chunkBytes; {
		events, ok := m.next()
		if !ok {
			if m.broken != nil {
				piece = append(piece, m.broken)
			}
			return piece, io.EOF
		}
		size += events.Size()
		piece = append(piece, events...)
	}
	return piece, nil
}

// Join returns a source that reads the sources one after another.
func Join(sources ...scanner.Source) scanner.Source { return &joined{sources} }

type joined struct{ sources []scanner.Source }

func (j *joined) Next() (scanner.Chunk, error) {
	for len(j.sources) > 0 {
		c, err := j.sources[0].Next()
		if errors.Is(err, io.EOF) {
			j.sources[0] = nil // otherwise, the array would retain its buffers
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

// Sessions returns a name for the session of each file, for messages that name none: the base name or,
// for files with the same base name, the end of the path that distinguishes them. The same file given
// twice has the same name.
func Sessions(files []string) (sessions []string) {
	same := map[string]map[string]bool{} // files by base name
	for _, file := range files {
		base := baseName(file)
		if same[base] == nil {
			same[base] = map[string]bool{}
		}
		same[base][file] = true
		sessions = append(sessions, base)
	}
	for i, file := range files {
		if others := same[sessions[i]]; len(others) > 1 {
			sessions[i] = distinctEnd(file, others)
		}
	}
	return sessions
}

// distinctEnd returns the shortest suffix of a path, in whole elements, that no other path has.
func distinctEnd(path string, all map[string]bool) string {
	elements := func(path string) []string {
		return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	}
	own := elements(path)
	for n := 1; n <= len(own); n++ {
		end, shared := own[len(own)-n:], false
		for other := range all {
			theirs := elements(other)
			shared = shared || other != path && len(theirs) >= n && slices.Equal(theirs[len(theirs)-n:], end)
		}
		if !shared {
			return strings.Join(end, "/")
		}
	}
	return path
}

// baseName returns the last element of a slash or backslash path, without a recording's extensions.
// The result is used for sessions and servers without a name.
func baseName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	for _, ext := range []string{".gz", ".zst", ".jsonl", ".json", ".log", ".har", ".sse", ".txt", ".events"} {
		if cut := strings.TrimSuffix(name, ext); cut != "" {
			name = cut
		}
	}
	return name
}
