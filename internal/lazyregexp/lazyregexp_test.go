package lazyregexp

import "testing"

func TestBadExpressionsAreFoundByTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New takes a bad expression in a test")
		}
	}()
	New("(")
}

func TestCompiledOnce(t *testing.T) {
	r := New(`a(b+)`)
	first, second := r.Compiled(), r.Compiled()
	if !r.MatchString("xabb") || first != second {
		t.Errorf("%q is compiled twice, or does not match", first)
	}
}
