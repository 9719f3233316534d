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

// form returns the hash of a word, even if it is part of a name.
func (w *token) form(s []byte) uint32 {
	if w.part {
		return hashBytes(offset, s[w.start:w.end])
	}
	return w.hash
}

// tokenize splits a sentence into words and masks names and addresses.
func (r *Reader) tokenize(s []byte, p *Place) {
	r.tokens = r.tokens[:0]
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case wordByte(c) || c == '~' || c == '/' && i+1 < len(s) && wordByte(s[i+1]) && (i == 0 || s[i-1] == ' ' || s[i-1] == '`' || s[i-1] == '"'):
			end := i + 1
			for end < len(s) && (kinds[s[end]]&inChunk != 0 || s[end] >= utf8.RuneSelf && latin(s[end:])) {
				end++
			}
			for end > i+1 && kinds[s[end-1]]&trailing != 0 {
				end--
			}
			r.chunk(s, i, end, p)
			i = end
		case c >= utf8.RuneSelf:
			ru, size := utf8.DecodeRune(s[i:])
			if !unicode.IsLetter(ru) && !unicode.IsMark(ru) {
				i += size
				continue
			}
			if glued(ru) {
				r.tokens = append(r.tokens, token{hash: hashBytes(offset, s[i:i+size]), start: i, end: i + size, glued: true, word: true})
				i += size
				continue
			}
			end, count, stem := i, 0, 0
			for end < len(s) {
				ru, size := utf8.DecodeRune(s[end:])
				if !unicode.IsLetter(ru) && !unicode.IsMark(ru) && ru != '\'' || glued(ru) {
					break
				}
				end += size
				if count++; count == 4 {
					stem = end
				}
			}
			w := token{hash: hashBytes(offset, s[i:end]), start: i, end: end, word: true}
			if count > 4 {
				w.stem = hashBytes(offset, s[i:stem])
			}
			r.tokens = append(r.tokens, w)
			i = max(end, i+size)
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

// The kinds of ASCII characters.
const (
	inWord   = 1 << iota // a letter or digit
	inChunk              // part of a chunk of text without spaces
	trailing             // not at the end of a chunk
	mark                 // a token by itself
	special              // makes a chunk a name, a number, a path or an address
)

var kinds = func() (t [256]uint8) {
	for c := range byte(utf8.RuneSelf) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' {
			t[c] |= inWord | inChunk
		}
	}
	for kind, chars := range map[uint8]string{
		inChunk:  `_-'./:@~\%?=&{}$+`,
		trailing: `-'./:?&=%`,
		mark:     "<>{}[]()!?*#`\"$=:|",
		special:  `:@/\~._={$%-0123456789`,
	} {
		for _, c := range []byte(chars) {
			t[c] |= kind
		}
	}
	return t
}()

func wordByte(c byte) bool { return kinds[c]&inWord != 0 }

// latin reports whether s starts with a Latin letter.
func latin(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	return unicode.Is(unicode.Latin, r)
}

// glued reports whether r is of a script without spaces between words.
func glued(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// chunk adds the tokens of a chunk of text without spaces.
func (r *Reader) chunk(s []byte, start, end int, p *Place) {
	w := s[start:end]
	mask := func(name string) {
		r.tokens = append(r.tokens, token{hash: hashString(offset, name), start: start, end: end})
	}
	plain := true
	for _, c := range w {
		plain = plain && kinds[c]&special == 0
	}
	switch {
	case plain: // most chunks are words
		r.ordinary(s, start, end, p)
		return
	case bytes.Contains(w, []byte("://")):
		mask("<url>")
		if bytes.ContainsAny(w, "{?") {
			mask("<query>")
		}
		return
	case bytes.IndexByte(w, '@') > 0:
		mask("<mail>")
		return
	case digits(w):
		mask("<number>")
		return
	}
	if bytes.ContainsAny(w, "/\\") || w[0] == '~' || w[0] == '.' {
		if both := bytes.IndexByte(w, '/'); both > 0 && w[0] != '~' && w[0] != '.' && bytes.Count(w, []byte{'/'}) == 1 && letters(w[:both]) && letters(w[both+1:]) && start > 0 {
			r.word(s, start, start+both) // and/or
			r.word(s, start+both+1, end)
			return
		}
		if bytes.Contains(w, []byte("/.")) || bytes.Contains(w, []byte("~")) {
			mask("<dotpath>")
		} else {
			mask("<path>")
		}
		r.parts(s, start, end)
		return
	}
	if bytes.ContainsAny(w, "_:.={$%") || bytes.IndexByte(w, '-') > 0 && bytes.Count(w, []byte{'-'}) > 1 {
		switch {
		case len(p.Tool) > 0 && bytes.Equal(w, p.Tool):
			mask("<self>")
		case p.Has != nil && p.Has(w):
			mask("<parameter>")
		case bytes.IndexByte(w, '.') > 0 && bytes.IndexByte(w, '_') < 0:
			mask("<file>")
			r.parts(s, start, end)
		default:
			mask("<name>")
			r.parts(s, start, end)
		}
		return
	}
	r.ordinary(s, start, end, p)
}

// ordinary adds a word that is not part of a name or address.
func (r *Reader) ordinary(s []byte, start, end int, p *Place) {
	if p.Has != nil && len(p.Parameter) > 0 && bytes.Equal(s[start:end], p.Parameter) {
		r.tokens = append(r.tokens, token{hash: hashString(offset, "<parameter>"), start: start, end: end})
	}
	r.word(s, start, end)
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
	if end-start > 5 {
		t.stem = hashBytes(offset, s[start:start+5])
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
