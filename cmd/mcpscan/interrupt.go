package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalled is the context's cancellation cause when a signal ends a run.
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

// untilSignal returns a context that ends on the first Ctrl-C or SIGTERM, or, without nohup, when
// the terminal closes. A second signal ends the process at once.
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

// surviveClosedStreams makes writes to standard output and standard error return an error if the
// reader is gone; by default, they end the process. It catches SIGPIPE instead of ignoring it,
// because the processes that we start would inherit an ignored signal.
func surviveClosedStreams() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
