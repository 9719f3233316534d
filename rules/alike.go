package rules

import (
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"

	"github.com/mcpscan/mcpscan/scanner"
)

// imitationShare is the similarity, from 0 to 1, at which the later of two descriptions, tool
// names or brands counts as an imitation.
const imitationShare = scanner.DefaultSimilarity

// comparedBytes bounds the part of two descriptions that is compared, in bytes: the
// distance costs its square.
const comparedBytes = 400

// reworded reports whether two descriptions of some length share most of their
// words, whatever is between them.
func reworded(a, b string) bool {
	wa, wb := wordsOf(a), wordsOf(b)
	shared := 0
	for w := range wa {
		if wb[w] {
			shared++
		}
	}
	return min(len(wa), len(wb)) >= rewordedWords && float64(shared) >= rewordedShare*float64(len(wa)+len(wb)-shared)
}

// The measures of a reworded description: fewer words meet by chance.
const (
	rewordedWords = 5
	rewordedShare = 0.8
)

func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s[:min(len(s), comparedBytes)]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[w] = true
	}
	return set
}

// alike reports whether two descriptions are nearly the same text.
func alike(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = a[:min(len(a), comparedBytes)], b[:min(len(b), comparedBytes)]
	longest := max(len(a), len(b))
	return 1-float64(levenshtein.ComputeDistance(a, b))/float64(longest) >= imitationShare
}
