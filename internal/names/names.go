// Package names compares the names of tools, servers, packages and brands as a reader sees them.
package names

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// FoldWords returns words as a reader sees them, with look-alike letters replaced by what they
// imitate.
func FoldWords(words []string) []string {
	folded := make([]string, len(words))
	for i, w := range words {
		folded[i] = FoldName(w)
	}
	return folded
}

// Slip reports whether one name, given as folded words, is a typo or look-alike of the other,
// rather than a different word, a plural or a different number. alike is the minimum similarity.
// sure is set if, in some pair of words that differ, exactly one is a known word.
func Slip(a, b []string, alike float64) (is, sure bool) {
	if len(a) != len(b) { // a change of case may have split a word, as in sIack and GitHub
		if lenA, lenB := totalBytes(a), totalBytes(b); max(lenA, lenB) > 2*min(lenA, lenB) { // a look-alike is at most twice as long
			return false, false
		}
		cutA, cutB := strings.Join(a, ""), strings.Join(b, "")
		if !OneEdit(cutA, cutB) && !looksAlike(cutA, cutB) { // checked first, because most names differ by more than this
			return false, false
		}
		if len(a) > 1 && slices.ContainsFunc(a, KnownWord) && !properNames()[cutA] || len(b) > 1 && slices.ContainsFunc(b, KnownWord) && !properNames()[cutB] {
			return false, false
		}
		a, b = []string{cutA}, []string{cutB}
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if !wordSlip(a[i], b[i], alike) {
			return false, false
		}
		is, sure = true, sure || KnownWord(a[i]) != KnownWord(b[i])
	}
	return is, sure
}

// totalBytes returns the total length of words in bytes.
func totalBytes(words []string) (n int) {
	for _, w := range words {
		n += len(w)
	}
	return n
}

// The minimum lengths at which a word that differs in one letter counts as a typo. Short words
// are often similar by chance.
const (
	slipLetters    = 5 // if one of the two is a known word
	unknownLetters = 6 // otherwise
)

// wordSlip reports whether one word is a typo of the other.
func wordSlip(a, b string, alike float64) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if shorter < slipLetters-1 || longer-shorter > 1+longer/slipLetters || unlike(a, b, alike) { // checked first, because it is cheap
		return false
	}
	if KnownWord(a) && KnownWord(b) || noDigits(a) == noDigits(b) && !looksAlike(a, b) || plural(a, b) || plural(b, a) {
		return false
	}
	least := unknownLetters
	if KnownWord(a) || KnownWord(b) {
		least = slipLetters
	}
	switch {
	case looksAlike(a, b), undoubled(a) == undoubled(b), swapped(a, b):
		return true
	case shorter < least:
		return false
	}
	return OneEdit(a, b) || Similarity(a, b) >= alike
}

// unlike reports whether two words cannot be typos of each other because too many letters occur in
// only one of them.
func unlike(a, b string, alike float64) bool {
	x, plain := letters(a)
	y, also := letters(b)
	edits := 1 + int((1-alike)*float64(max(len(a), len(b))))
	return plain && also && bits.OnesCount32(x^y) > 2*edits
}

// letters returns the letters and digits of an ASCII word as a set of bits. Look-alikes share a bit,
// and so do a few other characters. The set leaves out r, n, m, v and w, because rn looks like m,
// and vv looks like w. plain is false if the word contains a character other than ASCII.
func letters(w string) (set uint32, plain bool) {
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 0x80:
			return 0, false
		case c != 'r' && c != 'n' && c != 'm' && c != 'v' && c != 'w':
			set |= 1 << (alikeByte(c) & 31)
		}
	}
	return set, true
}

// plural reports whether b is the plural of a.
func plural(a, b string) bool { return a+"s" == b && !properNames()[a] }

// Similarity returns the similarity of two names, from 0 to 1, as agentsh measures it.
func Similarity(a, b string) float64 {
	if max(len(a), len(b)) > MaxCompared {
		return 0
	}
	return 1 - float64(levenshtein.ComputeDistance(a, b))/float64(max(len(a), len(b)))
}

// Disguised reports whether a name contains look-alike letters.
func Disguised(name string) bool {
	words := Words(name)
	return !slices.Equal(words, FoldWords(words))
}

