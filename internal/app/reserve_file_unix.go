//go:build unix

package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// exclusive reserves an open file for this process until the file is closed. It returns false if
// another process has reserved it.
func exclusive(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK
}
