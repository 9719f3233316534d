package replay

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// recordAll records events and returns the recording, and the events as the engine
// judges them live.
func recordAll(t testing.TB, events []scanner.Event) (string, []scanner.Event) {
	t.Helper()
	var b bytes.Buffer
	r := NewRecorder(&b, "rec")
	for i := range events {
		if err := r.Record(&events[i]); err != nil {
			t.Fatal(err)
		}
		events[i].Frame = bytes.Clone(events[i].Frame)
	}
	return b.String(), events
}

// same reports whether two events are indistinguishable to rules and reports. It ignores the type,
// which live events lack.
func same(a, b *scanner.Event) bool {
	return a.Time.Equal(b.Time) && a.Session == b.Session && a.Server == b.Server && a.Transport == b.Transport && a.Request == b.Request && a.Direction == b.Direction &&
		a.Kind == b.Kind && a.Reason == b.Reason && bytes.Equal(a.Frame, b.Frame) && a.Origin == b.Origin && sameHead(a.HTTP, b.HTTP)
}

func sameHead(a, b *mcp.HTTPHead) bool { return reflect.DeepEqual(a, b) }

// TestRecordedHeads checks that the head of an HTTP exchange is read as it was
// recorded.
func TestRecordedHeads(t *testing.T) {
	var events []scanner.Event
	for _, head := range []*mcp.HTTPHead{nil, {}, {Method: "tools/call"}, {Name: "\"\xff\n", Version: "2026-07-28", Session: "s 1", Authorized: true}, {Authorized: true}, {Params: []mcp.HeadParam{{Name: "region", Value: "eu\xff"}, {Name: "a\"b", Value: ""}}}} {
		events = append(events, scanner.Event{Session: "s", Server: "srv", Transport: "http", Direction: mcp.ClientToServer, Frame: []byte(ping), HTTP: head})
	}
	replayed(t, events)
}

// replayed checks that events have the same content and locations when judged live
// and on replay.
func replayed(t testing.TB, events []scanner.Event) {
	t.Helper()
	data, live := recordAll(t, events)
	got, err := openBytes("rec", data, 64<<20)
	if err != nil || len(got) != len(live) {
		t.Fatalf("%d events of %d, %v, from\n%s", len(got), len(live), err, data)
	}
	for i := range live {
		if !same(&got[i], &live[i]) {
			t.Errorf("live   %.300s\nreplay %.300s\norigins %v and %v\nline   %.300s", show(&live[i]), show(&got[i]), live[i].Origin, got[i].Origin, strings.Split(data, "\n")[i])
		}
	}
	checkPlaces(t, data, got)
}

// frames contains frames that are difficult to record.
var frames = []string{
	ping, "  " + ping + "\t", `{"a":"\u0000é😀"}`, "[]", "null", "42", "-0.0e1", `"a string"`, `""`, "", " ", "\n", "\r",
	"{\n\"jsonrpc\": \"2.0\"\n}", "{\"a\":1}\r", "{\"a\":\r1}", "data: x\n\n", "{", "}", "not JSON", "tab\tquote\"back\\slash", "\x00\x01\x1f\x7f",
	"\xff\xfe", "{\"a\":\"\xff\"}", "\xEF\xBB\xBF{}", "\u2028\u2029", `{"a":1}{"b":2}`, `{"a":1,"a":2,"A":3}`, `{"type":"mcp_skipped","reason":"x"}`,
	strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth), strings.Repeat("[", wire.MaxDepth-1) + strings.Repeat("]", wire.MaxDepth-1),
	strings.Repeat("[", wire.MaxDepth+1), strings.Repeat(`{"a":`, 511) + "1" + strings.Repeat("}", 511), strings.Repeat("[[],", 600) + "1" + strings.Repeat("]", 600),
}

var names = []string{"s1", "", `a "quoted" name`, "back\\slash", "line\nfeed\r\ttab", "\x00\x1b[31m", "é日本😀", "\xff\xfe", "cut \xe6\x97", "\u2028"}

func TestRecorder(t *testing.T) {
	at := time.Date(2026, 1, 6, 10, 30, 0, 1, time.UTC)
	for _, frame := range frames {
		for _, kind := range []scanner.EventKind{scanner.FrameEvent, scanner.DefinitionEvent} {
			direction := mcp.ServerToClient
			replayed(t, []scanner.Event{{Time: at, Session: "s", Server: "fs", Transport: "stdio", Direction: direction, Kind: kind, Frame: []byte(frame)}})
		}
	}
	for _, name := range names {
		replayed(t, []scanner.Event{{Time: at, Session: name, Server: name, Transport: name, Request: name, Frame: []byte(ping)}, {Session: name, Kind: scanner.SkippedEvent, Reason: name}})
	}
	big := []byte(`{"a":"` + strings.Repeat("é", 3<<20) + `"}`)
	replayed(t, []scanner.Event{{Frame: big, Direction: mcp.ClientToServer}, {Frame: bytes.ReplaceAll(big, []byte("é"), []byte("\xff\n"))}, {Frame: []byte(ping)}})
}

