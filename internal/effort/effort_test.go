package effort

import (
	"strings"
	"testing"
)

// failed is a testing.TB that records whether it failed.
type failed struct {
	testing.TB
	yes bool
}

func (f *failed) Helper()               {}
func (f *failed) Errorf(string, ...any) { f.yes = true }

// TestLinear checks that linear work passes, and quadratic work does not.
func TestLinear(t *testing.T) {
	once := func(size int) func() {
		text := strings.Repeat("a", size)
		return func() { _ = strings.ToUpper(text) }
	}
	square := func(size int) func() {
		text := strings.Repeat("a", size)
		return func() {
			for i := range size {
				_ = strings.Count(text[i:], "b")
			}
		}
	}
	for name, c := range map[string]struct {
		size    int
		prepare func(int) func()
		want    bool
	}{"once": {1 << 21, once, false}, "square": {1 << 16, square, true}} {
		got := &failed{TB: t}
		Linear(got, name, c.size, c.prepare)
		if got.yes != c.want {
			t.Errorf("%s: failed is %v", name, got.yes)
		}
	}
}
