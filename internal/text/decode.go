package text

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Hidden is text that is encoded in other text.
type Hidden struct {
	Start, End int    // its position in the source
	Via        string // the name of the encoding
	Text       []byte
	Unread     string // why it could not be decoded, if it could not
}

// The limits of decoding. A run is decoded as UTF-16 only if its beginning is text, and decoded text is
// at most a little longer than its source, so the work is at most a small multiple of the input's
// length.
const (
	MaxLayers    = 3   // maximum depth of nested encodings
	minRun       = 20  // characters; a shorter run cannot contain an instruction
	minDecoded   = 10  // bytes
	minEscapes   = 4   // minimum number of escapes for text to be decoded as a whole
	minInvisible = 16  // minimum number of invisible bits: two characters
	probe        = 240 // number of bytes examined to see whether a run is UTF-16
)

// Escapes is the name of the encoding that Unescape reads.
const Escapes = "escapes"

// Decode yields the encoded text in s: base64, base32, hexadecimal, character codes, percent encoding,
// quoted-printable, escapes, HTML entities, variation selectors, invisible bits, upside-down letters,
// and words that are spelled out, joined or broken up by emphasis. It yields only what decodes to text,
// and spelled-out letters that it cannot divide into words (see Unread).
func Decode(s []byte, yield func(Hidden)) {
	var runs []Hidden
	decodeRuns(s, func(h Hidden) { runs = append(runs, h); yield(h) })
	decodeBroken(s, runs, yield)
	decodeCodes(s, yield)
	decodeEscapes(s, yield)
	respelled(s, yield)
	decodeJoined(s, yield)
	unmarked(s, yield)
	decodeInvisible(s, yield)
	decodeTurned(s, yield)
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// isEncoded reports whether s is itself encoded: a base64 or hex run, padded or not, or text full
// of the escape characters %, \ and &.
func isEncoded(s []byte) bool {
	run := bytes.TrimRight(s, "=\n")
	if !slices.ContainsFunc(run, func(b byte) bool { return !runByte[b] }) {
		return len(s) >= minRun
	}
	marks := bytes.Count(s, []byte("%")) + bytes.Count(s, []byte(`\`)) + bytes.Count(s, []byte("&"))
	return marks*8 >= len(s) && isShown(s)
}

// isText reports whether s is human-readable: printable, with letters and a space or separator.
func isText(s []byte) bool {
	if !utf8.Valid(trimRune(s)) {
		return false
	}
	letters, gaps, total := 0, 0, 0
	for _, r := range string(s) {
		total++
		switch {
		case unicode.IsLetter(r):
			letters++
		case r == ' ' || r == '\n' || r == '\t' || r == '/' || r == '_' || r == '{':
			gaps++
		}
	}
	return letters*4 >= total && gaps > 0 && isShown(s)
}

// isShown reports whether s is valid UTF-8 and almost entirely printable.
func isShown(s []byte) bool {
	if !utf8.Valid(trimRune(s)) {
		return false
	}
	odd, total := 0, 0
	for _, r := range string(s) {
		total++
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && !ignorable(r) {
			odd++
		}
	}
	return total > 0 && odd*50 <= total
}

// shown returns s if it is displayed as text, otherwise the text among other bytes in it, or nil if there is
// none. A few bytes that are not text, or are in another encoding, must not hide the rest.
func shown(s []byte) []byte {
	if isShown(s) {
		return s
	}
	return amongBytes(s)
}

// trimRune drops an incomplete rune at the end of s.
func trimRune(s []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if b := s[len(s)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(s[len(s)-n:]) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// NonASCII returns the position of the first byte of s, from i on, that is not ASCII, or len(s).
func NonASCII(s []byte, i int) int { return i + asciiLen(s[i:]) }

// asciiLen returns the length of the ASCII prefix of s.
func asciiLen(s []byte) int {
	i := 0
	for i+8 <= len(s) && binary.LittleEndian.Uint64(s[i:])&0x8080808080808080 == 0 {
		i += 8
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

func isPrintable(s []byte) bool {
	for _, b := range s {
		if (b < 0x20 || b >= 0x7F) && b != '\n' {
			return false
		}
	}
	return true
}
