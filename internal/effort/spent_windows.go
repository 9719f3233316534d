package effort

import (
	"syscall"
	"time"
)

// spent is the processor time that this process has taken so far.
func spent() time.Duration {
	var created, ended, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(process, &created, &ended, &kernel, &user)
	}
	if err != nil {
		panic(err) // the process can always ask about itself
	}
	units := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) } // of 100 ns
	return time.Duration(100 * (units(kernel) + units(user)))
}
