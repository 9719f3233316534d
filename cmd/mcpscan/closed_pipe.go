package main

import (
	"os"
	"os/signal"
	"syscall"
)

// surviveClosedStreams makes writes to standard output and standard error return an error if the
// reader is gone; by default, they end the process. It catches SIGPIPE instead of ignoring it,
// because the processes that we start would inherit an ignored signal.
func surviveClosedStreams() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
