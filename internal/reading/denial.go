package reading

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// denial is the negation that covers the words behind it.
type denial struct {
	at, reach int
	open, any bool
}

// covers reports whether a word that begins at i is denied.
func (d *denial) covers(i int) bool { return d.open && i-d.at <= d.reach }

// pause ends the denial at a break of the sentence.
func (d *denial) pause(b byte) {
	switch b {
	case ',', ';', ':', '(', ')':
		d.open = false
	}
}

// word begins a denial at a word that negates as far as reach, and ends it at one
// that turns.
func (d *denial) word(t []byte, i, j, reach int) {
	turns := false
	switch string(t[i:j]) {
	case "instead", "rather":
		turns = true
		if insteadOf.Match(t[j:]) {
			reach = near
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

// insteadOf makes "instead" and "rather" tell what is not done.
var insteadOf = lazyregexp.New(`^\s(of|than)\b`)

// takenBack turns a negation into a demand.
var takenBack = lazyregexp.New(`^\s(forget|hesitate|fail|omit)\b`)

// How far a negation reaches, in bytes.
const (
	near = 30
	far  = 70
)

// negations returns the words that negate, and how far, in bytes.
func negations() map[string]int {
	reach := map[string]int{"without": near, "no": near}
	for _, w := range strings.Fields(`not never cannot nor neither dont nobody don't doesn't isn't aren't won't mustn't shouldn't needn't can't refrain refrains
		refuse refuses refused prevent prevents prohibits prohibited forbids forbidden avoid avoids avoiding rejects exclude excludes excluding excluded except unnecessary`) {
		reach[w] = far
	}
	return reach
}
