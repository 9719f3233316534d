package intent

import (
	"math"
	"sync"
)

// Judge rates sentences by the mean gain of several nets. It is not safe for concurrent use.
type Judge []*member

// member rates sentences with one decoded net.
type member struct {
	*decoded
	recent  []fits // the fits of words judged before, kept because most words are common
	matched [recentSentences]matched
}

// matches holds the best match of each filter, in the unit of fits.
type matches [Widths][Filters]int32

// matched holds the matches in a recent sentence, for reuse.
type matched struct {
	id SentenceID
	of matches
}

// decoded is a decoded net, which members of several judges share.
type decoded struct {
	layers  *Layers
	pairs   [groups][Filters / 2][Dims]int64
	starts  string // of the buckets
	tags    string
	vectors string
	dense   [Inputs][Hidden]int32 // transposed, so that the weights of one input are adjacent
	// noneAround is what surroundings without sentences contribute to the hidden units.
	noneAround [Hidden]int64
}

// groups is the number of word positions in filters: one in a filter of one word, two in a filter
// of two, and three in a filter of three.
const groups = Widths * (Widths + 1) / 2

// fits holds how well a word fits each position of each filter, in units of
// 1/(vectorUnit*filterUnit).
type fits struct {
	word Word
	of   [groups][Filters]int32
}

const recentFits = 1 << 8

// NewJudge returns a judge that uses the nets.
func NewJudge(nets ...Net) (j Judge) {
	for _, n := range nets {
		j = append(j, n.decoded().member())
	}
	return j
}

func (d *decoded) member() *member { return &member{decoded: d, recent: make([]fits, recentFits)} }

func (n Net) decoded() *decoded {
	const startsAt, tagsAt = 4 * layerParameters, 4 * (layerParameters + buckets + 1)
	vectorsAt := tagsAt + 2*int(uint32At(n.table, tagsAt-4))
	d := &decoded{layers: n.decode(), starts: n.table[startsAt:tagsAt], tags: n.table[tagsAt:vectorsAt], vectors: n.table[vectorsAt:]}
	for w, filters := range d.layers.Filters {
		for f, weights := range filters {
			for k, weight := range weights {
				// Each int64 holds a pair of numbers, one in each half, so that one operation
				// multiplies or adds both. The method fit adds back what the lower half borrows
				// from the upper one.
				d.pairs[w*(w+1)/2+k/Dims][f/2][k%Dims] += int64(weight) << (32 * (f % 2))
			}
		}
	}
	for h, weights := range d.layers.Dense {
		for k, weight := range weights {
			d.dense[k][h] = weight
		}
	}
	d.add(&d.noneAround, OfAround, new(matches))
	return d
}

var embeddedNets = sync.OnceValue(func() (all []*decoded) {
	for _, n := range EmbeddedNets() {
		all = append(all, n.decoded())
	}
	return all
})

// EmbeddedJudge returns a judge that uses the embedded nets, which are decoded on first use.
func EmbeddedJudge() (j Judge) {
	for _, d := range embeddedNets() {
		j = append(j, d.member())
	}
	return j
}

// Gain returns how much the nets add to the score of a sentence.
func (j Judge) Gain(in Input) Score {
	sum := Score(0)
	for _, m := range j {
		sum += m.gain(in)
	}
	return sum / Score(len(j))
}

// vector adds the key's vector, if the net has one, to a sum.
func (d *decoded) vector(to *[Dims]int64, key uint32) {
	if key == 0 {
		return
	}
	of, tag := bucket(key)
	for at := uint32At(d.starts, 4*int(of)); at < uint32At(d.starts, 4*int(of+1)); at++ {
		if uint16(d.tags[2*at])|uint16(d.tags[2*at+1])<<8 == tag {
			for k, v := range []byte(d.vectors[Dims*at:][:Dims]) {
				to[k] += int64(int8(v))
			}
			return
		}
	}
}

// fit returns how well a word fits each position of each filter; the result is valid until the next
// call. For the zero Word, whose vector is zero, all fits are zero, as in an unused element of
// recent.
func (m *member) fit(word Word) *[groups][Filters]int32 {
	known := &m.recent[word[0]%recentFits]
	if known.word == word {
		return &known.of
	}
	known.word = word
	var vector [Dims]int64
	m.vector(&vector, word[0])
	m.vector(&vector, word[1])
	for g := range known.of {
		of := &known.of[g]
		for f := range m.pairs[g] {
			both := product(&vector, &m.pairs[g][f])
			of[2*f], of[2*f+1] = int32(both), int32((both-int64(int32(both)))>>32)
		}
	}
	return &known.of
}

