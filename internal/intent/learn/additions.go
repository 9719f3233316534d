package learn

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// additions are the benign sentences that training adds to examples, as an attacker might.
type additions struct {
	chances    [2][intent.Sequences]uint32 // see [NetOptions.Added]
	all, short [][]int32
}

const (
	shortAddition = 8 // maximum number of words added to a sentence itself
	maxAdditions  = 3 // maximum number of sentences added to its surroundings
)

// newAdditions collects the sentences of the benign examples, and the sentences around them.
func newAdditions(sets, others []*netInput, o NetOptions) *additions {
	a := &additions{chances: o.Added}
	for _, in := range slices.Concat(sets, others) {
		if in.label != 0 {
			continue
		}
		for _, s := range slices.Concat(in.sentences[intent.OfAround], in.sentences[intent.OfSentence]) {
			if len(s) < 2 {
				continue
			}
			a.all = append(a.all, s)
			if len(s) <= shortAddition {
				a.short = append(a.short, s)
			}
		}
	}
	return a
}

// to returns a copy of an example with random additions. The copy shares the sentences of the
// original.
func (a *additions) to(in *netInput, r *random) netInput {
	added := *in
	for k, chance := range a.chances[int(in.label)] {
		if r.next()%1000 >= chance {
			continue
		}
		from, n := a.all, uint32(1)
		switch k {
		case intent.OfSentence:
			from = a.short
		case intent.OfAround:
			n += r.next() % maxAdditions
		}
		added.sentences[k] = slices.Clip(added.sentences[k])
		for range n {
			if len(from) > 0 {
				added.sentences[k] = append(added.sentences[k], from[int(r.next())%len(from)])
			}
		}
	}
	return added
}
