package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// signalled is the cause of a run ended by a signal.
type signalled struct{ signal os.Signal }

func (s *signalled) Error() string { return "interrupted" }

// exitCode returns the code that a shell reports for a process killed by the signal.
func (s *signalled) exitCode() int {
	if number, ok := s.signal.(syscall.Signal); ok {
		return exitSignalled + int(number)
	}
	return exitIncomplete
}

// timeUp is the context's cancellation cause when a run exceeds its time limit.
type timeUp struct{ limit time.Duration }

func (t *timeUp) Error() string {
	return fmt.Sprintf("time limit reached (--max-time %s)", t.limit)
}

// limit returns a context that ends when the run's time is up.
func (f *engineFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.MaxTime <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.MaxTime, &timeUp{f.MaxTime})
	f.late = func() bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }
	return ctx, cancel
}

// untilSignal returns a context that ends on the first Ctrl-C or SIGTERM, or when the terminal
// closes unless nohup is in effect. A second signal ends the process at once.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	received := make(chan os.Signal, 1)
	signal.Notify(received, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(received, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		select {
		case s := <-received:
			cancel(&signalled{s})
			signal.Stop(received)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		close(done)
		cancel(nil)
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
	return single{&scanner.Event{Kind: scanner.SkippedEvent, Reason: context.Cause(s.ctx).Error() + ": the rest was not read",
		Origin: scanner.Origin{File: s.name, Line: 1, Column: 1}}}, nil
}

// recordings opens recordings as a source that can be interrupted.
func recordings(ctx context.Context, names []string, std streams, o replay.Options) (scanner.Source, func(), error) {
	return countedRecordings(ctx, names, std, o, nil)
}

// countedRecordings is like recordings, and shows in bar how much was read.
func countedRecordings(ctx context.Context, names []string, std streams, o replay.Options, bar *progress) (scanner.Source, func(), error) {
	closers := make(chan func(), 1)
	src, err := untilInterrupted(ctx, label(names[0]), func() (scanner.Source, error) {
		src, closeAll, err := openRecordings(names, std, o, bar)
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
		return none, &exitError{exitIncomplete, context.Cause(ctx)}
	}
}
