package text

import (
	"slices"
	"strings"
	"testing"
)

// TestWrapped checks which lines are joined, and what remains of them.
func TestWrapped(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"quotation":     {"Anna wrote:\n> Please call the\n> office before\n> noon.\nBye", "Please call the|office before|noon."},
		"log":           {"10:00:01 INFO Please call the\n10:00:02 INFO office today\n", "Please call the|office today"},
		"UTC":           {"2026-01-06T10:30:00Z Please call the\n2026-01-06T10:30:01Z office today\n", "Please call the|office today"},
		"numbers":       {" 9\tPlease call the\n10\toffice today\n", "Please call the|office today"},
		"comment":       {"/*\n * Please call the\n * office today\n */", "Please call the|office today"},
		"list":          {"<li>Please call the</li>\n<li>office today</li>", "Please call the|office today"},
		"subtitles":     {"1\n00:01 --> 00:02\n- Please call the\n\n2\n00:03 --> 00:04\n- office today\n", "Please call the|office today"},
		"same words":    {"# the office is\n# the house in front", "the office is|the house in front"},
		"no prefix":     {"Please call the\noffice today", ""},
		"sentences":     {"> Please call the office.\n> Then come.", ""},
		"headings":      {"- Home\n- Contact", ""},
		"code":          {"+ if x {\n+ return y;\n+ }", ""},
		"paragraphs":    {"> Please call the\n\n> office today", ""},
		"empty":         {"\n\n", ""},
		"invalid UTF-8": {"> \xff\n> \xe2\x94\n", ""},
	} {
		var got []string
		Wrapped([]byte(c.text), func(lines []Line) {
			for _, l := range lines {
				got = append(got, c.text[l.Start:l.End])
			}
		})
		if want := strings.Split(c.want, "|"); c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
