package text

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// What counts as spelled out: two long words of separated letters, or several short ones in a row.
// Abbreviations are neither. All values except spelledGap are minimum values.
const (
	longSpelled    = 4  // letters of a long word
	spelledWords   = 2  // long words in a text
	spelledSide    = 3  // adjacent words
	spelledLetters = 8  // letters of adjacent words
	spelledGap     = 4  // maximum number of bytes between two adjacent words
	noWord         = 20 // letters; a row this long is more than one word
	differentOnes  = 8  // distinct letters of such a row; codes and grids have fewer
)

// spelledWord is a sequence of letters separated by the same mark.
type spelledWord struct {
	start, end, letters int32 // kept small, because a hostile text can have very many words
	mark                uint8 // length of the mark in bytes
	joined              bool  // is to be read as a word
}

// respelled joins the letters of words that are spelled out, as in i-g-n-o-r-e. If word boundaries
// cannot be determined, it reports the letters as unread.
func respelled(s []byte, yield func(Hidden)) {
	var few [16]spelledWord
	words := spelledIn(s, few[:0])
	joined := false
	for k := range words {
		w := &words[k]
		joined = joined || w.joined
		if w.letters >= noWord && isRow(s[w.start:w.end]) {
			yield(Hidden{Start: int(w.start), End: int(w.end), Via: viaSpelled, Unread: "letters are spaced out without gaps between words: the text was not read"})
		}
	}
	if !joined {
		return
	}
	out, kept := make([]byte, 0, len(s)), int32(0)
	for _, w := range words {
		if !w.joined {
			continue
		}
		out = append(out, s[kept:w.start]...)
		for i := w.start; i < w.end; i += 1 + int32(w.mark) {
			out = append(out, s[i])
		}
		kept = w.end
	}
	yield(Hidden{Start: 0, End: len(s), Via: viaSpelled, Text: append(out, s[kept:]...)})
}

const viaSpelled = "spaced-out letters"

// spelledIn appends the words in s that are spelled out and have at least two letters.
func spelledIn(s []byte, words []spelledWord) []spelledWord {
	long, side, next := 0, 0, 0 // side is the index of the first of the adjacent words
	lonePairs(s, func(i int) {
		if i < next || !letter(s[i]) || i > 0 && letter(s[i-1]) {
			return
		}
		w := spelledAt(s, i)
		if w.letters < 2 {
			return
		}
		if w.letters >= longSpelled {
			long++
		}
		if n := len(words); n > 0 && !adjacent(s, &words[n-1], &w) {
			sideBySide(words[side:])
			side = n
		}
		words, next = append(words, w), int(w.end)
	})
	sideBySide(words[side:])
	for k := range words {
		words[k].joined = words[k].joined || long >= spelledWords && words[k].letters >= longSpelled
	}
	return words
}

// lonePairs yields each position where a letter, a mark and a lone letter may follow each other. If
// there is no such position, no word is spelled out. It looks for the lone letter first, because that
// is a single byte, as are most marks.
func lonePairs(s []byte, yield func(i int)) {
	var alnum, high uint64
	for i := 0; i <= len(s); i += blockSize {
		alnumBefore, highBefore := alnum, high
		alnum, high = wordsIn(s, i)
		back := func(n int) uint64 { return alnum<<n | alnumBefore>>(blockSize-n) }
		for ends := back(1) &^ alnum &^ back(2) & (back(3) | high<<2 | highBefore>>(blockSize-2)); ends != 0; ends &= ends - 1 {
			mark := i + bits.TrailingZeros64(ends) - 2
			first := mark - 1
			for s[mark] >= utf8.RuneSelf && first > 0 && s[first] >= utf8.RuneSelf {
				first--
			}
			yield(first)
		}
	}
}

// adjacent reports whether two words are close together, have no letter or digit between them, and use
// the same mark between their letters.
func adjacent(s []byte, a, b *spelledWord) bool {
	return b.start-a.end <= spelledGap && bytes.Equal(a.markIn(s), b.markIn(s)) && bytes.IndexFunc(s[a.end:b.start], wordRune) < 0
}

func (w *spelledWord) markIn(s []byte) []byte { return s[w.start+1 : w.start+1+int32(w.mark)] }

// spelledAt returns the spelled-out word that starts at s[i].
func spelledAt(s []byte, i int) spelledWord {
	r, n := utf8.DecodeRune(s[i+1:])
	mark, end, letters := s[i+1:i+1+n], i+1, 1
	for !wordRune(r) {
		at := end + n
		if at >= len(s) || !bytes.Equal(s[end:at], mark) || !letter(s[at]) || at+1 < len(s) && isAlnum(s[at+1]) {
			break
		}
		end = at + 1
		letters++
	}
	return spelledWord{start: int32(i), end: int32(end), letters: int32(letters), mark: uint8(n)}
}

// sideBySide marks adjacent words as joined if there are enough of them.
func sideBySide(words []spelledWord) {
	letters := int32(0)
	for _, w := range words {
		letters += w.letters
	}
	for k := range words {
		words[k].joined = len(words) >= spelledSide && letters >= spelledLetters
	}
}

// isRow reports whether the separated letters of s can be words, rather than an alphabet, a grid or
// a sequence of a few codes.
func isRow(s []byte) bool {
	var seen [256]bool
	different, falls, last := 0, 0, byte(0)
	for _, b := range s {
		if !letter(b) {
			continue
		}
		b |= 0x20
		if !seen[b] {
			seen[b] = true
			different++
		}
		if b < last {
			falls++
		}
		last = b
	}
	return different >= differentOnes && falls > 2
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
