package wire

import (
	"testing"
)

func TestAppendIndented(t *testing.T) {
	const in = `{"b":[1.0,{},[]],"a":"é\n","c":{"y":null,"x":true}}`
	const want = `{
  "a": "é\n",
  "b": [
    1,
    {},
    []
  ],
  "c": {
    "x": true,
    "y": null
  }
}`
	var d Doc
	if err := d.Parse([]byte(in)); err != nil {
		t.Fatal(err)
	}
	if got := string(d.AppendIndented(nil, 0, 0)); got != want {
		t.Errorf("got\n%s", got)
	}
}

// FuzzIndented checks that indenting preserves the meaning.
func FuzzIndented(f *testing.F) {
	for _, s := range []string{`{"a":1,"a":2}`, `[[],{}]`, `"\ud800"`, `{"\u0000":-0.0e1}`, `1e999`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		var d, again Doc
		if d.Parse(s) != nil {
			return
		}
		want := string(d.AppendCanonical(nil, 0))
		indented := d.AppendIndented(nil, 0, 0)
		if err := again.Parse(indented); err != nil {
			t.Fatalf("%q: %v", indented, err)
		}
		if got := string(again.AppendCanonical(nil, 0)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
