package main

import (
	"context"
	"io"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// incompleteError is an error that kept a run from inspecting everything.
type incompleteError struct{ err error }

func (e *incompleteError) Error() string { return e.err.Error() }
func (e *incompleteError) Unwrap() error { return e.err }

// within runs do, which may block, and returns early if the context ends.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
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
		return none, &incompleteError{context.Cause(ctx)}
	}
}

// interruptible is a source that an interrupt ends even if a read blocks. The unread rest counts
// as skipped, so that a partial report does not look complete.
type interruptible struct {
	ctx    context.Context
	name   string // of the input, for the location of the skip
	pieces <-chan piece
	ended  bool
}

// piece is the result of one call of Next.
type piece struct {
	chunk scanner.Chunk
	err   error
}

// untilInterrupted returns an interruptible source that reads the one returned by open. open may
// block as well.
func untilInterrupted(ctx context.Context, name string, open func() (scanner.Source, error)) (scanner.Source, error) {
	opened := make(chan error, 1)
	pieces := make(chan piece)
	go func() {
		src, err := open()
		opened <- err
		for err == nil {
			var p piece
			p.chunk, p.err = src.Next()
			err = p.err
			select {
			case pieces <- p:
			case <-ctx.Done():
				return
			}
		}
	}()
	select {
	case err := <-opened:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
	}
	return &interruptible{ctx: ctx, name: name, pieces: pieces}, nil
}

func (s *interruptible) Next() (scanner.Chunk, error) {
	if s.ended {
		return nil, io.EOF
	}
	if s.ctx.Err() == nil {
		select {
		case p := <-s.pieces:
			return p.chunk, p.err
		case <-s.ctx.Done():
		}
	}
	s.ended = true
	return replay.Events([]*scanner.Event{{Kind: scanner.SkippedEvent, Reason: context.Cause(s.ctx).Error() + ": the rest was not read",
		Origin: scanner.Origin{File: s.name, Line: 1, Column: 1}}}).Next()
}
