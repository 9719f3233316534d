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
	for most, want := range map[int]string{32: "line 0\nline 1\n…\nline 2999", 10: "line…\n…"} {
		if s := tl.excerpt(most, Options{}.withDefaults().Mask); s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
	var short tail
	fmt.Fprint(&short, " Error: no key\n\nUsage: é\n")
	for most, want := range map[int]string{30: "Error: no key\nUsage: é", 24: "Error: no key\nUsage: é", 22: "Error: no…\n…"} {
		if s := short.excerpt(most, Options{}.withDefaults().Mask); s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
	fmt.Fprint(&tl, strings.Repeat("x", 9000))
	if s := tl.String(); s != strings.Repeat("x", tailSize) {
		t.Errorf("%d bytes", len(s))
	}
}

// TestExcerpt checks that an excerpt quotes the lines that say what is wrong, wherever they are.
func TestExcerpt(t *testing.T) {
	frames := strings.Repeat("    at ModuleLoader.resolve (node:internal/modules/esm/loader:640:38)\n", 20)
	for name, tt := range map[string]struct {
		output string
		want   []string
	}{
		"node": {"node:internal/modules/esm/resolve:873\n  throw new ERR_MODULE_NOT_FOUND(packageName, base);\n        ^\n\n" +
			"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a' imported from /srv/index.mjs\n" + frames + "Node.js v20.20.2\n",
			[]string{"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a' imported from /srv/index.mjs", "Node.js v20.20.2"}},
		"python": {"Traceback (most recent call last):\n" + strings.Repeat("  File \"/srv/a.py\", line 3, in f\n    raise ValueError(g(x))\n", 20) + "ValueError: API_KEY is not set\n",
			[]string{"Traceback (most recent call last):", "ValueError: API_KEY is not set"}},
		"end":  {"Error: no account\n" + frames + "Run: acme login\n", []string{"Error: no account", "Run: acme login"}},
		"long": {`{"level":"error","msg":"No account. Run: acme login","stack":"` + strings.Repeat("x", 9000) + "\"}\n", []string{"Run: acme login"}},
		"gap":  {"Bad token=" + strings.Repeat("S3", headSize) + strings.Repeat("\nline", 2000), []string{"Bad", "line"}},
	} {
		var tl tail
		fmt.Fprint(&tl, tt.output)
		got := tl.excerpt(maxExcerpt, Options{}.withDefaults().Mask)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not contain %q", name, got, want)
			}
		}
		if len(got) > maxExcerpt+50 || strings.Contains(got, "S3") {
			t.Errorf("%s: %d bytes: %s", name, len(got), got)
		}
	}
}
