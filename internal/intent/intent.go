// Package intent extracts features from sentences, for a classifier that recognizes
// instructions that harm the user: words, word stems, word pairs, and how much of the
// sentence relates to the purpose of the tool. Names and addresses are masked, so that the
// classifier cannot learn them.
package intent

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Place says where a text stands.
type Place struct {
	Kind      PlaceKind
	Tool      []byte                 // folded name of the definition
	Parameter []byte                 // folded name of the parameter that the text describes
	Purpose   []byte                 // folded first sentence of the description that the text does not belong to
	Required  bool                   // the parameter
	Has       func(name []byte) bool // the definition has a parameter of this name
}

// PlaceKind is the kind of place.
type PlaceKind uint8

// The kinds of places.
const (
	Description PlaceKind = iota
	ParameterText
	SchemaText
	Instructions
	OtherText
	Result
)

// Sentence is a part of a text.
type Sentence struct{ Start, End int }

const (
	shortest = 8   // bytes of a sentence that can give an order
	longest  = 600 // bytes beyond which a sentence is cut at a blank
)

// Sentences appends the sentences of a folded text.
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
		switch b := t[i]; {
		case b == '\n':
			add(i)
		case (b == '.' || b == '!' || b == '?' || b == ';') && (i+1 == len(t) || t[i+1] == ' ' || t[i+1] == '\n' || t[i+1] == '"'):
			add(i + 1)
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(t[i:])
			i += size - 1
			if r == '。' || r == '！' || r == '？' || r == '؟' || r == '।' || r == '；' {
				add(i + 1)
			}
		case b == ' ' && i-start > longest:
			add(i)
		}
	}
	add(len(t))
	return dst
}

// Reader turns sentences into features. It is for one goroutine.
type Reader struct {
	tokens   []token
	features []uint32
	purpose  map[uint32]bool
	seen     map[uint32]bool
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

func mix(kind byte, a, b uint32) uint32 {
	h := (uint32(offset) ^ uint32(kind)) * prime
	for _, v := range [2]uint32{a, b} {
		h = (h ^ v&0xff) * prime
		h = (h ^ v>>8&0xff) * prime
		h = (h ^ v>>16&0xff) * prime
		h = (h ^ v>>24) * prime
	}
	return h
}

// Features returns the features of a sentence, each once. The slice is valid until the next call.
func (r *Reader) Features(t []byte, all []Sentence, i int, p *Place) []uint32 {
	s := all[i]
	r.features = r.features[:0]
	if r.seen == nil {
		r.seen = map[uint32]bool{}
	}
	clear(r.seen)
	r.tokenize(t[s.Start:s.End], p)
	kind := uint32(p.Kind)
	if p.Kind != Result {
		kind = 0
	}
	add := func(h uint32) {
		if !r.seen[h] {
			r.seen[h] = true
			r.features = append(r.features, h)
		}
	}
	n := len(r.tokens)
	for k, w := range r.tokens {
		add(mix('w', w.hash, 0))
		if w.stem != 0 {
			add(mix('s', w.stem, 0))
		}
		if k+1 < n {
			next := r.tokens[k+1]
			add(mix('b', w.hash, next.hash))
			if w.stem != 0 || next.stem != 0 {
				add(mix('c', stemOr(w), stemOr(next)))
			}
		}
		if k+2 < n {
			add(mix('k', w.hash, r.tokens[k+2].hash))
			if w.glued {
				add(mix('t', mix('b', w.hash, r.tokens[k+1].hash), r.tokens[k+2].hash))
			}
		}
	}
	if n > 0 {
		add(mix('f', r.tokens[0].hash, kind))
		if n > 1 {
			add(mix('g', r.tokens[0].hash, r.tokens[1].hash))
		}
	}
	add(mix('P', uint32(p.Kind), 0))
	add(mix('L', uint32(bits.Len(uint(n))), kind))
	switch {
	case len(all) == 1:
		add(mix('O', 0, kind))
	case i == 0:
		add(mix('O', 1, kind))
	case i == len(all)-1:
		add(mix('O', 2, kind))
	}
	r.context(t, all, i, p, add)
	return r.features
}

func stemOr(w token) uint32 {
	if w.stem != 0 {
		return w.stem
	}
	return w.hash
}

// context adds how the sentence stands to what the tool is for.
func (r *Reader) context(t []byte, all []Sentence, i int, p *Place, add func(uint32)) {
	if p.Kind == Result {
		return
	}
	if len(p.Parameter) > 0 {
		for _, part := range bytes.FieldsFunc(p.Parameter, func(c rune) bool { return c == '_' || c == '-' || c == '.' }) {
			add(mix('N', hashBytes(offset, part), 0))
		}
		required := uint32(0)
		if p.Required {
			required = 1
		}
		add(mix('Q', required, 0))
	}
	own := p.Purpose
	if p.Kind == Description && i > 0 {
		own = t[all[0].Start:all[0].End]
	}
	if r.purpose == nil {
		r.purpose = map[uint32]bool{}
	}
	clear(r.purpose)
	words := r.tokens
	for _, text := range [2][]byte{own, p.Tool} {
		for _, w := range bytes.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			if len(w) > 3 {
				r.purpose[hashBytes(offset, w[:min(len(w), 5)])] = true
			}
		}
	}
	shared, content := 0, 0
	for _, w := range words {
		if !w.word || w.end-w.start <= 3 {
			continue
		}
		content++
		word := t[all[i].Start+w.start : all[i].Start+w.end]
		if r.purpose[hashBytes(offset, word[:min(len(word), 5)])] {
			shared++
		}
	}
	if content > 0 && (p.Kind != Description || i > 0) {
		add(mix('S', uint32(4*shared/content), uint32(p.Kind)))
	}
}
