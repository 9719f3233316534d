package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// recordings opens recordings as a source that can be interrupted; - is stdin. count, if not nil,
// returns a reader that counts what is read.
func recordings(ctx context.Context, names []string, stdin io.Reader, o replay.Options, count func(io.Reader) io.Reader) (scanner.Source, func(), error) {
	closers := make(chan func(), 1)
	src, err := untilInterrupted(ctx, label(names[0]), func() (scanner.Source, error) {
		src, closeAll, err := openRecordings(names, stdin, o, count)
		if err == nil {
			closers <- closeAll
		}
		return src, err
	})
	return src, func() {
		select {
		case closeAll := <-closers:
			closeAll()
		default: // still opening
		}
	}, err
}

// label returns the name of a recording in a report.
func label(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// openRecordings detects the formats of all files before reading any, so that a wrong name is
// reported before an hour of work. If there are several, an unreadable one is skipped and counted,
// and the others are still read.
func openRecordings(names []string, stdin io.Reader, o replay.Options, count func(io.Reader) io.Reader) (scanner.Source, func(), error) {
	var sources []scanner.Source
	var files []*os.File
	o.Memory = replay.NewMemory()
	closeAll := func() {
		for _, f := range files {
			f.Close()
		}
	}
	for _, name := range names {
		r := stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				closeAll()
				return nil, nil, fmt.Errorf("opening the recording: %w", err)
			}
			files = append(files, f)
			r = f
		}
		if count != nil {
			r = count(r)
		}
		src, err := replay.Open(label(name), r, o)
		if err != nil && len(names) > 1 {
			src, err = replay.Events([]*scanner.Event{{Kind: scanner.SkippedEvent, Reason: fmt.Sprintf("input not read: %v", err),
				Origin: scanner.Origin{File: label(name), Line: 1, Column: 1}}}), nil
		}
		if err != nil {
			closeAll()
			if !errors.Is(err, replay.ErrFormat) {
				err = &incompleteError{err}
			}
			return nil, nil, err
		}
		sources = append(sources, src)
	}
	return replay.Join(sources...), closeAll, nil
}

// partMark separates the name of a recording from the part number, from the second part on.
const partMark = ".part"

func partName(recording string, n int) string {
	if n == 1 {
		return recording
	}
	return recording + partMark + strconv.Itoa(n)
}

// partsOf returns the numbers of a recording's existing parts after the first.
func partsOf(recording string) (numbers []int) {
	dir, base := filepath.Split(recording)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		number, ok := strings.CutPrefix(entry.Name(), base+partMark)
		n, err := strconv.Atoi(number)
		if ok && err == nil && n > 1 && strconv.Itoa(n) == number && entry.Type().IsRegular() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// withParts returns recordings with all of their parts, in order. It includes a part that is
// missing between two others, so that its absence is reported. The oldest parts may have been
// deleted.
func withParts(recordings []string) (names []string) {
	for _, name := range recordings {
		numbers := partsOf(name)
		if _, err := os.Stat(name); err == nil || len(numbers) == 0 || name == "-" {
			names = append(names, name)
			if len(numbers) == 0 || name == "-" {
				continue
			}
			numbers = append([]int{1}, numbers...)
		}
		for i, n := range numbers {
			if i > 0 && n > numbers[i-1]+1 {
				names = append(names, partName(name, n-1))
			}
			if n > 1 {
				names = append(names, partName(name, n))
			}
		}
	}
	return names
}
