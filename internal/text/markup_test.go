package text

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRendered checks which markup is removed, and that paragraphs without markup are left out.
func TestRendered(t *testing.T) {
	for source, want := range map[string]string{
		"Please <b>call</b> the <a href=\"x\">office</a>.":  "Please call the office.",
		"<p>Please call<br>the office.</p>\n<p>Now.</p>":    "Please call\nthe office.\nNow.\n",
		"<ul><li>One</li><li>Two</li></ul>":                 "One\nTwo\n",
		"<style>p { color: red }</style>Now":                "Now",
		"Now <script>if (a<b) { c() }</script>then":         "Now \nthen",
		"a<!-- <b> --><wbr>b":                               "ab",
		"&#73;gnore&nbsp;it, R&amp;D &copy;":                "Ignore it, R&D ©",
		"*Please* **call** the ***office*** _now_, ~~no~~":  "Please call the office now, no",
		"See [the ![plan](p.png)](https://x.example) now":   "See [the plan](https://x.example) now",
		"See [the plan](https://x.example) now":             "See the plan now",
		"No markup.\n\n*One*.\n\nNone.\n\nA *b* c\n\nd _e_": "\nOne.\n|\nA b c\n\nd e",
		"2 * 3 * 4, a_b_c, f(*args, **kw), a < b && c > d":  "",
		"* one\n* two\n[1] x\n#include <stdio.h>":           "",
		"&unknown; & &; &#xZ; <3 <- </ <":                   "",
		"Give ~/.ssh/<key>.pub to <name>":                   "",
		"<x:y a=\"<b>\">One</x:y>":                          "<x:y a=\"<b>\">One\n",
		"<Item><x:y>One</x:y></ITEM>":                       "One\n",
		"<!-- never closed, [a](b c) *a\nb*":                "",
	} {
		var got []string
		new(Renderer).Render([]byte(source), func(rendered []byte, parts []Part) {
			checkParts(t, source, rendered, parts)
			got = append(got, string(rendered))
		})
		if joined := strings.Join(got, "|"); joined != want {
			t.Errorf("%q: got %q, want %q", source, joined, want)
		}
	}
}

// checkParts checks that the parts cover the rendered text, in the order of the source, and agree with it.
func checkParts(t interface{ Errorf(string, ...any) }, source string, rendered []byte, parts []Part) {
	start, from := 0, 0
	for _, p := range parts {
		if p.Start != start || p.End <= p.Start || p.From < from || p.To < p.From || p.To > len(source) {
			t.Errorf("%q: parts %v", source, parts)
			return
		}
		if sent := source[p.From:p.To]; sent != string(rendered[p.Start:p.End]) && sent[0] != '<' && sent[0] != '&' {
			t.Errorf("%q: the part %q became %q", source, sent, rendered[p.Start:p.End])
		}
		start, from = p.End, p.To
	}
	if start != len(rendered) {
		t.Errorf("%q: %d of %d bytes are in parts", source, start, len(rendered))
	}
}

func TestRenderedParts(t *testing.T) {
	pieces := []string{"<b>", "</b>", "<p>", "<", ">", "<!--", "-->", "<script>", "</script>", "&amp;", "&#73;", "&", ";", "*", "**", "_", "~~", "[", "](", ")", "!", "\n", "\n\n", " ", "word", "é", "\xff", strings.Repeat("long ", 4000), strings.Repeat("*a* ", 9000)}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "source"), "")
		new(Renderer).Render([]byte(source), func(rendered []byte, parts []Part) {
			if len(parts) == 0 || len(rendered) > renderedBytes+2*plainBytes+renderedParts*entityBytes {
				t.Errorf("%d bytes in %d parts", len(rendered), len(parts))
			}
			checkParts(t, source, rendered, parts)
		})
	})
}

// TestMarkedLines checks which lines are comments or quotations, and what remains of them.
func TestMarkedLines(t *testing.T) {
	const wrapped = "Please call the office before noon and\nask for the key. Then come."
	for prefix, open := range map[string]string{"> ": "", "> > ": "", ">": "", "# ": "", "// ": "", "   -- ": "", ";; ": "", " * ": "/*\n", "%\t": "",
		"10:30 ": "", "2026-01-06T10:30:00.5Z ": "", "[2026/01/06 10:30:00] [ERROR] - ": "", "06.01.2026 10:30 | WARN: | ": ""} {
		source := open + prefix + strings.ReplaceAll(wrapped, "\n", "\n"+prefix)
		want := wrapped
		if prefix == ">" { // no space, so these are not marks before a text
			want = ""
		}
		if got := markedText(source); got != want {
			t.Errorf("%q: got %q", source, got)
		}
	}
	for _, source := range []string{
		wrapped, "* " + strings.ReplaceAll(wrapped, "\n", "\n* "), "- " + strings.ReplaceAll(wrapped, "\n", "\n- "),
		"> Please call the office before noon and ask.\n> Then come.", "2026-01-06 " + strings.ReplaceAll(wrapped, "\n", "\n2026-01-06 "), "10:30", "10:30 \n10:31 x", "# Home\n# contact", "", ">", "> \n>", "> \xff\n> \xff",
	} {
		if got := markedText(source); got != "" {
			t.Errorf("%q: got %q", source, got)
		}
	}
}

