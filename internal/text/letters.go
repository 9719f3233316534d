package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Unicode has alphabets of Latin letters that its compatibility decomposition leaves
// alone: they are letters to a reader, in any text.

// alphabets are those that are in the order of a to z, by the first letter.
var alphabets = [...]rune{
	0x249C,  // parenthesized
	0x1F110, // parenthesized capitals
	0x1F150, // negative circled
	0x1F170, // negative squared
	0x1F1E6, // regional indicators
}

// Alphabets that are in no order.
const (
	smallCapitals = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ-ʏᴢ"
	braille       = "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"
)

// inAlphabet maps the letters of smallCapitals and braille.
var inAlphabet = func() map[rune]byte {
	t := map[rune]byte{}
	for _, alphabet := range [...]string{smallCapitals, braille} {
		for i, r := range []rune(alphabet) {
			t[r] = 'a' + byte(i)
		}
	}
	delete(t, '-')
	return t
}()

// latinForm returns the letter that r is another form of.
func latinForm(r rune) (byte, bool) {
	for _, first := range alphabets {
		if r >= first && r < first+26 {
			return 'a' + byte(r-first), true
		}
	}
	b, ok := inAlphabet[r]
	return b, ok
}

// unread reports what is no character that anybody agreed on: what stands for a
// broken one (a lone surrogate, a byte that is no UTF-8), private use, and what will
// never be one. In the middle of a word a model reads past it.
func unread(r rune) bool {
	return r == utf8.RuneError || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE || unicode.Is(unicode.Co, r)
}

// turned are the letters a to z upside down.
var turned = []rune("ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz")

// leastTurned is the number of upside-down letters from which a text counts as upside down. Languages and phonetics use one or two of them.
const leastTurned = 8

// decodeTurned reads a text that is written upside down.
func decodeTurned(s []byte, yield func(Hidden)) {
	found := 0
	for rest := s; len(rest) > 0; {
		i := asciiLen(rest)
		rest = rest[i:]
		r, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		if r >= utf8.RuneSelf && slices.Contains(turned, r) {
			found++
		}
	}
	if found < leastTurned {
		return
	}
	yield(Hidden{Start: 0, End: len(s), Via: "upside-down letters", Text: bytes.Map(func(r rune) rune {
		if i := slices.Index(turned, unicode.ToLower(r)); i >= 0 {
			return 'a' + rune(i)
		}
		return r
	}, reverse(s))})
}
