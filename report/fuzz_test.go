package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

// hostile contains ranges of characters that must not appear unescaped in any report.
var hostile = [...][2]rune{
	{0x00, 0x09}, {0x0B, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160},
	{0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164}, {0xFE00, 0xFE0F},
	{0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
}

// rawIn returns a description of the first forbidden character in s, or "".
func rawIn(s string) string {
	if !utf8.ValidString(s) {
		return "invalid UTF-8"
	}
	for _, r := range s {
		for _, h := range hostile {
			if r >= h[0] && r <= h[1] {
				return fmt.Sprintf("%U", r)
			}
		}
	}
	return ""
}

// fill sets every string in v to one of the texts, in turn.
func fill(v reflect.Value, texts []string, next *int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[*next%len(texts)])
		*next++
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), texts, next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 4, 4))
		for i := range v.Len() {
			fill(v.Index(i), texts, next)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), texts, next)
		}
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

func FuzzReports(f *testing.F) {
	f.Add("read_file", "/a b/c:d", "»\x1b]8;;http://x\x07\u202eevil\u200b\U000e0041\ufe0f", uint8(80))
	f.Add("..", `C:\x\..\y`, strings.Repeat("\u0301", 300), uint8(0))
	f.Add("\xff\xfe", "mcp://u:p@h/x?y#z", "](http://evil) <U+202E <U+20 > `|%0A::error::", uint8(41))
	f.Add("\xff\xfe", "mcp://u:p@h/x?y#\u17b4", "// 0", uint8(41))
	f.Add("# x\n```\n1. y", "::error::a\n ::b\n-::c", "[a](b) ![c](d) <img src=x> @user #1 www.x.y `` ` `` | </style> ##[x]y", uint8(7))
	f.Add("1.", "- [ ] x", "<!-- -->&amp;\\` *a* _b_ ~~c~~ $d$ :e: GH-1 0123456789abcdef", uint8(90))
	f.Add("x", "y", "::er\x00or::a  ::\x00\x00\x00 :c", uint8(2))
	f.Add("\xff", "0\x9e", "http:", uint8(41))
	f.Add(" \xe5", "A:0 A #", "www", uint8(39))
	f.Add("f1:00", "//h/s", strings.Repeat("漢 ", 90)+strings.Repeat("x", 200), uint8(255))
	schema := compile(f, decode(f, readTestdata(f, "sarif-2.1.0.json")))
	f.Fuzz(func(t *testing.T, a, b, c string, n uint8) {
		var r Report
		next := int(n)
		fill(reflect.ValueOf(&r).Elem(), []string{a, b, c}, &next)
		for i := range r.Findings {
			r.Findings[i].Severity = scanner.Severity((int(n) + i) % len(scanner.Severities))
			r.Findings[i].Location.Line = int(n) - 1
		}
		r.Summary.Findings.Note, r.Coverage.Noise, r.Coverage.Evicted, r.Coverage.Events = int(n), int(n), 1, int(n)
		o := Options{Rules: sampleRules(), Width: int(n), Dir: b}
		out := map[string]string{}
		for _, format := range Formats() {
			out[format] = render(t, format, &r, o)
			checkPromise(t, format, out[format])
		}
		o.Color = true
		if raw := rawIn(ansi.ReplaceAllString(render(t, "text", &r, o), "")); raw != "" {
			t.Errorf("text in colour contains a raw %s", raw)
		}
		checkWidth(t, &r, out["text"], o.Width)
		if err := schema.Validate(decode(t, []byte(out["sarif"]))); err != nil {
			t.Error(err)
		}
		again, err := Read(strings.NewReader(out["json"]))
		if err != nil {
			t.Fatal(err)
		}
		o.Color = false
		o.Dir = string([]rune(b))
		if valid := utf8.ValidString(a + "\x00" + b + "\x00" + c); valid || render(t, "json", again, o) != out["json"] {
			for _, format := range Formats() {
				if got := render(t, format, again, o); got != out[format] {
					t.Errorf("%s changes when the report was saved:\n%s\n%s", format, out[format], got)
				}
			}
		}
	})
}

// jsonFormats are the formats in JSON.
var jsonFormats = []string{"json", "sarif", "gitlab"}

func render(t testing.TB, format string, r *Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(jsonFormats, format) && !json.Valid(b.Bytes()) {
		t.Errorf("%s is not JSON:\n%s", format, b.Bytes())
	}
	if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		t.Errorf("%s does not end in a line feed", format)
	}
	return b.String()
}

// checkWidth checks that the lines of a text report fit the width of the terminal.
// Locations and words must not be broken, however long they are.
func checkWidth(t testing.TB, r *Report, out string, width int) {
	t.Helper()
	switch {
	case width == 0:
		width = defaultWidth
	case width < minWidth:
		width = minWidth
	}
	all := places(r)
	slices.SortFunc(all, func(a, b Location) int { return len(place(b)) - len(place(a)) }) // longest first, because one can contain another
	for _, l := range all {
		at := strings.TrimRight(place(l), " ") // lines do not end in spaces
		if !strings.Contains(at, " ") {
			continue
		}
		out = strings.ReplaceAll(out, at, "P")
		if rest, command := strings.CutPrefix(at, ":"); command { // spelled out at the start of a line
			out = strings.ReplaceAll(out, "<U+003A>"+rest, "P")
		}
	}
	for line := range strings.Lines(out) {
		words := strings.Fields(line[min(len(line), labelIndent):])
		if n := utf8.RuneCountInString(line); n > width+20 && len(words) > 2 { // a label and a word
			t.Errorf("a line has %d columns, %d are allowed:\n%s", n, width, line)
		}
	}
}

// places returns all locations in a report.
func places(r *Report) []Location {
	var out []Location
	for _, f := range r.Findings {
		out = append(out, f.Location)
		for _, rel := range f.Related {
			out = append(out, rel.Location)
		}
	}
	for _, s := range slices.Concat(r.Coverage.Skipped, r.Coverage.Ignored) {
		if s.First != nil {
			out = append(out, *s.First)
		}
	}
	return out
}
