package intent

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// EncodeNet returns a net with the given layers, whose parameters are already integers, and the
// given word vectors, by key. It is deterministic.
func EncodeNet(l *Layers, vectors map[uint32][Dims]float32) Net {
	var table []byte
	l.each(func(v *int32) { table = binary.LittleEndian.AppendUint32(table, uint32(*v)) })
	keys := slices.SortedFunc(maps.Keys(vectors), func(a, b uint32) int { return cmp.Compare(searchHash(a), searchHash(b)) })
	for b := range uint32(buckets + 1) {
		start, _ := slices.BinarySearchFunc(keys, b, func(key, b uint32) int {
			in, _ := bucket(key)
			return cmp.Compare(in, b)
		})
		table = binary.LittleEndian.AppendUint32(table, uint32(start))
	}
	for _, key := range keys {
		_, tag := bucket(key)
		table = binary.LittleEndian.AppendUint16(table, tag)
	}
	for _, key := range keys {
		for _, v := range vectors[key] {
			table = append(table, byte(int8(max(-math.MaxInt8, min(math.MaxInt8, rounded(v, vectorUnit))))))
		}
	}
	return Net{string(table)}
}

func rounded(v float32, unit float64) int32 { return int32(math.Round(float64(v) * unit)) }

// FilterWeight and DenseWeight convert a trained weight to the integer unit of its layer, and
// FilterBias, DenseBias and OutBias convert a bias. The weights of the output layer have the unit
// of DenseWeight.
func FilterWeight(v float32) int32 { return rounded(v, filterUnit) }
func FilterBias(v float32) int32   { return rounded(v, vectorUnit*filterUnit) }
func DenseWeight(v float32) int32  { return rounded(v, denseUnit) }
func DenseBias(v float32) int32    { return rounded(v, denseUnit*contextUnit) }
func OutBias(v float32) int32      { return rounded(v, contextUnit*denseUnit*denseUnit) }

// Bytes returns the encoded net.
func (n Net) Bytes() []byte { return []byte(n.table) }
