package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// judged replays a recording and renders it in every format.
func judged(t require, recording io.Reader, workers int) map[string][]byte {
	engine, err := scanner.New(rules.All(), scanner.Options{Workers: workers})
	t.check(err)
	src, err := replay.Open("events.jsonl", recording, replay.Options{MaxMessage: 64 << 20})
	t.check(err)
	c := report.NewCollector(scanner.Note)
	res, err := engine.Run(context.Background(), src, c)
	t.check(err)
	r := c.Report([]report.Input{{Kind: "recording", Name: "events.jsonl"}}, "test", res)
	out := map[string][]byte{}
	for _, format := range report.Formats() {
		var b bytes.Buffer
		t.check(report.Write(&b, format, r, report.Options{Rules: documented()}))
		out[format] = b.Bytes()
	}
	return out
}

// require lets helpers serve testing.T and rapid.T.
type require struct {
	fatal func(args ...any)
}

func (r require) check(err error) {
	if err != nil {
		r.fatal(err)
	}
}

// TestDeterminism: the same input gives the same bytes of every report, for
// any number of workers.
func TestDeterminism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := require{t.Fatal}
		var rec bytes.Buffer
		req.check(recgen.Write(&rec, recgen.Options{Seed: rapid.Uint64().Draw(t, "seed"), Bytes: 1 << 20}))
		want := judged(req, bytes.NewReader(rec.Bytes()), 1)
		for _, workers := range []int{2, 8} {
			for format, got := range judged(req, bytes.NewReader(rec.Bytes()), workers) {
				if !bytes.Equal(got, want[format]) {
					t.Fatalf("%s differs between 1 and %d workers", format, workers)
				}
			}
		}
	})
}

// TestInterleavingChangesNoVerdict: how the lines of independent sessions are
// mixed changes where findings stand, and nothing else about them.
func TestInterleavingChangesNoVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := require{t.Fatal}
		var sessions [][]string
		for i := range 3 {
			var rec bytes.Buffer
			req.check(recgen.Write(&rec, recgen.Options{Seed: uint64(i), Bytes: 200 << 10}))
			own := strings.ReplaceAll(rec.String(), `"server_id":"`, fmt.Sprintf(`"server_id":"%d-`, i))
			own = strings.ReplaceAll(own, `"session_id":"`, fmt.Sprintf(`"session_id":"%d-`, i))
			sessions = append(sessions, strings.SplitAfter(strings.TrimSuffix(own, "\n"), "\n"))
		}
		straight := findingsOf(req, strings.Join(append(append(append([]string{}, sessions[0]...), sessions[1]...), sessions[2]...), ""))
		var mixed strings.Builder
		for len(sessions) > 0 {
			i := rapid.IntRange(0, len(sessions)-1).Draw(t, "next")
			n := min(len(sessions[i]), rapid.IntRange(1, 20).Draw(t, "lines"))
			for _, l := range sessions[i][:n] {
				mixed.WriteString(strings.TrimSuffix(l, "\n") + "\n")
			}
			if sessions[i] = sessions[i][n:]; len(sessions[i]) == 0 {
				sessions = append(sessions[:i], sessions[i+1:]...)
			}
		}
		if got := findingsOf(req, mixed.String()); got != straight {
			t.Fatalf("interleaving changed the findings:\n%s\nand straight:\n%s", got, straight)
		}
	})
}

// findingsOf lists what was found, in an order of its own and without places.
func findingsOf(t require, recording string) string {
	engine, err := scanner.New(rules.All(), scanner.Options{})
	t.check(err)
	src, err := replay.Open("events.jsonl", strings.NewReader(recording), replay.Options{MaxMessage: 64 << 20})
	t.check(err)
	c := report.NewCollector(scanner.Note)
	res, err := engine.Run(context.Background(), src, c)
	t.check(err)
	lines := map[string]int{}
	for _, f := range c.Report(nil, "", res).Findings {
		lines[strings.Join([]string{f.Session, f.Server, f.Rule, f.Severity.String(), f.Tool, f.Field, f.Fingerprint, *f.Timestamp}, " ")] += f.Occurrences
	}
	return fmt.Sprint(lines)
}

// TestMemoryIsBounded: memory does not grow with the length of the input. The
// second half of a recording must not need more than the first. Sessions that
// never end are live until they make place, so few are allowed here.
func TestMemoryIsBounded(t *testing.T) {
	const size = 160 << 20
	r, w := io.Pipe()
	go func() { w.CloseWithError(recgen.Write(w, recgen.Options{Seed: 3, Bytes: size})) }()
	src, err := replay.Open("events.jsonl", r, replay.Options{MaxMessage: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := scanner.New(rules.All(), scanner.Options{Workers: 2, Sessions: 8})
	if err != nil {
		t.Fatal(err)
	}
	probe := &memoryProbe{}
	if _, err := engine.Run(context.Background(), src, probe); err != nil {
		t.Fatal(err)
	}
	if first, second := probe.peak(0, size/2), probe.peak(size/2, size); second > first+first/2+4<<20 {
		t.Errorf("peak heap %d MiB in the first half, %d MiB in the second", first>>20, second>>20)
	}
}

// memoryProbe is a sink that samples the live heap.
type memoryProbe struct {
	events  int
	bytes   int
	samples []sample
}

type sample struct {
	at   int
	heap uint64
}

func (p *memoryProbe) Event(e *scanner.Event, _ *scanner.Facts) error {
	p.bytes += len(e.Frame)
	if p.events++; p.events%4000 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.samples = append(p.samples, sample{p.bytes, m.HeapAlloc})
	}
	return nil
}

func (p *memoryProbe) Finding(*scanner.Finding) error { return nil }

func (p *memoryProbe) peak(from, to int) uint64 {
	var most uint64
	for _, s := range p.samples {
		if s.at >= from && s.at < to {
			most = max(most, s.heap)
		}
	}
	return most
}
