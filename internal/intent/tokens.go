package intent

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// token is a word or mask, as a hash, and its span.
type token struct {
	hash       uint32
	stem       uint32 // of its first letters
	start, end int
	glued      bool // a character of a script without spaces
	word       bool
	part       bool // part of a name
}

// form returns the hash that a word has outside names, even if it is part of a name.
func (w *token) form(s []byte) uint32 {
	if w.part {
		return hashBytes(offset, s[w.start:w.end])
	}
	return w.hash
}

// tokenize splits a sentence into tokens. It masks names, numbers and addresses.
func (r *Reader) tokenize(s []byte, p *Place) {
	r.tokens = r.tokens[:0]
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case wordByte(c) || c == '~' || c == '/' && i+1 < len(s) && wordByte(s[i+1]) && (i == 0 || s[i-1] == ' ' || s[i-1] == '`' || s[i-1] == '"'):
			i = r.chunk(s, i, p)
		case c >= utf8.RuneSelf:
			i = r.wide(s, i)
		default:
			if kinds[c]&mark != 0 {
				h := mix('!', uint32(c), 0)
				if k := len(r.tokens); k == 0 || r.tokens[k-1].hash != h {
					r.tokens = append(r.tokens, token{hash: h, start: i, end: i + 1})
				}
			}
			i++
		}
	}
}

// wide adds the word that starts with a non-ASCII character, and returns its end. If the character
// cannot be part of a word, it adds nothing.
func (r *Reader) wide(s []byte, start int) int {
	ru, size := utf8.DecodeRune(s[start:])
	if !unicode.IsLetter(ru) && !unicode.IsMark(ru) {
		return start + size
	}
	if glued(ru) {
		end := start + size
		r.tokens = append(r.tokens, token{hash: hashBytes(offset, s[start:end]), start: start, end: end, glued: true, word: true})
		return end
	}
	end := start
	for end < len(s) {
		ru, size := utf8.DecodeRune(s[end:])
		if !unicode.IsLetter(ru) && !unicode.IsMark(ru) && ru != '\'' || glued(ru) {
			break
		}
		end += size
	}
	w := token{hash: hashBytes(offset, s[start:end]), start: start, end: end, word: true}
	if stem := stemOf(s[start:end], ru); stem != nil {
		w.stem = hashBytes(offset, stem)
	}
	r.tokens = append(r.tokens, w)
	return end
}

// stemOf returns the stem of a word that starts with a non-ASCII letter: its first letters, which
// its other forms share. Except for Arabic words, it returns nil if the stem is the word itself.
// Arabic writes the article, and conjunctions before it, together with the next word, so the stem
// of an Arabic word omits both.
func stemOf(w []byte, first rune) []byte {
	whole := unicode.Is(unicode.Arabic, first)
	if whole {
		w = withoutArticle(w)
	}
	end := 0
	for range stemLetters {
		_, size := utf8.DecodeRune(w[end:])
		end += size
	}
	if end == len(w) && !whole {
		return nil
	}
	return w[:end]
}

// stemLetters is the length of a stem in letters. In folded Korean, a syllable has two or three letters.
const stemLetters = 4

// withoutArticle returns an Arabic word without its article, and without the single letter that may
// precede the article.
func withoutArticle(w []byte) []byte {
	_, size := utf8.DecodeRune(w)
	for _, from := range [...]int{0, size} {
		if rest, ok := bytes.CutPrefix(w[from:], []byte("ال")); ok && utf8.RuneCount(rest) > 2 {
			return rest
		}
	}
	return w
}

// The kinds of bytes.
const (
	inWord   = 1 << iota // a letter or digit
	inChunk              // part of a chunk of text without spaces
	trailing             // not part of a chunk if at its end
	mark                 // a token by itself
	wide                 // outside ASCII
	apostrophe

	// A chunk with any of these may be a name, a number, a path or an address.
	digit
	colon
	at
	slash
	joint // of the parts of a name
	other
	special = digit | colon | at | slash | joint | other

	letter = inWord | inChunk
)

