package intent

import (
	_ "embed" // the weights
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Model holds a weight for each known feature. Its table is used as it is embedded, without
// decoding it first. All arithmetic is on integers, so that a text gets the same score on every
// machine.
type Model struct{ table string }

// Embedded returns the model that `go run ./internal/intent/train` wrote.
func Embedded() Model { return Model{weights} }

//go:embed weights.bin
var weights string

// Score is a score in units of 1/Unit. The linear model considers a sentence with a score above
// zero more likely to be an attack than not.
type Score int32

// The units of scores and weights.
const (
	Unit       = 1 << 12
	weightUnit = 1 << 4
)

// Group distinguishes definitions from results, which have different thresholds.
type Group int

// The groups of texts.
const (
	Definitions Group = iota
	Results
	Groups
)

// Group returns the group that texts in this kind of location belong to.
func (k PlaceKind) Group() Group {
	if k == Result {
		return Results
	}
	return Definitions
}

// Parameters are the numbers of a model other than feature weights.
type Parameters struct {
	Bias    Score // added to every sentence
	Support Score // added for a finding of a rule that the model does not know

	// For each group: the penalty for each doubling of the number of sentences, the scores above
	// which a sentence is reported at medium and at high, and the score above which a text's high
	// findings from rules that match wording stay high.
	Length, Medium, High, Keep [Groups]Score

	Pass  [Groups]Score // scores above which the net judges a sentence
	Floor Score         // gain of a sentence that the net does not judge
}

// mostDoublings limits how much a text's length lowers the score of a sentence: at most as much as in a
// text of 32 sentences, because an attacker can pad a text to any length. In the training data, 98 % of
// the texts have at most 32 sentences.
const mostDoublings = 5

// Total returns the score of a sentence within its text, lowered for long texts: the more
// sentences, the more likely that one scores high by chance.
func (p *Parameters) Total(sentence Score, sentences int, g Group) Score {
	return sentence - p.Length[g]*Score(min(bits.Len(uint(sentences))-1, mostDoublings))
}

// The table consists of the parameters, the filter, and the slots of a hash table with open
// addressing. A slot holds a two-byte tag from the feature's hash, and the weight. A feature whose
// tag collides with another's gets the other's weight, which is rare enough to ignore.
const (
	headerBytes = 4 * (3 + 5*int(Groups))
	slotsAt     = headerBytes + filterBytes
	slotBytes   = 3
)

// slot returns the slot at which the search for a feature starts, and its tag, which is never 0.
func slot(feature uint32, slots uint32) (at uint32, tag uint16) {
	return uint32(uint64(searchHash(feature)) * uint64(slots) >> 32), uint16(feature) | 0x8000
}

// searchHash returns the hash that determines the slot: the higher the hash, the later the slot.
func searchHash(feature uint32) uint32 { return feature * 2654435761 }

// Parameters returns the parameters of the model.
func (m Model) Parameters() (p Parameters) {
	at := 0
	for _, v := range p.fields() {
		*v = Score(uint32At(m.table, at))
		at += 4
	}
	return p
}

func (p *Parameters) fields() []*Score {
	all := []*Score{&p.Bias, &p.Support, &p.Floor}
	for k := range Groups {
		all = append(all, &p.Length[k], &p.Medium[k], &p.High[k], &p.Keep[k], &p.Pass[k])
	}
	return all
}

// uint32At returns the little-endian number at a position in a table.
func uint32At(table string, at int) uint32 {
	return uint32(table[at]) | uint32(table[at+1])<<8 | uint32(table[at+2])<<16 | uint32(table[at+3])<<24
}

func (m Model) filter() filter { return filter(m.table[headerBytes:slotsAt]) }

func (m Model) slots() uint32 { return uint32(len(m.table)-slotsAt) / slotBytes }

func (m Model) slot(at uint32) string { return m.table[slotsAt+slotBytes*int(at):][:slotBytes] }

// tag returns the tag in a slot, or 0 if it is empty.
func (m Model) tag(at uint32) uint16 {
	s := m.slot(at)
	return uint16(s[0]) | uint16(s[1])<<8
}

// weight returns the weight of a feature in units of 1/weightUnit.
func (m Model) weight(feature uint32) (w int8, known bool) {
	slots := m.slots()
	at, tag := slot(feature, slots)
	for {
		s := m.slot(at)
		switch uint16(s[0]) | uint16(s[1])<<8 {
		case tag:
			return int8(s[2]), true
		case 0:
			return 0, false
		}
		if at++; at == slots {
			at = 0
		}
	}
}

// Of returns the score of a sentence with the given features.
func (m Model) Of(features []uint32) Score {
	sum, known := int64(0), uint64(0)
	for _, f := range features {
		if w, ok := m.weight(f); ok {
			sum += int64(w)
			known++
		}
	}
	return m.score(sum, known)
}

// score returns the score of a sentence from the sum of its weights and the number of its known
// features.
func (m Model) score(sum int64, known uint64) Score {
	return Score(uint32At(m.table, 0)) + normal(sum, known)
}

// Support returns how much the findings of rules in a sentence add to its score.
func (m Model) Support(verdicts []uint32) Score {
	sum := Score(0)
	for _, v := range verdicts {
		if w, ok := m.weight(v); ok {
			sum += Score(w) * (Unit / weightUnit)
		} else {
			sum += Score(uint32At(m.table, 4))
		}
	}
	return sum
}

// normal divides a sum of weights by the square root of their number, so that long sentences weigh
// no more than short ones.
func normal(sum int64, known uint64) Score {
	if known == 0 {
		return 0
	}
	const digits = 8 // fractional bits of the root
	return Score(sum * (Unit / weightUnit << digits) / int64(root(known<<(2*digits))))
}

// root returns the square root of n, rounded down.
func root(n uint64) uint64 {
	x := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}

// Encode returns a model with the given parameters and weights. It is deterministic.
func Encode(p Parameters, weights map[uint32]float64) Model {
	slots := uint32(len(weights)*4/3 + 1)
	table := make([]byte, slotsAt+slotBytes*int(slots))
	p.write(table)
	for _, f := range slices.Sorted(maps.Keys(weights)) {
		at, tag := slot(f, slots)
		taken := false
		for !taken {
			s := table[slotsAt+slotBytes*int(at):][:slotBytes]
			switch binary.LittleEndian.Uint16(s) {
			case 0:
				binary.LittleEndian.PutUint16(s, tag)
				s[2] = byte(int8(max(-math.MaxInt8, min(math.MaxInt8, math.Round(weights[f]*weightUnit)))))
				taken = true
			case tag:
				taken = true // the colliding features share a weight
			}
			if at++; at == slots {
				at = 0
			}
		}
	}
	Model{string(table)}.writeFilter(table[headerBytes:slotsAt])
	return Model{string(table)}
}

func (p Parameters) write(header []byte) {
	header = header[:0]
	for _, v := range p.fields() {
		header = binary.LittleEndian.AppendUint32(header, uint32(*v))
	}
}

// With returns the model with different parameters.
func (m Model) With(p Parameters) Model {
	table := m.Bytes()
	p.write(table)
	return Model{string(table)}
}

// Bytes returns the encoded model.
func (m Model) Bytes() []byte { return []byte(m.table) }
