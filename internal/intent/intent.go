// Package intent is a classifier that recognizes instructions that harm the user. It is linear,
// over the features of a sentence: words, word stems, word pairs, and how much of the sentence
// relates to the purpose of the tool. Names and addresses are masked, so that it cannot learn them.
// Sentences that the linear model considers possible attacks are also judged by a small neural net,
// which represents words by vectors. Package learn trains both.
package intent

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

// Place describes the location of a text.
type Place struct {
	Kind      PlaceKind
	Tool      []byte                 // folded name of the defined tool, prompt or resource
	Parameter []byte                 // folded name of the parameter that the text describes
	Purpose   []byte                 // folded first sentence of the description, if t is not part of it
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

// Prose reports whether text in this location consists of sentences. Elsewhere the classifier has
// little to go by.
func (k PlaceKind) Prose() bool {
	return k == Description || k == ParameterText || k == Instructions || k == Result
}

// Sentence is the span of a sentence in a text.
type Sentence struct{ Start, End int }

const (
	shortest = 8   // minimum bytes of a sentence that can be an instruction
	longest  = 600 // bytes beyond which a sentence is cut at a space
)

// Sentences appends the sentences of folded text t to dst.
func Sentences(dst []Sentence, t []byte) []Sentence {
	start := 0
	add := func(end int) {
		for start < end && (t[start] == ' ' || t[start] == '\n' || t[start] == '\t') {
			start++
		}
		if end-start >= shortest {
			dst = append(dst, Sentence{start, end})
		}
		start = end
	}
	for i := 0; i < len(t); i++ {
		if !mayEnd[t[i]] {
			continue
		}
		switch b := t[i]; {
		case b == ' ':
			if i-start > longest {
				add(i)
			}
		case b == '\n':
			add(i)
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(t[i:])
			i += size - 1
			if r == '。' || r == '！' || r == '？' || r == '؟' || r == '।' || r == '；' {
				add(i + 1)
			}
		case i+1 == len(t) || t[i+1] == ' ' || t[i+1] == '\n' || t[i+1] == '"':
			add(i + 1)
		}
	}
	add(len(t))
	return dst
}

// mayEnd marks the bytes at which a sentence can end.
var mayEnd = func() (t [256]bool) {
	for b := range t {
		t[b] = b >= utf8.RuneSelf || b == ' ' || b == '\n' || b == '.' || b == '!' || b == '?' || b == ';'
	}
	return t
}()

// Around returns the number of sentences in the text that p was decoded from, or 0 if it was not
// decoded.
func Around(p *scanner.TextPass) int {
	if p.Via == "" {
		return 0
	}
	return p.CountWhole(func(t []byte) int { return len(Sentences(nil, t)) })
}

// Reader extracts features from sentences. It is not safe for concurrent use.
type Reader struct {
	tokens    []token
	features  []uint32
	places    []span // span in the sentence of each feature; only set if explain is true
	explain   bool
	purpose   map[uint32]bool // the beginnings of the words of purposeOf
	purposeOf [2][]byte       // a statement of the purpose, and the name of the tool
	seen      set
	scoring   bool  // collect all features; weigh drops repeated ones
	model     Model // the model of the filter, and of the weights in seen
	filter    *filter

	// The data for Input, from the last call of Features.
	input           Input
	text            []byte
	at, of          int
	shared, content int
}

// span is a part of a sentence; the zero value means none.
type span struct{ start, end int }

// set holds the features of one sentence. Starting a new round empties it, but keeps the weights
// of its features until other features take their slots, because most features are common.
type set struct {
	slots [setSlots]slotted
	round uint32
}

type slotted struct {
	feature, round uint32
	weight         int8
	weighed        bool // weight and known are set
	known          bool // the model knows the feature
}

// setSlots is more than twice the maximum number of features of a sentence.
const setSlots = 1 << 13

// add adds a feature and returns its slot, or nil if the set already contains it.
func (s *set) add(f uint32) *slotted {
	for i := f; ; i++ {
		slot := &s.slots[i%setSlots]
		switch {
		case slot.feature == f && slot.round == s.round:
			return nil
		case slot.feature == f:
			slot.round = s.round
			return slot
		case slot.round != s.round:
			*slot = slotted{feature: f, round: s.round}
			return slot
		}
	}
}

func (s *set) clear() {
	if s.round++; s.round == 0 {
		*s = set{round: 1}
	}
}

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

func hashString(h uint32, s string) uint32 {
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * prime
	}
	return h
}

// mix returns the hash of a kind of feature and two hashes.
func mix(kind byte, a, b uint32) uint32 {
	const odd1, odd2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	h := (uint64(a)<<32 | uint64(b)) ^ uint64(kind)*odd1
	h = (h ^ h>>32) * odd2
	h = (h ^ h>>32) * odd2
	return uint32(h >> 32)
}

