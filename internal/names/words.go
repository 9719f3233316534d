package names

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
)

// FoldName returns the form of a name as a reader perceives it: in lower case, with
// look-alikes replaced and separators dropped. Names with the same form look the same apart from
// case and separators.
func FoldName(name string) string {
	out := make([]byte, 0, shortName)
	for i := range len(name) {
		c := name[i]
		if c < 0x20 || c >= 0x7F {
			var f text.Folder
			return string(dropSeparators(out[:0], foldOther(f.Fold([]byte(name)).Text)))
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(dropSeparators(out[:0], out))
}

// shortName is the length of names for which no buffer is allocated.
const shortName = 64

// foldOther removes differences in folded text that readers of names do not notice: ß instead of
// ss, and typographic dashes.
func foldOther(folded []byte) []byte {
	folded = bytes.ReplaceAll(folded, []byte("ß"), []byte("ss"))
	return bytes.Map(func(r rune) rune {
		if unicode.Is(unicode.Pd, r) {
			return '-'
		}
		return r
	}, folded)
}

// Skeleton returns a form that is the same for names that look alike in an ambiguous font: like
// FoldName, but with 0, 1, I, |, rn and vv replaced by the letters they resemble. It is suitable
// only for comparison.
func Skeleton(name string) string {
	out := make([]byte, 0, shortName)
	for i := range len(name) {
		c := alike[name[i]]
		if c == 0 {
			out = append(out[:0], FoldName(careless.Replace(name))...)
			break
		}
		if !isSeparator(c) {
			out = append(out, c)
		}
	}
	return string(mergeAlike(out))
}

var careless = strings.NewReplacer("0", "o", "1", "l", "I", "l", "|", "l")

// alike maps a byte of printable ASCII to the letter that it resembles in Skeleton, and any other to 0.
var alike = func() (t [256]byte) {
	for c := byte(0x20); c < 0x7F; c++ {
		t[c] = careless.Replace(strings.ToLower(string(rune(c))))[0]
	}
	t['I'] = 'l'
	return
}()

// mergeAlike replaces the pairs of letters that resemble one letter.
func mergeAlike(s []byte) []byte {
	out := s[:0]
	for len(s) > 0 {
		c, n := pair(s)
		out, s = append(out, c), s[n:]
	}
	return out
}

// dropSeparators appends to dst the bytes of name that are not separators.
func dropSeparators(dst, name []byte) []byte {
	for _, c := range name {
		if !isSeparator(c) {
			dst = append(dst, c)
		}
	}
	return dst
}

func isSeparator(c byte) bool { return c == '-' || c == '_' || c == ' ' || c == '.' }

// Words splits a name in any naming convention into words in lower case: getUser, get_user and
// GET-USER become get and user. Digits belong to the word that contains them.
func Words(name string) []string {
	words := make([]string, 0, 16)
	for w := range EachWord(name) {
		words = append(words, w)
	}
	if len(words) == 0 {
		return nil
	}
	return slices.Clone(words)
}

// EachWord yields the words of a name; see [Words].
func EachWord(name string) iter.Seq[string] {
	return func(yield func(string) bool) { eachWord(name, yield) }
}

func eachWord(name string, yield func(string) bool) {
	start, before, more := 0, rune(0), true
	end := func(i int) {
		if i > start && more {
			more = yield(strings.ToLower(name[start:i]))
		}
		start = i
	}
	for i, r := range name {
		if !more {
			return
		}
		switch {
		case r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r): // invisible
			if i == start {
				start += utf8.RuneLen(r)
			}
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			start = i + utf8.RuneLen(r)
			if r == utf8.RuneError { // one byte if invalid; three if U+FFFD itself
				_, n := utf8.DecodeRuneInString(name[i:])
				start = i + n
			}
		case unicode.IsUpper(r) && unicode.IsLower(before):
			end(i)
		case unicode.IsLower(r) && unicode.IsUpper(before): // the last capital of HTMLPage begins a word
			if last := i - utf8.RuneLen(before); last > start {
				end(last)
			}
		}
		before = r
	}
	end(len(name))
}

// ReadWords returns the words of a name as a reader sees them, with look-alike letters replaced.
func ReadWords(name string) []string {
	words := Words(name)
	for i, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) {
			words[i] = FoldName(w)
		}
	}
	return words
}

// OneEdit reports whether inserting, deleting or changing one letter, or transposing two adjacent
// ones, turns one name into the other.
func OneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) && (a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// DefaultSimilarity is the similarity threshold for names, as given in the agentsh documentation.
const DefaultSimilarity = 0.85

// identifierBytes is the maximum number of bytes of an identifier that are split into words.
const identifierBytes = 400

// Spell writes an identifier as lower-case words: chatHistory, chat_history and CHAT-history all
// become "chat history", and APIKey becomes "api key".
func Spell(identifier string) string {
	out := make([]byte, 0, shortName)
	for w := range EachWord(identifier[:min(len(identifier), identifierBytes)]) {
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, w...)
	}
	return string(out)
}

// LastWord returns the last word of an identifier, in lower case and without trailing digits. In
// most names, this word is the head noun, and finding it is cheaper than splitting the identifier.
func LastWord(identifier string) string {
	letter := func(i int) bool { return identifier[i] >= 0x80 || lowerLetter(identifier[i]|0x20) }
	to := len(identifier)
	for to > 0 && !letter(to-1) {
		to--
	}
	from := to
	for from > 0 && letter(from-1) {
		from--
		if upper := identifier[from] >= 'A' && identifier[from] <= 'Z'; upper &&
			(from > 0 && lowerLetter(identifier[from-1]) || from+1 < to && lowerLetter(identifier[from+1])) {
			break
		}
	}
	return strings.ToLower(identifier[from:to])
}

func lowerLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// Set returns a set of the space-separated words.
func Set(words string) map[string]bool {
	list := strings.Fields(words)
	s := make(map[string]bool, len(list))
	for _, w := range list {
		s[w] = true
	}
	return s
}

// HasWord reports whether a name contains a word of set.
func HasWord(name string, set map[string]bool) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return set[w] })
}
