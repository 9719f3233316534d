package learn

import (
	"math"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// layer is a group of numbers trained together, with the moments of their gradients (Adam).
type layer struct{ value, gradient, mean, square []float32 }

// numbers is the vector of a word, or a row of weights with the same length.
type numbers = [intent.Dims]float32

// trainee is a net during training. Products are converted explicitly so that no machine fuses a
// multiplication with an addition (FMA).
type trainee struct {
	project layer // projects a published vector onto Dims numbers
	filters [intent.Widths]layer
	biases  [intent.Widths]layer
	dense   layer
	bias    layer
	out     layer
	outBias layer
	own     layer // vectors of word forms and stems
	words   []word
	used    []int32 // words of the batch
	step    int
	random  random
}

// word holds a word's data: its published vector, or nil, and the indexes of its form and stem
// among the net's own vectors, or -1. In each batch it is read and updated once.
type word struct {
	published *vector
	own       [2]int32
	at, slope numbers
	fit       fits
	used      bool
	moved     bool // slope is not zero
}

// fits holds how well a word fits each position of each filter: the positions of the first width,
// then those of the second, and so on.
type fits [intent.Widths * (intent.Widths + 1) / 2][intent.Filters]float32

// random is a random number generator that gives the same numbers on every machine.
type random uint64

func (r *random) next() uint32 {
	*r = *r*6364136223846793005 + 1442695040888963407
	return uint32(*r >> 33)
}

// shuffle orders a list at random.
func shuffle[T any](list []T, r *random) {
	for i := len(list) - 1; i > 0; i-- {
		j := int(r.next() % uint32(i+1))
		list[i], list[j] = list[j], list[i]
	}
}

// layer returns a layer of random numbers with absolute values up to a limit.
func (r *random) layer(size int, to float32) layer {
	l := layer{make([]float32, size), make([]float32, size), make([]float32, size), make([]float32, size)}
	for i := range l.value {
		l.value[i] = float32(float32(float32(r.next())/(1<<30))-1) * to
	}
	return l
}

const inputs = intent.Inputs

func newTrainee(own int, words []word, seed random) *trainee {
	n := &trainee{random: seed, words: words}
	n.project = n.random.layer(vectorSize*intent.Dims, 0.17)
	for w := range n.filters {
		to := float32(1 / math.Sqrt(float64((w+1)*intent.Dims)))
		n.filters[w], n.biases[w] = n.random.layer(intent.Filters*(w+1)*intent.Dims, to), n.random.layer(intent.Filters, to)
	}
	n.dense, n.bias = n.random.layer(intent.Hidden*inputs, 0.086), n.random.layer(intent.Hidden, 0.086)
	n.out, n.outBias = n.random.layer(intent.Hidden, 0.2), n.random.layer(1, 0)
	n.outBias.value[0] = -1
	n.own = n.random.layer(own*intent.Dims, 0.087)
	return n
}

// netInput is a training example for the net.
type netInput struct {
	sentences     [intent.Sequences][][]int32 // indexed by [intent.OfSentence] and so on
	context       [intent.Contexts]float32
	label, weight float64
}

// trace holds the intermediate values of a forward pass, for backward.
type trace struct {
	sequences [intent.Sequences]sequence
	inputs    [inputs]float32
	scale     [inputs]float32
	hidden    [intent.Hidden]float32
}

// sequence holds the words of one of the sequences that the net reads, with the best match of each
// filter and its position.
type sequence struct {
	words  []*word // nil for a dropped word, and for the padding after each sentence
	starts []int   // indexes at which a match may start
	match  [intent.Matches]float32
	best   [intent.Matches]int
}

// forward returns the logit of a sentence, with random dropout of words and inputs.
func (n *trainee) forward(in *netInput, p *trace, o *NetOptions) float64 {
	for k := range p.sequences {
		s := &p.sequences[k]
		n.take(in.sentences[k], s, o)
		n.match(s)
		for m, v := range s.match {
			p.inputs[k*intent.Matches+m] = max(0, v)
		}
	}
	copy(p.inputs[intent.Sequences*intent.Matches:], in.context[:])
	for k := range p.inputs {
		p.scale[k] = float32(2 * (n.random.next() & 1))
		p.inputs[k] = float32(p.inputs[k] * p.scale[k])
	}
	sum := n.outBias.value[0]
	for h := range p.hidden {
		v, of := n.bias.value[h], (*[inputs]float32)(n.dense.value[h*inputs:])
		for k, x := range p.inputs {
			v += float32(x * of[k])
		}
		p.hidden[h] = max(0, v)
		sum += float32(p.hidden[h] * n.out.value[h])
	}
	return float64(sum)
}

// take fills a sequence with the words of sentences, and drops some of them at random.
func (n *trainee) take(sentences [][]int32, to *sequence, o *NetOptions) {
	to.words, to.starts = to.words[:0], to.starts[:0]
	if len(sentences) == 0 {
		sentences = [][]int32{nil}
	}
	for _, ids := range sentences {
		for k := range max(len(ids), 1) {
			to.starts = append(to.starts, len(to.words)+k)
		}
		for _, i := range ids {
			to.words = append(to.words, n.word(i, o))
		}
		to.words = append(to.words, beyond[:]...)
	}
}

// beyond is the padding that filters read after the last word of a sentence.
var beyond [intent.Widths]*word

// word returns a word of the batch, or nil if it is dropped.
func (n *trainee) word(i int32, o *NetOptions) *word {
	if n.random.next()%1000 < o.WordDrop {
		return nil
	}
	w := &n.words[i]
	if !w.used {
		w.used, w.moved, w.at, w.slope = true, false, n.read(w), numbers{}
		n.used = append(n.used, i)
		n.fits(w)
	}
	return w
}

// fits sets how well a word fits each position of each filter.
func (n *trainee) fits(w *word) {
	for width := range n.filters {
		for f := range intent.Filters {
			of := n.filters[width].value[f*(width+1)*intent.Dims:]
			for k := range width + 1 {
				w.fit[width*(width+1)/2+k][f] = dot(&w.at, (*numbers)(of[k*intent.Dims:]))
			}
		}
	}
}

// read returns the vector of a word: the projection of its published vector plus the vectors of its
// form and stem.
func (n *trainee) read(w *word) (to numbers) {
	if w.published != nil {
		for k, x := range w.published {
			if x != 0 {
				row, x := (*numbers)(n.project.value[k*intent.Dims:]), float32(x)/vectorUnit
				for d := range to {
					to[d] += float32(x * row[d])
				}
			}
		}
	}
	for _, i := range w.own {
		if i >= 0 {
			row := (*numbers)(n.own.value[int(i)*intent.Dims:])
			for d := range to {
				to[d] += row[d]
			}
		}
	}
	return to
}

// dot returns the dot product, in four sums that a processor can compute in parallel.
func dot(x, y *numbers) float32 {
	var a, b, c, d float32
	for k := 0; k < intent.Dims; k += 4 {
		a += float32(x[k] * y[k])
		b += float32(x[k+1] * y[k+1])
		c += float32(x[k+2] * y[k+2])
		d += float32(x[k+3] * y[k+3])
	}
	return (a + b) + (c + d)
}

// match sets the best matches in a sequence and their positions.
func (n *trainee) match(s *sequence) {
	for m := range s.match {
		s.match[m] = float32(math.Inf(-1))
	}
	for _, i := range s.starts {
		one, two, three := s.fit(i), s.fit(i+1), s.fit(i+2)
		for f := range intent.Filters {
			s.raise(f, i, one[0][f])
			s.raise(intent.Filters+f, i, one[1][f]+two[2][f])
			s.raise(2*intent.Filters+f, i, one[3][f]+two[4][f]+three[5][f])
		}
	}
	for m := range s.match {
		s.match[m] += n.biases[m/intent.Filters].value[m%intent.Filters]
	}
}

func (s *sequence) raise(m, at int, to float32) {
	if to > s.match[m] {
		s.match[m], s.best[m] = to, at
	}
}

// fit returns how well the word at i fits each position of each filter.
func (s *sequence) fit(i int) *fits {
	if w := s.words[i]; w != nil {
		return &w.fit
	}
	return &noFit
}

var noFit fits

// backward adds the gradients of a sentence, given the gradient of its logit.
func (n *trainee) backward(p *trace, g float32) {
	n.outBias.gradient[0] += g
	var back [inputs]float32
	for h, v := range p.hidden {
		if v <= 0 {
			continue
		}
		n.out.gradient[h] += float32(g * v)
		slope := float32(g * n.out.value[h])
		n.bias.gradient[h] += slope
		value, gradient := (*[inputs]float32)(n.dense.value[h*inputs:]), (*[inputs]float32)(n.dense.gradient[h*inputs:])
		for k, x := range p.inputs {
			gradient[k] += float32(slope * x)
			back[k] += float32(slope * value[k])
		}
	}
	for k := range p.sequences {
		n.spread(&p.sequences[k], (*[intent.Matches]float32)(back[k*intent.Matches:]), (*[intent.Matches]float32)(p.scale[k*intent.Matches:]))
	}
}

// spread adds the gradients of the filters and words of a sequence, given the gradients and
// scales of its matches.
func (n *trainee) spread(s *sequence, back, scale *[intent.Matches]float32) {
	for w := range n.filters {
		for f := range intent.Filters {
			m := w*intent.Filters + f
			slope := float32(back[m] * scale[m])
			if s.match[m] <= 0 || slope == 0 {
				continue
			}
			n.biases[w].gradient[f] += slope
			for k := 0; k <= w; k++ {
				i := s.best[m] + k
				if s.words[i] == nil {
					continue
				}
				from := (f*(w+1) + k) * intent.Dims
				value, gradient := (*numbers)(n.filters[w].value[from:]), (*numbers)(n.filters[w].gradient[from:])
				word := s.words[i]
				word.moved = true
				for d := range value {
					gradient[d] += float32(slope * word.at[d])
					word.slope[d] += float32(slope * value[d])
				}
			}
		}
	}
}

// learn propagates the gradients of the batch's words to the vectors that each word's vector is
// computed from.
func (n *trainee) learn() {
	for _, i := range n.used {
		w := &n.words[i]
		if !w.moved {
			continue
		}
		if w.published != nil {
			for k, x := range w.published {
				if x != 0 {
					row, x := (*numbers)(n.project.gradient[k*intent.Dims:]), float32(x)/vectorUnit
					for d := range row {
						row[d] += float32(x * w.slope[d])
					}
				}
			}
		}
		for _, i := range w.own {
			if i >= 0 {
				row := (*numbers)(n.own.gradient[int(i)*intent.Dims:])
				for d := range row {
					row[d] += w.slope[d]
				}
			}
		}
	}
}

// update takes an optimizer step on the gradients of a batch and resets them. Of the net's own word
// vectors, only those that the batch has gradients for are updated.
func (n *trainee) update(rate float64) {
	n.learn()
	n.step++
	to, root := float32(rate/(1-power(0.9, n.step))), float32(1/math.Sqrt(1-power(0.999, n.step)))
	for w := range n.filters {
		n.filters[w].update(0, len(n.filters[w].value), to, root)
		n.biases[w].update(0, len(n.biases[w].value), to, root)
	}
	for _, l := range []*layer{&n.project, &n.dense, &n.bias, &n.out, &n.outBias} {
		l.update(0, len(l.value), to, root)
	}
	taken := map[int32]bool{}
	for _, i := range n.used {
		w := &n.words[i]
		if w.used = false; !w.moved {
			continue
		}
		for _, own := range w.own {
			if own >= 0 && !taken[own] {
				taken[own] = true
				n.own.update(int(own)*intent.Dims, int(own+1)*intent.Dims, to, root)
			}
		}
	}
	n.used = n.used[:0]
}

func (l *layer) update(from, end int, rate, root float32) {
	for i := from; i < end; i++ {
		g := l.gradient[i]
		l.mean[i] += float32(0.1 * (g - l.mean[i]))
		l.square[i] += float32(0.001 * (float32(g*g) - l.square[i]))
		l.value[i] -= float32(rate*l.mean[i]) / (float32(float32(math.Sqrt(float64(l.square[i])))*root) + 1e-8)
		l.gradient[i] = 0
	}
}

// power returns x to the power of n by multiplication only: math.Pow may differ between machines.
func power(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	return p
}
