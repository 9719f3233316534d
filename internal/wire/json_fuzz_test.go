package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// checkTree fails unless the nodes describe Data in full: spans nest, siblings
// follow each other, and bytes outside scalars and keys are punctuation.
func checkTree(t testing.TB, d *Doc) {
	t.Helper()
	rest := bytes.Clone(d.Data)
	blank := func(from, to int32) {
		for i := from; i < to; i++ {
			rest[i] = ' '
		}
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Start >= n.End || n.Next <= int32(i) || int(n.Next) > len(d.Nodes) {
			t.Fatalf("node %d has no extent: %+v", i, *n)
		}
		if n.Parent >= 0 {
			p := &d.Nodes[n.Parent]
			inside := p.Start < n.Start && n.End < p.End && n.Next <= p.Next
			keyed := n.KeyEnd > n.KeyStart && n.KeyStart > p.Start && n.KeyEnd < n.Start
			if !inside || keyed != (p.Kind == Object) {
				t.Fatalf("node %d does not lie in its parent: %+v in %+v", i, *n, *p)
			}
		}
		if n.KeyEnd > 0 {
			blank(n.KeyStart, n.KeyEnd)
		}
		if n.Kind < Array {
			blank(n.Start, n.End)
			continue
		}
		children, end := int32(0), n.Start
		for c := d.First(i); c >= 0; c = d.Next(c) {
			if k := &d.Nodes[c]; k.Parent != int32(i) || k.Index != children || k.Start <= end {
				t.Fatalf("child %d of node %d: %+v", c, i, *k)
			}
			children, end = children+1, d.Nodes[c].End
		}
		if children != n.Len {
			t.Fatalf("node %d has %d children, says %d", i, children, n.Len)
		}
	}
	if left := bytes.Trim(rest, "{}[],: \t\r\n"); len(left) > 0 {
		t.Fatalf("no node covers %q", left)
	}
}

// checkStrings compares the text of each literal with the text that jsontext returns, and reports
// whether one has a lone surrogate.
func checkStrings(t testing.TB, d *Doc) (lone bool) {
	t.Helper()
	check := func(lit, text []byte, f Flags) {
		want, err := jsontext.AppendUnquote(nil, lit)
		if string(want) != string(text) || (err != nil) != (f&Surrogate != 0) {
			t.Errorf("%s: got %q, flags %b; jsontext reads %q, %v", lit, text, f, want, err)
		}
		if escaped := bytes.IndexByte(lit, '\\') >= 0; escaped != (f&Escaped != 0) {
			t.Errorf("%s: flags %b", lit, f)
		}
		lone = lone || f&Surrogate != 0
	}
	var buf []byte
	for i, n := range d.Nodes {
		if n.KeyEnd > 0 {
			check(d.Data[n.KeyStart:n.KeyEnd], d.Key(i, &buf), d.KeyFlags(i))
		}
		if n.Kind == String {
			check(d.Raw(i), d.Text(i, &buf), d.TextFlags(i))
		}
	}
	return lone
}

// checkAnomalies compares the anomalies with those found by comparing all pairs of keys. It skips
// objects with many members, for which that search is too slow.
func checkAnomalies(t testing.TB, d *Doc) {
	t.Helper()
	var want []Anomaly
	for i, n := range d.Nodes {
		if n.Kind != Object {
			continue
		}
		if n.Len > 40 {
			return
		}
		var keys, folds []string
		var nodes []int32
		for c := d.First(i); c >= 0; c = d.Next(c) {
			key := string(d.Key(c, new([]byte)))
			fold, odd := FoldKey(nil, []byte(key))
			if odd {
				want = append(want, Anomaly{OddKey, int32(c), -1})
			}
			if j := slices.Index(keys, key); j >= 0 {
				want = append(want, Anomaly{DuplicateKey, int32(c), nodes[j]})
			} else if j := slices.Index(folds, string(fold)); j >= 0 {
				want = append(want, Anomaly{VariantKey, int32(c), nodes[j]})
			}
			keys, folds, nodes = append(keys, key), append(folds, string(fold)), append(nodes, int32(c))
		}
	}
	order := func(a, b Anomaly) int { return int(a.Node-b.Node)*4 + int(b.Kind) - int(a.Kind) }
	got := slices.Clone(d.Anomalies)
	slices.SortFunc(got, order) // the parser reports an object when it closes
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Errorf("%q: got %v, want %v", d.Data, got, want)
	}
}

// depthOf returns the maximum nesting depth of brackets outside strings.
func depthOf(text []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case !quoted && (b == '[' || b == '{'):
			depth++
			deepest = max(deepest, depth)
		case !quoted && (b == ']' || b == '}'):
			depth--
		}
	}
	return deepest
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{sample, "", "[]", "{}", `{"a":1,"A":2,"\u0061":3,"a":4}`, `"\ud800"`, `["\ud83d\ude00"]`, "\xef\xbb\xbf{}", "\"\xff\"",
		"[-0, 1e21, 1E400, 0.1e-7, 123456789012345678901]", `{"\ue000":1,"\ud800\udc00":2,"":{}}`, "[[[]]]", `{"ſ":1,"s":2,"k":3,"\u212a":4}`,
		strings.Repeat("[", 513) + strings.Repeat("]", 513), "\"\x7f\"", " \t\r\n1 "} {
		f.Add([]byte(s))
	}
	used := new(Doc) // one document for all, because data left from an earlier text must not matter
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		fuzzParse(t, used, data)
	})
}

