package intent

import (
	"cmp"
	"slices"
)

// maxParts is the maximum number of parts of a sentence that explain its score.
const maxParts = 3

// Explain returns the parts of sentence i whose features raise its score most, as spans of t in
// text order. Overlapping parts are merged.
func (r *Reader) Explain(m Model, t []byte, all []Sentence, i int, p *Place) []Sentence {
	r.explain = true
	features := r.Features(t, all, i, p)
	r.explain = false
	raised := map[span]int{}
	for k, f := range features {
		if w, ok := m.weight(f); ok && r.places[k] != (span{}) {
			raised[r.places[k]] += int(w)
		}
	}
	var best []span
	for part, by := range raised {
		if by > 0 {
			best = append(best, part)
		}
	}
	slices.SortFunc(best, func(a, b span) int {
		return cmp.Or(raised[b]-raised[a], a.start-b.start, a.end-b.end)
	})
	best = best[:min(len(best), maxParts)]
	slices.SortFunc(best, func(a, b span) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var parts []Sentence
	for _, part := range best {
		start, end := all[i].Start+part.start, all[i].Start+part.end
		if n := len(parts); n > 0 && start <= parts[n-1].End {
			parts[n-1].End = max(parts[n-1].End, end)
			continue
		}
		parts = append(parts, Sentence{start, end})
	}
	return parts
}
