package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 10, ""},
		{"", 0, ""},
		{"plain text ~", 12, "plain text ~"},
		{"\x1b[31mred\x1b[0m", 99, "<U+001B>[31mred<U+001B>[0m"},
		{"\x1b]0;title\x07", 99, "<U+001B>]0;title<U+0007>"},
		{"a\tb\nc\rd\r\ne", 99, "a b c d  e"},
		{"a\x00b\x08c\x7fd", 99, "a<U+0000>b<U+0008>c<U+007F>d"},
		{"a\u0085b\u009bc", 99, "a<U+0085>b<U+009B>c"},
		{"a\u202eb\u2066c\u200fd\u061ce", 99, "a<U+202E>b<U+2066>c<U+200F>d<U+061C>e"},
		{"a\u200bb\u200dc\u2060d\ufeffe\u00adf", 99, "a<U+200B>b<U+200D>c<U+2060>d<U+FEFF>e<U+00AD>f"},
		{"a\U000e0041\U000e007f", 99, "a<U+E0041><U+E007F>"},
		{"a\ufe0fb\u3164c\u034fd\U000e0100", 99, "a<U+FE0F>b<U+3164>c<U+034F>d<U+E0100>"},
		{"a\u2065b\u17b4c\ufff0", 99, "a<U+2065>b<U+17B4>c<U+FFF0>"},
		{"a\u00a0b\u2003c\u3000d\u2028e", 99, "a<U+00A0>b<U+2003>c<U+3000>d<U+2028>e"},
		{"a\xffb\xc0\x80c\xe2\x82", 99, "a<0xFF>b<0xC0><0x80>c<0xE2><0x82>"},
		{"a\ufffdb", 99, "a\ufffdb"}, // an actual replacement character
		{"a\xed\xa0\x80b", 99, "a<0xED><0xA0><0x80>b"},
		{"a\ue000b\U000f0000c\U0010ffffd", 99, "a<U+E000>b<U+F0000>c<U+10FFFF>d"},
		{"a\u0378b\uffffc", 99, "a<U+0378>b<U+FFFF>c"}, // unassigned
		{"e\u0301 ñ", 99, "e\u0301 ñ"},
		{"👍 👍🏽 €", 99, "👍 👍🏽 €"},
		{"漢字 かな 한글 Ж ع हि", 99, "漢字 かな 한글 Ж ع हि"},
		{"👩\u200d💻", 99, "👩<U+200D>💻"},
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcde…"},
		{"abcdef", 0, "…"},
		{"abcdef", -1, "…"},
		{"äöüß", 4, "äöüß"},
		{"äöüß", 3, "äöü…"},
		{"ab\u202ecd", 9, "ab…"}, // an escape is not truncated
		{"ab\u202ecd", 10, "ab<U+202E>…"},
		{"ab\u202ecd", 12, "ab<U+202E>cd"},
		{"漢字漢字", 2, "漢字…"},
		{"##[error]x ##vso[a] ##TeamCity[b]", 99, "##<U+005B>error]x ##vso<U+005B>a] ##TeamCity<U+005B>b]"},
		{"é###[ [x] #[ ## [ ##a1[ ##", 99, "é###<U+005B> [x] #[ ## [ ##a1[ ##"},
	} {
		if got := Visible(c.in, c.limit); got != c.want {
			t.Errorf("%q, at most %d: got %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

// checkVisible checks that the escaped form of s is fit for a report.
func checkVisible(t testing.TB, s string, limit int) {
	t.Helper()
	got := Visible(s, limit)
	kept, cut := strings.CutSuffix(got, "…")
	if !utf8.ValidString(got) || utf8.RuneCountInString(kept) > limit {
		if !(cut && got == s) { // the text itself ends in an ellipsis
			t.Fatalf("%q, at most %d: got %q", s, limit, got)
		}
	}
	for _, r := range got {
		if !unicode.IsPrint(r) || ignorable(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			t.Fatalf("%q: %q contains %U", s, got, r)
		}
	}
	if again := Visible(got, len(got)); again != got {
		t.Fatalf("%q: %q becomes %q", s, got, again)
	}
	if whole := Visible(s, 8*len(s)); !strings.HasPrefix(whole, kept) {
		t.Fatalf("%q: %q is not part of %q", s, got, whole)
	}
}

func TestVisibleEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == 0x40000 {
			r = 0xE0000 // the code points between are unassigned
		}
		checkVisible(t, "a"+string(r)+"b", 100)
	}
	for b := range 256 {
		checkVisible(t, "a"+string([]byte{byte(b)})+"b", 100)
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J", "a\u202eb", "\xff\xfe", "👩\u200d💻 ❤️", "…", "\U000e0041", "漢字"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, limit uint8) { checkVisible(t, s, int(limit)) })
}

func TestVisibleEnds(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefghij", 7, "ab…ghij"},
		{"a\x00cdefghij", 9, "a<U…fghij"},
		{"äöüßäöüß", 4, "ä…üß"},
	} {
		if got := VisibleEnds(c.in, c.limit); got != c.want {
			t.Errorf("VisibleEnds(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}
