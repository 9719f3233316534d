package wire

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func canonical(t testing.TB, text string) string {
	t.Helper()
	return string(mustParse(t, text).AppendCanonical(nil, 0))
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"RFC 8785 section 3.2.2",
			`{
       "numbers": [333333333.33333329, 1E30, 4.50,
                   2e-3, 0.000000000000000000000000001],
       "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
       "literals": [null, true, false]
     }`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"RFC 8785 section 3.2.3",
			`{
       "\u20ac": "Euro Sign",
       "\r": "Carriage Return",
       "\ufb33": "Hebrew Letter Dalet With Dagesh",
       "1": "One",
       "\ud83d\ude00": "Emoji: Grinning Face",
       "\u0080": "Control",
       "\u00f6": "Latin Small Letter O With Diaeresis"
     }`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis",` +
				`"€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`},
		{"supplementary before U+E000", "{\"\ue000\":1,\"\U00010000\":2,\"\ud7ff\":3,\"\U0010ffff\":4,\"\uffff\":5}",
			"{\"\ud7ff\":3,\"\U00010000\":2,\"\U0010ffff\":4,\"\ue000\":1,\"\uffff\":5}"},
		{"one high surrogate", "{\"\U00010001\":1,\"\U00010000z\":2,\"\U00010000\":3}", "{\"\U00010000\":3,\"\U00010000z\":2,\"\U00010001\":1}"},
		{"prefixes", `{"ab":1,"a":2,"":3,"b":4,"B":5,"aa":6}`, `{"":3,"B":5,"a":2,"aa":6,"ab":1,"b":4}`},
		{"escapes shortened", `"\u0008\u0009\u000A\u000C\u000D\u0000\u001F\u007f\/\u00e9"`, `"\b\t\n\f\r\u0000\u001f` + "\x7f" + `/é"`},
		{"escaped key sorts as it reads", `{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		{"nested", ` { "b" : [ { "d" : 1 , "c" : [ ] } , { } ] , "a" : null } `, `{"a":null,"b":[{"c":[],"d":1},{}]}`},
		{"arrays keep their order", `[3,1,"b","a",2]`, `[3,1,"b","a",2]`},
		{"a key twice keeps its order", `{"b":0,"a":2,"a":1}`, `{"a":2,"a":1,"b":0}`},
		{"lone surrogates", `["\uD800","\udfff\u0041\n\u0022é","\ud83d\ude00\uDE00"]`, `["\ud800","\udfffA\n\"é","😀\ude00"]`},
		{"lone surrogates in keys", `{"\uD801":1,"a\udc00":2}`, `{"a\udc00":2,"\ud801":1}`},
		{"line separators stay", "\"\u2028\u2029\"", "\"\u2028\u2029\""},
	} {
		got := canonical(t, c.text)
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if again := canonical(t, got); again != got {
			t.Errorf("%s: %s becomes %s", c.name, got, again)
		}
	}
}

func TestCanonicalNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0": "0", "0e10": "0", "1": "1", "-1": "-1", "1.0": "1", "-10.50": "-10.5",
		"10": "10", "1e2": "100", "1E2": "100", "1e20": "100000000000000000000", "1e21": "1e+21", "123e19": "1.23e+21",
		"0.000001": "0.000001", "0.0000001": "1e-7", "1e-6": "0.000001", "1.5e-7": "1.5e-7",
		"333333333.33333329": "333333333.3333333", "999999999999999": "999999999999999",
		"9007199254740992": "9007199254740992", "9007199254740993": "9007199254740993", "-9007199254740993": "-9007199254740993",
		"9223372036854775807": "9223372036854775807", "18446744073709551615": "18446744073709551615", "295147905179352825856": "295147905179352825856",
		"1000000000000000000000": "1e+21", "1230000000000000000000": "1.23e+21", "1230000000000000000001": "1230000000000000000001",
		"295147905179352830000": "295147905179352830000", "999999999999999900000": "999999999999999900000",
		"4.9406564584124654e-324": "5e-324", "1.7976931348623157e308": "1.7976931348623157e+308", "1e-400": "0",
		"1424953923781206.2": "1424953923781206.2", "0.1": "0.1", "-0.30000000000000004": "-0.30000000000000004",
		// ECMAScript has no form for numbers beyond the range of float64, but two different ones
		// must not become equal.
		"1E400": "1E400", "-1e400": "-1e400", "1e4000": "1e4000", "1" + strings.Repeat("0", 309): "1" + strings.Repeat("0", 309),
	} {
		if got := canonical(t, text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// writer generates documents without duplicate keys, in random spelling.
type writer struct {
	b   []byte
	rnd *rand.Rand
}

func (w *writer) space() {
	for w.rnd.IntN(4) == 0 {
		w.b = append(w.b, " \t\r\n"[w.rnd.IntN(4)])
	}
}

func (w *writer) text() string {
	var s strings.Builder
	for range w.rnd.IntN(6) {
		s.WriteRune(randomRune(w.rnd))
	}
	return s.String()
}

func (w *writer) string(s string) {
	w.b = append(w.b, '"')
	for _, r := range s {
		forms := literalForms(r)
		w.b = append(w.b, forms[w.rnd.IntN(len(forms))]...)
	}
	w.b = append(w.b, '"')
}

func (w *writer) number() {
	f := (w.rnd.Float64() - 0.5) * float64(int64(1)<<w.rnd.IntN(63))
	switch w.rnd.IntN(4) {
	case 0:
		w.b = strconv.AppendInt(w.b, int64(f)%(1<<53), 10)
	case 1:
		w.b = strconv.AppendFloat(w.b, f, 'E', w.rnd.IntN(20), 64)
	case 2:
		w.b = fmt.Appendf(w.b, "%d.%03de%d", w.rnd.IntN(100), w.rnd.IntN(1000), w.rnd.IntN(600)-320)
	default:
		w.b = strconv.AppendFloat(w.b, f, 'f', -1, 64)
	}
}

func (w *writer) value(depth int) {
	w.space()
	kind := w.rnd.IntN(7)
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0, 1:
		w.string(w.text())
	case 2, 3:
		w.number()
	case 4:
		w.b = append(w.b, [...]string{"null", "true", "false"}[w.rnd.IntN(3)]...)
	case 5:
		w.list('[', ']', func(int) { w.value(depth - 1) })
	case 6:
		used := map[string]bool{}
		w.list('{', '}', func(i int) {
			key := w.text()
			if used[key] {
				key += strconv.Itoa(i) + "!" // no other rune is '!'
			}
			used[key] = true
			w.string(key)
			w.space()
			w.b = append(w.b, ':')
			w.value(depth - 1)
		})
	}
	w.space()
}

func (w *writer) list(open, end byte, item func(i int)) {
	w.b = append(w.b, open)
	w.space()
	for i := range w.rnd.IntN(6) {
		if i > 0 {
			w.b = append(w.b, ',')
			w.space()
		}
		item(i)
	}
	w.b = append(w.b, end)
}

func TestCanonicalRandom(t *testing.T) {
	var d Doc
	for seed := range uint64(3000) {
		w := writer{rnd: rand.New(rand.NewPCG(seed, 8785))}
		w.value(5)
		if err := d.Parse(w.b); err != nil {
			t.Fatalf("%q: %v", w.b, err)
		}
		checkTree(t, &d)
		checkAnomalies(t, &d)
		checkCanonical(t, &d, checkStrings(t, &d))
	}
}

// TestAppendSorted checks that the order of members does not depend on their order in
// the text.
func TestAppendSorted(t *testing.T) {
	keys := []string{"", "\x00", "A", "a", "aa", "é", "\ud7ff", "\U00010000", "\U00010001", "\U0010ffff", "\ue000", "\uffff"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		order := rnd.Perm(len(keys))
		d := mustParse(t, string(keysOf(len(keys), func(i int) string { return keys[order[i]] })))
		var got []string
		for _, c := range d.AppendSorted(nil, 0) {
			got = append(got, string(d.Key(c, new([]byte))))
		}
		if !slices.Equal(got, keys) {
			t.Fatalf("got %q", got)
		}
		if form := d.AppendCanonical([]byte("x"), 0); !bytes.HasPrefix(form, []byte(`x{"":0,"\u0000":0,"A":0,`)) {
			t.Fatalf("got %s", form)
		}
	}
}

func TestAppendString(t *testing.T) {
	var all []byte
	for b := range byte(0x80) {
		all = append(all, b)
	}
	lit := AppendString(nil, all)
	if back := AppendUnquoted(nil, lit); !bytes.Equal(back, all) {
		t.Errorf("%s reads %q", lit, back)
	}
	d := mustParse(t, string(lit))
	if form := d.AppendCanonical(nil, 0); !bytes.Equal(form, lit) {
		t.Errorf("%s becomes %s", lit, form)
	}
}

// The following tests access the tree of one document.

const family = `{"a":[10,{"b":"x"},[]],"m~/n":{"":"empty","dup":1,"dup":2},"t":"q\u0022","\u0065sc":null,"z":true}`

func TestPointers(t *testing.T) {
	d := mustParse(t, family)
	for pointer, raw := range map[string]string{
		"": family, "/a": `[10,{"b":"x"},[]]`, "/a/0": "10", "/a/1": `{"b":"x"}`, "/a/1/b": `"x"`, "/a/2": "[]",
		"/m~0~1n": `{"":"empty","dup":1,"dup":2}`, "/m~0~1n/": `"empty"`, "/t": `"q\u0022"`, "/esc": "null", "/z": "true",
	} {
		if got := string(d.Raw(at(t, d, pointer))); got != raw {
			t.Errorf("%s: got %s, want %s", pointer, got, raw)
		}
	}
	a, b := at(t, d, "/a"), at(t, d, "/a/1/b")
	if got := string(d.AppendPointer([]byte("#"), a, b)); got != "#/1/b" {
		t.Errorf("from /a: got %s", got)
	}
	long := mustParse(t, "["+strings.Repeat("0,", 120)+"0]")
	if got := string(long.AppendPointer(nil, 0, 121)); got != "/120" {
		t.Errorf("got %s", got)
	}
}

func TestAccess(t *testing.T) {
	d := mustParse(t, family)
	m := d.Get(0, "m~/n")
	if dup := d.Get(m, "dup"); string(d.Raw(dup)) != "2" {
		t.Errorf("the last duplicate wins, got node %d", dup)
	}
	if d.Kind(d.Get(0, "esc")) != Null || !d.KeyIs(d.Get(0, "esc"), "esc") {
		t.Error("an escaped key is not found by what it reads")
	}
	for _, i := range []int{d.Get(0, "nope"), d.Get(0, "A"), d.Get(d.Get(0, "a"), "0"), d.Get(d.Get(0, "t"), "q"), d.Get(-1, "a"), d.First(d.Get(0, "z")), d.First(-1), d.First(at(t, d, "/a/2")), d.Next(0), d.Next(d.Get(0, "z")), d.Next(at(t, d, "/a/1/b"))} {
		if i != -1 || d.Kind(i) != Invalid {
			t.Errorf("got node %d, want none", i)
		}
	}
	if s, ok := d.Str(0, "t"); s != `q"` || !ok {
		t.Errorf("got %q, %t", s, ok)
	}
	if s, ok := d.Str(0, "z"); s != "" || ok {
		t.Errorf("a boolean is not a string, got %q, %t", s, ok)
	}
	if d.Key(0, new([]byte)) != nil || d.Key(at(t, d, "/a/0"), new([]byte)) != nil || d.KeyIs(0, "") || !d.KeyIs(at(t, d, "/m~0~1n/"), "") {
		t.Error("only members have keys, and the empty key is one")
	}
	buf := []byte("kept")
	text := d.Text(d.Get(0, "t"), &buf)
	if string(append(text, '!')) != `q"!` || string(buf) != `keptq"` {
		t.Errorf("got %q, buffer %q", text, buf)
	}
	text = d.Text(at(t, d, "/a/1/b"), &buf)
	if _ = append(text, '!'); string(d.Data) != family {
		t.Errorf("appending to a text changed the data: %s", d.Data)
	}
}
