package intent

import (
	_ "embed" // the nets
	"encoding/binary"
)

// Net is a small convolutional net over the words of a sentence. The classifier's second stage
// consists of several nets, used only for sentences that the linear model considers possible
// attacks. Word vectors let them judge words that occur in no training text. All arithmetic is on
// integers. Vectors are read in place; the few thousand weights are decoded once, when the first
// sentence is judged.
type Net struct{ table string }

// Members is the number of nets in the second stage. They differ only in the random seed of their
// training, and their mean makes fewer mistakes than any of them.
const Members = 2

// EmbeddedNets returns the nets that `go run ./internal/intent/train` wrote.
func EmbeddedNets() (all [Members]Net) {
	size := len(nets) / Members
	for k := range all {
		all[k] = Net{nets[k*size:][:size]}
	}
	return all
}

//go:embed net.bin
var nets string

// The shape of the net: each word is a vector of Dims numbers. Filters of one, two and three words
// slide over a sentence, and the best match of each counts. A layer of Hidden units combines the
// matches and the context, and a single output unit combines the hidden ones.
const (
	Dims     = 32
	Filters  = 40 // of each width
	Widths   = 3
	Hidden   = 24
	Contexts = 14
	Matches  = Filters * Widths

	maxWords = 64 // maximum number of words in a sentence that the net reads
)

// The units of the net's numbers. A vector component is in units of 1/vectorUnit, and so on.
const (
	vectorUnit  = 1 << 5
	filterUnit  = 1 << 9
	denseUnit   = 1 << 9
	contextUnit = 1 << 4
)

// MaxGain is the maximum amount by which the net raises or lowers the score of a sentence.
const MaxGain = 3 * Unit / 2

// Input is the net's input for a sentence.
type Input struct {
	Words   [][2]uint32 // for each word, the keys of its form and its stem; 0 for none
	Context [Contexts]int8
}

// Input returns the net's input for the sentence last passed to Features or Score. Its words are valid until
// the next call.
func (r *Reader) Input(p *Place) Input {
	r.input.Words = r.input.Words[:0]
	quote, question := int8(0), int8(0)
	for k, w := range r.tokens {
		switch w.hash {
		case quoteMark:
			quote = contextUnit
		case questionMark:
			question = contextUnit
		}
		if k >= maxWords {
			continue
		}
		stem := uint32(0)
		if w.stem != 0 {
			stem = mix('U', w.stem, 0)
		}
		r.input.Words = append(r.input.Words, [2]uint32{WordKey(w.form(r.text)), stem})
	}
	c := &r.input.Context
	*c = [Contexts]int8{}
	c[p.Kind] = contextUnit
	if r.content > 0 {
		c[6] = int8(contextUnit * r.shared / r.content)
	}
	for k, is := range [...]bool{r.shared == 0, r.at == 0, r.at == r.of-1, r.of == 1} {
		if is {
			c[7+k] = contextUnit
		}
	}
	c[11] = int8(contextUnit * min(len(r.tokens), 40) / 40)
	c[12], c[13] = quote, question
	return r.input
}

var quoteMark, questionMark = mix('!', '"', 0), mix('!', '?', 0)

// WordKey returns the key of the word with this FNV-1a hash.
func WordKey(hash uint32) uint32 { return mix('V', hash, 0) }

// The table consists of the net's numbers as int32, the number of slots, and the slots of a hash
// table with open addressing: a two-byte tag and a vector.
const netSlot = 2 + Dims

// Layers are the numbers of a net other than its vectors.
type Layers struct {
	Filters [Widths][Filters][]int32 // weights, Dims for each word
	Biases  [Widths][Filters]int32
	Dense   [Hidden][Matches + Contexts]int32
	Bias    [Hidden]int32
	Out     [Hidden]int32
	OutBias int32
}

func (l *Layers) fields() (all []*int32) {
	for w := range Widths {
		for f := range Filters {
			if l.Filters[w][f] == nil {
				l.Filters[w][f] = make([]int32, (w+1)*Dims)
			}
			for k := range l.Filters[w][f] {
				all = append(all, &l.Filters[w][f][k])
			}
			all = append(all, &l.Biases[w][f])
		}
	}
	for h := range Hidden {
		for k := range l.Dense[h] {
			all = append(all, &l.Dense[h][k])
		}
		all = append(all, &l.Bias[h], &l.Out[h])
	}
	return append(all, &l.OutBias)
}

var netNumbers = len(new(Layers).fields())

// decode returns the decoded layers of a net.
func (n Net) decode() *Layers {
	l := new(Layers)
	for k, v := range l.fields() {
		*v = int32(binary.LittleEndian.Uint32([]byte(n.table[4*k : 4*k+4])))
	}
	return l
}
