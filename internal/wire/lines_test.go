package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// choppy is a reader that returns a stream in reads of arbitrary sizes.
type choppy struct {
	data []byte
	rnd  *rand.Rand
	err  error // returned after the data instead of io.EOF
}

func newChoppy(data []byte, seed uint64) *choppy {
	return &choppy{data: data, rnd: rand.New(rand.NewPCG(seed, 1)), err: io.EOF}
}

func (c *choppy) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, c.err
	}
	n := c.rnd.IntN(min(len(p), len(c.data), 9) + 1) // 0 is permitted, so readers must handle it
	copy(p, c.data[:n])
	c.data = c.data[n:]
	if len(c.data) == 0 && c.rnd.IntN(2) == 0 {
		return n, c.err // data and error in one read
	}
	return n, nil
}

func readLines(t testing.TB, r io.Reader, max int64) []Line {
	t.Helper()
	lr := NewLineReader(r, max)
	var all []Line
	for {
		line, err := lr.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		line.Data = bytes.Clone(line.Data)
		all = append(all, line)
	}
}

// wantLines is a simple, slow reference implementation of LineReader.
func wantLines(data []byte, max int64) []Line {
	var want []Line
	offset := int64(0)
	for i, raw := range bytes.SplitAfter(data, []byte("\n")) {
		start := offset
		offset += int64(len(raw))
		line := raw
		if i == 0 && bytes.HasPrefix(line, []byte(bom)) {
			line = line[len(bom):]
			start += int64(len(bom))
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		size := int64(len(line))
		over := max > 0 && size > max
		if over {
			line = nil
		} else if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		want = append(want, Line{Data: line, Number: i + 1, Offset: start, Size: size, Oversize: over})
	}
	return want
}

func sameLines(a, b []Line) bool {
	return slices.EqualFunc(a, b, func(x, y Line) bool {
		return x.Number == y.Number && x.Offset == y.Offset && x.Size == y.Size &&
			x.Oversize == y.Oversize && bytes.Equal(x.Data, y.Data)
	})
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, in string
		max      int64
		want     string
	}{
		{"empty", "", 0, ""},
		{"plain", "{}\n[]\n", 0, "1@0:{} 2@3:[]"},
		{"crlf", "{}\r\n[]\r\n", 0, "1@0:{} 2@4:[]"},
		{"mark", "\xEF\xBB\xBF{}\n\xEF\xBB\xBF[]\n", 0, "1@3:{} 2@6:\xEF\xBB\xBF[]"},
		{"only a mark", "\xEF\xBB\xBF\n", 0, ""},
		{"blank", "\n \t\n\r\n{}\n", 0, "4@6:{}"},
		{"no end", "{}\n[1]", 0, "1@0:{} 2@3:[1]"},
		{"carriage return inside", "a\rb\n", 0, "1@0:a\rb"},
		{"at the cap", "abc\r\nabcd\nabc", 3, "1@0:abc 2@5:oversize(4) 3@10:abc"},
		{"mark and cap", "\xEF\xBB\xBFabcd\r\nab\n", 3, "1@3:oversize(4) 2@9:ab"},
		{"far above the cap", strings.Repeat("x", 300_000) + "\r\nab\n", 3, "1@0:oversize(300000) 2@300002:ab"},
		{"far above the cap, no end", "a\n" + strings.Repeat("x", 300_000), 3, "1@0:a 2@2:oversize(300000)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range readLines(t, strings.NewReader(tt.in), tt.max) {
				body := string(l.Data)
				if l.Oversize {
					body = fmt.Sprintf("oversize(%d)", l.Size)
				}
				got = append(got, fmt.Sprintf("%d@%d:%s", l.Number, l.Offset, body))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got  %q\nwant %q", s, tt.want)
			}
		})
	}
}

