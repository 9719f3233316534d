package lazyregexp

import "testing"

func TestBadExpressionsAreFoundByTests(t *testing.T) {
	if _, err := Compile("("); err == nil {
		t.Error("a bad expression compiles")
	}
	defer func() {
		if recover() == nil {
			t.Error("New takes a bad expression in a test")
		}
	}()
	New("(")
}

func TestCompiledOnce(t *testing.T) {
	r := New(`a(b+)`)
	if !r.MatchString("xabb") || r.Compiled() != r.Compiled() {
		t.Errorf("%q is compiled twice, or does not match", r)
	}
}
