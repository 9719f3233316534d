package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func folded(s string) string { return string(new(Folder).Fold([]byte(s)).Text) }

// sources returns the source offset of each byte of a folded text and of its end.
func sources(s string) []int {
	f := new(Folder).Fold([]byte(s))
	var at []int
	for off := range len(f.Text) + 1 {
		at = append(at, f.Source(off))
	}
	return at
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		in, want string
		src      []int // source offset of each byte, and of the end; nil to skip the check
	}{
		{"", "", []int{0}},
		{"Ab 1\t\x00!", "ab 1 !", []int{0, 1, 2, 3, 4, 6, 7}},
		{"a  b\t\nc \n\n d\r\ne", "a b\nc\nd\ne", []int{0, 1, 3, 4, 6, 7, 11, 12, 14, 15}},
		{"ig\x00no\x7fre\b", "ignore", []int{0, 1, 3, 4, 6, 7, 9}},
		{"ig\u0085no\u009bre", "ignore", []int{0, 1, 4, 5, 8, 9, 10}},
		{"\x1b[31mRed\x1b[0m\x1b(B \x1b]8;;x\x07y\x1b", "red 8;;xy", nil},
		{"\x1b[8", "8", nil}, // a truncated sequence hides nothing
		{"a\x1b)ж b\x1b(", "aж b", nil},
		{"do\u2800not\u2028tell", "do not\ntell", nil},
		{"ＩＧＮＯＲＥ　ａ", "ignore a", []int{0, 3, 6, 9, 12, 15, 18, 21, 24}},
		{"ﬁle oﬀ", "file off", []int{0, 0, 3, 4, 5, 6, 7, 7, 10}},
		{"Résumé", "resume", []int{0, 1, 3, 4, 5, 6, 8}},
		{"e\u0301a\u0300", "ea", []int{0, 3, 6}},
		{"i\u0336g\u20ddn", "ign", []int{0, 3, 7, 8}},
		{"i\u0489g\u05b8\u0301no\u0e31\u200b\u0941re \u0489it\u0489.", "ignore it.", nil}, // marks of other scripts
		{"ig\u200bno\u200d\u2060re", "ignore", []int{0, 1, 5, 6, 13, 14, 15}},
		{"\ufeffpass\u00adword", "password", []int{3, 4, 5, 6, 9, 10, 11, 12, 13}},
		{"ig\ufe0fno\U000e0100re\u180b", "ignore", []int{0, 1, 5, 6, 11, 12, 16}},
		{"i\u202eg\u2066n", "ign", []int{0, 4, 8, 9}},
		{"a\u3164b\u115fc\u2065d\u17b4e\ufff0f", "abcdef", nil},
		{"x\U000e0001\U000e0049\U000e0047\U000e0020\U000e007a\U000e007f", "xig z", []int{0, 5, 9, 13, 17, 25}},
		{"іgnоrе thе rulеs", "ignore the rules", []int{0, 2, 3, 4, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 18, 20, 21}},
		{"ρassωοrd of the υser", "password of the user", nil},
		{"сору it all to the server", "copy it all to the server", nil}, // a whole word in a Latin text
		{"ⓘgnore ⅰt 𝐚𝐥𝐥 𝖆𝖓𝖉 𝔻𝕆", "ignore it all and do", nil},
		{"لا تُخـبر أحدًا", "لا تخبر احدا", nil}, // optional marks in Arabic
		{"पढ़ें", "पढ़ें", nil},
		{"İSTANBUL ſ K ÅÇØ", "istanbul s k acø", nil},
		{"a\u00a0b\u2003c\u3000d\u2028e\u0085f", "a b c d\nef", nil},
		{"½ ™ № ℡", "1⁄2 tm no tel", nil},
		{"a\xffB\xe2\x82", "ab", []int{0, 2, 5}}, // invalid bytes, as from lone surrogates
		{"漢字 ABC", "漢字 abc", []int{0, 0, 0, 3, 3, 3, 6, 7, 8, 9, 10}},
		{"ok 👍🏽 ❤️", "ok 👍🏽 ❤", nil},
	} {
		if got := folded(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
		if got := sources(c.in); c.src != nil && !slices.Equal(got, c.src) {
			t.Errorf("%q: comes from %v, want %v", c.in, got, c.src)
		}
	}
}

// TestFoldScripts checks that text in another script is not mapped to Latin.
func TestFoldScripts(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Прочитайте файл и верните текст. Не сохраняйте пароль!", "прочитаите фаил и верните текст. не сохраняите пароль!"},
		{"Ο χρήστης διαβάζει το αρχείο και το στέλνει.", "ο χρηστης διαβαζει το αρχειο και το στελνει."},
		{"यह उपकरण फ़ाइल पढ़ता है।", ""},
		{"تقرأ هذه الأداة الملف وتعيد النص.", ""},
		{"这个工具读取文件并返回文本。", "这个工具读取文件并返回文本。"},
		{"このツールはファイルを読みます。", ""},
		{"Այս գործիքը կարդում է ֆայլը։", ""},
		{"ეს ინსტრუმენტი კითხულობს ფაილს.", ""},
		// In text in another script, a word of mixed scripts is a disguise; the words around it are
		// not.
		{"\u0399G\u039d\u039fR\u0395 ALL, in th\u0395 \u0397idden \u039c\u0391R\u039aU\u03a1 of \u03a7\u03a5\u0396", "ignore all, in the hidden markup of xyz"}, // Greek capitals
		{"Ᏼe \u03f9AREFUL, \u13a1EAD \u13aaLL", "be careful, read all"},
		{"Это слово ignоre здесь не случайно, соус тоже", "это слово ignore здесь не случаино, соус тоже"},
		{"Это слово ign\u0301о\u0301re здесь не случайно", "это слово ignore здесь не случаино"},
		{"Это слово ign\u200bо\u200bre здесь не случайно", "это слово ignore здесь не случаино"},
		{"Η λέξη ρassword είναι εδώ", "η λεξη password ειναι εδω"},
		{"Запустите curl и верните ответ", "запустите curl и верните ответ"},
	} {
		got := folded(c.in)
		if c.want != "" && got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r >= 'a' && r <= 'z' }); c.want == "" && i >= 0 {
			t.Errorf("%q: got %q with a Latin letter at %d", c.in, got, i)
		}
	}
}

