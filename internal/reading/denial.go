package reading

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// denial is a negation that applies to the words after it.
type denial struct {
	at, reach int
	open, any bool
}

// covers reports whether a word that begins at i is negated.
func (d *denial) covers(i int) bool { return d.open && i-d.at <= d.reach }

// pause ends the negation at punctuation within the sentence.
func (d *denial) pause(b byte) {
	switch b {
	case ',', ';', ':', '(', ')':
		d.open = false
	}
}

// word starts a negation of length reach at a negating word, and ends it at a word such as
// "but".
func (d *denial) word(t []byte, i, j, reach int) {
	turns := false
	switch string(t[i:j]) {
	case "instead", "rather":
		turns = true
		if insteadOf.Match(t[j:]) {
			if reach = near; insteadOfDoing.Match(t[j:]) {
				reach = far
			}
		}
	case "over", "than":
		if doing.Match(t[j:]) && preferred.Match(t[max(0, i-far-far):i]) {
			reach = far
		}
	case "would":
		if d.any && consequence.Match(t[:i]) {
			reach = far
		}
	case "but", "then":
		turns = true
	}
	switch {
	case reach > 0 && !takenBack.Match(t[j:]):
		*d = denial{at: i, reach: reach, open: true, any: true}
	case reach > 0 || turns:
		d.open = false
	}
}

// insteadOf matches the words after "instead" or "rather" that introduce what
// should not be done.
var insteadOf = lazyregexp.New(`^\s(of|than)\b`)

// In "prefer a name over reading the secret and passing it on", everything after "over" should not
// be done.
var (
	insteadOfDoing = lazyregexp.New(`^\s(of|than)\s[a-z]+ing\b`)
	doing          = lazyregexp.New(`^\s[a-z]+ing\b`)
	consequence    = lazyregexp.New(`,\s(which|that|this|as\sthat|as\sthis)\s$`) // a consequence of what should not be done
	preferred      = lazyregexp.New(`\b(prefer(s|red|able)?|better|safer|favou?r(s|ed)?|recommended)\b`)
)

// takenBack matches verbs that turn a negation into a demand, as in "do not
// forget".
var takenBack = lazyregexp.New(`^\s(forget|hesitate|fail|omit)\b`)

// The maximum lengths of negations, in bytes.
const (
	near = 30
	far  = 70
)

// negations maps each negating word to the length of the text that it negates, in bytes.
func negations() map[string]int {
	reach := map[string]int{"without": near, "no": near}
	for _, w := range strings.Fields(`not never cannot nor neither dont nobody don't doesn't isn't aren't won't mustn't shouldn't needn't can't refrain refrains
		refuse refuses refused prevent prevents prohibits prohibited forbids forbidden avoid avoids avoiding rejects exclude excludes excluding excluded except unnecessary`) {
		reach[w] = far
	}
	return reach
}
