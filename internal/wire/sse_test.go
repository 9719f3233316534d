package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readEvents(t testing.TB, r io.Reader, max int64) []SSEEvent {
	t.Helper()
	sr := NewSSEReader(r, max)
	var all []SSEEvent
	for {
		e, err := sr.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		e.Data = bytes.Clone(e.Data)
		all = append(all, e)
	}
}

var (
	anyLineEnd = regexp.MustCompile("\r\n|\r|\n")
	onlyDigits = regexp.MustCompile("^[0-9]{1,9}$")
)

// wantEvents applies the WHATWG algorithm to a whole stream, line by line, with SSEReader's
// additions but without its optimisations.
func wantEvents(data []byte, max int64) []SSEEvent {
	lines := anyLineEnd.Split(strings.TrimPrefix(string(data), bom), -1)
	var all []SSEEvent
	var e SSEEvent
	var parts []string
	known, ambiguous := false, false
	flush := func(incomplete bool) {
		if known || incomplete && ambiguous {
			e.Data = []byte(strings.Join(parts, "\n"))
			if len(parts) > 1 {
				e.Size += int64(len(parts) - 1)
			}
			e.Oversize = max > 0 && e.Size > max
			e.HasData = e.Oversize || len(e.Data) > 0
			e.Incomplete = incomplete
			e.Ambiguous, ambiguous = ambiguous, false
			if e.Oversize {
				e.Data, e.Type, e.ID = nil, "", ""
			}
			if e.Type == "" {
				e.Type = "message"
			}
			all = append(all, e)
		}
		e, parts, known = SSEEvent{}, nil, false
	}
	for i, line := range lines {
		if line == "" {
			flush(i == len(lines)-1)
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		ambiguous = ambiguous || name != "data" && EndsElsewhere([]byte(line))
		switch name {
		case "data":
			parts = append(parts, value)
			e.Size += int64(len(value))
		case "event":
			e.Type = value
			e.Size += int64(len(value))
		case "id":
			if !strings.Contains(value, "\x00") {
				e.ID = value
			}
			e.Size += int64(len(value))
		case "retry":
			if onlyDigits.MatchString(value) {
				fmt.Sscan(strings.TrimLeft(value, "0")+"", &e.Retry)
			}
		default:
			continue
		}
		known = true
	}
	flush(true)
	return all
}

func sameEvents(a, b []SSEEvent) bool {
	return slices.EqualFunc(a, b, func(x, y SSEEvent) bool {
		data := bytes.Equal(x.Data, y.Data)
		x.Data, y.Data = nil, nil
		return data && fmt.Sprint(x) == fmt.Sprint(y)
	})
}

func TestSSE(t *testing.T) {
	tests := []struct {
		name, in string
		max      int64
		want     []SSEEvent
	}{
		{"empty", "", 0, nil},
		{"comment and unknown", ": hi\n\nfoo: bar\n\n:\n", 0, nil},
		{"message", "event: message\nid: 7\ndata: {}\n\n", 0,
			[]SSEEvent{{Type: "message", ID: "7", Data: []byte("{}"), HasData: true, Size: 10}}},
		{"endpoint", "event: endpoint\r\ndata: /m?x=1\r\n\r\n", 0,
			[]SSEEvent{{Type: "endpoint", Data: []byte("/m?x=1"), HasData: true, Size: 14}}},
		{"carriage returns", "data:a\rdata:  b\r\rdata:c\r\r", 0,
			[]SSEEvent{{Type: "message", Data: []byte("a\n b"), HasData: true, Size: 4},
				{Type: "message", Data: []byte("c"), HasData: true, Size: 1}}},
		{"mark", "\xEF\xBB\xBFdata: a\n\n", 0, []SSEEvent{{Type: "message", Data: []byte("a"), HasData: true, Size: 1}}},
		{"mark later is a name", "\n\xEF\xBB\xBFdata: a\n\n", 0, nil},
		{"priming", "id: 1\nretry: 300\ndata:\n\n", 0, []SSEEvent{{Type: "message", ID: "1", Retry: 300, Size: 1}}},
		{"field without a colon", "data\ndata\n\n", 0,
			[]SSEEvent{{Type: "message", Data: []byte("\n"), HasData: true, Size: 1}}},
		{"id with NUL, retry with letters", "id: a\x00b\nretry: 5s\ndata: x\n\n", 0,
			[]SSEEvent{{Type: "message", Data: []byte("x"), HasData: true, Size: 4}}},
		{"ignored after valid ones", "id: 7\nid: a\x00b\nretry: 30\nretry: 5s\ndata: x\n\n", 0,
			[]SSEEvent{{Type: "message", ID: "7", Retry: 30, Data: []byte("x"), HasData: true, Size: 5}}},
		{"ID reset", "id: 7\nid\ndata: x\n\n", 0, []SSEEvent{{Type: "message", Data: []byte("x"), HasData: true, Size: 2}}},
		{"cut off", "data: a\n\ndata: b\ndata: c", 0,
			[]SSEEvent{{Type: "message", Data: []byte("a"), HasData: true, Size: 1},
				{Type: "message", Data: []byte("b\nc"), HasData: true, Size: 3, Incomplete: true}}},
		{"oversize", "data: ab\ndata: cd\n\ndata: abcd\n\n", 4,
			[]SSEEvent{{Type: "message", HasData: true, Oversize: true, Size: 5},
				{Type: "message", Data: []byte("abcd"), HasData: true, Size: 4}}},
		{"oversize id", "id: abcdef\ndata: x\n\n", 4,
			[]SSEEvent{{Type: "message", HasData: true, Oversize: true, Size: 7}}},
		{"lines that some clients split", ": \u2028\n\ndata: \u2028\n\nid: 1\vx\ndata: x\n\ndata\x1c: y\n", 0,
			[]SSEEvent{{Type: "message", Data: []byte("\u2028"), HasData: true, Size: 3, Ambiguous: true},
				{Type: "message", ID: "1\vx", Data: []byte("x"), HasData: true, Size: 4, Ambiguous: true},
				{Type: "message", Ambiguous: true, Incomplete: true}}},
		{"not UTF-8", "data: \xff\n\n", 0, []SSEEvent{{Type: "message", Data: []byte("\xff"), HasData: true, Size: 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readEvents(t, strings.NewReader(tt.in), tt.max)
			if !sameEvents(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if ref := wantEvents([]byte(tt.in), tt.max); !sameEvents(ref, tt.want) {
				t.Errorf("the definition says %+v", ref)
			}
		})
	}
}

// TestSSEDoesNotWaitForLF checks that an event that ends in CR is complete at once,
// because an LF may follow much later or never.
func TestSSEDoesNotWaitForLF(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	got := make(chan string, 2)
	go func() {
		sr := NewSSEReader(pr, 0)
		for range 2 {
			e, err := sr.Next()
			got <- fmt.Sprintf("%s %v", e.Data, err)
		}
	}()
	for _, step := range []struct{ in, want string }{{"data: a\r\n\r", "a <nil>"}, {"\ndata: b\n\n", "b <nil>"}} {
		if _, err := io.WriteString(pw, step.in); err != nil {
			t.Fatal(err)
		}
		if s := <-got; s != step.want { // an event that waits for more never arrives
			t.Fatalf("got %q, want %q", s, step.want)
		}
	}
}

func TestSSEErrorComesAfterData(t *testing.T) {
	broken := errors.New("connection reset")
	sr := NewSSEReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)), 0)
	for _, want := range []string{"a", "b"} {
		if e, err := sr.Next(); err != nil || string(e.Data) != want || e.Incomplete != (want == "b") {
			t.Fatalf("got %+v, %v, want %q", e, err, want)
		}
	}
	for range 2 {
		if _, err := sr.Next(); !errors.Is(err, broken) {
			t.Fatalf("got %v, want %v", err, broken)
		}
	}
}

