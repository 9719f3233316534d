package text

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folded is text as patterns see it: lower-case, compatibility-decomposed, and without diacritics,
// invisible characters, control characters or terminal sequences. Unicode tag characters are
// replaced by the ASCII that they carry, and each run of white space by one space, or by one line
// feed if it contains one. Non-ASCII letters that look like ASCII letters are replaced by ASCII
// letters in text whose letters are mostly ASCII, and in words with ASCII letters.
type Folded struct {
	Text []byte
	pos  []int32 // source offset of each byte of Text; nil if it always equals the offset in Text
	src  int     // length of the source
}

// Source maps an offset in Text to the offset in the source.
func (f *Folded) Source(off int) int {
	switch {
	case f.pos == nil:
		return off
	case off >= len(f.pos):
		return f.src
	}
	return int(f.pos[off])
}

// Folder folds strings, reusing its memory. A result is valid until the next call.
type Folder struct {
	buf   []byte
	pos   []int32
	nfkd  []byte
	last  Folded
	known [1024]foldedRune // cache, indexed by the low bits of the character
}

// foldedRune caches the properties of a non-ASCII character, which take more than a hundred
// nanoseconds to look up.
type foldedRune struct {
	r        rune
	letter   bool
	unmarked bool      // continues a word without being one of its letters
	mark     bool      // a combining mark of any script
	text     [2][]byte // the folded form, without and with look-alikes mapped
}

// Fold folds s. Tidy text (printable ASCII and line feeds, without runs of white space) is only
// converted to lower case.
func (f *Folder) Fold(s []byte) *Folded {
	n := f.tidy(s)
	if n == len(s) {
		f.last = Folded{Text: f.buf, src: n}
		return &f.last
	}
	if f.pos = f.pos[:0]; f.pos == nil { // nil would mean that all offsets are unchanged
		f.pos = make([]int32, 0, len(s))
	}
	for i := range n {
		f.pos = append(f.pos, int32(i))
	}
	f.rest(s, n)
	f.last = Folded{Text: f.buf, pos: f.pos, src: len(s)}
	return &f.last
}

// The byte classes that decide how text is folded. They are bits, so that one test per byte is enough to
// find the end of tidy text.
const (
	printable = 0
	blank     = 1 // space or line feed: kept when alone, collapsed in runs
	special   = 2 // anything else
)

var byteClass, byteLower = func() (class, low [256]uint8) {
	for b := range 256 {
		low[b] = lower(byte(b))
		switch {
		case b == ' ' || b == '\n':
			class[b] = blank
		case b < 0x20 || b >= 0x7F:
			class[b] = special
		}
	}
	return
}()

// tidy copies the longest tidy prefix of s to the buffer, in lower case, and returns its length.
func (f *Folder) tidy(s []byte) int {
	buf := slices.Grow(f.buf[:0], len(s))[:len(s)]
	last := uint8(printable)
	for i, b := range s {
		c := byteClass[b]
		if c&(last|special) != 0 {
			buf = buf[:i]
			break
		}
		last = c
		buf[i] = byteLower[b]
	}
	f.buf = buf
	return len(buf)
}

// rest folds s from byte i on and appends it to what is already folded.
func (f *Folder) rest(s []byte, i int) {
	latin, decided := false, false
	mapWord, inWord := false, false
	onASCII := i > 0 // since the last ASCII character, only marks and invisible characters
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			next, letters := f.plain(s, i)
			mapWord = mapWord || letters // a word that contains an ASCII letter is meant to be read as ASCII
			if inWord = next > i && letter(s[next-1]); next == i {
				next += f.ascii(s, i)
			}
			i, onASCII = next, true
			continue
		}
		if !decided {
			latin, decided = f.mostlyASCII(s), true
		}
		r, n := utf8.DecodeRune(s[i:])
		k := f.lookUp(r)
		if onASCII = onASCII && (k.mark || k.unmarked); onASCII && k.mark { // marks of a script follow its own letters, not ASCII
			i += n
			continue
		}
		if k.letter && !inWord {
			mapWord = latin || wordHasASCII(s[i:])
		}
		inWord = k.letter || inWord && k.unmarked
		form := 0
		if mapWord || latin {
			form = 1
		}
		for _, b := range k.text[form] {
			if byteClass[b] == blank {
				f.blank(i, b)
			} else {
				f.put(i, b)
			}
		}
		i += n
	}
}

// plain copies the tidy text starting at s[i], in lower case. It returns the end of that text and
// whether it contains letters.
func (f *Folder) plain(s []byte, i int) (next int, letters bool) {
	n := len(f.buf)
	last := uint8(printable)
	if n > 0 {
		last = byteClass[f.buf[n-1]]
	}
	rest := s[i:]
	f.buf, f.pos = slices.Grow(f.buf, len(rest)), slices.Grow(f.pos, len(rest))
	buf, pos := f.buf[n:][:len(rest)], f.pos[n:][:len(rest)]
	k := 0
	for ; k < len(rest); k++ {
		c := byteClass[rest[k]]
		if c&(last|special) != 0 {
			break
		}
		last = c
		buf[k], pos[k] = byteLower[rest[k]], int32(i+k)
	}
	f.buf, f.pos = f.buf[:n+k], f.pos[:n+k]
	return i + k, slices.ContainsFunc(rest[:k], letter)
}

// ascii folds the ASCII character at s[i], which is not tidy, and returns the number of bytes
// consumed. Control characters are dropped.
func (f *Folder) ascii(s []byte, i int) int {
	switch s[i] {
	case '\n':
		f.blank(i, '\n')
	case ' ', '\t', '\r', '\v', '\f':
		f.blank(i, ' ')
	case 0x1B:
		return sequence(s[i:])
	}
	return 1
}

