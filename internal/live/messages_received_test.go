package live

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "answer 1"},
		{`{"ID":1,"Result":{},"method":"x"}`, "notification x"}, // names must match exactly
		{`{"id":1,"id":"b","method":"m"}`, `request m "b"`},     // the last one counts, as in most parsers
		{`{"\u0069d":1.0,"method":"m"}`, "request m 1.0"},
		{`{"id":null,"error":{"code":-32601}}`, "answer -32601"},
		{`[{"method":"a"},{"id":1,"result":{}}]`, "notification a|answer 1"},
		{`{"method":"a"}{"method":"b"}`, "notification a|notification b"},
		{`{"id":7,"result":{"tools":[}}`, "answer 7 broken"},
		{`{"id":7`, "answer 7 broken"},
		{"{\"method\":\"\xff\"}", "notification \uFFFD"},
		{`{"id":1,"error":{"code":-3.2022e4,"data":{"supported":["a",1,"b"]}}}`, "answer 1 -32022 [a b]"},
		{`{"id":1,"result":{"nextCursor":""}}`, `answer 1 next ""`},
		{`{"id":1,"result":{"nextCursor":null,"nextcursor":"x"}}`, "answer 1"},
		{strings.Repeat("[", 20000), ""},
		{``, ""},
		{`5 "x"`, ""},
	} {
		var got []string
		for _, m := range parse([]byte(tt.in)) {
			got = append(got, describe(m))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%.60s: got %q, want %q", tt.in, s, tt.want)
		}
	}
}

func describe(m message) string {
	switch {
	case m.method != "" && m.id != "":
		return "request " + m.method + " " + m.id
	case m.method != "":
		return "notification " + m.method
	}
	s := strings.TrimSpace("answer " + m.id)
	if e := m.reply.err; e != nil {
		s += fmt.Sprintf(" %d", e.code)
		if e.supported != nil {
			s += fmt.Sprint(" ", e.supported)
		}
	}
	if m.reply.nextCursor != nil {
		s += " next " + string(m.reply.nextCursor)
	}
	if m.reply.broken != nil {
		s += " broken"
	}
	return s
}

// FuzzParse checks that no frame makes the parser panic or hang.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"id":1,"result":{"capabilities":{"tools":{"listChanged":true}},"supportedVersions":["x"]}}]`))
	f.Add([]byte(`{"id":{"a":[1,{}]},"error":{"code":1e400,"data":{"supported":"x"}}}{"id`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		if n := len(parse(frame)); n > len(frame) {
			t.Fatalf("%d messages in %d bytes", n, len(frame))
		}
	})
}

func TestTail(t *testing.T) {
	var tl tail
	for i := range 3000 {
		fmt.Fprintf(&tl, "line %d\n", i)
	}
	fmt.Fprint(&tl, "\n \n")
	if s := tl.String(); len(s) != tailSize || !strings.HasSuffix(s, "line 2999\n\n \n") {
		t.Errorf("%d bytes, %q", len(s), s[len(s)-20:])
	}
	for most, want := range map[int]string{32: "line 0\nline 1\n…\nline 2999", 10: "line\n…\n2999"} {
		if s := tl.excerpt(most, Options{}.withDefaults().Mask); s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
	var short tail
	fmt.Fprint(&short, " Error: no key\n\nUsage: é\n")
	for most, want := range map[int]string{30: "Error: no key\nUsage: é", 22: "Error: no\n…\nUsage: é"} {
		if s := short.excerpt(most, Options{}.withDefaults().Mask); s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
	fmt.Fprint(&tl, strings.Repeat("x", 9000))
	if s := tl.String(); s != strings.Repeat("x", tailSize) {
		t.Errorf("%d bytes", len(s))
	}
}
