package intent

import (
	"bytes"
	_ "embed" // the nets
)

// Net is a small convolutional net over the words of a sentence, of the sentences around it, and of
// the tool's names and purpose. The classifier's second stage consists of several nets, used only
// for sentences that the linear model considers possible attacks. Word vectors let the nets judge
// words that occur in no training text. All arithmetic is on integers. Vectors are read in place;
// the other parameters are decoded once, when the first sentence is judged.
type Net struct{ table string }

// NetCount is the number of nets in the second stage. The nets differ only in the random seed of
// their training, and their mean makes fewer mistakes than any single net.
const NetCount = 2

// EmbeddedNets returns the nets that `go run ./internal/intent/train` wrote.
func EmbeddedNets() (all [NetCount]Net) {
	size := len(nets) / NetCount
	for k := range all {
		all[k] = Net{nets[k*size:][:size]}
	}
	return all
}

//go:embed net.bin
var nets string

// The shape of the net: each word is a vector of Dims numbers. Filters of one, two and three words
// slide over each of the Sequences, and only the best match of each filter in each sequence is used. A
// layer of Hidden units combines the matches and the context, and a single output unit combines the
// hidden units.
const (
	Dims     = 32
	Filters  = 40 // of each width
	Widths   = 3
	Hidden   = 24
	Contexts = 14
	Matches  = Filters * Widths

	Inputs = Sequences*Matches + Contexts

	surroundings = 3  // number of sentences on each side that the net reads with a sentence
	maxWords     = 64 // maximum number of words that the net reads from a sentence or name
)

// The sequences of words that the net reads.
const (
	OfSentence = iota // the sentence
	OfAround          // its surroundings
	OfAbout           // the names and the purpose of the tool
	Sequences
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
	Sentence Words
	Around   []Words // of the sentences before and after it
	About    []Word  // the names of the tool and parameter, and the words of the purpose
	Context  [Contexts]int8
}

// Words are the words of a sentence.
type Words struct {
	All []Word
	ID  SentenceID // for reuse; the zero value means none
}

// Word holds the keys of a word's form and its stem; 0 means none.
type Word [2]uint32

// SentenceID identifies a sentence, or a part of one, among those that a reader has read.
type SentenceID struct{ text, number, start, end uint32 }

// recentSentences is the number of sentences whose data is kept for the inputs of the next ones.
const recentSentences = 2*surroundings + 2

// Input returns the net's input for sentence i, which must be the one last passed to Features or
// Score. Its words are valid until the next call.
func (r *Reader) Input(t []byte, all []Sentence, i int, p *Place) Input {
	in := &r.input
	c := &in.Context
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
	c[12], c[13] = r.has(quoteMark), r.has(questionMark)
	in.Sentence = r.words(i, all[i])
	in.Around = in.Around[:0]
	for j := max(0, i-surroundings); j <= min(len(all)-1, i+surroundings); j++ {
		if j == i {
			continue
		}
		if r.recentWords[j%recentSentences].ID != r.id(j, all[j]) {
			r.text = t[all[j].Start:all[j].End]
			r.tokenize(r.text, p)
		}
		in.Around = append(in.Around, r.words(j, all[j]))
	}
	in.About = r.about(in.About[:0], t, all, i, p)
	return *in
}

// about appends the words in the names of the tool and parameter, and those in the purpose with
// which sentence i is compared.
func (r *Reader) about(dst []Word, t []byte, all []Sentence, i int, p *Place) []Word {
	if p.Kind == Result {
		return dst
	}
	for _, name := range [...][]byte{p.Tool, p.Parameter} {
		r.tokens = r.tokens[:0]
		for part := range bytes.FieldsFuncSeq(name, notInName) {
			r.word(part, 0, len(part))
		}
		dst = r.appendWords(dst)
	}
	r.text = p.purpose(t, all, i)
	r.tokenize(r.text, p)
	return r.appendWords(dst)
}

func (r *Reader) id(i int, s Sentence) SentenceID {
	return SentenceID{r.serial, uint32(i), uint32(s.Start), uint32(s.End)}
}

// words returns the first maxWords words of sentence i, which either was read recently or is the
// one that was last split into tokens.
func (r *Reader) words(i int, s Sentence) Words {
	recent := &r.recentWords[i%recentSentences]
	if recent.ID == r.id(i, s) {
		return *recent
	}
	*recent = Words{r.appendWords(recent.All[:0]), r.id(i, s)}
	return *recent
}

// appendWords appends the first maxWords words of the text that was last split into tokens.
func (r *Reader) appendWords(dst []Word) []Word {
	for k := range r.tokens[:min(len(r.tokens), maxWords)] {
		w := &r.tokens[k]
		stem := uint32(0)
		if w.stem != 0 {
			stem = mix('U', w.stem, 0)
		}
		dst = append(dst, Word{WordKey(w.form(r.text)), stem})
	}
	return dst
}

// has returns contextUnit if one of the tokens has the given hash, and 0 otherwise.
func (r *Reader) has(mark uint32) int8 {
	for k := range r.tokens {
		if r.tokens[k].hash == mark {
			return contextUnit
		}
	}
	return 0
}

var quoteMark, questionMark = mix('!', '"', 0), mix('!', '?', 0)

// WordKey returns the key of the word with this FNV-1a hash.
func WordKey(hash uint32) uint32 { return mix('V', hash, 0) }

// The table consists of the parameters of the layers as int32; for each bucket of vectors, the number
// of vectors before it as uint32; the number of all vectors as uint32; a two-byte tag for each vector;
// and the vectors, grouped into buckets by the hashes of their keys. A word whose bucket and tag equal
// those of another may get the other's vector, which is rare enough to ignore.
const (
	bucketBits = 13
	buckets    = 1 << bucketBits
)

// bucket returns the bucket of a key, and its tag.
func bucket(key uint32) (of uint32, tag uint16) {
	return searchHash(key) >> (32 - bucketBits), uint16(key)
}

// Layers are the parameters of a net other than its vectors.
type Layers struct {
	Filters [Widths][Filters][]int32 // weights, Dims for each word
	Biases  [Widths][Filters]int32
	Dense   [Hidden][Inputs]int32
	Bias    [Hidden]int32
	Out     [Hidden]int32
	OutBias int32
}

// each calls visit with each parameter, in the order in which a net contains them.
func (l *Layers) each(visit func(*int32)) {
	for w := range Widths {
		for f := range Filters {
			if l.Filters[w][f] == nil {
				l.Filters[w][f] = make([]int32, (w+1)*Dims)
			}
			for k := range l.Filters[w][f] {
				visit(&l.Filters[w][f][k])
			}
			visit(&l.Biases[w][f])
		}
	}
	for h := range Hidden {
		for k := range l.Dense[h] {
			visit(&l.Dense[h][k])
		}
		visit(&l.Bias[h])
		visit(&l.Out[h])
	}
	visit(&l.OutBias)
}

// layerParameters is the number of parameters in the layers of a net.
const layerParameters = Filters*(Dims*Widths*(Widths+1)/2+Widths) + Hidden*(Inputs+2) + 1

// decode returns the decoded layers of a net.
func (n Net) decode() *Layers {
	l, at := new(Layers), 0
	l.each(func(v *int32) {
		*v = int32(uint32At(n.table, at))
		at += 4
	})
	return l
}
