package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/mcpscan/mcpscan/scanner"
)

// many returns a recording of several chunks, with blank lines and lines longer
// than a chunk, and the content of the lines.
func many(n int) (data string, want map[int]string) {
	var b strings.Builder
	want = map[int]string{}
	number := 1
	for i := range n {
		if i%7 == 0 {
			b.WriteString("\r\n")
			number++
		}
		size := i % 90
		if i%1500 == 700 {
			size = 300 << 10
		}
		frame := fmt.Sprintf(`{"n":%d,"é":%q}`, i, strings.Repeat(string(rune('a'+i%26)), size))
		b.WriteString(record(`"message":`+frame) + "\n")
		want[number] = frame
		number++
	}
	return b.String(), want
}

func TestManyLines(t *testing.T) {
	data, want := many(6000)
	if len(data) < 8*chunkBytes {
		t.Fatalf("%d bytes are too few for this test", len(data))
	}
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(data), "by half": iotest.HalfReader(strings.NewReader(data)), "data with the error": iotest.DataErrReader(strings.NewReader(data))} {
		src, err := Open("rec", r, Options{MaxMessage: limit})
		if err != nil {
			t.Fatal(err)
		}
		events, err := drain(src)
		if err != nil || len(events) != len(want) {
			t.Fatalf("%s: %d events of %d, %v", name, len(events), len(want), err)
		}
		for _, e := range events {
			if string(e.Frame) != want[e.Origin.Line] || e.Kind != scanner.FrameEvent {
				t.Fatalf("%s: line %d: got %.60q, want %.60q", name, e.Origin.Line, e.Frame, want[e.Origin.Line])
			}
		}
		checkPlaces(t, data, events)
	}
}

// held is a chunk that has not been released yet.
type held struct {
	chunk  scanner.Chunk
	events []*scanner.Event
	copies [][]byte
}

func (h *held) check(t *testing.T) {
	for i, e := range h.events {
		if !bytes.Equal(e.Frame, h.copies[i]) {
			t.Errorf("the frame of line %d was overwritten before Release", e.Origin.Line)
			return
		}
	}
}

// Chunks are decoded on other goroutines while later ones are being read, so they are not released
// until later. Until then, their data must not change.
func TestChunksAreApart(t *testing.T) {
	data, want := many(6000)
	src, err := Open("rec", strings.NewReader(data), Options{MaxMessage: limit})
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan *held, 64)
	var decoding, checking sync.WaitGroup
	total := 0
	checking.Go(func() {
		var last []*held
		release := func(h *held) {
			h.check(t)
			total += len(h.events)
			h.chunk.Release()
		}
		for h := range waiting {
			if last = append(last, h); len(last) > 3 { // three chunks remain unreleased
				release(last[0])
				last = last[1:]
			}
		}
		for _, h := range last {
			release(h)
		}
	})
	for err == nil {
		var c scanner.Chunk
		if c, err = src.Next(); c == nil {
			continue
		}
		decoding.Go(func() {
			h := &held{chunk: c}
			c.Events(func(e *scanner.Event) {
				h.events = append(h.events, e)
				h.copies = append(h.copies, bytes.Clone(e.Frame))
			})
			waiting <- h
		})
	}
	decoding.Wait()
	close(waiting)
	checking.Wait()
	if !errors.Is(err, io.EOF) || total != len(want) {
		t.Errorf("%d events of %d, %v", total, len(want), err)
	}
}

func TestReadErrorComesAfterData(t *testing.T) {
	data, want := many(3000)
	failure := errors.New("the disk is gone")
	src, err := Open("rec", io.MultiReader(strings.NewReader(data), iotest.ErrReader(failure)), Options{MaxMessage: limit})
	if err != nil {
		t.Fatal(err)
	}
	events, err := drain(src)
	last := 0
	for n := range want {
		last = max(last, n)
	}
	if err != nil || len(events) != len(want)+1 || show(&events[len(want)]) != fmt.Sprintf("%d skipped: reading rec after line %d: the disk is gone", last, last) {
		t.Errorf("%d events of %d, %v", len(events), len(want), err)
	}
}

// If a reader fails once and then returns EOF, the failure must not be mistaken for the end of the
// file.
func TestReadErrorInTheHead(t *testing.T) {
	failure := errors.New("the disk is gone")
	once := io.MultiReader(strings.NewReader(ping+"\n"+ping+"\n"), &failsOnce{err: failure})
	src, err := Open("rec", once, Options{MaxMessage: limit})
	if err != nil {
		t.Fatal(err)
	}
	if events, err := drain(src); err != nil || len(events) != 3 || show(&events[2]) != "2 skipped: reading rec after line 2: the disk is gone" {
		t.Errorf("%d events, %v", len(events), err)
	}
	if _, err := Open("rec", iotest.ErrReader(failure), Options{}); !errors.Is(err, failure) || errors.Is(err, ErrFormat) {
		t.Errorf("an error in front of everything: %v", err)
	}
	if _, err := Open("rec", io.MultiReader(strings.NewReader("prose"), iotest.ErrReader(failure)), Options{}); !errors.Is(err, failure) || errors.Is(err, ErrFormat) {
		t.Errorf("an error before the format is known: %v", err)
	}
}

type failsOnce struct{ err error }

func (f *failsOnce) Read([]byte) (int, error) {
	err := f.err
	f.err = io.EOF
	return 0, err
}

func TestJoin(t *testing.T) {
	one := func(line string) scanner.Source {
		src, err := Open("rec", strings.NewReader(line), Options{MaxMessage: limit})
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	failure := errors.New("the disk is gone")
	broken, err := Open("rec", io.MultiReader(strings.NewReader(ping), iotest.ErrReader(failure)), Options{MaxMessage: limit})
	if err != nil {
		t.Fatal(err)
	}
	events, err := drain(Join(one(`{"jsonrpc":"2.0","id":7}`), Events(nil), Join(), one("[\n"+ping+"\n]"), broken, one(ping)))
	if err != nil || len(events) != 5 || show(&events[3]) != "1 skipped: reading rec after line 1: the disk is gone" || events[4].Kind != scanner.FrameEvent {
		t.Errorf("%v, got:\n%s", err, shown(events))
	}
	if events, err := drain(Join()); len(events) != 0 || err != nil {
		t.Errorf("nothing joined gives %v, %v", events, err)
	}
}

// TestChunkSizesRecur checks that the sizes of chunks depend only on the input: the engine judges
// events earlier when many bytes are buffered, so different sizes could change the report.
func TestChunkSizesRecur(t *testing.T) {
	data, _ := many(6000)
	sizes := func(recycle bool) (all []int) {
		src := newLineSource("rec", strings.NewReader(data), Options{MaxMessage: limit}, &jsonLines{})
		src.pool.New = func() any {
			return &lineChunk{source: src, data: make([]byte, 0, chunkBytes/3)}
		}
		for {
			c, err := src.Next()
			if err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if c != nil {
				all = append(all, c.(*lineChunk).Size())
				if recycle {
					c.Release()
				}
			}
			if err != nil {
				return all
			}
		}
	}
	if fresh, recycled := sizes(false), sizes(true); len(fresh) < 3 || !slices.Equal(fresh, recycled) {
		t.Errorf("with new memory: %d\nwith recycled memory: %d", fresh, recycled)
	}
}