// Features returns the distinct features of sentence i. The slice is valid until the next call.
func (r *Reader) Features(t []byte, all []Sentence, i int, p *Place) []uint32 {
	s := all[i]
	r.features, r.places = r.features[:0], r.places[:0]
	r.seen.clear()
	r.text, r.at, r.of, r.shared, r.content = t[s.Start:s.End], i, len(all), 0, 0
	r.tokenize(r.text, p)
	kind := uint32(p.Kind)
	if p.Kind != Result {
		kind = 0
	}
	n := len(r.tokens)
	for k, w := range r.tokens {
		r.add(mix('w', w.hash, 0), k, k)
		if w.stem != 0 {
			r.add(mix('s', w.stem, 0), k, k)
		}
		if k+1 < n {
			next := r.tokens[k+1]
			r.add(mix('b', w.hash, next.hash), k, k+1)
			if w.stem != 0 || next.stem != 0 {
				r.add(mix('c', stemOr(w), stemOr(next)), k, k+1)
			}
		}
		if k+2 < n {
			r.add(mix('k', w.hash, r.tokens[k+2].hash), k, k+2)
			if w.glued {
				r.add(mix('t', mix('b', w.hash, r.tokens[k+1].hash), r.tokens[k+2].hash), k, k+2)
			}
		}
	}
	if n > 0 {
		r.add(mix('f', r.tokens[0].hash, kind), 0, 0)
		if n > 1 {
			r.add(mix('g', r.tokens[0].hash, r.tokens[1].hash), 0, 1)
		}
	}
	r.add(mix('P', uint32(p.Kind), 0), 0, -1)
	r.add(mix('L', uint32(bits.Len(uint(n))), kind), 0, -1)
	switch {
	case len(all) == 1:
		r.add(mix('O', 0, kind), 0, -1)
	case i == 0:
		r.add(mix('O', 1, kind), 0, -1)
	case i == len(all)-1:
		r.add(mix('O', 2, kind), 0, -1)
	}
	r.context(t, all, i, p)
	return r.features
}

// add adds a feature derived from tokens first to last, or from no tokens if last < first.
func (r *Reader) add(feature uint32, first, last int) {
	if r.scoring {
		r.features = append(r.features, feature)
		return
	}
	if r.seen.add(feature) == nil {
		return
	}
	r.features = append(r.features, feature)
	if r.explain {
		var of span
		if last >= first {
			of = span{r.tokens[first].start, r.tokens[last].end}
		}
		r.places = append(r.places, of)
	}
}

// weigh returns the sum of the weights of the distinct features, and the number of known ones.
// Features that the filter rules out are dropped first, in a loop without branches, so that the
// processor waits for many of them at once.
func (r *Reader) weigh() (sum int64, known uint64) {
	may := 0
	for _, f := range r.features {
		r.features[may] = f
		may += r.model.mayKnow(r.filter, f)
	}
	for _, f := range r.features[:may] {
		slot := r.seen.add(f)
		if slot == nil {
			continue
		}
		if !slot.weighed {
			slot.weight, slot.known = r.model.weight(f)
			slot.weighed = true
		}
		if slot.known {
			sum += int64(slot.weight)
			known++
		}
	}
	return sum, known
}

// Score returns the score of sentence i, which is that of its features: m.Of(r.Features(…)).
func (r *Reader) Score(m Model, t []byte, all []Sentence, i int, p *Place) Score {
	if r.model != m {
		r.model, r.filter, r.seen = m, m.filter(), set{}
	}
	r.scoring = true
	r.Features(t, all, i, p)
	r.scoring = false
	return m.score(r.weigh())
}

func stemOr(w token) uint32 {
	if w.stem != 0 {
		return w.stem
	}
	return w.hash
}

// context adds features that relate the sentence to the purpose of the tool.
func (r *Reader) context(t []byte, all []Sentence, i int, p *Place) {
	if p.Kind == Result {
		return
	}
	if len(p.Parameter) > 0 {
		for _, part := range bytes.FieldsFunc(p.Parameter, func(c rune) bool { return c == '_' || c == '-' || c == '.' }) {
			r.add(mix('N', hashBytes(offset, part), 0), 0, -1)
		}
		required := uint32(0)
		if p.Required {
			required = 1
		}
		r.add(mix('Q', required, 0), 0, -1)
	}
	own := p.Purpose
	if p.Kind == Description && i > 0 {
		own = t[all[0].Start:all[0].End]
	}
	r.read(own, p.Tool)
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
		r.add(mix('S', uint32(4*r.shared/r.content), uint32(p.Kind)), 0, -1)
	}
}

// read sets purpose to the beginnings of the words of a statement and a name.
func (r *Reader) read(own, tool []byte) {
	of := &r.purposeOf
	if r.purpose != nil && bytes.Equal(own, of[0]) && bytes.Equal(tool, of[1]) { // as for most texts of a definition
		return
	}
	if r.purpose == nil {
		r.purpose = map[uint32]bool{}
	}
	clear(r.purpose)
	for k, text := range [2][]byte{own, tool} {
		of[k] = append(of[k][:0], text...)
		for _, w := range bytes.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			if len(w) > 3 {
				r.purpose[hashBytes(offset, w[:min(len(w), 5)])] = true
			}
		}
	}
}