func TestLinesErrorComesAfterData(t *testing.T) {
	broken := errors.New("broken pipe")
	lr := NewLineReader(io.MultiReader(strings.NewReader("{}\n[1"), iotest.ErrReader(broken)), 0)
	for _, want := range []string{"{}", "[1"} {
		if l, err := lr.Next(); err != nil || string(l.Data) != want {
			t.Fatalf("got %q, %v, want %q", l.Data, err, want)
		}
	}
	for range 2 {
		if _, err := lr.Next(); !errors.Is(err, broken) {
			t.Fatalf("got %v, want %v", err, broken)
		}
	}
}

// TestLinesNoProgress checks that a reader that returns neither bytes nor an error does not cause a
// busy loop.
func TestLinesNoProgress(t *testing.T) {
	_, err := NewLineReader(idle{}, 0).Next()
	if !errors.Is(err, io.ErrNoProgress) {
		t.Fatalf("got %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// flood is an endless line, truncated after n bytes.
func flood(n int64) io.Reader { return io.LimitReader(same('x'), n) }

type same byte

func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

func TestLinesHoldNoMoreThanTheCap(t *testing.T) {
	const size, limit = 200 << 20, 1 << 20
	r := io.MultiReader(flood(size), strings.NewReader("\n{}\n"))
	lr := NewLineReader(r, limit)
	l, err := lr.Next()
	if err != nil || !l.Oversize || l.Size != size || l.Data != nil {
		t.Fatalf("got %+v, %v", l, err)
	}
	if l, err = lr.Next(); err != nil || string(l.Data) != "{}" || l.Number != 2 || l.Offset != size+1 {
		t.Fatalf("got %+v, %v", l, err)
	}
	if len(lr.buf) > limit+slack {
		t.Errorf("the buffer grew to %d bytes for a cap of %d", len(lr.buf), limit)
	}
}

func TestLinesAllocateOnce(t *testing.T) {
	in := []byte(strings.Repeat(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", 10_000))
	n := testing.AllocsPerRun(3, func() {
		lr := NewLineReader(bytes.NewReader(in), 0)
		for {
			if _, err := lr.Next(); err != nil {
				return
			}
		}
	})
	if n > 5 {
		t.Errorf("%v allocations for 10000 lines, want a handful for all of them", n)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\r\n\n[1]\nlast"), uint64(1), uint8(0))
	f.Add([]byte("\xEF\xBB\xBF{\"a\":1}\n\xEF\xBB\xBF\n"), uint64(2), uint8(3))
	f.Add([]byte(strings.Repeat("ab\r\n\r", 40)), uint64(3), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, max uint8) {
		want := wantLines(data, int64(max))
		if got := readLines(t, bytes.NewReader(data), int64(max)); !sameLines(got, want) {
			t.Fatalf("one read\ngot  %+v\nwant %+v", got, want)
		}
		if got := readLines(t, newChoppy(data, seed), int64(max)); !sameLines(got, want) {
			t.Fatalf("many reads\ngot  %+v\nwant %+v", got, want)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	for _, size := range []int{100, 1 << 10, 64 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("line=%d", size), func(b *testing.B) {
			line := strings.Repeat("x", size-1) + "\n"
			in := []byte(strings.Repeat(line, max(1, (8<<20)/size)))
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				lr := NewLineReader(bytes.NewReader(in), 0)
				for {
					if _, err := lr.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}

// TestDetach checks that a detached line keeps its bytes while the reader continues, and
// that later lines have the right positions.
func TestDetach(t *testing.T) {
	long := strings.Repeat("x", 3*firstBuffer)
	l := NewLineReader(strings.NewReader("a\n"+long+"\nb\n"+long+"\nc"), 0)
	var got []Line
	for {
		line, err := l.Next()
		if err != nil {
			break
		}
		if l.Detach(); line.Data == nil {
			t.Fatal("a line without data")
		}
		got = append(got, line)
	}
	at := int64(0)
	for i, want := range []string{"a", long, "b", long, "c"} {
		if i >= len(got) || string(got[i].Data) != want || got[i].Number != i+1 || got[i].Offset != at {
			t.Fatalf("line %d is wrong", i+1)
		}
		at += int64(len(want)) + 1
	}
}
