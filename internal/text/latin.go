package text

import (
	"slices"
	"strings"
)

// InLatin returns folded text as it would be folded within mostly Latin text, where Cyrillic words
// are suspected to imitate Latin ones.
func InLatin(folded string) string {
	return strings.Map(func(r rune) rune {
		if a, ok := lookalike(r); ok {
			return a
		}
		return r
	}, folded)
}

// diacritic reports whether r is a combining mark on a Latin, Greek or Cyrillic letter, or is
// optional in Arabic: a vowel sign, a hamza or madda mark, or tatweel. In other scripts, combining
// marks are part of the spelling, so they are kept.
func diacritic(r rune) bool {
	return r >= 0x64B && r <= 0x65F || r == 0x670 || r == 0x640 || r >= 0x300 && r <= 0x36F || r >= 0x1AB0 && r <= 0x1AFF || r >= 0x1DC0 && r <= 0x1DFF ||
		r >= 0x20D0 && r <= 0x20FF || r >= 0xFE20 && r <= 0xFE2F
}

type lookalikeOf struct{ r, ascii rune }

func lookalike(r rune) (rune, bool) {
	if r < asciiOf[0].r { // includes all ASCII
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(asciiOf, r, func(x lookalikeOf, r rune) int { return int(x.r - r) })
	if !ok {
		return 0, false
	}
	return asciiOf[i].ascii, true
}
