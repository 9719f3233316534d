package scanner_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/scanner"
)

// judgedOrder is a sink that records the lines of the events.
type judgedOrder struct{ lines []int }

func (j *judgedOrder) Event(e *scanner.Event, _ *scanner.Outcome) error {
	j.lines = append(j.lines, e.Origin.Line)
	return nil
}

func (j *judgedOrder) Finding(*scanner.Finding) error { return nil }

// orderOf runs events through an engine and returns their lines in the order of
// judging, and the number of events that were too late.
func orderOf(t require, src scanner.Source) (lines []int, late int) {
	e, err := scanner.New([]scanner.Rule{markerRule()}, scanner.Options{Workers: 2})
	t.check(err)
	s := &judgedOrder{}
	res, err := e.Run(context.Background(), src, s)
	t.check(err)
	for _, skipped := range res.Coverage.Skipped {
		late += skipped.Count
	}
	return s.lines, late
}

// require wraps testing.T or rapid.T, so that helpers work with either.
type require struct{ fatal func(args ...any) }

func (r require) check(err error) {
	if err != nil {
		r.fatal(err)
	}
}

// TestOrder checks that, within the bounds, a session's events are judged in order of time, then
// line, at the positions that the session has in the input.
func TestOrder(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   string
		late   int
	}{
		"times that rise":              {"a:1s b:9s a:2s b:10s", "1 2 3 4", 0},
		"two that are swapped":         {"a:2s a:1s", "2 1", 0},
		"equal times":                  {"a:1s a:1s a:0s a:1s", "3 1 2 4", 0},
		"a session has its own places": {"a:3s b:1s a:2s b:0s a:1s", "5 4 3 2 1", 0},
		"other sessions do not move":   {"a:2s b:9s c:1s a:1s", "4 2 3 1", 0},
		"the last instant":             {"a:30s a:0s", "2 1", 0},
		"one nanosecond inside":        {"a:29.999999999s a:0s", "2 1", 0},
		"one nanosecond too late":      {"a:30.000000001s a:0s", "1 2", 1},
		"too late for some":            {"a:1s a:31s a:35s a:4s", "1 2 3 4", 1},
		"behind a clock that jumped":   {"a:1s a:8760h a:2s a:3s", "1 2 3 4", 2},
		"in order behind the jump":     {"a:1s a:8760h a:3s a:2s", "1 2 4 3", 2},
		"no times":                     {"a: b: a: b:", "1 2 3 4", 0},
		"without a time, moved along":  {"a:2s a: a:1s", "3 1 2", 0},
		"without a time, in its place": {"a:2s a:1s a: a:3s", "2 1 3 4", 0},
		"without a time, at the start": {"a: a:2s a:1s", "1 3 2", 0},
	} {
		lines, late := orderOf(require{t.Fatal}, &source{pings(t, c.script)})
		if got := strings.Trim(fmt.Sprint(lines), "[]"); got != c.want || late != c.late {
			t.Errorf("%s: got %s with %d late, want %s with %d", name, got, late, c.want, c.late)
		}
	}
}

// TestOrderKeepsPlaces checks that events without a session keep their positions.
func TestOrderKeepsPlaces(t *testing.T) {
	events := pings(t, "a:2s a:9s a:1s")
	events[1].Kind = scanner.SkippedEvent
	if lines, _ := orderOf(require{t.Fatal}, &source{events}); !slices.Equal(lines, []int{3, 2, 1}) {
		t.Errorf("judged as %v", lines)
	}
}

// TestOrderByEvents checks that an event can overtake at most 256 events in its session, and only
// those that are still waiting.
func TestOrderByEvents(t *testing.T) {
	for name, c := range map[string]struct {
		ahead, others, late int
	}{
		"the last one":                 {256, 0, 0},
		"one too many":                 {257, 0, 1},
		"with others between them":     {4, 4000, 0},
		"with too many others between": {4, 5000, 1},
	} {
		script := strings.Repeat("a:1s ", c.ahead) + strings.Repeat("b:1s ", c.others) + "a:0s " + strings.Repeat("a:2s ", 5000)
		lines, late := orderOf(require{t.Fatal}, &source{pings(t, script)})
		if late != c.late || len(lines) != c.ahead+c.others+5001 {
			t.Errorf("%s: %d late of %d", name, late, len(lines))
		}
	}
}

// held is a source that counts how many of its chunks were released.
type held struct {
	left, size, released int
}

func (h *held) Next() (scanner.Chunk, error) {
	if h.left == 0 {
		return nil, io.EOF
	}
	h.left--
	return &heldChunk{h, h.left}, nil
}

