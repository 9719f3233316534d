package intent

import "slices"

// Score returns the score of sentence i, computed from its features: m.Of(r.Features(…)). It
// returns false if the score is limit or less.
//
// The features that may have positive weights are added first. The others can only lower the sum
// and increase the number of known features; the sum is divided by the square root of that number.
// Therefore, the first features alone, or no features if their sum is negative, give an upper
// bound, and most sentences need no others.
func (r *Reader) Score(m Model, t []byte, all []Sentence, i int, p *Place, limit Score) (Score, bool) {
	r.use(m)
	r.collect(t, all, i, p)
	r.seen.clear(len(r.features))
	others := r.divide()
	sum, known := r.sum(r.raising)
	if m.score(max(sum, 0), known) <= limit {
		return 0, false
	}
	more, alsoKnown := r.sum(others)
	score := m.score(sum+more, known+alsoKnown)
	return score, score > limit
}

// use prepares the reader for computing scores with a model.
func (r *Reader) use(m Model) {
	if r.model == m {
		return
	}
	r.model, r.filter = m, m.filter()
	clear(r.recent[:])
	r.recent[0].feature = 1 // otherwise, the empty slot 0 would seem to hold feature 0
}

// divide sets raising to the features that may have positive weights, and returns the others. It
// does not branch on what the filter returns, so that the processor can load many parts of the
// filter in parallel.
func (r *Reader) divide() (others []uint32) {
	raising := slices.Grow(r.raising[:0], len(r.features))[:len(r.features)]
	n := 0
	for k, f := range r.features {
		may := r.filter.mayRaise(f)
		raising[n] = f
		r.features[k-n] = f
		n += may
	}
	r.raising = raising[:n]
	return r.features[:len(r.features)-n]
}

// sum adds features to the set of features seen. For those that the set did not contain, it returns
// the sum of their weights, and how many of them the model knows.
func (r *Reader) sum(features []uint32) (sum int64, known uint64) {
	for _, f := range features {
		if !r.seen.add(f) {
			continue
		}
		w := &r.recent[f%uint32(len(r.recent))]
		if w.feature != f {
			*w = weighed{feature: f}
			w.weight, w.known = r.model.weight(f)
		}
		if w.known {
			sum += int64(w.weight)
			known++
		}
	}
	return sum, known
}

// weighed holds the model's data about a feature, for reuse: most features occur often, and each
// search in the model's table misses the processor's cache.
type weighed struct {
	feature uint32
	weight  int8
	known   bool
}
