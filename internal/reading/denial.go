package reading

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// denial is a negation that applies to the words after it.
type denial struct {
	at, reach int
	open, any bool
	code      int // end of a negated code span, within which punctuation does not end the negation
}

// covers reports whether a word that begins at i is negated.
func (d *denial) covers(i int) bool { return d.open && i-d.at <= d.reach }

// pause ends the negation at punctuation within the sentence, except between the items of a list. A
// negation that reaches a code span applies to the whole span.
func (d *denial) pause(x *index, t []byte, i int) {
	switch {
	case i < d.code || !d.covers(i):
	case t[i] == '`':
		if n := bytes.IndexByte(t[i+1:], '`'); n >= 0 {
			d.code = i + 1 + n
			d.reach = max(d.reach, d.code-d.at)
		}
	case t[i] == ',' && x.lists(t[i:]):
	case bytes.IndexByte([]byte(",;:()"), t[i]) >= 0:
		d.open = false
	}
}

// lists reports whether t, which begins with a comma, continues a list of things, as in ", keys or tokens".
// A word for an action begins another clause instead: in "do not ask, send keys or tokens", only asking is negated.
func (x *index) lists(t []byte) bool {
	rest := restOfList.Find(t[:min(len(t), far)])
	separates := func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }
	for word := range bytes.FieldsFuncSeq(rest, separates) {
		if x.acts(word) {
			return false
		}
	}
	return rest != nil
}

// acts reports whether a word denotes an action that a negation reverses.
func (x *index) acts(word []byte) bool {
	is := func(v Sense) bool { return actions&(1<<v) != 0 }
	for _, e := range x.whole[string(word)].entries {
		if is(e.sense) {
			return true
		}
	}
	for n := stemHead; n <= min(len(word), longestStem); n++ {
		if slices.ContainsFunc(x.stems[string(word[:n])], is) {
			return true
		}
	}
	return false
}

// restOfList matches the rest of a list with "or", from a comma on. Each item has at most three words.
var restOfList = lazyregexp.New(`^(,\s(or\s)?[^\s,;:.()]+(\s[^\s,;:.()]+){0,2})*(\s|,\s)n?or\s`)

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
	case "but", "then", "unless", "until":
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
