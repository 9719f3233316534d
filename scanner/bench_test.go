package scanner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// recording returns a generated recording and its events, including frames.
func recording(b *testing.B, size int64) ([]byte, []*scanner.Event) {
	b.Helper()
	var rec bytes.Buffer
	if err := recgen.Write(&rec, recgen.Options{Seed: 1, Bytes: size}); err != nil {
		b.Fatal(err)
	}
	events := eventsOf(b, "r", rec.Bytes())
	return rec.Bytes(), events
}

func engine(b *testing.B, workers int) *scanner.Engine {
	b.Helper()
	e, err := scanner.New(rules.All(), scanner.Options{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// BenchmarkInspect measures the parallel part: parsing, walking, matching and hashing.
func BenchmarkInspect(b *testing.B) {
	_, events := recording(b, 4<<20)
	in := engine(b, 1).NewInspector()
	var size int64
	for _, e := range events {
		size += int64(len(e.Frame))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range events {
			in.Inspect(e)
			e.SetTree(nil, 0)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(events))/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkText measures how long the rules take for a result without findings, for each kind of
// text.
func BenchmarkText(b *testing.B) {
	texts := recgen.Texts(1, 64<<10)
	for _, kind := range slices.Sorted(maps.Keys(texts)) {
		b.Run(kind, func(b *testing.B) {
			quoted, err := json.Marshal(texts[kind])
			if err != nil {
				b.Fatal(err)
			}
			e := frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(quoted)+`}]}}`)
			in := engine(b, 1).NewInspector()
			b.SetBytes(int64(len(texts[kind])))
			b.ReportAllocs()
			for b.Loop() {
				if facts := in.Inspect(e); len(facts.Findings) > 0 {
					b.Fatalf("a finding: %v", facts.Findings[0])
				}
				e.SetTree(nil, 0)
			}
		})
	}
}

// BenchmarkJudge measures the sequential part, which must keep up with all workers.
func BenchmarkJudge(b *testing.B) {
	_, events := recording(b, 4<<20)
	e := engine(b, 1)
	in := e.NewInspector()
	facts := make([]*scanner.Facts, len(events))
	for i, ev := range events {
		facts[i] = in.Inspect(ev)
	}
	b.ReportAllocs()
	for b.Loop() {
		j := scanner.NewJudge(e)
		for i, ev := range events {
			j.Judge(ev, facts[i])
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(events))/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkReplay measures a whole run, from bytes to findings.
func BenchmarkReplay(b *testing.B) {
	data, _ := recording(b, 16<<20)
	for name, workers := range map[string]int{"workers=1": 1, "workers=2": 2} {
		b.Run(name, func(b *testing.B) {
			e := engine(b, workers)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				src, err := replay.Open("r", io.Reader(bytes.NewReader(data)), replay.Options{MaxMessage: 64 << 20})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := e.Run(context.Background(), src, &sink{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOrder measures the cost of sorting events before they are judged, in order and out of
// order, for various numbers of sessions.
func BenchmarkOrder(b *testing.B) {
	for _, c := range []struct {
		sessions int
		late     bool
	}{{1, false}, {100, false}, {10_000, false}, {1, true}} {
		b.Run(fmt.Sprintf("sessions=%d/late=%t", c.sessions, c.late), func(b *testing.B) {
			var events []*scanner.Event
			for i := range 100_000 {
				e := frame(i, mcp.ClientToServer, "{}")
				e.Session = fmt.Sprint(i % c.sessions)
				if c.late && i%8 == 7 {
					e.Time = e.Time.Add(-5 * time.Second)
				}
				events = append(events, e)
			}
			b.ReportAllocs()
			for b.Loop() {
				scanner.Wait(events)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
		})
	}
}
