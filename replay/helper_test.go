package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

// limit is the maximum line length in tests that are not about lengths.
const limit = 1 << 20

var kindNames = map[scanner.EventKind]string{scanner.FrameEvent: "frame", scanner.DefinitionEvent: "definition",
	scanner.AuditEvent: "audit", scanner.SkippedEvent: "skipped", scanner.IgnoredEvent: "ignored"}

// drain reads a source to its end and returns copies of its events.
func drain(src scanner.Source) ([]scanner.Event, error) {
	var events []scanner.Event
	for {
		c, err := src.Next()
		if c != nil {
			c.Events(func(e *scanner.Event) {
				kept := *e
				kept.SetTree(nil, 0)
				kept.Frame = bytes.Clone(e.Frame)
				events = append(events, kept)
			})
			c.Release()
		}
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
	}
}

func openBytes(name, data string, max int64) ([]scanner.Event, error) {
	src, err := Open(name, strings.NewReader(data), Options{MaxMessage: max})
	if err != nil {
		return nil, err
	}
	return drain(src)
}

// read opens a recording and checks the exact locations of its events.
func read(t testing.TB, name, data string) []scanner.Event {
	t.Helper()
	events, err := openBytes(name, data, limit)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	checkPlaces(t, data, events)
	return events
}

// checkPlaces compares every exact origin with the bytes of the file.
func checkPlaces(t testing.TB, data string, events []scanner.Event) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimPrefix(data, "\xEF\xBB\xBF"), "\n")
	starts := make([]int, len(lines))
	at := len(data) - len(strings.TrimPrefix(data, "\xEF\xBB\xBF"))
	for i, l := range lines {
		starts[i] = at
		at += len(l)
	}
	for _, e := range events {
		if !e.Origin.Exact {
			continue
		}
		if e.Origin.Line < 1 || e.Origin.Line > len(lines) {
			t.Fatalf("an event is in line %d of %d", e.Origin.Line, len(lines))
		}
		off := starts[e.Origin.Line-1]
		for range e.Origin.Column - 1 {
			_, n := utf8.DecodeRuneInString(data[off:])
			off += n
		}
		if !strings.HasPrefix(data[off:], string(e.Frame)) {
			t.Errorf("%d:%d of the file begins %.40q, the frame %.40q", e.Origin.Line, e.Origin.Column, data[off:], e.Frame)
		}
	}
}

// show formats an event as a line of a test table:
//
//	LINE[!] KIND[=TYPE] DIRECTION SESSION/SERVER/TRANSPORT TIME CONTENT
//
// with ! for an exact location, > or < for a known direction, and - for unknown values.
func show(e *scanner.Event) string {
	var b strings.Builder
	fmt.Fprint(&b, e.Origin.Line)
	if e.Origin.Exact {
		b.WriteByte('!')
	}
	b.WriteString(" " + kindNames[e.Kind])
	if e.Type != "" && e.Kind == scanner.AuditEvent {
		b.WriteString("=" + e.Type)
	}
	switch e.Kind {
	case scanner.SkippedEvent, scanner.IgnoredEvent:
		return b.String() + ": " + e.Reason
	}
	b.WriteString(" " + [...]string{"-", ">", "<"}[e.Direction])
	for i, s := range [...]string{e.Session, e.Server, e.Transport} {
		if s == "" {
			s = "-"
		}
		b.WriteString([...]string{" ", "/", "/"}[i] + s)
	}
	stamp := "-"
	if !e.Time.IsZero() {
		stamp = e.Time.Format(time.RFC3339Nano)
	}
	return b.String() + " " + stamp + " " + string(e.Frame)
}

func shown(events []scanner.Event) string {
	var b strings.Builder
	for i := range events {
		if e := events[i]; e.Kind == scanner.FrameEvent && e.Reason != "" { // counted as skipped, but its text is inspected
			fmt.Fprintf(&b, "%d skipped: %s\n", e.Origin.Line, e.Reason)
		}
		b.WriteString(show(&events[i]) + "\n")
		if e := events[i]; e.Unreadable != "" && e.Kind != scanner.SkippedEvent && e.Kind != scanner.IgnoredEvent {
			fmt.Fprintf(&b, "%d skipped: %s\n", e.Origin.Line, e.Unreadable)
		}
	}
	return b.String()
}

// diff compares events with the expected ones, line by line.
func diff(t testing.TB, events []scanner.Event, want ...string) {
	t.Helper()
	if got, w := shown(events), strings.Join(append(want, ""), "\n"); got != w {
		t.Errorf("got:\n%swant:\n%s", got, w)
	}
}
