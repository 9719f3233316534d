// Package intent is a classifier that recognizes instructions that harm the user. It is a linear
// model over a sentence's features: words, word stems, word pairs, and how much of the sentence
// relates to the purpose of the tool. URLs, mail addresses and numbers are masked, and names and
// paths are split into their words, so that the model does not memorize them. Sentences
// that the linear model considers possible attacks are also judged, together with the sentences
// around them and the tool's names and purpose, by small neural nets, which represent words by
// vectors. Package learn trains both.
package intent

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode"
)

// Place describes the location of a text.
type Place struct {
	Kind      PlaceKind
	Tool      []byte                 // folded name of the defined tool, prompt or resource
	Parameter []byte                 // folded name of the parameter that the text describes
	Purpose   []byte                 // folded first sentence of the description, unless the text is the description
	Required  bool                   // the parameter is required
	Has       func(name []byte) bool // reports whether the definition has a parameter of this name
}

// PlaceKind is a kind of location.
type PlaceKind uint8

// The kinds of locations.
const (
	Description PlaceKind = iota
	ParameterText
	SchemaText
	Instructions
	OtherText
	Result
)

// Prose reports whether text in this location consists of sentences. Other text has too few
// features to be classified reliably.
func (k PlaceKind) Prose() bool {
	return k == Description || k == ParameterText || k == Instructions || k == Result
}

// Reader extracts features from sentences. The sentences of a text must be passed to it in order,
// from the first one on. It is not safe for concurrent use.
type Reader struct {
	tokens    []token
	features  []uint32
	places    []span // span of each feature in its sentence; only set if explain is true
	explain   bool
	purpose   map[uint32]bool // hashes of the beginnings of the words in purposeOf
	purposeOf [2][]byte       // a statement of the purpose, and the name of the tool
	seen      set
	raising   []uint32 // features that may raise the score
	model     Model    // the model to which filter belongs
	filter    filter
	recent    [1 << 13]weighed // indexed by the lowest bits of the feature

	// The data for Input, from the last calls of Features or Score.
	input           Input
	serial          uint32 // of the text
	recentWords     [recentSentences]Words
	text            []byte
	at, of          int
	shared, content int
}

// span is a part of a sentence; the zero value means none.
type span struct{ start, end int }

// The hash is FNV-1a.
const (
	offset = 2166136261
	prime  = 16777619
)

func hashBytes(h uint32, b []byte) uint32 {
	for _, c := range b {
		h = (h ^ uint32(c)) * prime
	}
	return h
}

func hashString(s string) uint32 {
	h := uint32(offset)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * prime
	}
	return h
}

// mix combines a kind of feature and two hashes into one hash.
func mix(kind byte, a, b uint32) uint32 {
	const odd1, odd2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	h := (uint64(a)<<32 | uint64(b)) ^ uint64(kind)*odd1
	h = (h ^ h>>32) * odd2
	h = (h ^ h>>32) * odd2
	return uint32(h >> 32)
}

// Features returns the distinct features of sentence i. The slice is valid until the next call.
func (r *Reader) Features(t []byte, all []Sentence, i int, p *Place) []uint32 {
	r.places = r.places[:0]
	r.collect(t, all, i, p)
	r.seen.clear(len(r.features))
	n := 0
	for k, f := range r.features {
		if !r.seen.add(f) {
			continue
		}
		r.features[n] = f
		if r.explain {
			r.places[n] = r.places[k]
		}
		n++
	}
	r.features = r.features[:n]
	return r.features
}

// collect sets features to the features of sentence i, some of them more than once.
func (r *Reader) collect(t []byte, all []Sentence, i int, p *Place) {
	s := all[i]
	if i == 0 {
		r.serial++
	}
	r.text, r.at, r.of, r.shared, r.content = t[s.Start:s.End], i, len(all), 0, 0
	r.tokenize(r.text, p)
	r.phrases()
	kind := uint32(p.Kind)
	if p.Kind != Result {
		kind = 0
	}
	n := len(r.tokens)
	if n > 0 {
		r.add(mix('f', r.tokens[0].hash, kind), 0)
		if n > 1 {
			r.add(mix('g', r.tokens[0].hash, r.tokens[1].hash), 1)
		}
	}
	r.add(mix('P', uint32(p.Kind), 0), -1)
	r.add(mix('L', uint32(bits.Len(uint(n))), kind), -1)
	switch {
	case len(all) == 1:
		r.add(mix('O', 0, kind), -1)
	case i == 0:
		r.add(mix('O', 1, kind), -1)
	case i == len(all)-1:
		r.add(mix('O', 2, kind), -1)
	}
	r.context(t, all, i, p)
}

