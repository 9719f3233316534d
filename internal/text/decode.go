package text

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Hidden is a text that stands encoded in another.
type Hidden struct {
	Start, End int    // where in the source it stands
	Via        string // how it is written, in words
	Text       []byte
}

// The bounds of decoding. Of a run that is no text only the beginning is
// decoded, and what is decoded is shorter than what it was made of, so the work
// stays a small multiple of the length of the text.
const (
	MaxLayers      = 3   // encodings inside each other that are followed
	minRun         = 20  // characters; a shorter run holds no instruction
	minDecoded     = 10  // bytes
	minEscapes     = 4   // escapes of one kind that make a text worth decoding whole
	spelledLetters = 4   // letters of a word that is spelled out: fewer are an abbreviation
	spelledWords   = 2   // such words in a text
	minInvisible   = 16  // invisible characters that can carry two letters
	probe          = 240 // bytes that are decoded to see whether a run is text
)

// Escapes is the name of the encoding that Unescape reads.
const Escapes = "escapes"

// Decode finds texts that are written in s in another form: base64,
// hexadecimal, percent encoding, escapes, HTML entities, variation selectors,
// invisible bits, words that are spelled out or taken apart by emphasis. Only what decodes to text is yielded.
func Decode(s []byte, yield func(Hidden)) {
	decodeRuns(s, yield)
	if n := bytes.Count(s, []byte("%")); n >= minEscapes {
		if u, err := url.PathUnescape(string(s)); err == nil && u != string(s) && isShown([]byte(u)) {
			yield(Hidden{0, len(s), "percent encoding", []byte(u)})
		}
	}
	if bytes.Count(s, []byte(`\`)) >= minEscapes {
		if u, n := Unescape(s); n >= minEscapes && isShown(u) {
			yield(Hidden{0, len(s), Escapes, u})
		}
	}
	if bytes.Contains(s, []byte("&#")) || bytes.Count(s, []byte("&")) >= minEscapes {
		if u := html.UnescapeString(string(s)); u != string(s) {
			yield(Hidden{0, len(s), "HTML entities", []byte(u)})
		}
	}
	if j := respelled(s); j != nil {
		yield(Hidden{0, len(s), "letters set apart", j})
	}
	unmarked(s, yield)
	decodeInvisible(s, yield)
}

// respelled joins the letters of words that are spelled out, as in i-g-n-o-r-e,
// or returns nil where a text has fewer than two of them. A blank more stands
// between such words where letters are set apart by blanks.
func respelled(s []byte) []byte {
	var joined []byte
	words, kept := 0, 0
	for i := 0; i+2*spelledLetters-1 <= len(s); {
		if s[i+1] != s[i+3] || !apart[s[i+1]] {
			i++
			continue
		}
		end := spelledOut(s, i)
		if end == i {
			i++
			continue
		}
		joined = append(joined, s[kept:i]...)
		for ; i < end; i += 2 {
			joined = append(joined, s[i])
		}
		words, i, kept = words+1, end, end
	}
	if words < spelledWords {
		return nil
	}
	return append(joined, s[kept:]...)
}

// spelledOut returns the end of a word that is spelled out from s[i] on, with
// the mark at s[i+1] between its letters, or i.
func spelledOut(s []byte, i int) int {
	if !letter(s[i]) || i > 0 && letter(s[i-1]) {
		return i
	}
	mark, end := s[i+1], i+1
	for end+1 < len(s) && s[end] == mark && letter(s[end+1]) && (end+2 == len(s) || !letter(s[end+2])) {
		end += 2
	}
	if (end-i+1)/2 < spelledLetters {
		return i
	}
	return end
}

// apart marks the characters that set letters apart.
var apart = [256]bool{' ': true, '-': true, '.': true, '_': true, '*': true}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// runByte marks the characters of base64 in both alphabets; hexadecimal is among them.
var runByte = func() (t [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		t[b] = true
	}
	return
}()

// decodeRuns decodes runs of base64 and hexadecimal. It looks at every minRun-th
// character: a run that is long enough has one of them.
func decodeRuns(s []byte, yield func(Hidden)) {
	for i := minRun - 1; i < len(s); i += minRun {
		if !runByte[s[i]] {
			continue
		}
		start := i
		for start > 0 && runByte[s[start-1]] {
			start--
		}
		for i < len(s) && runByte[s[i]] {
			i++
		}
		if i-start < minRun {
			continue
		}
		if t, via := decodeRun(s[start:i]); t != nil {
			yield(Hidden{start, i, via, t})
		}
	}
}

// decodeRun decodes one run, nil where it is no encoded text. Only its
// beginning is decoded to find that out.
func decodeRun(run []byte) (decoded []byte, via string) {
	if len(run)%2 == 0 && isHex(run) {
		out := make([]byte, hex.DecodedLen(len(run)))
		if _, err := hex.Decode(out, run); err == nil && len(out) >= minDecoded && (isText(out) || isEncoded(out)) {
			return out, "hexadecimal"
		}
	}
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	// A run of words joined by / or - can start in the middle of four characters.
	head := run[:min(len(run), probe)&^3]
	out := make([]byte, enc.DecodedLen(len(head)))
	if n, err := enc.Decode(out, head); err != nil || !isText(out[:n]) && !isEncoded(out[:n]) {
		return nil, ""
	}
	whole := run
	if len(whole)%4 == 1 {
		whole = whole[:len(whole)-1]
	}
	out = make([]byte, enc.DecodedLen(len(whole)))
	n, err := enc.Decode(out, whole)
	if err != nil || n < minDecoded || !isText(out[:n]) && !isEncoded(out[:n]) {
		return nil, ""
	}
	return out[:n], "base64"
}

func isHex(s []byte) bool {
	for _, b := range s {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') && (b < 'A' || b > 'F') {
			return false
		}
	}
	return true
}

// isEncoded reports whether s is an encoding itself: a run, padded or not, or
// full of the marks of the others.
func isEncoded(s []byte) bool {
	run := bytes.TrimRight(s, "=\n")
	if !slices.ContainsFunc(run, func(b byte) bool { return !runByte[b] }) {
		return len(s) >= minRun
	}
	marks := bytes.Count(s, []byte("%")) + bytes.Count(s, []byte(`\`)) + bytes.Count(s, []byte("&"))
	return marks*8 >= len(s) && isShown(s)
}

// isText reports whether s is text that somebody could read: shown, with
// letters, and a space or a separator in it.
func isText(s []byte) bool {
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

// isShown reports whether s is valid UTF-8 and nearly all of it printable.
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

// trimRune drops a rune that the end of s cuts in two.
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

// decodeInvisible decodes bytes written as variation selectors (VS1 to VS256),
// and bits written as two kinds of invisible characters.
func decodeInvisible(s []byte, yield func(Hidden)) {
	var selectors []byte
	var bits []byte
	start, end := -1, 0
	flush := func() {
		if len(selectors) >= minDecoded/2 && isPrintable(selectors) {
			yield(Hidden{start, end, "variation selectors", bytes.Clone(selectors)})
		}
		if t := fromBits(bits); t != nil {
			yield(Hidden{start, end, "invisible bits", t})
		}
		selectors, bits, start = selectors[:0], bits[:0], -1
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i += asciiLen(s[i:])
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		known := true
		switch {
		case r >= 0xFE00 && r <= 0xFE0F:
			selectors = append(selectors, byte(r-0xFE00))
		case r >= 0xE0100 && r <= 0xE01EF:
			selectors = append(selectors, byte(r-0xE0100+16))
		case r == 0x200B || r == 0x2061 || r == 0x2062:
			bits = append(bits, 0)
		case r == 0x200C || r == 0x200D || r == 0x2063 || r == 0x2064:
			bits = append(bits, 1)
		default:
			known = false
		}
		if known {
			if start < 0 {
				start = i
			}
			end = i + n
		}
		i += n
	}
	flush()
}

// asciiLen returns the length of the ASCII text at the beginning of s.
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

// fromBits makes a text of bits, most significant first, in either reading of
// the two characters.
func fromBits(bits []byte) []byte {
	if len(bits) < minInvisible {
		return nil
	}
	for _, flip := range []byte{0, 1} {
		out := make([]byte, 0, len(bits)/8)
		for i := 0; i+8 <= len(bits); i += 8 {
			var b byte
			for _, bit := range bits[i : i+8] {
				b = b<<1 | (bit ^ flip)
			}
			out = append(out, b)
		}
		if len(out) >= 2 && isPrintable(out) {
			return out
		}
	}
	return nil
}
