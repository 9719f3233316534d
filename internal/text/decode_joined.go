package text

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// The requirements for words to count as joined, which most names do not meet.
const (
	joinedWords = 5 // minimum number of words
	joiner      = 4 // maximum number of bytes between two words
	humpLetters = 3 // minimum number of letters of a word in camelCase, on average
)

// joint describes a run of words that are joined by the same marks.
type joint struct {
	s                []byte
	start, last, end int // start of the run, start of the last word, and end of the last word
	words            int
	gap, gapEnd      int // the first gap between them; empty if there is only one word
	yield            func(Hidden)
}

// decodeJoined separates words that are joined by marks or written in camelCase: what looks like a
// name can be a sentence.
func decodeJoined(s []byte, yield func(Hidden)) {
	j := joint{s: s, yield: yield}
	from, high := -1, -1 // start of the word; the last non-ASCII byte so far
	var before uint64    // the words in the previous block
	for i := 0; i <= len(s); i += blockSize {
		in, others := wordsIn(s, i)
		if others != 0 {
			high, in = i+bits.Len64(others)-1, in|others
		}
		for edges := in ^ (in<<1 | before>>(blockSize-1)); edges != 0; edges &= edges - 1 {
			at := i + bits.TrailingZeros64(edges)
			switch {
			case from < 0:
				from = at
				continue
			case high < from:
				j.add(from, at)
			default:
				j.addWords(from, at)
			}
			from = -1
		}
		before = in
	}
	j.flush()
}

// addWords adds the words of s[i:end], in which gaps consist of non-ASCII characters.
func (j *joint) addWords(i, end int) {
	for i < end {
		from := i
		if i = wordEnd(j.s, i); i > from {
			j.add(from, i)
			continue
		}
		_, n := utf8.DecodeRune(j.s[i:])
		i += n
	}
}

// joinedAgain reports whether the gap before the word that begins at from is the same as the gaps
// between the previous words.
func (j *joint) joinedAgain(from int) bool {
	return j.gapEnd > j.gap && from-j.end == j.gapEnd-j.gap && string(j.s[j.end:from]) == string(j.s[j.gap:j.gapEnd])
}

func (j *joint) add(from, end int) {
	if end-from >= joinedWords*humpLetters {
		camel(j.s, from, end, j.yield)
	}
	switch {
	case j.joinedAgain(from):
		j.words++
	case j.words > 0 && joins(j.s[j.end:from]):
		j.flush()
		if j.start = j.last; j.start > 0 && j.s[j.start-1] >= utf8.RuneSelf { // possibly a digit
			j.start = wordStart(j.s, j.end)
		}
		j.gap, j.gapEnd, j.words = j.end, from, 2
	default:
		j.flush()
		j.start, j.words, j.gapEnd = from, 1, j.gap
	}
	j.last, j.end = from, end
}

func (j *joint) flush() {
	if j.words >= joinedWords {
		unjoin(j.s, j.start, j.end, j.words, j.s[j.gap:j.gapEnd], j.yield)
	}
}

// joins reports whether gap is short and contains a mark that can replace a space.
func joins(gap []byte) bool {
	if len(gap) > joiner {
		return false
	}
	for _, b := range gap {
		switch {
		case b >= utf8.RuneSelf:
			return len(bytes.TrimSpace(gap)) > 0
		case b != ' ' && (b < '\t' || b > '\r'):
			return true
		}
	}
	return false
}

// wordEnd returns the end of the word at s[i].
func wordEnd(s []byte, i int) int {
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			if !isAlnum(s[i]) {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		i += n
	}
	return i
}

// wordStart returns the start of the word that ends at s[i].
func wordStart(s []byte, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRune(s[:i])
		if !wordRune(r) && !unicode.IsMark(r) {
			break
		}
		i -= n
	}
	return i
}

// unjoin yields s[start:end] with spaces between its words, if these are more than single letters
// and numbers.
func unjoin(s []byte, start, end, words int, between []byte, yield func(Hidden)) {
	of := s[start:end]
	gaps := bytes.Count(of, between)
	letters := lettersIn(of) - gaps*lettersIn(between)
	if size := len(of) - gaps*(len(between)-1); letters*3 >= size*2 && letters >= 2*words {
		yield(Hidden{Start: start, End: end, Via: "separators instead of spaces", Text: bytes.ReplaceAll(of, between, []byte(" "))})
	}
}

func lettersIn(s []byte) (n int) {
	for _, b := range s {
		if isLetter[b] {
			n++
		}
	}
	return n
}

// camel yields the words of s[start:end], a long word, if it is written in camelCase.
func camel(s []byte, start, end int, yield func(Hidden)) {
	humps := 1
	for i := start + 1; i < end; i++ {
		switch {
		case !letter(s[i]):
			return
		case isCapital(s[i]) && !isCapital(s[i-1]):
			humps++
		}
	}
	if humps < joinedWords || humps*humpLetters > end-start {
		return
	}
	t := make([]byte, 0, end-start+humps)
	for i := start; i < end; i++ {
		if i > start && isCapital(s[i]) && !isCapital(s[i-1]) {
			t = append(t, ' ')
		}
		t = append(t, s[i])
	}
	yield(Hidden{Start: start, End: end, Via: "words without spaces", Text: t})
}

func isCapital(b byte) bool { return b >= 'A' && b <= 'Z' }