// blank adds white space, unless the buffer already ends with some.
func (f *Folder) blank(i int, b byte) {
	if n := len(f.buf); n > 0 && byteClass[f.buf[n-1]] == blank {
		if b == '\n' {
			f.buf[n-1] = b
		}
		return
	}
	f.put(i, b)
}

// sequence returns the length of the terminal sequence (ECMA-48) that starts with the escape
// character at s[0]. The payload of a string sequence remains part of the text: it is not
// displayed, but a model reads it.
func sequence(s []byte) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: parameters, intermediates, one final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7E {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7E {
				break
			}
		}
		return 2
	case '(', ')': // a character set, named by one final byte
		if len(s) > 2 && s[2] >= 0x30 && s[2] <= 0x7E {
			return 3
		}
		return 2
	case ']', 'P', 'X', '^', '_', '\\', 'c', 'M', '7', '8', '=', '>':
		return 2
	}
	return 1
}

// lookUp returns the properties of a non-ASCII character.
func (f *Folder) lookUp(r rune) *foldedRune {
	k := &f.known[int(r)%len(f.known)]
	if k.r != r {
		k.r, k.letter, k.unmarked = r, unicode.IsLetter(r), ignorable(r) || diacritic(r) || unread(r)
		k.mark = unicode.IsMark(r)
		k.text[0] = f.fold(k.text[0][:0], r, false)
		k.text[1] = f.fold(k.text[1][:0], r, true)
	}
	return k
}

// fold appends the folded form of r to b.
func (f *Folder) fold(b []byte, r rune, mapped bool) []byte {
	switch {
	case r >= 0xE0020 && r <= 0xE007E: // tag characters carry ASCII
		return append(b, lower(byte(r-0xE0000)))
	case ignorable(r), unread(r), r >= 0x80 && r <= 0x9F:
		return b
	case r == 0x2028 || r == 0x2029:
		return append(b, '\n')
	case r == 0x2800: // the empty Braille pattern
		return append(b, ' ')
	case r >= 0x3400 && r <= 0x9FFF: // CJK ideographs have no other form
		return utf8.AppendRune(b, r)
	}
	if a, ok := latinForm(r); ok {
		return append(b, a)
	}
	if a, ok := lookalike(r); mapped && ok {
		return utf8.AppendRune(b, a)
	}
	for rest := f.decompose(r); len(rest) > 0; {
		d, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		switch {
		case diacritic(d):
			continue
		case unicode.IsSpace(d):
			b = append(b, ' ')
			continue
		}
		small := unicode.ToLower(d)
		if mapped {
			for _, form := range [2]rune{d, small} { // a capital can look like a different letter than its lower-case form does
				if a, ok := lookalike(form); ok {
					small = a
					break
				}
			}
		}
		b = utf8.AppendRune(b, small)
	}
	return b
}

// decompose returns the NFKD form of r: from the tables or, for a Hangul syllable, by the
// arithmetic in section 3.12 of the Unicode standard. Calling the norm package for each rune would
// incur its setup cost every time.
func (f *Folder) decompose(r rune) []byte {
	if s := r - 0xAC00; s >= 0 && s <= 0xD7A3-0xAC00 {
		f.nfkd = utf8.AppendRune(f.nfkd[:0], 0x1100+s/588)
		f.nfkd = utf8.AppendRune(f.nfkd, 0x1161+s%588/28)
		if s%28 != 0 {
			f.nfkd = utf8.AppendRune(f.nfkd, 0x11A7+s%28)
		}
		return f.nfkd
	}
	f.nfkd = utf8.AppendRune(f.nfkd[:0], r)
	if d := norm.NFKD.Properties(f.nfkd).Decomposition(); d != nil {
		return d
	}
	return f.nfkd
}

func (f *Folder) put(i int, b byte) {
	f.buf = append(f.buf, b)
	f.pos = append(f.pos, int32(i))
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// mostlyASCII reports whether at least half of the letters are ASCII. Only then are all look-alikes
// suspect; in Russian text they are ordinary letters.
func (f *Folder) mostlyASCII(s []byte) bool {
	ascii, other := 0, 0
	for len(s) > 0 {
		if s[0] < utf8.RuneSelf {
			if letter(s[0]) {
				ascii++
			}
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRune(s)
		s = s[n:]
		if f.lookUp(r).letter {
			other++
		}
	}
	return ascii >= other
}

// wordLimit is how far to look ahead for the end of a word, in runes.
const wordLimit = 64

func wordHasASCII(s []byte) bool {
	for range wordLimit {
		r, n := utf8.DecodeRune(s)
		if n == 0 || !unicode.IsLetter(r) && !ignorable(r) && !diacritic(r) && !unread(r) {
			return false
		}
		if r < utf8.RuneSelf {
			return true
		}
		s = s[n:]
	}
	return false
}

// ignorable reports whether r has no visible form of its own: such characters are invisible to
// readers, but split words for a pattern.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2065, r == 0x3164, r == 0xFFA0,
		r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0F, r >= 0xFFF0 && r <= 0xFFF8, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// asciiOf is the inverse of lookalikes, sorted for binary search.
var asciiOf = func() []lookalikeOf {
	var t []lookalikeOf
	for a, others := range lookalikes {
		for _, r := range others {
			t = append(t, lookalikeOf{r, a})
		}
	}
	slices.SortFunc(t, func(x, y lookalikeOf) int { return int(x.r - y.r) })
	return t
}()