func TestSSEHoldsNoMoreThanTheCap(t *testing.T) {
	const size, limit = 100 << 20, 1 << 20
	sr := NewSSEReader(io.MultiReader(
		strings.NewReader(": "), flood(size), strings.NewReader("\nnonsense"), flood(size),
		strings.NewReader("\nretry:"), flood(size), strings.NewReader("\ndata:"), flood(size),
		strings.NewReader("\n\ndata: ok\n\n"),
	), limit)
	e, err := sr.Next()
	if err != nil || !e.Oversize || e.Size != size || e.Data != nil {
		t.Fatalf("got %+v, %v", e, err)
	}
	if e, err = sr.Next(); err != nil || string(e.Data) != "ok" {
		t.Fatalf("got %+v, %v", e, err)
	}
	if held := cap(sr.data) + cap(sr.name) + cap(sr.retry) + len(sr.buf); held > 2*limit {
		t.Errorf("%d bytes held for a cap of %d", held, limit)
	}
}

func FuzzSSE(f *testing.F) {
	f.Add([]byte("event: endpoint\r\ndata: /m\r\n\r\n: ping\n\nid: 1\ndata:\n\n"), uint64(1), uint8(0))
	f.Add([]byte("\xEF\xBB\xBFdata: a\rdata\r\rretry: 10\nid: x\x00\n\ndata: cut"), uint64(2), uint8(2))
	f.Add([]byte(": \u2028\n\ndata: \u0085\n\nevent: \xE2:\x80\xA8\n\nx\u2029\n"), uint64(4), uint8(0))
	f.Add([]byte("data: abcdef\n\nid: abcdefg\ndata:x\n\n"), uint64(3), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, max uint8) {
		want := wantEvents(data, int64(max))
		if got := readEvents(t, bytes.NewReader(data), int64(max)); !sameEvents(got, want) {
			t.Fatalf("one read\ngot  %+v\nwant %+v", got, want)
		}
		if got := readEvents(t, newChoppy(data, seed), int64(max)); !sameEvents(got, want) {
			t.Fatalf("many reads\ngot  %+v\nwant %+v", got, want)
		}
	})
}

func BenchmarkSSE(b *testing.B) {
	for _, tt := range []struct{ name, event string }{
		{"LF/size=200", "event: message\nid: 12\ndata: " + strings.Repeat("x", 168) + "\n\n"},
		{"CR/size=200", "event: message\rid: 12\rdata: " + strings.Repeat("x", 168) + "\r\r"},
		{"LF/size=64Ki", "data: " + strings.Repeat("x", 64<<10) + "\n\n"},
		{"LF/lines=20", strings.Repeat("data: abcdefghij\n", 20) + "\n"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			in := []byte(strings.Repeat(tt.event, (8<<20)/len(tt.event)))
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				sr := NewSSEReader(bytes.NewReader(in), 0)
				for {
					if _, err := sr.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
