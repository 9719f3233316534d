package shapes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Work sums the counters that a program built with `go build -cover -covermode=count` left in a
// directory: how often its statement blocks were executed. This measures the work of a run
// independently of other load on the machine.
func Work(dir string) (uint64, error) {
	names, err := filepath.Glob(filepath.Join(dir, "covcounters.*"))
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("no counters in %s: the program is not built with -cover, or was killed", dir)
	}
	var sum uint64
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		n, err := counted(data)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		sum += n
	}
	return sum, nil
}

// The layout of a counter file, as defined by internal/coverage in the Go source.
const (
	fileHeader = 4 + 4 + 16 + 1 + 1 + 6 // magic, version, hash, flavour, byte order, padding
	flavorAt   = 4 + 4 + 16
	uleb128    = 2
)

// counted sums the counters of one run. The file has a header, a segment (header, strings,
// arguments, padding to four bytes, functions) and a footer.
func counted(data []byte) (sum uint64, err error) {
	if len(data) < fileHeader || !bytes.HasPrefix(data, []byte("\x00cwm\x01")) || data[flavorAt] != uleb128 {
		return 0, fmt.Errorf("expected counters of version 1 in ULEB128; internal/shapes has to follow a change of Go's format")
	}
	r := bytes.NewReader(data[fileHeader:])
	var segment struct {
		Functions        uint64
		Strings, Options uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &segment); err != nil {
		return 0, err
	}
	at := fileHeader + 16 + int64(segment.Strings) + int64(segment.Options)
	if _, err := r.Seek((at+3)&^3-fileHeader, io.SeekStart); err != nil {
		return 0, err
	}
	for range segment.Functions {
		n, err := skipTwo(r)
		if err != nil {
			return 0, err
		}
		for range n {
			c, err := binary.ReadUvarint(r)
			if err != nil {
				return 0, err
			}
			sum += c
		}
	}
	return sum, nil
}

// skipTwo reads the number of counters of a function, and skips the two numbers that identify the
// function.
func skipTwo(r io.ByteReader) (counters uint64, err error) {
	for i := range 3 {
		v, err := binary.ReadUvarint(r)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			counters = v
		}
	}
	return counters, nil
}
