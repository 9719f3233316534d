package text

import "testing"

func TestUnescape(t *testing.T) {
	for _, c := range []struct {
		in, want string
		numbers  int
	}{
		{"", "", 0},
		{"plain", "plain", 0},
		{`\x69\u0067\156ore`, "ignore", 3},
		{`\ud83d\ude00\uD83D.`, "😀\ufffd.", 2},
		{`a\nb\tc\rd`, "a\nb\nc\nd", 0},
		{`say \"so\" \/ \'it\'`, `say "so" / 'it'`, 0},
		{`C:\\Users`, `C:\Users`, 0},
		{`\x6`, `\x6`, 0},
		{`\x6g\u12`, `\x6g\u12`, 0},
		{`\u{69}\x{67}\u{00006e}ore \u{1F600}`, "ignore 😀", 4},
		{`\U00000069\U0001f600\U0000006\Users`, "i😀\\U0000006\\Users", 2},
		{`\\u0069\\\\x67\\\n`, "ig\\\n", 2},
		{`\\ud83d\\ude00\\\\ud83d\\\\ude00`, "😀😀", 2},
		{`\\\\`, `\\`, 0},
		{`\\\`, `\\`, 0},
		{`\u{}\u{69\u{6g}\u{0000069}`, `\u{}\u{69\u{6g}\u{0000069}`, 0},
		{`\u{`, `\u{`, 0},
		{`\9\08\400`, `\9\08\400`, 0},
		{`end\`, `end\`, 0},
		{`\x`, `\x`, 0},
	} {
		if got, n := Unescape([]byte(c.in)); string(got) != c.want || n != c.numbers {
			t.Errorf("%s: got %q and %d, want %q and %d", c.in, got, n, c.want, c.numbers)
		}
	}
}