type heldChunk struct {
	of *held
	n  int
}

func (c *heldChunk) Size() int { return c.of.size }
func (c *heldChunk) Events(yield func(*scanner.Event)) {
	e := frame(1, mcp.ClientToServer, `{"jsonrpc":"2.0","method":"ping"}`)
	e.Session = fmt.Sprint(c.n % 3)
	yield(e)
	ignored := *e
	ignored.Kind = scanner.IgnoredEvent
	yield(&ignored)
}
func (c *heldChunk) Release() { c.of.released++ }

// TestWaitingIsBounded checks that waiting events use no more memory than the bound, and that all
// of it is released.
func TestWaitingIsBounded(t *testing.T) {
	e, err := scanner.New([]scanner.Rule{markerRule()}, scanner.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 10, 1 << 20, 100 << 20} {
		h := &held{left: 9000, size: size}
		waiting := scanner.Waiting(e, h)
		if bound := 8<<20 + 2*size; waiting.Bytes > bound || waiting.Events > 4096 {
			t.Errorf("chunks of %d bytes: %d events that keep %d bytes wait", size, waiting.Events, waiting.Bytes)
		}
		if h.released != 9000 {
			t.Errorf("%d of 9000 chunks were released", h.released)
		}
	}
}

// TestOrderProperty checks that, within the bounds, the events of each session are
// judged in the order of a stable sort by time, at the session's own positions.
func TestOrderProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(rt, "events")
		seed := rapid.Uint64().Draw(rt, "seed")
		sessions := rapid.IntRange(1, 5).Draw(rt, "sessions")
		r := rand.New(rand.NewPCG(seed, 1))
		var events []*scanner.Event
		of := map[string][]*scanner.Event{}
		for i := range n {
			e := frame(i, mcp.ClientToServer, `{"jsonrpc":"2.0","method":"ping"}`)
			e.Session = fmt.Sprint("s", r.IntN(sessions))
			e.Time = time.Unix(1e9, int64(r.IntN(40))*int64(time.Second)/2).UTC()
			events = append(events, e)
			of[e.Session] = append(of[e.Session], e)
		}
		for _, own := range of {
			slices.SortStableFunc(own, func(a, b *scanner.Event) int { return a.Time.Compare(b.Time) })
		}
		var want []int
		for _, e := range events {
			want = append(want, of[e.Session][0].Origin.Line)
			of[e.Session] = of[e.Session][1:]
		}
		got, late := orderOf(require{rt.Fatal}, &source{events})
		if len(events) <= 256 && (late > 0 || !slices.Equal(got, want)) {
			rt.Fatalf("got  %v\nwant %v\n%d late", got, want, late)
		}
		if sorted := slices.Sorted(slices.Values(got)); cmp.Compare(len(sorted), n) != 0 || sorted[0] != 1 || sorted[n-1] != n {
			rt.Fatalf("of %d events %v were judged", n, sorted)
		}
	})
}

// present is a source that returns an event only after the one before was judged.
type present struct {
	source
	last   *scanner.Event
	judged chan *scanner.Event
	stuck  *scanner.Event
}

func (p *present) Next() (scanner.Chunk, error) {
	if p.last != nil && p.stuck == nil {
		select {
		case <-p.judged:
		case <-time.After(time.Minute):
			p.stuck = p.last
		}
	}
	c, err := p.source.Next()
	if err != nil {
		return nil, err
	}
	p.last = c.(one).e
	return punctual{c}, nil
}

func (p *present) Event(e *scanner.Event, _ *scanner.Outcome) error {
	p.judged <- e
	return nil
}

func (p *present) Finding(*scanner.Finding) error { return nil }

type punctual struct{ scanner.Chunk }

func (punctual) Punctual() bool { return true }

// TestPunctualEventsDoNotWait checks that an event that no later one precedes is judged before the
// next one arrives. A server that stays silent until the time limit passes must not prevent what
// other servers sent from being judged.
func TestPunctualEventsDoNotWait(t *testing.T) {
	e, err := scanner.New([]scanner.Rule{markerRule()}, scanner.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	events := pings(t, "a:1s b:1s a:2s")
	p := &present{source: source{events}, judged: make(chan *scanner.Event, len(events))}
	if _, err := e.Run(context.Background(), p, p); err != nil {
		t.Fatal(err)
	}
	if p.stuck != nil {
		t.Errorf("event %d was not judged before the next one was read", p.stuck.Origin.Line)
	}
}
