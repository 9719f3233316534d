//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// unread reports whether the reader of a pipe is gone. For a writer that is not a pipe, it
// returns false.
func unread(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLNVAL) != 0
}