func product(x, y *[Dims]int64) int64 {
	var a, b, c, d int64 // a processor can compute four sums in parallel
	for i := 0; i < Dims; i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	return a + b + c + d
}

// gain returns how much the net adds to the score of a sentence.
func (m *member) gain(in Input) Score {
	var hidden [Hidden]int64
	for h, bias := range m.layers.Bias {
		hidden[h] = int64(bias)
	}
	for k, c := range in.Context {
		for h, weight := range &m.dense[Sequences*Matches+k] {
			hidden[h] += int64(c) * int64(weight)
		}
	}
	m.add(&hidden, OfSentence, m.matches(&in.Sentence))
	about := m.match(in.About)
	m.add(&hidden, OfAbout, &about)
	alone := hidden
	for h, v := range m.noneAround {
		alone[h] += v
	}
	if len(in.Around) == 0 {
		return m.output(&alone)
	}
	around := m.around(in.Around)
	m.add(&hidden, OfAround, &around)
	return max(m.output(&hidden), m.output(&alone)-maxAroundLoss)
}

// maxAroundLoss is the maximum amount by which the sentences around a sentence lower its score. An
// attacker can add sentences that are typical of harmless texts.
const maxAroundLoss = Unit / 2

// add adds the contributions of a sequence's matches to the hidden units.
func (d *decoded) add(hidden *[Hidden]int64, sequence int, of *matches) {
	for w, bests := range of {
		for f, best := range bests {
			best := int64(best) + int64(d.layers.Biases[w][f])
			if best <= 0 {
				continue
			}
			best = best * contextUnit / (vectorUnit * filterUnit)
			for h, weight := range &d.dense[sequence*Matches+w*Filters+f] {
				hidden[h] += best * int64(weight)
			}
		}
	}
}

// output returns the gain for the sums of the hidden units.
func (m *member) output(hidden *[Hidden]int64) Score {
	out := int64(m.layers.OutBias)
	for h, v := range hidden {
		if v > 0 {
			out += v * int64(m.layers.Out[h])
		}
	}
	return Score(max(-MaxGain, min(MaxGain, out/(contextUnit*denseUnit*denseUnit/Unit))))
}

// around returns the best matches in any of the sentences.
func (m *member) around(sentences []Words) (best matches) {
	for k := range sentences {
		of := m.matches(&sentences[k])
		if k == 0 {
			best = *of
		}
		for w := range best {
			raise(&best[w], &of[w], &noFit)
		}
	}
	return best
}

// matches returns the best matches in a sentence. The result is valid until the next call.
func (m *member) matches(s *Words) *matches {
	known := &m.matched[s.ID.number%recentSentences]
	if known.id != s.ID || s.ID == (SentenceID{}) {
		known.id, known.of = s.ID, m.match(s.All)
	}
	return &known.of
}

// match returns the best match of each filter. A match may start at any word; positions after
// the last word are padded with zero vectors.
func (m *member) match(words []Word) (best matches) {
	for w := range best {
		for f := range best[w] {
			best[w][f] = math.MinInt32
		}
	}
	n := max(len(words), 1)
	// Partial sums of the matches that continue with the next word: of two-word matches after one
	// word (two), and of three-word matches after one word (one) and after two words (three).
	var two, three, one [Filters]int32
	for at := range n + Widths - 1 {
		var word Word
		if at < len(words) {
			word = words[at]
		}
		fit := m.fit(word)
		if at < n {
			raise(&best[0], &noFit, &fit[0])
		}
		if 1 <= at && at <= n {
			raise(&best[1], &two, &fit[2])
		}
		if 2 <= at {
			raise(&best[2], &three, &fit[5])
		}
		for f := range Filters {
			three[f] = one[f] + fit[4][f]
		}
		two, one = fit[1], fit[3]
	}
	return best
}

// noFit is a fit of zero for each filter.
var noFit [Filters]int32

// raise raises each best match to the sum of a and b if that is higher.
func raise(best, a, b *[Filters]int32) {
	for f := range Filters {
		best[f] = max(best[f], a[f]+b[f])
	}
}
