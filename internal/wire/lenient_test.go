package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLenient(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\"a\":\"\xff\",\"b\xc3\":\"\xed\xa0\x80é\"}", `{"a":"?","b?":"???é"}`},
		{"[NaN,-Infinity, Infinity]", "[0  ,-0       , 0       ]"},
		{`{"NaN":"\"NaN\\","x":NaN}`, `{"NaN":"\"NaN\\","x":0  }`},
		{"{\"a\":\"b\tc\x00\"}\n", "{\"a\":\"b c \"}\n"},
		{"[\"\\\xff\"]", `["\?"]`}, // still no JSON
		{`{"a":1,}`, `{"a":1,}`},
		{"", ""},
	} {
		if got := string(Lenient([]byte(c.text))); got != c.want {
			t.Errorf("%q: %q, expected %q", c.text, got, c.want)
		}
	}
}

// FuzzLenient checks that the length never changes, and valid JSON not at all.
func FuzzLenient(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"\"x\\",null]}`, "{\"a\":\"\xff\"}", "[NaN]", `"` + strings.Repeat(`\`, 5) + `"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := Lenient(data)
		if len(got) != len(data) {
			t.Fatalf("%q: %q", data, got)
		}
		if new(Doc).Parse(data) == nil && string(got) != string(data) {
			t.Fatalf("%q is valid JSON, but became %q", data, got)
		}
		if json.Valid(got) != (new(Doc).Parse(got) == nil) && len(got) < MaxDepth {
			t.Fatalf("%q: the parsers disagree", got)
		}
	})
}
