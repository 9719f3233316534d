package app

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

// Recordings opens recordings as a source that can be interrupted. The name - means stdin. count,
// if not nil, returns a reader that counts what is read.
func Recordings(ctx context.Context, names []string, stdin io.Reader, o replay.Options, count func(io.Reader) io.Reader) (scanner.Source, func(), error) {
	type opened struct {
		scanner.Source
		closeAll func()
	}
	src, err := Within(ctx, func() (opened, error) {
		src, closeAll, err := openRecordings(names, stdin, o, count)
		return opened{src, closeAll}, err
	})
	switch {
	case ctx.Err() != nil && src.closeAll == nil: // not open yet
		src.closeAll = func() {}
	case err != nil:
		return nil, nil, err
	}
	return &interruptible{ctx: ctx, name: label(names[0]), src: src.Source}, src.closeAll, nil
}

// label returns the name for a recording in reports.
func label(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// openRecordings opens all files and detects their formats before it reads any of them in full, so
// that a wrong name is reported at once. If there are several files, any file whose content is not
// a recording is skipped and counted, and the others are still read.
func openRecordings(names []string, stdin io.Reader, o replay.Options, count func(io.Reader) io.Reader) (scanner.Source, func(), error) {
	var sources []scanner.Source
	var files []*os.File
	o.Memory = replay.NewMemory()
	closeAll := func() {
		for _, f := range files {
			f.Close()
		}
	}
	var labels []string
	for _, name := range names {
		labels = append(labels, label(name))
	}
	sessions := replay.Sessions(labels)
	for i, name := range names {
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
		o.Session = sessions[i]
		src, err := replay.Open(label(name), r, o)
		if err != nil && len(names) > 1 {
			src, err = replay.Events([]*scanner.Event{{Kind: scanner.SkippedEvent, Reason: fmt.Sprintf("input not read: %v", err),
				Origin: scanner.Origin{File: label(name), Line: 1, Column: 1}}}), nil
		}
		if err != nil {
			closeAll()
			if !errors.Is(err, replay.ErrFormat) {
				err = &IncompleteError{err}
			}
			return nil, nil, err
		}
		sources = append(sources, src)
	}
	return replay.Join(sources...), closeAll, nil
}

// partMark separates a recording's name from its part number; the first part has no number.
const partMark = ".part"

func partName(recording string, n int) string {
	if n == 1 {
		return recording
	}
	return recording + partMark + strconv.Itoa(n)
}

// directories remembers the entries of directories, so that each is read only once.
type directories map[string][]os.DirEntry

// parts returns the numbers of a recording's existing parts after the first.
func (d directories) parts(recording string) (numbers []int) {
	dir, base := filepath.Split(recording)
	dir = cmp.Or(dir, ".")
	if _, known := d[dir]; !known {
		entries, _ := os.ReadDir(dir)
		d[dir] = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !strings.Contains(e.Name(), partMark) })
	}
	for _, entry := range d[dir] {
		number, ok := strings.CutPrefix(entry.Name(), base+partMark)
		n, err := strconv.Atoi(number)
		if ok && err == nil && n > 1 && strconv.Itoa(n) == number && entry.Type().IsRegular() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// WithParts returns recordings with all of their parts, in order. A part missing between two others
// is included, so that its absence is reported; missing parts at the beginning are not, because
// --record-keep deletes the oldest.
func WithParts(recordings []string) (names []string) {
	read := make(directories)
	for _, name := range recordings {
		numbers := read.parts(name)
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

// IncompleteError is an error that prevented a run from inspecting all input.
type IncompleteError struct{ err error }

func (e *IncompleteError) Error() string { return e.err.Error() }
func (e *IncompleteError) Unwrap() error { return e.err }

// Within calls a function that may block, but returns early if the context is done.
func Within[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	got := make(chan result, 1)
	go func() {
		value, err := do()
		got <- result{value, err}
	}()
	select {
	case r := <-got:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, &IncompleteError{context.Cause(ctx)}
	}
}

// interruptible is a source that ends when it is interrupted, even if a read blocks. The input that
// was not read counts as skipped, so that a partial report does not look complete.
type interruptible struct {
	ctx   context.Context
	name  string // name of the input, for the location of the skip
	src   scanner.Source
	ended bool
}

func (s *interruptible) Next() (scanner.Chunk, error) {
	if s.ended {
		return nil, io.EOF
	}
	if s.ctx.Err() == nil {
		chunk, err := Within(s.ctx, s.src.Next)
		if chunk != nil || s.ctx.Err() == nil {
			return chunk, err
		}
	}
	s.ended = true
	return replay.Events([]*scanner.Event{{Kind: scanner.SkippedEvent, Reason: context.Cause(s.ctx).Error() + ": the rest was not read",
		Origin: scanner.Origin{File: s.name, Line: 1, Column: 1}}}).Next()
}
