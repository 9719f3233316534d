package replay

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// fuzzLimit is low, so that some inputs exceed it and others do not.
const fuzzLimit = 512

// outcome returns everything that Open and its source report about the data in r.
func outcome(r io.Reader) (events []scanner.Event, ofLines bool, err error) {
	src, err := Open("f", r, Options{MaxMessage: fuzzLimit})
	if err != nil {
		return nil, false, err
	}
	_, ofLines = src.(*lineSource)
	events, err = drain(src)
	return events, ofLines, err
}

func FuzzOpen(f *testing.F) {
	for _, data := range samples {
		f.Add([]byte(data))
	}
	for _, frame := range frames {
		f.Add([]byte(frame))
		f.Add([]byte(ping + "\n" + frame + "\n" + ping))
	}
	for _, tt := range auditCases {
		f.Add([]byte(`{"type":"mcp_tool_seen","fields":{` + tt.fields + `},` + tt.flat + `}`))
	}
	f.Add([]byte(`[ {"jsonrpc":"","":0,"":""},{"0000000":"`)) // cut within a member
	f.Add([]byte(gzipped(f, samples["events"])))
	f.Add([]byte(zstandard(f, samples["HTTP"])))
	f.Add([]byte(strings.Repeat("x", fuzzLimit) + "\n" + ping + "\n" + strings.Repeat("x", fuzzLimit+1) + "\r\n"))
	f.Add([]byte("\xEF\xBB\xBF2026-01-06T10:30:00.000Z [é] [info] Message from client: " + ping + " { metadata: undefined }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, ofLines, err := outcome(bytes.NewReader(data))
		for name, r := range map[string]io.Reader{"bytes": iotest.OneByteReader(bytes.NewReader(data)), "halves": iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(data)))} {
			again, _, errAgain := outcome(r)
			if shown(again) != shown(events) || (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
				t.Errorf("read in %s: %v, %v, got:\n%swant:\n%s", name, errAgain, err, shown(again), shown(events))
			}
		}
		if packed(data) {
			return
		}
		checkPlaces(t, string(data), events)
		if ofLines {
			accounted(t, data, events)
		}
	})
}

func packed(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) || bytes.HasPrefix(data, []byte("\x1F\x8B")) || bytes.HasPrefix(data, []byte("\x28\xB5\x2F\xFD"))
}

// accounted checks that every line is accounted for: each line that is not blank must have one
// event, or two if it is inspected despite being damaged.
func accounted(t *testing.T, data []byte, events []scanner.Event) {
	r := wire.NewLineReader(bytes.NewReader(data), fuzzLimit)
	for {
		l, err := r.Next()
		if err != nil {
			break
		}
		n := 0
		for len(events) > 0 && events[0].Origin.Line == l.Number {
			n++
			events = events[1:]
		}
		if n < 1 || n > 2 {
			t.Errorf("line %d has %d events", l.Number, n)
		}
	}
	if len(events) > 0 {
		t.Errorf("an event without a line: %s", show(&events[0]))
	}
}

func FuzzDefinitions(f *testing.F) {
	f.Add([]byte(manifest))
	f.Add([]byte("[" + tool + "]"))
	f.Add([]byte("\xEF\xBB\xBF{\"result\":{\"tools\":[" + tool + "]}}"))
	f.Add([]byte(`{"$schema":"server.schema.json","packages":[]}`))
	f.Add([]byte(zipped(f, member{name: "manifest.json", text: manifest}, member{name: "mcpb-resources/de.json", text: "{}"})))
	for _, frame := range frames {
		f.Add([]byte(frame))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := Definitions("f", data)
		if (err == nil) == (len(found) == 0) {
			t.Fatalf("%d events, %v", len(found), err)
		}
		if err != nil && !errors.Is(err, ErrNotDefinitions) && !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("an error that does not name the file: %v", err)
		}
		events, _ := drain(Events(found))
		var doc wire.Doc
		for _, e := range events {
			if e.Kind == scanner.DefinitionEvent && doc.Parse(e.Frame) != nil {
				t.Errorf("a definition that is not JSON: %q", e.Frame)
			}
		}
		checkPlaces(t, string(data), events)
	})
}

func FuzzRecorder(f *testing.F) {
	for i, frame := range frames {
		f.Add([]byte(frame), names[i%len(names)], names[(i+1)%len(names)], int64(i)*1e17, uint8(i))
	}
	f.Fuzz(func(t *testing.T, frame []byte, session, server string, nanoseconds int64, kind uint8) {
		e := scanner.Event{Time: time.Unix(0, nanoseconds).UTC(), Session: session, Server: server, Transport: "stdio"}
		switch kind % 5 {
		case 0:
			e.Kind, e.Reason = scanner.SkippedEvent, string(frame)
		case 1:
			e.Kind, e.Frame, e.Direction = scanner.DefinitionEvent, frame, mcp.ServerToClient
		default:
			e.Frame, e.Direction = frame, mcp.Direction(kind%5-2)
		}
		replayed(t, []scanner.Event{e, {Frame: []byte(ping)}, e})
	})
}

// FuzzTranscript checks that, for any transcript, the frames are JSON, their parts are at the
// reported locations, and a second reading gives the same result.
func FuzzTranscript(f *testing.F) {
	paths, _ := filepath.Glob("testdata/transcripts/*.txtar")
	for _, path := range paths {
		if a, err := txtar.ParseFile(path); err == nil && len(a.Files) > 0 {
			f.Add(a.Files[0].Data)
			for line := range bytes.Lines(a.Files[0].Data) {
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if packed(data) {
			return
		}
		events, err := openKnown("f", data)
		if err != nil {
			return
		}
		again, err := openKnown("f", data)
		if err != nil || told(again) != told(events) {
			t.Fatalf("read again: %v\n%s\nbefore:\n%s", err, told(again), told(events))
		}
		checkParts(t, data, events)
		var doc wire.Doc
		for _, e := range events {
			if len(e.Parts) > 0 && doc.Parse(e.Frame) != nil {
				t.Errorf("a frame that is not JSON: %q", e.Frame)
			}
		}
	})
}
