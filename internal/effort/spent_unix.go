//go:build unix

package effort

import (
	"syscall"
	"time"
)

// spent is the processor time that this process has taken so far.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no error but a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
