package names

import (
	"strings"
	"unicode"
)

// ImitationShare is the similarity, from 0 to 1, at which the later of two descriptions, tool
// names or brands counts as an imitation.
const ImitationShare = DefaultSimilarity

// MaxCompared is the maximum number of bytes of each name or description that are compared, because
// computing the distance takes quadratic time.
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