// phrases sets features to the features of each token, alone and with the next two tokens.
func (r *Reader) phrases() {
	const most = 6 // features of a token
	tokens := r.tokens
	fs := slices.Grow(r.features[:0], most*len(tokens))[:most*len(tokens)]
	n := 0
	for k := range tokens {
		w := &tokens[k]
		fs[n] = mix('w', w.hash, 0)
		n++
		fs[n] = mix('s', w.stem, 0) // overwritten if there is no stem: a branch would be mispredicted too often
		n += has(w.stem)
		r.place(n, k, k)
		if k+1 == len(tokens) {
			break
		}
		next := &tokens[k+1]
		fs[n] = mix('b', w.hash, next.hash)
		n++
		fs[n] = mix('c', stemOr(w), stemOr(next))
		n += has(w.stem | next.stem)
		r.place(n, k, k+1)
		if k+2 == len(tokens) {
			continue
		}
		fs[n] = mix('k', w.hash, tokens[k+2].hash)
		n++
		if w.glued {
			fs[n] = mix('t', mix('b', w.hash, next.hash), tokens[k+2].hash)
			n++
		}
		r.place(n, k, k+2)
	}
	r.features = fs[:n]
}

// has returns 1 if stem is set, that is, not zero, and 0 otherwise.
func has(stem uint32) (n int) {
	if stem != 0 {
		n = 1
	}
	return n
}

// place sets the span of each of the first n features that has none yet. The span reaches from the
// token at first to the token at last, or is zero if last < first.
func (r *Reader) place(n, first, last int) {
	if r.explain {
		r.placeTo(n, first, last)
	}
}

func (r *Reader) placeTo(n, first, last int) {
	var of span
	if last >= first {
		of = span{r.tokens[first].start, r.tokens[last].end}
	}
	for len(r.places) < n {
		r.places = append(r.places, of)
	}
}

// add adds a feature derived from the tokens up to index last, or from no tokens if last is -1.
func (r *Reader) add(feature uint32, last int) {
	r.features = append(r.features, feature)
	r.place(len(r.features), 0, last)
}

func stemOr(w *token) uint32 {
	stem := w.hash
	if w.stem != 0 {
		stem = w.stem
	}
	return stem
}

// context adds features that relate the sentence to the purpose of the tool.
func (r *Reader) context(t []byte, all []Sentence, i int, p *Place) {
	if p.Kind == Result {
		return
	}
	if len(p.Parameter) > 0 {
		for _, part := range bytes.FieldsFunc(p.Parameter, func(c rune) bool { return c == '_' || c == '-' || c == '.' }) {
			r.add(mix('N', hashBytes(offset, part), 0), -1)
		}
		required := uint32(0)
		if p.Required {
			required = 1
		}
		r.add(mix('Q', required, 0), -1)
	}
	r.read(p.purpose(t, all, i), p.Tool)
	for _, w := range r.tokens {
		if !w.word || w.end-w.start <= 3 {
			continue
		}
		r.content++
		word := t[all[i].Start+w.start : all[i].Start+w.end]
		if r.purpose[hashBytes(offset, word[:min(len(word), 5)])] {
			r.shared++
		}
	}
	if r.content > 0 && (p.Kind != Description || i > 0) {
		r.add(mix('S', uint32(4*r.shared/r.content), uint32(p.Kind)), -1)
	}
}

// purpose returns the statement of the purpose that sentence i is compared with, if there is one.
func (p *Place) purpose(t []byte, all []Sentence, i int) []byte {
	if p.Kind == Description && i > 0 {
		return t[all[0].Start:all[0].End]
	}
	return p.Purpose
}

// notInName reports whether c separates the words of a name.
func notInName(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// read sets purpose to the hashes of the first five bytes of each word in a statement of the
// purpose and in a name. It skips words of at most three bytes.
func (r *Reader) read(own, tool []byte) {
	of := &r.purposeOf
	if r.purpose != nil && bytes.Equal(own, of[0]) && bytes.Equal(tool, of[1]) { // true for most texts of a definition
		return
	}
	if r.purpose == nil {
		r.purpose = map[uint32]bool{}
	}
	clear(r.purpose)
	for k, text := range [2][]byte{own, tool} {
		of[k] = append(of[k][:0], text...)
		for w := range bytes.FieldsFuncSeq(text, notInName) {
			if len(w) > 3 {
				r.purpose[hashBytes(offset, w[:min(len(w), 5)])] = true
			}
		}
	}
}
