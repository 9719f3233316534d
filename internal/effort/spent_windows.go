package effort

import (
	"syscall"
	"time"
)

// spent returns the processor time of this process so far.
func spent() time.Duration {
	var created, ended, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(process, &created, &ended, &kernel, &user)
	}
	if err != nil {
		panic(err) // a process may always query itself
	}
	units := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) } // in units of 100 ns
	return time.Duration(100 * (units(kernel) + units(user)))
}
