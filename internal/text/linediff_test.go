package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShowDiff(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"\n\n", ""},
		{"@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-a\n+b"},
		{"+a\x1b[31m\u202e\r\n c\t", "+a<U+001B>[31m<U+202E> \n c "},
		{"-ghp_0123456789abcdefghijklmnopqrstuvwxyz\n+b", "-ghp_[masked]\n+b"},
		{" a\n---token hunter2hunter2\n+b", " a\n---token [masked]\n+b"},
		{"+-----BEGIN RSA PRIVATE KEY-----\n+MIIEabcdef\n+-----END RSA PRIVATE KEY-----\n c",
			"+[masked]\n+[masked]\n+[masked] RSA PRIVATE KEY-----\n c"},
	} {
		if got := ShowDiff(c.in); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.in, got, c.want)
		}
	}
}

func TestShowDiffIsBounded(t *testing.T) {
	var in strings.Builder
	for i := range 3 * DiffLines {
		fmt.Fprintf(&in, "+%d %s\n", i, strings.Repeat("é\u202e", DiffWidth))
	}
	lines := strings.Split(ShowDiff(in.String()), "\n")
	if len(lines) != DiffLines || lines[DiffLines-1] != MoreLines(2*DiffLines+1) {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(strings.TrimSuffix(l, "…")); n > DiffWidth {
			t.Errorf("a line has %d characters", n)
		}
	}
	if again := ShowDiff(strings.Join(lines, "\n")); again != strings.Join(lines, "\n") {
		t.Error("what was shown is shown as something else")
	}
	exact := strings.TrimSuffix(strings.Repeat("+a\n", DiffLines), "\n")
	if ShowDiff(exact) != exact {
		t.Error("a diff of as many lines as are shown is cut")
	}
}
