package wire

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// checkValues compares the results of Skim and Parse for a text.
func checkValues(t testing.TB, d *Doc, data []byte, parsed error) {
	t.Helper()
	root, err := Skim(data, MaxNodes)
	if !reflect.DeepEqual(err, parsed) {
		t.Fatalf("%q: Skim says %v, Parse %v", data, err, parsed)
	}
	if parsed == nil {
		checkValue(t, d, root, 0)
	} else if err := checkCut(root); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
}

// checkValue compares a value and its contents with a node.
func checkValue(t testing.TB, d *Doc, v Value, n int) {
	t.Helper()
	if v.Kind() != d.Kind(n) || v.Start() != int(d.Nodes[n].Start) || string(v.Raw()) != string(d.Raw(n)) {
		t.Fatalf("%q: %s at %d: %q; node %d is %s: %q", d.Data, v.Kind(), v.Start(), v.Raw(), n, d.Kind(n), d.Raw(n))
	}
	if v.Kind() == String && string(v.Text()) != string(d.Text(n, new([]byte))) {
		t.Fatalf("%q: got %q, want %q", d.Data, v.Text(), d.Text(n, new([]byte)))
	}
	child := d.First(n)
	for c := v.Children(); c.Next(); child = d.Next(child) {
		if child < 0 {
			t.Fatalf("%q: a value %q without a node", d.Data, c.Value.Raw())
		}
		checkValue(t, d, c.Value, child)
		if d.Nodes[n].Len > 40 || d.Kind(n) != Object { // looking up every key takes quadratic time
			continue
		}
		key := string(d.Key(child, new([]byte)))
		if got, want := v.Get(key), d.Get(n, key); got.Start() != int(d.Nodes[want].Start) {
			t.Fatalf("%q: Get(%q) is at %d, want %d", d.Data, key, got.Start(), d.Nodes[want].Start)
		}
	}
	if child >= 0 {
		t.Fatalf("%q: no value for node %d", d.Data, child)
	}
}

// checkCut fails unless each value of a truncated text is complete, or encloses the point of
// truncation.
func checkCut(v Value) error {
	var last Value
	for c := v.Children(); c.Next(); last = c.Value {
		if new(Doc).Parse(c.Value.Raw()) != nil && int(c.Value.node.End) != int(v.node.End) {
			return fmt.Errorf("a part of a value: %q", c.Value.Raw())
		}
	}
	if last.Kind() < Array {
		return nil
	}
	return checkCut(last)
}

func TestValues(t *testing.T) {
	for _, text := range []string{sample, `[1,[2,{"a":[]}],"\u0041"]`, `{"a":1,"\u0061":{"b":2},"c":3}`, " 7 ", `"x"`, "{}", "[]", `[1 2]`, `{"a":1}}`, "", "[1,", `{"a`, "[[[", "\"\xff\"",
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth+1)} {
		var d Doc
		err := d.Parse([]byte(text))
		checkValues(t, &d, []byte(text), err)
	}
}

// TestValuesOfATextThatBreaksOff checks that the part of a text before the point of
// truncation can be read.
func TestValuesOfATextThatBreaksOff(t *testing.T) {
	const text = `{"log":{"version":"1","entries":[{"a":1},{"a":2,"b":[3,4]},{"a":5,"b":"`
	root, err := Skim([]byte(text), MaxNodes)
	if err == nil {
		t.Fatal("no error")
	}
	var got []string
	for c := root.Get("log").Get("entries").Children(); c.Next(); {
		got = append(got, string(c.Value.Get("a").Raw())+string(c.Value.Get("b").Raw()))
	}
	if strings.Join(got, " ") != "1 2[3,4] 5" {
		t.Errorf("got %q", got)
	}
}

func TestSkimIsBounded(t *testing.T) {
	if _, err := Skim([]byte("[1,2,3]"), 4); err != nil {
		t.Error(err)
	}
	if _, err := Skim([]byte("[1,2,3]"), 3); err == nil || err.Error() != "invalid JSON at byte 5: more than 3 values" {
		t.Errorf("got %v", err)
	}
}

// TestValuesTakeNoMemory checks that values allocate no memory, however many of them the text
// contains.
func TestValuesTakeNoMemory(t *testing.T) {
	text := []byte("[" + strings.Repeat(`{"a":[1,2]},`, 50_000) + "0]")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	root, err := Skim(text, MaxNodes)
	n := 0
	for c := root.Children(); c.Next(); {
		n++
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || n != 50_001 || used > 64<<10 {
		t.Errorf("%d bytes for %d values, %v", used, n, err)
	}
}
