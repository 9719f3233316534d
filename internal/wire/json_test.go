package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func mustParse(t testing.TB, text string) *Doc {
	t.Helper()
	d := new(Doc)
	if err := d.Parse([]byte(text)); err != nil {
		t.Fatalf("%.80q: %v", text, err)
	}
	return d
}

// at returns the node at a pointer.
func at(t testing.TB, d *Doc, pointer string) int {
	t.Helper()
	for i := range d.Nodes {
		if string(d.AppendPointer(nil, 0, i)) == pointer {
			return i
		}
	}
	t.Fatalf("no node %q in %s", pointer, d.Data)
	return -1
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		msg    string
	}{
		{"", 0, "unexpected end, expected a value"},
		{" \t\r\n", 4, "unexpected end, expected a value"},
		{"{", 1, "unexpected end inside an object"},
		{"[", 1, "unexpected end inside an array"},
		{"[1", 2, "unexpected end inside an array"},
		{"[1,", 3, "unexpected end, expected a value"},
		{`{"a"`, 4, "expected ':'"},
		{`{"a":`, 5, "unexpected end, expected a value"},
		{`{"a":1`, 6, "unexpected end inside an object"},
		{`{"a":1,`, 7, "expected a member name"},
		{`{,}`, 1, "expected a member name"},
		{`{1:2}`, 1, "expected a member name"},
		{`{'a':1}`, 1, "expected a member name"},
		{`{a:1}`, 1, "expected a member name"},
		{`{"a" 1}`, 5, "expected ':'"},
		{`{"a",1}`, 4, "expected ':'"},
		{`{"a":1,}`, 7, "expected a member name"},
		{`{"a":1,,"b":2}`, 7, "expected a member name"},
		{`{"a":1 "b":2}`, 7, "expected ',' or the end of an object, found '\"'"},
		{`{"a":1]`, 6, "expected ',' or the end of an object, found ']'"},
		{`{"a":}`, 5, "expected a value, found '}'"},
		{`[1 2]`, 3, "expected ',' or the end of an array, found '2'"},
		{`[1,]`, 3, "expected a value, found ']'"},
		{`[,1]`, 1, "expected a value, found ','"},
		{`[1}`, 2, "expected ',' or the end of an array, found '}'"},
		{"]", 0, "expected a value, found ']'"},
		{"tru", 0, "expected a value, found 't'"},
		{"nulL", 0, "expected a value, found 'n'"},
		{"truest", 4, "unexpected 's' after the value"},
		{"NaN", 0, "found 'N'"},
		{"-Infinity", 1, "expected a digit"},
		{"+1", 0, "found '+'"},
		{".5", 0, "found '.'"},
		{"-", 1, "expected a digit"},
		{"-.5", 1, "expected a digit"},
		{"01", 1, "unexpected '1' after the value"},
		{"-00", 2, "unexpected '0' after the value"},
		{"1.", 2, "expected a digit after '.'"},
		{"1.e5", 2, "expected a digit after '.'"},
		{"1e", 2, "expected a digit in the exponent"},
		{"1E+", 3, "expected a digit in the exponent"},
		{"1e1.5", 3, "unexpected '.' after the value"},
		{"0x1F", 1, "unexpected 'x' after the value"},
		{"1_000", 1, "unexpected '_' after the value"},
		{`"`, 1, "unexpected end inside a string"},
		{`"abc`, 4, "unexpected end inside a string"},
		{`"ab\"`, 5, "unexpected end inside a string"},
		{`"ab\`, 3, "unexpected end inside an escape"},
		{`"\x41"`, 1, `unknown escape 'x'`},
		{`"\U0041"`, 1, `unknown escape 'U'`},
		{"\"\\\n\"", 1, "unknown escape byte 0x0A"},
		{`"ab\u12"`, 3, "four hexadecimal digits"},
		{`"\u12G4"`, 1, "four hexadecimal digits"},
		{`"\u+123"`, 1, "four hexadecimal digits"},
		{`"\ud800\u12"`, 7, "four hexadecimal digits"},
		{"\"\x00\"", 1, "control character byte 0x00"},
		{"\"a\nb\"", 2, "control character byte 0x0A"},
		{"\"a\x1fb\"", 2, "control character byte 0x1F"},
		{"\"a\xff\"", 2, "invalid UTF-8"},
		{"\"\xc0\x80\"", 1, "invalid UTF-8"},             // overlong
		{"\"\xed\xa0\x80\"", 1, "invalid UTF-8"},         // a surrogate
		{"\"\xf4\x90\x80\x80\"", 1, "invalid UTF-8"},     // above U+10FFFF
		{"\"ab\xe2\x82", 3, "invalid UTF-8"},             // truncated
		{"{\"k\x80\":1}", 3, "invalid UTF-8"},            // in a key
		{"1 2", 2, "unexpected '2' after the value"},     // a second value
		{`{}{}`, 2, "unexpected '{' after the value"},    //
		{`"a""b"`, 3, "unexpected '\"' after the value"}, //
		{"{}\x00", 2, "unexpected byte 0x00 after the value"},
		{"1//", 1, "unexpected '/' after the value"},
		{"/**/1", 0, "expected a value, found '/'"},
		{"\xef\xbb\xbf{}", 0, "expected a value, found byte 0xEF"},   // a BOM
		{"\u00a01", 0, "expected a value, found byte 0xC2"},          // only four characters are white space
		{"\v1", 0, "expected a value, found byte 0x0B"},              //
		{"\x1e{}", 0, "expected a value, found byte 0x1E"},           // RFC 7464 is not supported
		{"[\"\u2028\",\u2028]", 7, "expected a value, found byte 0"}, // valid in strings, but not white space
	} {
		err := new(Doc).Parse([]byte(c.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != c.offset || !strings.Contains(syntax.Msg, c.msg) {
			t.Errorf("%q: got %v, want %q at byte %d", c.text, err, c.msg, c.offset)
		}
	}
}

const sample = ` {"jsonrpc":"2.0","id":-1.5e+3,"result":{"tools":[{"na\u006de":"a\u00e9\ud83d\ude00 ü","ok":true,` +
	`"no":false,"nil":null,"list":[1,[],{}, "\\\"\/"]}]}}`

// TestTruncation checks that a truncated message is never read as a shorter one.
func TestTruncation(t *testing.T) {
	var d Doc
	for n := range len(sample) {
		err := d.Parse([]byte(sample[:n]))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("%q was accepted", sample[:n])
		}
		if syntax.Offset < 0 || syntax.Offset > n {
			t.Errorf("%q: offset %d is outside the text", sample[:n], syntax.Offset)
		}
	}
	if err := d.Parse([]byte(sample)); err != nil {
		t.Fatal(err)
	}
	checkTree(t, &d)
}

func TestNumbers(t *testing.T) {
	for _, text := range []string{"0", "-0", "1", "-1", "10", "1.0", "0.1e1", "1e5", "1E+05", "1e-5", "123456789012345678901234567890", "1E400", "-0.0e-0"} {
		d := mustParse(t, " "+text+" ")
		if d.Kind(0) != Number || string(d.Raw(0)) != text {
			t.Errorf("%s: got %v %s", text, d.Kind(0), d.Raw(0))
		}
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct {
		lit, text string
		flags     Flags
	}{
		{`""`, "", 0},
		{`"plain ~ text"`, "plain ~ text", 0},
		{"\"\x7f\"", "\x7f", Unusual}, // DEL need not be escaped
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", Escaped},
		{`"\u0000\u001F\u0041"`, "\x00\x1fA", Escaped},
		{`"é😀"`, "é😀", Unusual},
		{`"\u00e9\u20AC"`, "é€", Escaped},
		{`"\ud83d\uDE00é"`, "😀é", Escaped | Unusual},
		{`"\ufffd\uffff"`, "\ufffd\uffff", Escaped},
		{`"\ud800"`, "\ufffd", Escaped | Surrogate},
		{`"a\udc00b"`, "a\ufffdb", Escaped | Surrogate},
		{`"\ude00\ud83d"`, "\ufffd\ufffd", Escaped | Surrogate},
		{`"\ud800\ud800\udc00"`, "\ufffd\U00010000", Escaped | Surrogate},
		{`"\ud800\u0041"`, "\ufffdA", Escaped | Surrogate},
		{`"\ud800\n"`, "\ufffd\n", Escaped | Surrogate},
		{`"\ud800u0041"`, "\ufffdu0041", Escaped | Surrogate},
		{`"\\ud800"`, `\ud800`, Escaped},
	} {
		var buf []byte
		d := mustParse(t, c.lit)
		if got := string(d.Text(0, &buf)); got != c.text || d.TextFlags(0) != c.flags {
			t.Errorf("%s: got %q flags %b, want %q flags %b", c.lit, got, d.TextFlags(0), c.text, c.flags)
		}
		d = mustParse(t, "{"+c.lit+":0}")
		if got := string(d.Key(1, &buf)); got != c.text || d.KeyFlags(1) != c.flags || d.TextFlags(1) != 0 {
			t.Errorf("key %s: got %q flags %b, want %q flags %b", c.lit, got, d.KeyFlags(1), c.text, c.flags)
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	for _, kind := range []struct{ open, inner, end string }{{"[", "", "]"}, {`{"k":`, "1", "}"}, {`[{"k":`, "0", "}]"}} {
		per := strings.Count(kind.open, "[") + strings.Count(kind.open, "{")
		mustParse(t, nested(kind.open, kind.inner, kind.end, MaxDepth/per))
		for _, deep := range []int{MaxDepth/per + 1, 100_000} {
			err := new(Doc).Parse([]byte(nested(kind.open, kind.inner, kind.end, deep)))
			want := MaxDepth / per * len(kind.open)
			if s, ok := err.(*SyntaxError); !ok || s.Offset != want || s.Msg != "nesting is deeper than 512" {
				t.Errorf("%d times %s: got %v, want a refusal at byte %d", deep, kind.open, err, want)
			}
		}
	}
	d := mustParse(t, "["+strings.Repeat("[],{},", 1000)+"[]]") // siblings do not add to the depth
	if d.Nodes[0].Len != 2001 {
		t.Errorf("got %d children", d.Nodes[0].Len)
	}
	d = mustParse(t, nested("[", "", "]", MaxDepth))
	if p := d.AppendPointer(nil, 0, MaxDepth-1); len(p) != 2*(MaxDepth-1) {
		t.Errorf("pointer of %d bytes", len(p))
	}
}

// anomalies formats the anomalies of d as in "duplicate 2-0 in /a", with the
// indexes of members in their object.
func anomalies(d *Doc) []string {
	names := map[AnomalyKind]string{DuplicateKey: "duplicate", VariantKey: "variant", OddKey: "odd"}
	var got []string
	for _, a := range d.Anomalies {
		n := d.Nodes[a.Node]
		s := fmt.Sprintf("%s %d", names[a.Kind], n.Index)
		if a.Other >= 0 {
			s += fmt.Sprintf("-%d", d.Nodes[a.Other].Index)
		}
		if n.Parent > 0 {
			s += " in " + string(d.AppendPointer(nil, 0, int(n.Parent)))
		}
		got = append(got, s)
	}
	return got
}

func TestAnomalies(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`{"a":1,"b":2,"aa":3,"":4}`, nil},
		{`{"a":1,"a":2}`, []string{"duplicate 1-0"}},
		{`{"":1,"":2}`, []string{"duplicate 1-0"}},
		{`{"a":1,"b":0,"a":2,"a":3}`, []string{"duplicate 2-0", "duplicate 3-0"}},
		{`{"description":1,"\u0064escription":2}`, []string{"duplicate 1-0"}},
		{`{"\u0064escription":1,"d\u0065scription":2}`, []string{"duplicate 1-0"}},
		{`{"a\/b":1,"a/b":2}`, []string{"duplicate 1-0"}},
		{`{"name":1,"Name":2}`, []string{"variant 1-0"}},
		{`{"name":1,"Name":2,"Name":3}`, []string{"variant 1-0", "duplicate 2-1"}},
		{`{"Name":1,"name":2,"NAME":3,"name":4,"Name":5}`, []string{"variant 1-0", "variant 2-0", "duplicate 3-1", "duplicate 4-0"}},
		{`{"name":1,"\u004eame":2}`, []string{"variant 1-0"}},
		{`{"params":1,"paramſ":2}`, []string{"variant 1-0"}},
		{`{"PARAMS":1,"param\u017f":2}`, []string{"variant 1-0"}},
		{"{\"token\":1,\"to\u212Aen\":2}", []string{"variant 1-0"}},
		{`{"é":1,"É":2}`, []string{"variant 1-0"}},
		{`{"σ":1,"ς":2,"Σ":3}`, []string{"variant 1-0", "variant 2-0"}},
		{`{"na\u0000me":1}`, []string{"odd 0"}},
		{`{"name":1,"na\u0000me":2}`, []string{"odd 1", "variant 1-0"}},
		{`{"na\u200bme":1,"name":2}`, []string{"odd 0", "variant 1-0"}},
		{"{\"name\":1,\"\u2060name\ufeff\":2}", []string{"odd 1", "variant 1-0"}},
		{"{\"na\u00adme\":1,\"na\u00adme\":2}", []string{"odd 0", "odd 1", "duplicate 1-0"}},
		{"{\"\U000E0041\":1}", []string{"odd 0"}}, // a tag character
		{`{"a":{"b":1,"b":2},"b":3}`, []string{"duplicate 1-0 in /a"}},
		{`[{"a":1},{"a":2}]`, nil},
		{`{"a":{"a":{"a":1}},"b":[{"b":1}]}`, nil},
		{`{"a":[{"x":1,"X":2}],"A":0}`, []string{"variant 1-0 in /a/0", "variant 1-0"}},
		{`{"ı":1,"i":2}`, nil},            // not a case pair
		{`{"ß":1,"ss":2}`, nil},           // equal only in full folding
		{`{"name ":1,"name":2}`, nil},     // no parser trims keys
		{`{"na\u00efve":1,"nai":2}`, nil}, //
	} {
		d := mustParse(t, c.text)
		if got := anomalies(d); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
		mustParse(t, "[]")
		if d.Parse([]byte("{}")); len(d.Anomalies) != 0 {
			t.Errorf("%s: anomalies outlive the text", c.text)
		}
	}
}

// keysOf returns an object with the keys key(0) to key(n-1).
func keysOf(n int, key func(i int) string) []byte {
	b := []byte("{")
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, []byte(key(i)))
		b = append(b, ":0"...)
	}
	return append(b, '}')
}

// fnvTwins returns 2^pairs keys with the same FNV-1a hash. A sender who knows the
// hash of a table can generate any number of them.
func fnvTwins(pairs int) []string {
	keys, state := []string{""}, uint32(2166136261)
	for range pairs {
		seen := make(map[uint32]string, 1<<17)
		for i := uint64(1); ; i++ {
			block, h := strconv.FormatUint(i*0x9E3779B97F4A7C15, 36), state // neighbours never collide
			for _, b := range []byte(block) {
				h = (h ^ uint32(b)) * 16777619
			}
			twin, ok := seen[h]
			if !ok {
				seen[h] = block
				continue
			}
			var both []string
			for _, k := range keys {
				both = append(both, k+twin, k+block)
			}
			keys, state = both, h
			break
		}
	}
	return keys
}

// TestManyKeys checks that each key is looked up in a few steps, whatever the keys
// are.
func TestManyKeys(t *testing.T) {
	const n = 10_000
	twins := fnvTwins(14)
	variant := func(i int) string { // all with the same folded form
		b := []byte("abcdefghijklmnop")
		for j := range b {
			b[j] -= byte(i>>j&1) * 32
		}
		return string(b)
	}
	for _, c := range []struct {
		name  string
		key   func(i int) string
		folds int // number of different folded keys; each other key is an anomaly
	}{
		{"different", func(i int) string { return fmt.Sprintf("key%d", i) }, n},
		{"equal", func(i int) string { return "key" }, 1},
		{"variants", variant, 1},
		{"crafted", func(i int) string { return twins[i] }, n},
	} {
		d := mustParse(t, string(keysOf(n, c.key)))
		if len(d.Anomalies) != n-c.folds {
			t.Errorf("%s: got %d anomalies, want %d", c.name, len(d.Anomalies), n-c.folds)
		}
		steps, mask := 0, len(d.keys.slots)-1
		for i, s := range d.keys.slots {
			if s.gen == d.keys.gen {
				steps += (i - int(s.hash)) & mask // distance between the ideal and the actual slot
			}
		}
		if steps > 4*n { // less than n for random keys
			t.Errorf("%s: %d steps for %d keys", c.name, steps, n)
		}
	}
}

// TestNodesAreBounded checks that small values cannot take much memory.
func TestNodesAreBounded(t *testing.T) {
	list := func(n int) []byte { return []byte("[" + strings.Repeat("0,", n-2) + "0]") } // n nodes
	var d Doc
	if err := d.Parse(list(MaxNodes)); err != nil {
		t.Error(err)
	}
	if err := d.Parse(list(MaxNodes + 1)); err == nil || !strings.Contains(err.Error(), "more than 500000 values") {
		t.Errorf("one value more: %v", err)
	}
	archive := Doc{MaxNodes: MaxNodes + 1}
	if err := archive.Parse(list(MaxNodes + 1)); err != nil {
		t.Error(err)
	}
}
