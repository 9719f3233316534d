package learn

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// vector is the published vector of a word, in units of 1/vectorUnit.
type vector [vectorSize]int8

const (
	vectorSize = 100
	vectorUnit = 64
)

// LoadVectors reads corpus/vectors.bin, which contains the FNV-1a hash and the vector of each word,
// and returns the vectors by WordKey.
func LoadVectors(path string) (map[uint32]*vector, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const size = 4 + vectorSize
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%s: %d bytes: expected %d for each word", path, len(data), size)
	}
	vectors := make(map[uint32]*vector, len(data)/size)
	for ; len(data) > 0; data = data[size:] {
		v := new(vector)
		for k := range v {
			v[k] = int8(data[4+k])
		}
		vectors[intent.WordKey(binary.LittleEndian.Uint32(data))] = v
	}
	return vectors, nil
}