func TestRecorderLines(t *testing.T) {
	at := time.Date(2026, 1, 6, 11, 30, 0, 1, time.FixedZone("CET", 3600))
	tool := scanner.Event{Kind: scanner.AuditEvent, Type: "mcp_tool_seen", Session: "s", Server: "fs", Direction: mcp.ServerToClient,
		Frame: []byte(` {"type":"mcp_tool_seen","session_id":"s","server_id":"fs"}`)}
	data, live := recordAll(t, []scanner.Event{
		{Time: at, Session: "s1", Server: "fs", Transport: "stdio", Direction: mcp.ClientToServer, Frame: []byte(ping)},
		{Kind: scanner.LockEvent, Origin: scanner.Origin{File: "elsewhere", Line: 7}},
		{Kind: scanner.IgnoredEvent, Time: at, Session: "s1", Reason: "out of scope"},
		{Time: at, Session: "s1", Frame: []byte("a\nb")}, {Time: at, Session: "s1", Frame: []byte{0xff}},
		{Kind: scanner.DefinitionEvent, Time: at, Direction: mcp.ServerToClient, Frame: []byte("{\n\"b\" : 1, \"a\": [ ]}")}, tool,
	})
	const head = `"timestamp":"2026-01-06T10:30:00.000000001Z","session_id":`
	want := strings.Join([]string{
		`{"type":"mcp_message",` + head + `"s1","server_id":"fs","server_type":"stdio","direction":"client_to_server","message":` + ping + `}`,
		`{"type":"mcp_ignored",` + head + `"s1","server_id":"","server_type":"","reason":"out of scope"}`,
		`{"type":"mcp_message",` + head + `"s1","server_id":"","server_type":"","direction":"unknown","raw":"a\nb"}`,
		`{"type":"mcp_message",` + head + `"s1","server_id":"","server_type":"","direction":"unknown","raw_base64":"/w=="}`,
		`{"type":"mcp_definitions",` + head + `"","server_id":"","server_type":"","document":{ "b" : 1, "a": [ ]}}`,
		`{"type":"mcp_tool_seen","session_id":"s","server_id":"fs"}`, ""}, "\n")
	if data != want {
		t.Errorf("got:\n%swant:\n%s", data, want)
	}
	if live[1].Origin.File != "elsewhere" || live[6].Origin != (scanner.Origin{File: "rec", Line: 6, Column: 1, Exact: true}) {
		t.Errorf("origins: %v, %v", live[1].Origin, live[6].Origin)
	}
	replayed(t, []scanner.Event{tool})
}

// TestRecorderKeepsBytes checks that the recorder writes the exact bytes that were sent.
func TestRecorderKeepsBytes(t *testing.T) {
	for _, frame := range frames {
		if strings.ContainsAny(frame, "\r\n") || !utf8.ValidString(frame) {
			continue
		}
		data, live := recordAll(t, []scanner.Event{{Frame: []byte(frame)}})
		if live[0].Origin.Exact && !strings.Contains(data, `"message":`+frame+"}\n") {
			t.Errorf("%.60q became %.200s", frame, data)
		}
	}
}

func TestRecorderTellsOfErrors(t *testing.T) {
	failure := errors.New("the disk is full")
	err := NewRecorder(failing{failure}, "rec").Record(&scanner.Event{Frame: []byte(ping)})
	if !errors.Is(err, failure) || err.Error() != "recording to rec: the disk is full" {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRecorderProperty(t *testing.T) {
	check := func(seed uint64) bool {
		rnd := rand.New(rand.NewPCG(seed, 2))
		events := make([]scanner.Event, 1+rnd.IntN(12))
		for i := range events {
			events[i] = someEvent(rnd)
		}
		replayed(t, events)
		return !t.Failed()
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 400}); err != nil {
		t.Error(err)
	}
}

func someEvent(rnd *rand.Rand) scanner.Event {
	name := func() string { return names[rnd.IntN(len(names))] }
	e := scanner.Event{Time: time.Unix(rnd.Int64N(4e9), rnd.Int64N(1e9)).UTC(), Session: name(), Server: name(), Transport: name(), Request: name()}
	switch rnd.IntN(4) {
	case 0:
		e.Kind, e.Reason = scanner.SkippedEvent, name()
		return e
	case 1:
		e.Kind, e.Direction = scanner.DefinitionEvent, mcp.ServerToClient
	default:
		e.Direction = mcp.Direction(rnd.IntN(3))
	}
	frame := frames[rnd.IntN(len(frames))]
	switch rnd.IntN(4) {
	case 0:
		frame = value(rnd, 4)
	case 1:
		frame = fmt.Sprintf("{\n%s:%s}", `"x"`, value(rnd, 3))
	case 2:
		noise := make([]byte, rnd.IntN(40))
		for i := range noise {
			noise[i] = byte(rnd.Uint32())
		}
		frame = string(noise)
	}
	e.Frame = []byte(frame)
	return e
}
