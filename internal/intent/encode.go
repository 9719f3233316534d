package intent

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// EncodeNet returns a net with the given layers, whose numbers are in integer units, and the given
// word vectors, indexed by key. It is deterministic.
func EncodeNet(l *Layers, vectors map[uint32][Dims]float32) Net {
	var table []byte
	l.each(func(v *int32) { table = binary.LittleEndian.AppendUint32(table, uint32(*v)) })
	slots := uint32(len(vectors)*4/3 + 1)
	table = binary.LittleEndian.AppendUint32(table, slots)
	first := len(table)
	table = append(table, make([]byte, netSlot*int(slots))...)
	for _, key := range slices.Sorted(maps.Keys(vectors)) {
		at, tag := slot(key, slots)
		for {
			s := table[first+netSlot*int(at):][:netSlot]
			if of := binary.LittleEndian.Uint16(s); of == tag {
				break // the colliding keys share a vector
			} else if of == 0 {
				binary.LittleEndian.PutUint16(s, tag)
				for k, v := range vectors[key] {
					s[2+k] = byte(int8(max(-math.MaxInt8, min(math.MaxInt8, rounded(v, vectorUnit)))))
				}
				break
			}
			if at++; at == slots {
				at = 0
			}
		}
	}
	return Net{string(table)}
}

func rounded(v float32, unit float64) int32 { return int32(math.Round(float64(v) * unit)) }

// FilterWeight, DenseWeight and OutWeight convert a trained weight to the integer unit of its
// layer; the other functions do the same for biases.
func FilterWeight(v float32) int32 { return rounded(v, filterUnit) }
func FilterBias(v float32) int32   { return rounded(v, vectorUnit*filterUnit) }
func DenseWeight(v float32) int32  { return rounded(v, denseUnit) }
func DenseBias(v float32) int32    { return rounded(v, denseUnit*contextUnit) }
func OutBias(v float32) int32      { return rounded(v, contextUnit*denseUnit*denseUnit) }

// Bytes returns the encoded net.
func (n Net) Bytes() []byte { return []byte(n.table) }