func fuzzParse(t *testing.T, d *Doc, data []byte) {
	err := d.Parse(data)
	checkValues(t, d, data, err)
	valid := jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true))
	if err != nil {
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(data) {
			t.Fatalf("%q: %#v", data, err)
		}
		if valid && depthOf(data) <= MaxDepth {
			t.Fatalf("%q: jsontext accepts it, Parse says %v", data, err)
		}
		return
	}
	checkTree(t, d)
	checkAnomalies(t, d)
	lone := checkStrings(t, d)
	// The only difference from jsontext is that a lone surrogate escape is legal JSON (RFC 8259
	// section 8.2) and only flagged here, whereas jsontext reports invalid UTF-8.
	if valid == lone {
		t.Fatalf("%q: Parse accepts it, lone surrogate %t, jsontext %t", data, lone, valid)
	}
	if !utf8.Valid(data) || !jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		t.Fatalf("%q: Parse is more lenient than jsontext", data)
	}
	checkCanonical(t, d, lone)
}

// checkCanonical fails unless the canonical form is its own canonical form and, where
// RFC 8785 defines it, equals jsontext's.
func checkCanonical(t testing.TB, d *Doc, lone bool) {
	t.Helper()
	form := d.AppendCanonical(nil, 0)
	again := new(Doc)
	if err := again.Parse(form); err != nil {
		t.Fatalf("%q: canonical form %q: %v", d.Data, form, err)
	}
	if second := again.AppendCanonical(nil, 0); !bytes.Equal(form, second) {
		t.Fatalf("%q: %q becomes %q", d.Data, form, second)
	}
	for i, n := range d.Nodes {
		if n.Kind != Number {
			continue
		}
		if _, err := strconv.ParseFloat(string(d.Raw(i)), 64); err != nil {
			return // beyond float64
		}
		if v, err := strconv.ParseInt(string(d.Raw(i)), 10, 64); errors.Is(err, strconv.ErrRange) || err == nil && (v > 1<<53 || v < -1<<53) {
			return // an integer that float64 may not represent
		}
	}
	duplicate := slices.ContainsFunc(d.Anomalies, func(a Anomaly) bool { return a.Kind == DuplicateKey })
	if lone || duplicate {
		return
	}
	want := jsontext.Value(bytes.Clone(d.Data))
	if err := want.Canonicalize(); err != nil || !bytes.Equal(form, want) {
		t.Fatalf("%q: got %q, jsontext makes %q, %v", d.Data, form, want, err)
	}
}

// literalForms returns the ways to write r in a string literal.
func literalForms(r rune) []string {
	forms := []string{fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r)}
	if r > 0xFFFF {
		hi, lo := 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF
		forms = []string{fmt.Sprintf(`\u%04x\u%04X`, hi, lo)}
	}
	if i := strings.IndexRune("\"\\/\b\f\n\r\t", r); i >= 0 {
		forms = append(forms, `\`+`"\/bfnrt`[i:i+1])
	}
	if r >= 0x20 && r != '"' && r != '\\' {
		forms = append(forms, string(r), string(r))
	}
	return forms
}

func randomRune(rnd *rand.Rand) rune {
	switch rnd.IntN(8) {
	case 0:
		return rune(rnd.IntN(0x20))
	case 1:
		return rune(`"\/~`[rnd.IntN(4)])
	case 2:
		return rune(0x80 + rnd.IntN(0x780))
	case 3:
		return rune(0xE000 + rnd.IntN(0x1FFF))
	case 4:
		return rune(0x10000 + rnd.IntN(0x100000))
	}
	return rune('a' + rnd.IntN(26))
}

// TestOffset checks that the offset of a rune in the text maps to the first byte of the rune's form
// in the literal, for values and keys.
func TestOffset(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 24))
	for range 3000 {
		lit, text := []byte{'"'}, []byte{}
		var starts []int // for each byte of the text, where its rune starts in lit
		for range rnd.IntN(20) {
			r := randomRune(rnd)
			forms := literalForms(r)
			form := forms[rnd.IntN(len(forms))]
			for k := range utf8.RuneLen(r) {
				if start := len(lit); form == string(r) {
					starts = append(starts, start+k)
				} else {
					starts = append(starts, start)
				}
			}
			lit, text = append(lit, form...), utf8.AppendRune(text, r)
		}
		starts = append(starts, len(lit)) // the end of the text is the closing quote
		lit = append(lit, '"')
		d := mustParse(t, fmt.Sprintf(`[ {"k": %s, %s :0} ]`, lit, lit))
		for off, want := range starts {
			if got := d.Offset(2, false, off) - int(d.Nodes[2].Start); got != want {
				t.Fatalf("%s: byte %d of %q: got %d, want %d", lit, off, text, got, want)
			}
			if got := d.Offset(3, true, off) - int(d.Nodes[3].KeyStart); got != want {
				t.Fatalf("key %s: byte %d of %q: got %d, want %d", lit, off, text, got, want)
			}
		}
		if got := RawOffset(lit, len(text)+5); got != len(lit)-1 {
			t.Fatalf("%s: beyond the end: %d", lit, got)
		}
	}
}

func TestSetText(t *testing.T) {
	d := mustParse(t, `{"a":1,"a":2}`)
	d.SetText([]byte("no \"JSON\" \\u0041\xff"))
	if got := string(d.Text(0, new([]byte))); got != "no \"JSON\" \\u0041\xff" || d.Kind(0) != String || len(d.Nodes) != 1 || len(d.Anomalies) != 0 {
		t.Errorf("got %q, %d nodes, %v", got, len(d.Nodes), d.Anomalies)
	}
	for off := range 10 {
		if got := d.Offset(0, false, off); got != off {
			t.Errorf("offset %d becomes %d", off, got)
		}
	}
}
