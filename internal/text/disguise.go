package text

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Disguise is a way of writing in which every word of a language stays a word of
// letters and digits, so that nothing but its words gives it away.
type Disguise uint8

// The disguises that are known.
const (
	rot13 Disguise = iota
	backwards
	digits
	disguises // how many there are
)

// Disguised says where in a source the first and the last word stood that give
// each disguise away; an end of 0 is none.
type Disguised [disguises]struct{ Start, End int }

// Add extends the span of a disguise by a word of it.
func (d *Disguised) Add(kind Disguise, start, end int) {
	span := &d[kind]
	if span.End == 0 || start < span.Start {
		span.Start = start
	}
	span.End = max(span.End, end)
}

// telltale are words that orders to a model are made of, long enough to be found
// in no other text once they are disguised.
var telltale = []string{"ignore", "disregard", "instructions", "previous", "the user", "password", "credential", "assistant",
	"secret", "always", "do not tell", ".ssh/", "id_rsa", "https://"}

// digitWords are parts of such words that have letters which digits stand for.
var digitWords = []string{"ignore", "disreg", "previo", "instru", "ctions", "system", "secret", "forget", "do not", "creden"}

// Disguises are patterns that find the words which give each disguise away, in
// its own place. They have no expression, so a text without such words costs
// nothing beyond the pass over it that is made for all patterns.
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

// The disguises in words.
const (
	viaRot13     = "ROT13"
	viaBackwards = "backwards writing"
	viaWords     = "words written backwards"
	viaDigits    = "digits for letters"
)

// Undisguise yields what s says where a disguise was seen in it. Via is how s
// itself was written: no model reads what is disguised twice, and the work for a
// text that pretends to be stays a small multiple of its length.
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

// around returns the span of a disguise with what belongs to it on either side:
// an order may begin and end in words that do not give it away. Digits leave
// most of a text as it is, so there it is the sentence.
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

// rotate returns s with each letter replaced by the one 13 places on.
func rotate(s []byte) []byte {
	out := bytes.Clone(s)
	for i, b := range out {
		if letter(b) {
			base := b & 0x20 // the case
			out[i] = (b-base-'A'+13)%26 + 'A' + base
		}
	}
	return out
}

// reverse returns the characters of s from the last to the first.
func reverse(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRune(s)
		out = append(out, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return out
}

// reverseWords reverses each word, and leaves their order and the marks behind them.
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

// standIns are the signs that stand for a letter.
var standIns = map[byte]string{'a': "4@", 'e': "3", 'i': "1!", 'l': "1", 'o': "0", 's': "5$", 't': "7"}

// letterOf is standIns turned round. For 1 it has i.
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

// withDigits returns all ways to write a word in which at least one sign stands
// for a letter.
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

// withLetters returns s with the letters that signs stand for: inside a word, or
// ahead of one. A double 1 is a double l.
func withLetters(s []byte) []byte {
	out := bytes.Clone(s)
	for i, b := range s {
		before, behind := byte(' '), byte(' ')
		if i > 0 {
			before = s[i-1]
		}
		if i+1 < len(s) {
			behind = s[i+1]
		}
		switch {
		case letterOf[b] == 0, !wordLike(before) && !wordLike(behind), b == '!' && !wordLike(behind):
		case b == '1' && (before == '1' || behind == '1' || before|0x20 == 'l' || behind|0x20 == 'l'):
			out[i] = 'l'
		default:
			out[i] = letterOf[b]
		}
	}
	return out
}

func wordLike(b byte) bool { return letter(b) || letterOf[b] != 0 }
