package servers

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// TestDigestOfLineEnds checks that a text has the same digests with any line ends, however it is
// read, and that other changes have others.
func TestDigestOfLineEnds(t *testing.T) {
	of := func(s string, wrap func(io.Reader) io.Reader) digests {
		h := newFileHash()
		if _, err := io.Copy(h, wrap(strings.NewReader(s))); err != nil {
			t.Fatal(err)
		}
		return h.sum()
	}
	plain := func(r io.Reader) io.Reader { return r }
	lf, crlf := of("a\nb\n\nc\r", plain), of("a\r\nb\r\n\r\nc\r", iotest.OneByteReader)
	if lf.raw != crlf.lf || crlf.raw != lf.crlf || lf.lf != lf.raw || crlf.crlf != crlf.raw {
		t.Errorf("got %+v and %+v", lf, crlf)
	}
	for _, other := range []string{"a\nb\nc\r", "a\rb\r\rc\r", "a\nb\n\nc", "a\nb\n\nc\r\n"} {
		got := of(other, iotest.OneByteReader)
		if again := of(other, plain); got != again {
			t.Errorf("%q: got %+v and %+v", other, got, again)
		}
		if got.lf == lf.lf || got.crlf == lf.crlf {
			t.Errorf("%q has a digest of another text", other)
		}
	}
	if got := of("a\n\x00", plain); got.raw == "" || got.lf != "" || got.crlf != "" {
		t.Errorf("a binary file: got %+v", got)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("a\nb\n\nc\r"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, why := NewDisk(t.Context()).digest(path); got != lf || why != "" {
		t.Errorf("got %+v, %q, want %+v", got, why, lf)
	}
}
