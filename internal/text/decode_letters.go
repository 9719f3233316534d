package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Unicode has alphabets of Latin letters that its compatibility decomposition does not turn into
// single ASCII letters, although people read them as ordinary letters.

// alphabets contains the first letters of those alphabets in which the letters a to z are contiguous.
var alphabets = [...]rune{
	0x249C,  // parenthesized
	0x1F110, // parenthesized capitals
	0x1F150, // negative circled
	0x1F170, // negative squared
	0x1F1E6, // regional indicators
}

// Alphabets whose letters are not contiguous.
const (
	smallCapitals = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ-ʏᴢ"
	braille       = "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"
)

// inAlphabet maps the letters of smallCapitals and braille to ASCII.
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

// latinForm returns the ASCII letter of which r is a variant, if any.
func latinForm(r rune) (byte, bool) {
	for _, first := range alphabets {
		if r >= first && r < first+26 {
			return 'a' + byte(r-first), true
		}
	}
	b, ok := inAlphabet[r]
	return b, ok
}

// unread reports whether r has no agreed meaning: a replacement for an invalid character (a lone
// surrogate, an invalid UTF-8 byte), a private-use character or a noncharacter. A model can
// read a word despite such a character in it.
func unread(r rune) bool {
	return r == utf8.RuneError || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE || unicode.Is(unicode.Co, r)
}

// turned contains the letters a to z upside down.
var turned = []rune("ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz")

// beginsTurned marks the first bytes of the upside-down letters that are not ASCII.
var beginsTurned = func() (t [256]bool) {
	for _, r := range turned {
		if first := string(r)[0]; first >= utf8.RuneSelf {
			t[first] = true
		}
	}
	return
}()

// leastTurned is the minimum number of upside-down letters for a text to count as upside down. Some
// languages, and phonetic notation, use a few of these letters.
const leastTurned = 8

// decodeTurned decodes text written upside down.
func decodeTurned(s []byte, yield func(Hidden)) {
	found := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] < utf8.RuneSelf:
			i += asciiLen(s[i:])
		case !beginsTurned[s[i]]:
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			if slices.Contains(turned, r) {
				found++
			}
			i += n
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
