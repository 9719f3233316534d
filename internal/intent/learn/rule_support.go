package learn

import (
	"maps"
	"math"
	"slices"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// Supports learns how much the verdict of each rule adds to the score of a sentence, given the word
// scores of a model that does not know the verdicts. A rule with little evidence in the rows keeps
// its initial support. No verdict lowers a score.
func Supports(all []Scored, o Options) map[uint32]float64 {
	type verdict struct{ weight, gradient, seen float64 }
	verdicts := map[uint32]*verdict{}
	for _, s := range all {
		for _, t := range s.Texts {
			for _, sentence := range t.Sentences {
				for _, v := range sentence.Verdicts {
					verdicts[v] = &verdict{weight: o.Support}
				}
			}
		}
	}
	support := func(of []uint32) (sum intent.Score) {
		for _, v := range of {
			sum += units(verdicts[v].weight)
		}
		return sum
	}
	keys := slices.Sorted(maps.Keys(verdicts))
	var bias [intent.Groups]float64
	for range o.SupportPasses {
		var biasGradient, seen [intent.Groups]float64
		for _, v := range verdicts {
			v.gradient, v.seen = float64(o.Prior*(v.weight-o.Support)), o.Prior
		}
		for i := range all {
			s := &all[i]
			sentence, score := s.worst(support)
			if sentence == nil {
				continue
			}
			g := s.groupOf()
			label, weight := 0.0, 1.0
			if s.Attack() {
				label = 1
			}
			if s.Public || s.Real {
				weight = o.Public
			}
			d := float64((sigmoid(bias[g]+float64(score)/intent.Unit) - label) * weight)
			biasGradient[g] += d
			seen[g] += weight
			for _, f := range sentence.Verdicts {
				verdicts[f].gradient += d
				verdicts[f].seen += weight
			}
		}
		for g := range bias {
			bias[g] -= 4 * biasGradient[g] / (seen[g] + 1) // the slope of the logistic function is at most 1/4
		}
		for _, f := range keys {
			v := verdicts[f]
			v.weight = max(0, min(maxSupport, v.weight-v.gradient/v.seen))
		}
	}
	weights := map[uint32]float64{}
	for _, f := range keys {
		weights[f] = math.Round(verdicts[f].weight*16) / 16 // rounded as in the encoded model
	}
	return weights
}

// maxSupport is the maximum that one verdict adds to a score.
const maxSupport = 6

// Apply sets the scores of the rows, including the support of rules.
func Apply(all []Scored, m intent.Model) {
	for i := range all {
		_, all[i].Score = all[i].worst(m.Support)
	}
}
