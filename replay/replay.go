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
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
	return nil, fmt.Errorf("%s: %w: expected events.jsonl, a log with one JSON-RPC message per line, HAR, HTTP exchanges as text, a transcript or a body of an LLM API, or one of these compressed with gzip or zstd", name, ErrFormat)
}

// broken is a reader that only returns an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

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

// Sessions returns, for each file, the session of messages that name none: the base name or, for files
// with the same base name, the end of the path that distinguishes them. The same file given twice has
// the same name.
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
