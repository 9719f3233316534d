package app

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestLostMessages checks that a replay reports missing messages, and that later messages
// have the same locations as in the live run.
func TestLostMessages(t *testing.T) {
	var b bytes.Buffer
	rec := replay.NewRecorder(&b, "rec")
	record := func() scanner.Origin {
		e := &scanner.Event{Time: time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC), Session: ProxySession, Server: "s", Direction: mcp.ClientToServer, Frame: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}
		if err := rec.Record(e); err != nil {
			t.Fatal(err)
		}
		return e.Origin
	}
	record()
	written := b.Len()
	for range 3 {
		record()
	}
	b.Truncate(written)
	b.Write(lostLine(3, "the disk\nis full"))
	b.WriteString("\n\n")
	last := record()
	src, err := replay.Open("rec", &b, replay.Options{MaxMessage: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for err == nil {
		var c scanner.Chunk
		if c, err = src.Next(); c == nil {
			continue
		}
		c.Events(func(e *scanner.Event) {
			got = append(got, strings.TrimSpace(fmt.Sprint(e.Kind == scanner.SkippedEvent, " ", e.Origin.Line, " ", e.Reason)))
		})
		c.Release()
	}
	want := []string{"false 1", `true 2 3 messages not recorded: the disk` + "\n" + `is full`, fmt.Sprintf("false %d", last.Line)}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}
