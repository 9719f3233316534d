package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// The minimum values for joined words. Names have fewer.
const (
	joinedWords = 5
	joiner      = 4 // bytes between two words
	humpLetters = 3 // letters of a word in camelCase, on average
)

// decodeJoined separates words that are joined by punctuation or written in camelCase, because
// what looks like a name may be a sentence.
func decodeJoined(s []byte, yield func(Hidden)) {
	var between []byte
	start, words, end := 0, 0, 0 // of the words joined so far; end of the last one
	flush := func() {
		if words >= joinedWords {
			unjoin(s, start, end, words, between, yield)
		}
	}
	for i := 0; i < len(s); {
		from := i
		i = wordEnd(s, i)
		if i == from {
			_, n := utf8.DecodeRune(s[i:])
			i += n
			continue
		}
		camel(s, from, i, yield)
		gap := s[end:from]
		switch {
		case words > 0 && between != nil && bytes.Equal(gap, between):
			words++
		case end > 0 && joins(gap):
			flush()
			if words > 1 || words == 0 {
				start = wordStart(s, end)
			}
			between, words = gap, 2
		default:
			flush()
			start, words, between = from, 1, nil
		}
		end = i
	}
	flush()
}

// joins reports whether gap consists of marks that can replace a space.
func joins(gap []byte) bool {
	return len(gap) > 0 && len(gap) <= joiner && len(bytes.TrimSpace(gap)) > 0
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

// camel yields the words of s[start:end] if it is written in camelCase.
func camel(s []byte, start, end int, yield func(Hidden)) {
	if end-start < joinedWords*humpLetters {
		return
	}
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
