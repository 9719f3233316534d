package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
