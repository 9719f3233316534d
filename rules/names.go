package rules

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/mcpscan/mcpscan/scanner"
)

// foldWords returns words as a reader sees them: look-alike letters are replaced by what they
// imitate.
func foldWords(words []string) []string {
	folded := make([]string, len(words))
	for i, w := range words {
		folded[i] = scanner.FoldName(w)
	}
	return folded
}

// slip reports whether one name, given as its folded words, is the other with a
// slip of the pen, or one that looks like it: not another word, not a plural and
// not another number. Words are alike from a similarity on. sure says that one of
// the two is spelled as it should be.
func slip(a, b []string, alike float64) (is, sure bool) {
	if len(a) != len(b) { // case can have cut a word in two, as in sIack and GitHub
		cutA, cutB := strings.Join(a, ""), strings.Join(b, "")
		if len(a) > 1 && slices.ContainsFunc(a, knownWord) && !properNames[cutA] || len(b) > 1 && slices.ContainsFunc(b, knownWord) && !properNames[cutB] {
			return false, false
		}
		a, b = []string{cutA}, []string{cutB}
		if !scanner.OneEdit(a[0], b[0]) && glyphs(a[0]) != glyphs(b[0]) {
			return false, false
		}
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if !wordSlip(a[i], b[i], alike) {
			return false, false
		}
		is, sure = true, sure || knownWord(a[i]) != knownWord(b[i])
	}
	return is, sure
}

// The minimum lengths at which a word that differs in one letter counts as a typo. Short words
// collide by chance.
const (
	slipLetters    = 5 // where one of the two is a word
	unknownLetters = 6 // where neither is
)

// wordSlip reports whether one word is a slip of the other.
func wordSlip(a, b string, alike float64) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if shorter < slipLetters-1 || longer-shorter > 1+longer/slipLetters || unlike(a, b, alike) { // told first, because it costs next to nothing
		return false
	}
	if knownWord(a) && knownWord(b) || noDigits(a) == noDigits(b) && glyphs(a) != glyphs(b) || plural(a, b) || plural(b, a) {
		return false
	}
	least := unknownLetters
	if knownWord(a) || knownWord(b) {
		least = slipLetters
	}
	switch {
	case glyphs(a) == glyphs(b), undoubled(a) == undoubled(b), swapped(a, b):
		return true
	case shorter < least:
		return false
	}
	return scanner.OneEdit(a, b) || similarity(a, b) >= alike
}

// unlike reports words that cannot be typos of each other, because too many letters occur in
// only one of them.
func unlike(a, b string, alike float64) bool {
	x, plain := letters(a)
	y, also := letters(b)
	edits := 1 + int((1-alike)*float64(max(len(a), len(b))))
	return plain && also && bits.OnesCount32(x^y) > 2*edits
}

// letters returns the set of letters and digits of a word, merging those that glyphs confuses.
// ASCII only.
func letters(w string) (set uint32, plain bool) {
	for i := range len(w) {
		switch c := w[i]; c {
		case 'r', 'n', 'm', 'v', 'w':
		case '0':
			set |= 1 << ('o' & 31)
		case '1', 'i':
			set |= 1 << ('l' & 31)
		case '5':
			set |= 1 << ('s' & 31)
		case '3':
			set |= 1 << ('e' & 31)
		case '4':
			set |= 1 << ('a' & 31)
		default:
			if c >= 0x80 {
				return 0, false
			}
			set |= 1 << (c & 31)
		}
	}
	return set, true
}

// plural reports whether b is the plural of a.
func plural(a, b string) bool { return a+"s" == b && !properNames[a] }

// similarity is how alike two names are, from 0 to 1, as agentsh measures it.
func similarity(a, b string) float64 {
	if max(len(a), len(b)) > comparedBytes {
		return 0
	}
	return 1 - float64(levenshtein.ComputeDistance(a, b))/float64(max(len(a), len(b)))
}

// disguised reports whether a name has letters that only look like those that it
// is read as.
func disguised(name string) bool {
	words := scanner.Words(name)
	return !slices.Equal(words, foldWords(words))
}

// glyphs replaces what looks alike within ASCII.
func glyphs(w string) string { return asciiAlike.Replace(w) }

var asciiAlike = strings.NewReplacer("rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s", "3", "e", "4", "a")

func noDigits(w string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, w)
}

// undoubled reduces runs of a letter to one.
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

// swapped reports whether two neighbours changed places.
func swapped(a, b string) bool {
	if len(a) != len(b) || !scanner.OneEdit(a, b) {
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

// commonWords only say that something is a server.
var commonWords = map[string]bool{"mcp": true, "server": true, "servers": true, "the": true, "official": true, "local": true, "remote": true, "cli": true}

// distinctive returns the folded words by which a server is distinguished from others,
// without the scope or path ahead of its name.
func distinctive(name string) []string {
	var rest []string
	for _, w := range foldWords(scanner.Words(name[strings.LastIndexByte(name, '/')+1:])) {
		if !commonWords[w] {
			rest = append(rest, w)
		}
	}
	return rest
}

// knownWord reports whether w is an English word that names use, in one of its
// forms, or the name of a product.
func knownWord(w string) bool {
	if vocabulary[w] || properNames[w] {
		return true
	}
	for _, ending := range [...]string{"s", "es", "d", "ed", "r", "er", "or", "ing", "ly"} {
		if stem, ok := strings.CutSuffix(w, ending); ok && vocabulary[stem] {
			return true
		}
	}
	return false
}