var kinds = func() (t [256]uint16) {
	for c := range byte(utf8.RuneSelf) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' {
			t[c] |= letter
		}
		t[utf8.RuneSelf+c] = wide
	}
	for kind, chars := range map[uint16]string{
		inChunk:    `_-'./:@~\%?=&{}$+`,
		trailing:   `-'./:?&=%`,
		mark:       "<>{}[]()!?*#`\"$=:|",
		digit:      "0123456789",
		apostrophe: "'",
		colon:      ":",
		at:         "@",
		slash:      `/\`,
		joint:      "_:.={$%",
		other:      "~-",
	} {
		for _, c := range []byte(chars) {
			t[c] |= kind
		}
	}
	return t
}()

func wordByte(c byte) bool { return kinds[c]&inWord != 0 }

// glued reports whether r belongs to a script without spaces between words.
func glued(r rune) bool {
	const first = 'ก' // in Unicode, Thai comes before the other scripts below
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// chunk adds the tokens of a chunk, which is text without spaces that starts with a letter, a
// digit, "~" or "/", and returns its end.
func (r *Reader) chunk(s []byte, start int, p *Place) int {
	hash, stem, end := uint32(offset), uint32(0), start
	for ; end < len(s) && kinds[s[end]] == letter; end++ {
		hash = (hash ^ uint32(s[end])) * prime
		if end-start == stemBytes-1 {
			stem = hash
		}
	}
	w, all := token{hash: hash, stem: stem, start: start, end: end, word: true}, uint16(0)
	if end < len(s) && kinds[s[end]]&(inChunk|wide) != 0 { // most chunks are words
		w, all = rest(s, w)
	}
	if w.end-start <= stemBytes {
		w.stem = 0
	}
	switch {
	case all&special != 0:
		r.name(s, w, all, p)
	case all&apostrophe != 0:
		r.elided(s, w, p)
	default:
		r.ordinary(s, w, p)
	}
	return w.end
}

// stemBytes is the length, in bytes, of a stem, which is the beginning of a longer word.
const stemBytes = 5

// rest completes the token of a chunk after its first letters, if any. It also returns the kinds of the
// characters that it adds; trailing ones do not belong to the chunk.
func rest(s []byte, w token) (_ token, all uint16) {
	hash, seen := w.hash, uint16(0)
	for i := w.end; i < len(s); {
		kind, size := kinds[s[i]], 1
		if kind == wide {
			var ru rune
			if ru, size = utf8.DecodeRune(s[i:]); !unicode.Is(unicode.Latin, ru) {
				break
			}
		} else if kind&inChunk == 0 {
			break
		}
		for _, c := range s[i : i+size] {
			hash = (hash ^ uint32(c)) * prime
		}
		if w.stem == 0 && i+size-w.start >= stemBytes {
			w.stem = hash
		}
		seen |= kind
		if kind&trailing == 0 || i == w.start {
			w.hash, w.end, all = hash, i+size, seen
		}
		i += size
	}
	return w, all
}

// name adds the tokens of a chunk with special characters. all holds the kinds of its characters.
func (r *Reader) name(s []byte, of token, all uint16, p *Place) {
	start, end := of.start, of.end
	w := s[start:end]
	mask := func(hash uint32) {
		r.tokens = append(r.tokens, token{hash: hash, start: start, end: end})
	}
	switch {
	case all&colon != 0 && bytes.Contains(w, []byte("://")):
		mask(hashString("<url>"))
		if bytes.ContainsAny(w, "{?") {
			mask(hashString("<query>"))
		}
		return
	case all&at != 0: // the @ is never the first character
		mask(hashString("<mail>"))
		return
	case all&digit != 0 && digits(w):
		mask(hashString("<number>"))
		return
	}
	if all&slash != 0 || w[0] == '~' || w[0] == '.' {
		if both := bytes.IndexByte(w, '/'); both > 0 && w[0] != '~' && w[0] != '.' && bytes.Count(w, []byte{'/'}) == 1 && letters(w[:both]) && letters(w[both+1:]) && start > 0 {
			r.word(s, start, start+both) // and/or
			r.word(s, start+both+1, end)
			return
		}
		if bytes.Contains(w, []byte("/.")) || bytes.Contains(w, []byte("~")) {
			mask(hashString("<dotpath>"))
		} else {
			mask(hashString("<path>"))
		}
		r.parts(s, start, end)
		return
	}
	if all&joint != 0 || all&other != 0 && bytes.Count(w, []byte{'-'}) > 1 {
		switch {
		case len(p.Tool) > 0 && bytes.Equal(w, p.Tool):
			mask(hashString("<self>"))
		case p.Has != nil && p.Has(w):
			mask(hashString("<parameter>"))
		case bytes.IndexByte(w, '.') > 0 && bytes.IndexByte(w, '_') < 0:
			mask(hashString("<file>"))
			r.parts(s, start, end)
		default:
			mask(hashString("<name>"))
			r.parts(s, start, end)
		}
		return
	}
	r.ordinary(s, of, p)
}

// elided adds a word with an apostrophe. In French and Italian, the apostrophe separates an article or
// pronoun from the next word; in English, at most two letters follow it.
func (r *Reader) elided(s []byte, w token, p *Place) {
	next := w.start + bytes.IndexByte(s[w.start:w.end], '\'') + 1
	if w.end-next < 3 {
		r.ordinary(s, w, p)
		return
	}
	r.word(s, w.start, next)
	r.word(s, next, w.end)
}

// ordinary adds a word that is not a name or an address.
func (r *Reader) ordinary(s []byte, w token, p *Place) {
	if p.Has != nil && len(p.Parameter) > 0 && bytes.Equal(s[w.start:w.end], p.Parameter) {
		r.tokens = append(r.tokens, token{hash: hashString("<parameter>"), start: w.start, end: w.end})
	}
	r.tokens = append(r.tokens, w)
}

// parts adds the words of a name, hashed differently from ordinary words.
func (r *Reader) parts(s []byte, start, end int) {
	from := start
	for i := start; i <= end; i++ {
		if i == end || !wordByte(s[i]) {
			if i-from > 1 && !digits(s[from:i]) {
				r.tokens = append(r.tokens, token{hash: hashBytes(offset^7, s[from:i]), start: from, end: i, part: true})
			}
			from = i + 1
		}
	}
}

func (r *Reader) word(s []byte, start, end int) {
	if start >= end {
		return
	}
	t := token{hash: hashBytes(offset, s[start:end]), start: start, end: end, word: true}
	if end-start > stemBytes {
		t.stem = hashBytes(offset, s[start:start+stemBytes])
	}
	r.tokens = append(r.tokens, t)
}

func digits(w []byte) bool {
	n := 0
	for _, c := range w {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return 2*n > len(w)
}

func letters(w []byte) bool {
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return len(w) > 0
}
