package learn

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// Options are the training options.
type Options struct {
	Passes       int
	Rate         float64
	Decay        float64 // L2 regularization, per sentence
	Positive     float64 // weight of a sentence that carries an attack
	Twin         float64 // weight of a sentence in a twin
	Real         float64 // weight of a sentence from a real server
	Public       float64 // weight of a sentence from a public corpus
	PublicAttack float64 // weight of a public-corpus sentence in which a rule finds an attack
	Least        int     // number of rows in which a feature must occur

	Length        [intent.Groups]float64 // penalty for each doubling of the number of sentences in a text
	Support       float64                // initial value of what a rule's verdict adds to a score
	Prior         float64                // weight of that initial value, as a number of rows
	SupportPasses int                    // passes over the rows to learn the supports
}

// Default contains the options with which the embedded weights are trained.
var Default = Options{Passes: 10, Rate: 0.25, Decay: 5e-8, Positive: 3, Twin: 4, Real: 1, Public: 0.3, PublicAttack: 0.3, Least: 2,
	Length: [intent.Groups]float64{intent.Definitions: 0.3, intent.Results: 0.45}, Support: 1.5, Prior: 3, SupportPasses: 60}

type example struct {
	features []int32
	label    float64
	weight   float64
}

// Train trains a logistic regression over sentences with a learning rate for each weight (AdaGrad)
// and averages the weights over all steps. Products are converted explicitly so that no machine
// fuses a multiplication with an addition (FMA), and training gives the same weights everywhere.
func Train(rows []*Row, supports map[uint32]float64, o Options) intent.Model {
	features := vocabulary(rows, o.Least)
	all := examples(rows, features, o)
	weights, sums, squares := make([]float64, len(features)), make([]float64, len(features)), make([]float64, len(features))
	bias, biasSum, biasSquare, steps := -2.0, 0.0, 0.0, 0.0
	order := random(1)
	decay := float64(o.Decay * float64(len(all)))
	for range o.Passes {
		shuffle(all, &order)
		for _, e := range all {
			norm := 1 / math.Sqrt(float64(len(e.features)))
			sum := 0.0
			for _, f := range e.features {
				sum += weights[f]
			}
			g := float64((sigmoid(bias+float64(sum*norm)) - e.label) * e.weight)
			biasSquare += float64(g * g)
			d := float64(o.Rate*g) / math.Sqrt(biasSquare+1)
			bias -= d
			biasSum += float64(d * steps)
			g = float64(g * norm)
			for _, f := range e.features {
				d := g + float64(decay*weights[f])
				squares[f] += float64(d * d)
				d = float64(o.Rate*d) / math.Sqrt(squares[f]+1e-4)
				weights[f] -= d
				sums[f] += float64(d * steps) // to compute the mean at the end
			}
			steps++
		}
	}
	mean := make(map[uint32]float64, len(features))
	for f, i := range features {
		mean[f] = weights[i] + sums[i]/steps
	}
	maps.Copy(mean, supports)
	return intent.Encode(o.parameters(bias+biasSum/steps), mean)
}

// parameters returns the parameters of a model before its thresholds are chosen and the nets are
// trained.
func (o *Options) parameters(bias float64) intent.Parameters {
	p := intent.Parameters{Bias: units(bias), Support: units(o.Support)}
	for g := range intent.Groups {
		p.Length[g] = units(o.Length[g])
	}
	return p
}

func units(v float64) intent.Score { return intent.Score(math.Round(v * intent.Unit)) }

// sigmoid is the logistic function, computed by a series because math.Exp, in assembly on some
// machines, may differ in the last bit.
func sigmoid(x float64) float64 {
	x = max(-30, min(30, x))
	const halvings = 6
	y := -x / (1 << halvings)
	term, e := 1.0, 1.0
	for n := 1.0; n < 16; n++ {
		term = float64(term*y) / n
		e += term
	}
	for range halvings {
		e = float64(e * e)
	}
	return 1 / (1 + e)
}

// examples returns the sentences to train on. For an attack, only the sentences that carry it are used:
// the others are benign when read alone. Sentences repeated within a package or a public source are
// counted only once.
func examples(rows []*Row, features map[uint32]int32, o Options) []example {
	var all []example
	said := map[[sha256.Size]byte]bool{}
	for _, r := range rows {
		label, weight := r.example(o)
		for _, t := range r.Texts {
			for _, s := range t.Sentences {
				if r.Attack() && !s.InSpan {
					continue
				}
				var known []int32
				text := []byte(r.Set)
				for _, f := range s.Features {
					text = binary.LittleEndian.AppendUint32(text, f)
					if i, ok := features[f]; ok {
						known = append(known, i)
					}
				}
				if id := sha256.Sum256(text); (r.Real || r.Public) && said[id] {
					continue
				} else if r.Real || r.Public {
					said[id] = true
				}
				if len(known) > 0 {
					all = append(all, example{known, label, weight})
				}
			}
		}
	}
	return all
}

// example returns the label and weight of a row's sentences.
func (r *Row) example(o Options) (label, weight float64) {
	switch {
	case r.Attack() && r.Public:
		return 1, o.PublicAttack
	case r.Attack():
		return 1, o.Positive
	case r.Real:
		return 0, o.Real
	case r.Public:
		return 0, o.Public
	case r.Pair != "":
		return 0, o.Twin
	}
	return 0, 1
}

// vocabulary numbers the features that occur in enough rows, in the order in which they reach that
// count. A pair, package or public source counts as one row, because its texts share most of their
// words.
func vocabulary(rows []*Row, least int) map[uint32]int32 {
	type occurrence struct {
		rows int
		last string
	}
	seen := map[uint32]occurrence{}
	index := map[uint32]int32{}
	for _, r := range rows {
		name := r.group()
		for _, t := range r.Texts {
			for _, s := range t.Sentences {
				for _, f := range s.Features {
					o := seen[f]
					if o.last == name {
						continue
					}
					seen[f] = occurrence{o.rows + 1, name}
					if o.rows+1 == least {
						index[f] = int32(len(index))
					}
				}
			}
		}
	}
	return index
}
