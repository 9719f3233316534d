package proxy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// pieces is a reader that returns its pieces one by one.
type pieces struct {
	data []byte
	next func() int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), max(1, p.next()))], p.data)
	p.data = p.data[n:]
	return n, nil
}

// said is an event as a client sees it.
type said struct {
	Type, ID, Data string
	Retry          int
	Cut            bool
}

func saidBy(e *wire.SSEEvent) said {
	return said{e.Type, e.ID, string(e.Data), e.Retry, e.Incomplete}
}

// checkBlocks reads a stream in blocks, and compares them with the stream and its events.
func checkBlocks(t interface {
	Helper()
	Fatalf(string, ...any)
}, data []byte, next func() int, max int64) {
	t.Helper()
	var again []byte
	var got []said
	blocks := blockReader{r: &pieces{data, next}, max: max}
	for {
		b, err := blocks.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatalf("%v", err)
			}
			break
		}
		if b.begins != (len(again) == 0) {
			t.Fatalf("%q begins: %v after %q", b.raw, b.begins, again)
		}
		if len(b.raw) == 0 {
			t.Fatalf("an empty block after %q", again)
		}
		again = append(again, b.raw...)
		e := wire.SSEEventIn(b.raw, b.begins)
		switch b.kind {
		case event:
			got = append(got, saidBy(&e))
		case nothing:
			if e.HasData || e.ID != "" {
				t.Fatalf("%q is an event", b.raw)
			}
		}
	}
	if !bytes.Equal(again, data) {
		t.Fatalf("blocks %q of %q", again, data)
	}
	if max < int64(len(data)) {
		return
	}
	var want []said
	for r := wire.NewSSEReader(bytes.NewReader(data), 0); ; {
		e, err := r.Next()
		if err != nil {
			break
		}
		if e.Incomplete && e.Ambiguous && saidBy(&e) == (said{Type: "message", Cut: true}) && len(want) == len(got) {
			break // reports ambiguous lines at the end of the stream, which are not an event
		}
		want = append(want, saidBy(&e))
	}
	if len(got) != len(want) {
		t.Fatalf("events %+v, want %+v of %q", got, want, data)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("event %+v, want %+v of %q", got[i], want[i], data)
		}
	}
}

// TestBlocks checks that the blocks of an event stream add up to the stream and contain its events,
// however the stream is split, for all line endings, and for events that are too long.
func TestBlocks(t *testing.T) {
	words := []string{"data: x", "data:", "data", "data:{\"a\":1}", "id: 7", "id", "event: ping", "retry: 5", ": note", ":", "other: y", "DATA: z", " data: z", "database: z",
		"\xEF\xBB\xBFdata: b", "\xEF\xBB\xBF", "\xEF\xBB\xBF\xEF\xBB\xBFid: 1", "", "", "", "data: " + strings.Repeat("long ", 2000)}
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(rt, "lines") {
			b.WriteString(rapid.SampledFrom(words).Draw(rt, "line"))
			b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r", ""}).Draw(rt, "end"))
		}
		size := rapid.IntRange(1, 20000)
		if rapid.Bool().Draw(rt, "small") {
			size = rapid.IntRange(1, 3)
		}
		checkBlocks(rt, []byte(b.String()), func() int { return size.Draw(rt, "piece") }, rapid.SampledFrom([]int64{1 << 30, 0}).Draw(rt, "max"))
	})
}

// FuzzBlocks is TestBlocks for any input.
func FuzzBlocks(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "\xEF\xBB\xBFid: 1\r\r\ndata: b", ": c\rdata\r\r", "event: e\ndata: a\r\ndata: b\r\n\r\n", "data: a\n\n: \x1e"} {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) { checkBlocks(t, data, func() int { return size }, 1<<30) })
}

// TestLongBlocks checks that overlong events are returned in parts, even without line endings, and
// that later events are read normally.
func TestLongBlocks(t *testing.T) {
	for name, long := range map[string]string{
		"a line":             "data: " + strings.Repeat("x", 300_000) + "\n\n",
		"many lines":         strings.Repeat("data: x\n", 40_000) + "\n",
		"a comment":          ": " + strings.Repeat("x", 300_000) + "\n",
		"a field of nothing": "x" + strings.Repeat("\xEF\xBB\xBF", 100_000) + "\r",
		"CR alone":           strings.Repeat("data: x\r", 40_000) + "\r",
		"CRLF":               strings.Repeat("data: x\r\n", 40_000) + "\r\n",
	} {
		data := "id: 1\n\n" + long + "data: next\n\n"
		for _, r := range []io.Reader{strings.NewReader(data), iotest.OneByteReader(strings.NewReader(data)), &pieces{[]byte(data), func() int { return 1000 }}} {
			blocks := blockReader{r: r, max: 1000}
			var again []byte
			last, ends, parts, held := block{}, 0, 0, 0
			for {
				b, err := blocks.next()
				if err != nil {
					break
				}
				again, last = append(again, b.raw...), b
				if held = max(held, len(blocks.buf)); b.kind == part {
					parts++
					if b.ends {
						ends++
					}
				}
			}
			if string(again) != data || ends != 1 || parts < 2 || last.kind != event || string(last.raw) != "data: next\n\n" || held > 300_000 {
				t.Errorf("%s: %d ends of %d parts, at last %q, %d bytes held", name, ends, parts, last.raw, held)
			}
		}
	}
}