func markedText(source string) string {
	var got [][]byte
	new(MarkedLines).Yield([]byte(source), func(lines []Line) {
		for _, l := range lines {
			got = append(got, []byte(source[l.Start:l.End]))
		}
	})
	return string(bytes.Join(got, []byte("\n")))
}

// TestSubtitles checks that only the text of subtitles remains.
func TestSubtitles(t *testing.T) {
	const subtitles = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nPlease call\nthe office\n\n2\n00:03.000 --> 00:04.000 align:start\ntoday.\r\n"
	for source, want := range map[string]string{
		subtitles: "Please call|the office|today.", "1\n00:01 --> 00:02\nPlease call\n": "", "a --> b": "", "": "",
	} {
		var got []string
		Subtitles([]byte(source), func(lines []Line) {
			for _, l := range lines {
				got = append(got, source[l.Start:l.End])
			}
		})
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestTableCells checks that the lines of a value in a table of psql are found.
func TestTableCells(t *testing.T) {
	const first, second = "Please call the office today, and then", "come to us with all of your papers"
	for source, want := range map[string]string{
		" id | note | who\n----+------+----\n  7 | " + first + "+| Ann\n    | " + second + " +|\n    | at ten. |\n  8 | Other | Bo\n": first + "|" + second + "|at ten.",
		" note\n-----\n " + first + " +\n " + second + "\n(1 row)\n":                                                                  first + "|" + second,
		"-[ RECORD 1 ]---\nid   | 7\nnote | " + first + " +\n     | " + second + "\nwho  | Ann\n":                                     first + "|" + second,
		"---\n" + first + "+": "", "---\n7 | " + first + "+|\nx": "", first + " +\n" + second: "", "+----+\n| a  |\n+----+\n| " + first + " |\n| " + second + " |\n+----+\n": "", "---+": "", "": "",
	} {
		var got []string
		TableCells([]byte(source), func(lines []Line) {
			for _, l := range lines {
				got = append(got, source[l.Start:l.End])
			}
		})
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestRenderJSON checks that only prose remains of a JSON text, and where it comes from.
func TestRenderJSON(t *testing.T) {
	for source, want := range map[string]string{
		`{"id": 7, "body": "Please call the office.", "by": "Ann Lee", "a key of four words": 1}`: "Please call the office.",
		`[{"a": "Please call the \u006fffice,\nnow."}, ["Then come to us, please."]]`:             "Please call the office,\nnow.\n\nThen come to us, please.",
		`{"source": ["Please call the\n", "office\n", "now, it is urgent."]}`:                     "Please call the\noffice\nnow, it is urgent.",
		`{"a": "Please call the office`: "",
		`{}`:                            "", `"\ud800 a \ud83d\ude00 b \"c\" d"`: "\ufffd a 😀 b \"c\" d", `"a b c d \u12"`: "a b c d ",
	} {
		new(Renderer).RenderJSON([]byte(source), func(rendered []byte, parts []Part) {
			if string(rendered) != want {
				t.Errorf("%s: got %q, want %q", source, rendered, want)
			}
			want = ""
			end := 0
			for _, p := range parts {
				if p.Start != end || p.From > p.To || p.To > len(source) {
					t.Errorf("%s: parts %v", source, parts)
				}
				if sent := source[p.From:p.To]; sent != string(rendered[p.Start:p.End]) && sent[0] != '\\' && sent[0] != '"' {
					t.Errorf("%s: the part %q became %q", source, sent, rendered[p.Start:p.End])
				}
				end = p.End
			}
		})
		if want != "" {
			t.Errorf("%s: got nothing, want %q", source, want)
		}
	}
	for source, want := range map[string]bool{` {"a":1} `: true, "[1]": true, "{": false, "{x": false, "[see] and {it}": false, "[see] and [it]": true, "": false} {
		if got := IsJSON([]byte(source)); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}

// FuzzOtherReadings checks that each other reading consists of parts of the text, in their order.
func FuzzOtherReadings(f *testing.F) {
	for _, s := range []string{"a <b>b</b> &amp;c *d* [e](f) <!-- g -->", `{"a": "one two <i>three</i>\n four", "b": ["&lt;p&gt; five six seven"]}`,
		"> a quotation that is longer than thirty bytes\n> goes on here\n", "# a\n10:30 INFO a log with a line that is\n10:31 INFO wrapped\n",
		"1\n00:00:01 --> 00:00:02\na subtitle\n\n2\n00:00:02 --> 00:00:03\nends\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		var r Renderer
		parts := func(rendered []byte, parts []Part) {
			end, to := 0, 0
			for _, p := range parts {
				if p.Start != end || p.End < p.Start || p.From < to || p.To < p.From || p.To > len(s) {
					t.Fatalf("part %v after [%d, %d) of %d bytes", p, end, to, len(s))
				}
				end, to = p.End, p.To
			}
			if end != len(rendered) || end == 0 {
				t.Fatalf("the parts have %d bytes, the text has %d", end, len(rendered))
			}
		}
		r.Render(s, parts)
		r.RenderJSON(s, parts)
		lines := func(lines []Line) {
			end := -1
			for _, l := range lines {
				if l.Start <= end || l.End < l.Start || l.End > len(s) {
					t.Fatalf("line %v after %d of %d bytes", l, end, len(s))
				}
				end = l.End
			}
		}
		new(MarkedLines).Yield(s, lines)
		Subtitles(s, lines)
		Wrapped(s, lines)
	})
}