// looksAlike reports whether two ASCII words look alike.
func looksAlike(a, b string) bool {
	for a != "" && b != "" {
		x, n := glyph(a)
		y, m := glyph(b)
		if x != y {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

// glyph returns the character that the start of w looks like, and how many bytes look like it.
func glyph(w string) (as byte, n int) {
	as, n = pair(w)
	return alikeByte(as), n
}

// pair returns the letter that the first two bytes of w resemble and 2, or the first byte and 1.
func pair[T string | []byte](w T) (as byte, n int) {
	switch {
	case len(w) > 1 && w[0] == 'r' && w[1] == 'n':
		return 'm', 2
	case len(w) > 1 && w[0] == 'v' && w[1] == 'v':
		return 'w', 2
	}
	return w[0], 1
}

// alikeByte returns the letter that a digit or an i looks like, or any other byte unchanged.
func alikeByte(c byte) byte {
	switch c {
	case '0':
		return 'o'
	case '1', 'i':
		return 'l'
	case '5':
		return 's'
	case '3':
		return 'e'
	case '4':
		return 'a'
	}
	return c
}

func noDigits(w string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, w)
}

// undoubled collapses repeated letters.
func undoubled(w string) string {
	var last rune
	return strings.Map(func(r rune) rune {
		if r == last {
			return -1
		}
		last = r
		return r
	}, w)
}

// swapped reports whether a and b differ only by a transposition of adjacent letters.
func swapped(a, b string) bool {
	if len(a) != len(b) || !OneEdit(a, b) {
		return false
	}
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 2
}

// commonWords lists words in server names that do not distinguish one server from another.
var commonWords = map[string]bool{"mcp": true, "server": true, "servers": true, "the": true, "official": true, "local": true, "remote": true, "cli": true}

// Distinctive returns the folded words that distinguish a server from others, without the scope or
// path before its name.
func Distinctive(name string) []string {
	return slices.DeleteFunc(FoldWords(Words(name[strings.LastIndexByte(name, '/')+1:])), func(w string) bool { return commonWords[w] })
}

// KnownWord reports whether w is an English word used in names, possibly inflected, or a product
// name.
func KnownWord(w string) bool {
	if vocabulary()[w] || properNames()[w] {
		return true
	}
	for _, ending := range [...]string{"s", "es", "d", "ed", "r", "er", "or", "ing", "ly"} {
		if stem, ok := strings.CutSuffix(w, ending); ok && vocabulary()[stem] {
			return true
		}
	}
	return false
}

// MixedAlphabets returns the first word that mixes Latin letters with look-alikes from another
// alphabet.
func MixedAlphabets(s []byte) (start, end int, mixed bool) {
	for i := 0; i < len(s); {
		start, latin, alike := i, false, false
		for i < len(s) {
			r, n := utf8.DecodeRune(s[i:])
			if !unicode.IsLetter(r) {
				break
			}
			latin = latin || unicode.Is(unicode.Latin, r)
			alike = alike || unicode.In(r, unicode.Cyrillic, unicode.Cherokee, unicode.Armenian) || strings.ContainsRune(latinGreek, r)
			i += n
		}
		if latin && alike {
			return start, i, true
		}
		if i < len(s) {
			_, n := utf8.DecodeRune(s[i:])
			i += n
		}
	}
	return 0, 0, false
}

// latinGreek lists the Greek letters that a reader mistakes for Latin ones. Other Greek letters in
// a name, such as delta or mu, are usually mathematical notation.
const latinGreek = "αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"

// Lookalike reports whether one name is a typo or look-alike of the other.
func Lookalike(a, b string) bool {
	first, second := FoldWords(Words(a)), FoldWords(Words(b))
	if Disguised(a) && strings.Join(first, "") == strings.Join(second, "") {
		return true
	}
	is, _ := Slip(first, second, DefaultSimilarity)
	return is || oneLetter(first, second)
}

// oneLetter reports whether two names, given as words, differ by one letter of one word, and the
// misspelled word is not itself a known word. One letter is enough, because command lines are typed
// by hand and the other words show which package the user meant.
func oneLetter(words, known []string) bool {
	if len(words) != len(known) {
		return false
	}
	differ := 0
	for i, w := range words {
		if w == known[i] {
			continue
		}
		differ++
		if len(known[i]) < slipLetters || KnownWord(w) || plural(w, known[i]) || plural(known[i], w) || noDigits(w) == noDigits(known[i]) || !OneEdit(w, known[i]) {
			return false
		}
	}
	return differ == 1
}

// FoldSeparators returns a name in lower case and without separators, because naming conventions
// differ only in case and separators. Such a difference is not an imitation, because a reader sees
// it, as in create-issue and create_issue.
func FoldSeparators(name string) string {
	return strings.ToLower(separators.Replace(name))
}

var separators = strings.NewReplacer("-", "", "_", "", " ", "", ".", "", "ß", "ss")

// Qualified reports whether a name contains a separator that clients put between a server name
// and a tool name.
func Qualified(name string) bool {
	return strings.Contains(name, "__") || strings.ContainsAny(name, "/:")
}

// ImitationShare is the similarity, from 0 to 1, at which the later of two descriptions, tool
// names or brands counts as an imitation.
const ImitationShare = DefaultSimilarity

// MaxCompared is the maximum number of bytes that are compared, because computing the distance
// takes quadratic time. Of a longer description, only the beginning is compared; a longer name is
// similar to no other.
const MaxCompared = 400

// Reworded reports whether two descriptions that are not too short share most of their words.
func Reworded(a, b string) bool {
	wa, wb := wordsOf(a), wordsOf(b)
	shared := 0
	for w := range wa {
		if wb[w] {
			shared++
		}
	}
	return min(len(wa), len(wb)) >= rewordedWords && float64(shared) >= rewordedShare*float64(len(wa)+len(wb)-shared)
}

// The thresholds for a reworded description. With fewer words, matches can be
// coincidental.
const (
	rewordedWords = 5
	rewordedShare = 0.8
)

func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s[:min(len(s), MaxCompared)]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[w] = true
	}
	return set
}

// Alike reports whether two descriptions are nearly identical.
func Alike(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return Similarity(a[:min(len(a), MaxCompared)], b[:min(len(b), MaxCompared)]) >= ImitationShare
}