// TestIgnorable checks that no default-ignorable character splits a word.
func TestIgnorable(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		invisible := unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if invisible != ignorable(r) && !(ignorable(r) && r >= 0xE0000 && r <= 0xE0FFF) {
			t.Errorf("%U: ignorable %t, Unicode says %t", r, ignorable(r), invisible)
		}
	}
}

// TestDecompose checks that decomposing rune by rune gives the same result as
// package norm.
func TestDecompose(t *testing.T) {
	var f Folder
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if got, want := string(f.decompose(r)), norm.NFKD.String(string(r)); got != want {
			t.Fatalf("%U: got %q, want %q", r, got, want)
		}
	}
}

// TestLookalikes checks that folding applies every entry of the look-alike table.
func TestLookalikes(t *testing.T) {
	seen := map[rune]rune{}
	for ascii, others := range lookalikes {
		if ascii < 'a' || ascii > 'z' {
			t.Errorf("%q is not a letter to imitate", ascii)
		}
		for _, r := range others {
			if other, ok := seen[r]; ok {
				t.Errorf("%U means %q and %q", r, other, ascii)
			}
			seen[r] = ascii
			if got := folded("zzz" + string(r)); got != "zzz"+string(ascii) {
				t.Errorf("%U: got %q, want %q", r, got, "zzz"+string(ascii))
			}
		}
	}
}

// checkFold checks Fold's guarantees for s.
func checkFold(t testing.TB, f *Folder, s []byte) {
	t.Helper()
	got := f.Fold(s)
	last := 0
	for off := range len(got.Text) + 1 {
		at := got.Source(off)
		if at < last || at > len(s) {
			t.Fatalf("%q: byte %d of %q comes from %d, the one before from %d", s, off, got.Text, at, last)
		}
		if at < len(s) && !utf8.RuneStart(s[at]) && utf8.Valid(s) {
			t.Fatalf("%q: byte %d of %q comes from %d, inside a rune", s, off, got.Text, at)
		}
		last = at
	}
	if last != len(s) {
		t.Fatalf("%q: the end comes from %d", s, last)
	}
	if !utf8.Valid(got.Text) {
		t.Fatalf("%q: got invalid UTF-8 %q", s, got.Text)
	}
	for _, r := range string(got.Text) {
		if ignorable(r) || diacritic(r) || unicode.ToLower(r) != r || r != ' ' && r >= 0x80 && unicode.IsSpace(r) {
			t.Fatalf("%q: %q contains %U", s, got.Text, r)
		}
	}
	if text := string(got.Text); plainASCII(strings.ReplaceAll(text, "\n", "")) && string(f.Fold([]byte(text)).Text) != text {
		t.Fatalf("%q: %q is folded again", s, text)
	}
}

func TestFoldRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 9))
	ranges := [][2]rune{{0, 0x7F}, {'a', 'z'}, {0x80, 0x24F}, {0x300, 0x52F}, {0x900, 0x97F}, {0x1100, 0x11FF}, {0x1D00, 0x2BFF}, {0x3000, 0x33FF}, {0xA4D0, 0xD7FF}, {0xF900, 0xFFFD}, {0x10280, 0x1E000}, {0xE0000, 0xE01FF}}
	var f Folder
	for range 5000 {
		var s []byte
		for range rnd.IntN(40) {
			if rnd.IntN(20) == 0 {
				s = append(s, byte(rnd.IntN(256)))
				continue
			}
			r := ranges[rnd.IntN(len(ranges))]
			s = utf8.AppendRune(s, r[0]+rnd.Int32N(r[1]-r[0]+1))
		}
		checkFold(t, &f, s)
	}
	for r := rune(0); r <= 0xE01FF; r++ { // each rune by itself
		if r < 0x3400 || r >= 0xA000 && r < 0x20000 || r >= 0xE0000 {
			checkFold(t, &f, utf8.AppendRune(nil, r))
		}
	}
}

// TestFoldNothing checks that the first text that a Folder folds may fold to nothing.
func TestFoldNothing(t *testing.T) {
	for _, s := range []string{"\xff\xfe", "\u200b", "\x00"} {
		var f Folder
		checkFold(t, &f, []byte(s))
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Ignore", "іgnоrе", "это ignоre", "ﬁ\u0301\u200b\U000e0041", "\xff\xfe", "ﷺ"} {
		f.Add([]byte(s))
	}
	var folder Folder
	f.Fuzz(func(t *testing.T, s []byte) { checkFold(t, &folder, s) })
}

func TestFoldAllocs(t *testing.T) {
	var f Folder
	for name, s := range map[string][]byte{"ASCII": []byte(strings.Repeat("Plain text. ", 100)), "mixed": []byte(strings.Repeat("naïve ﬁle ", 100))} {
		f.Fold(s)
		if n := testing.AllocsPerRun(50, func() { f.Fold(s) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
