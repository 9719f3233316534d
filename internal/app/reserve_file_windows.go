package app

import (
	"os"

	"golang.org/x/sys/windows"
)

// exclusive reserves an open file for this process until the file is closed. It returns false if
// another process has reserved it. It locks a byte beyond the end of any file, because no other process
// or handle can write to a byte that is locked.
func exclusive(f *os.File) bool {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	return err != windows.ERROR_LOCK_VIOLATION
}
