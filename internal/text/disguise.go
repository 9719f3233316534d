package text

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Disguise is an encoding whose words look like ordinary ones, because they consist of letters and
// digits. Only telltale words reveal it.
type Disguise uint8

const (
	rot13 Disguise = iota
	backwards
	digits
	disguises // number of disguises
)

// Disguised holds, for each disguise, the span in the source from the first to the last word that
// reveals it; an End of 0 means none.
type Disguised [disguises]struct{ Start, End int }

// Add extends the span of a disguise by one of its words.
func (d *Disguised) Add(kind Disguise, start, end int) {
	span := &d[kind]
	if span.End == 0 || start < span.Start {
		span.Start = start
	}
	span.End = max(span.End, end)
}

// telltale contains words common in instructions to a model, long enough that their disguised forms
// rarely occur in other text.
var telltale = []string{"ignore", "disregard", "instructions", "previous", "the user", "password", "credential", "assistant",
	"secret", "always", "do not tell", ".ssh/", "id_rsa", "https://"}

// digitWords lists words, or parts of words, that are common in instructions to a model and have
// letters that digits can replace.
var digitWords = []string{"ignore", "disreg", "previo", "instru", "ctions", "system", "secret", "forget", "do not", "creden"}

// Disguises returns the patterns for the words that reveal each disguise, indexed by Disguise.
// They have no expression, so a text without such words costs nothing beyond the anchor scan that
// all patterns share.
func Disguises() []Pattern {
	patterns := [disguises]Pattern{{Name: viaRot13}, {Name: viaBackwards}, {Name: viaDigits}}
	for _, w := range telltale {
		patterns[rot13].Anchors = append(patterns[rot13].Anchors, string(rotate([]byte(w))))
		patterns[backwards].Anchors = append(patterns[backwards].Anchors, string(reverse([]byte(w))))
	}
	for _, w := range digitWords {
		patterns[digits].Anchors = append(patterns[digits].Anchors, withDigits(w)...)
	}
	return patterns[:]
}

// The names of the disguises.
const (
	viaRot13     = "ROT13"
	viaBackwards = "reversed text"
	viaWords     = "reversed words"
	viaDigits    = "digits instead of letters"
)

// Undisguise yields the plain form of s for each disguise seen in it. via is the encoding that s
// was decoded from. If that is a disguise, Undisguise yields nothing: few models can read text that
// is disguised twice, and the work for hostile input stays a small multiple of its length.
func Undisguise(s []byte, seen *Disguised, via string, yield func(Hidden)) {
	switch via {
	case viaRot13, viaBackwards, viaWords, viaDigits:
		return
	}
	if from, to, ok := seen.around(rot13, s); ok {
		yield(Hidden{Start: from, End: to, Via: viaRot13, Text: rotate(s[from:to])})
	}
	if from, to, ok := seen.around(backwards, s); ok {
		yield(Hidden{Start: from, End: to, Via: viaBackwards, Text: reverse(s[from:to])})
		yield(Hidden{Start: from, End: to, Via: viaWords, Text: reverseWords(s[from:to])})
	}
	if from, to, ok := seen.around(digits, s); ok {
		yield(Hidden{Start: from, End: to, Via: viaDigits, Text: withLetters(s[from:to])})
	}
}

// around returns the span of a disguise extended on both sides, since an instruction may begin and
// end with words that do not reveal it. Digits in place of letters leave most text unchanged, so
// their span is extended at most to the whole sentence.
func (d *Disguised) around(kind Disguise, s []byte) (from, to int, ok bool) {
	span := d[kind]
	if span.End == 0 {
		return 0, 0, false
	}
	stops := "\n"
	if kind == digits {
		stops = ".\n"
	}
	from, to = max(0, span.Start-Reach), min(len(s), span.End+Reach)
	if i := bytes.LastIndexAny(s[from:span.Start], stops); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexAny(s[span.End:to], stops); i >= 0 {
		to = span.End + i
	}
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	return from, to, true
}

// rotate returns s with each letter rotated by 13 positions.
func rotate(s []byte) []byte {
	out := bytes.Clone(s)
	for i, b := range out {
		if letter(b) {
			base := b & 0x20 // the case bit
			out[i] = (b-base-'A'+13)%26 + 'A' + base
		}
	}
	return out
}

// reverse returns the characters of s in reverse order.
func reverse(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRune(s)
		out = append(out, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return out
}

// reverseWords reverses each word but keeps the word order and the punctuation after each word.
func reverseWords(s []byte) []byte {
	var out []byte
	for len(s) > 0 {
		n := bytes.IndexAny(s, " \t\r\n")
		if n < 0 {
			n = len(s)
		}
		word := bytes.TrimRight(s[:n], ".,;:!?")
		out = append(append(out, reverse(word)...), s[len(word):n]...)
		if n < len(s) {
			out = append(out, s[n])
			n++
		}
		s = s[n:]
	}
	return out
}

// standIns lists, for each letter, the characters that can replace it.
var standIns = map[byte]string{'a': "4@", 'e': "3", 'i': "1!", 'l': "1", 'o': "0", 's': "5$", 't': "7"}

// letterOf is the inverse of standIns. It maps 1 to i.
var letterOf = func() (t [256]byte) {
	for l, signs := range standIns {
		for _, b := range []byte(signs) {
			if t[b] == 0 || l == 'i' {
				t[b] = l
			}
		}
	}
	return
}()

// withDigits returns all spellings of a word in which at least one letter is replaced.
func withDigits(word string) []string {
	ways := []string{""}
	for _, b := range []byte(word) {
		var next []string
		for _, head := range ways {
			next = append(next, head+string(b))
			for _, sign := range []byte(standIns[b]) {
				next = append(next, head+string(sign))
			}
		}
		ways = next
	}
	return slices.DeleteFunc(ways, func(w string) bool { return w == word })
}

// withLetters replaces stand-ins in or next to a word with the letters they stand for, except a !
// after a word. A 1 next to another 1 or an l becomes l.
func withLetters(s []byte) []byte {
	out := bytes.Clone(s)
	for i, b := range s {
		before, next := byte(' '), byte(' ')
		if i > 0 {
			before = s[i-1]
		}
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case letterOf[b] == 0, !wordLike(before) && !wordLike(next), b == '!' && !wordLike(next):
		case b == '1' && (before == '1' || next == '1' || before|0x20 == 'l' || next|0x20 == 'l'):
			out[i] = 'l'
		default:
			out[i] = letterOf[b]
		}
	}
	return out
}

func wordLike(b byte) bool { return letter(b) || letterOf[b] != 0 }
