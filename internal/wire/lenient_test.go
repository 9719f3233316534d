package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
)

func TestLenient(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\"a\":\"\xff\",\"b\xc3\":\"\xed\xa0\x80é\"}", `{"a":"?","b?":"???é"}`},
		{"[NaN,-Infinity, Infinity]", "[0  ,-0       , 0       ]"},
		{`{"NaN":"\"NaN\\","x":NaN}`, `{"NaN":"\"NaN\\","x":0  }`},
		{"{\"a\":\"b\tc\x00\"}\n", "{\"a\":\"b c \"}\n"},
		{"[\"\\\xff\"]", `["\?"]`}, // still no JSON
		{`{"a":1,}`, `{"a":1,}`},
		{"\uFEFF\u00a0{\"a\":[{}]}\u2028", "     {\"a\":[{}]}   "},
		{"\x00[{\"a\":1}]\f", " [{\"a\":1}] "},
		{"{\"a\":\"\xff\"} x {\r\n", `{"a":"?"}      `},
		{`{"a":1} {"b":2}`, `{"a":1} {"b":2}`}, // two messages
		{"{\"a\":1}\u2028[ {\"b\":2}]", "{\"a\":1}\u2028[ {\"b\":2}]"},
		{`[1] x`, `[1] x`}, // no message
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

// TestLenientIsLinear checks that no text makes Lenient, ObjectAfter or AmbiguousEvent slow.
func TestLenientIsLinear(t *testing.T) {
	for _, pattern := range []string{"}", "[", "]", "[]", "\r", "\r[", "\n", "\n[", "}[", "{\r", "\u2028", "} ", "{}", "data:\n", ": \n"} {
		for _, end := range []string{"", " ", "\v"} {
			for _, begin := range []string{"", `{"a":1}`, "[{\"b\":\""} {
				effort.Linear(t, fmt.Sprintf("%q %q %q", begin, pattern, end), 1<<18, func(size int) func() {
					half := strings.Repeat(pattern, size/len(pattern)/2)
					text := []byte(begin + half + strings.Repeat(end, size/2) + "\v")
					return func() {
						Lenient(text)
						ObjectAfter(text, "\r")
						ObjectAfter(text, "}\u2028\u2029")
						AmbiguousEvent(text, text)
					}
				})
			}
		}
	}
}

func TestUnfinished(t *testing.T) {
	for line, want := range map[string]bool{
		``: false, `{`: true, ` [ `: true, `{}`: false, `{"a":1}`: false, `{"a":1} `: false, `{"a":1,`: true, `{"a":"}`: true, `{"a":"\"}`: true, `{"a":{"b":[1`: true,
		`{"a":1}{`: true, `{"a":1} [{"b":2}] {"c":`: true, `{"a":1} x {`: false, `x {`: false, `{x`: false, `{]`: false, `[1, 2`: true, `"a`: false, `1 {`: false,
		`{"a":NaN,`: true, "{\"a\":\"\xff\",": true, `[info] loading {`: false, `{"a" `: true, `{"a":`: true,
	} {
		if got := Unfinished([]byte(line)); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
