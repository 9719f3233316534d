package replace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// guardTimeout is how long to wait for another writer.
const guardTimeout = 10 * time.Second

// Turn is the right to write a file: the lock on a guard file, which one writer at a time holds. The
// guard is next to the file, because writers may run as different users, with different home directories
// and caches. A writer removes the guard when done, so that it does not get committed; a guard left
// behind by a killed writer is reused.
type Turn struct {
	guard *flock.Flock
}

// TakeTurn waits until no other mcpscan process is writing the file, and then takes the turn. The path
// of the file must not contain links.
func TakeTurn(ctx context.Context, file string) (*Turn, error) {
	ctx, cancel := context.WithTimeout(ctx, guardTimeout)
	defer cancel()
	path := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".guard")
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // may be a link or pipe
			return nil, fmt.Errorf("locking %s against other writers: %s is not a regular file; remove it", file, path)
		}
		// Other users must be able to open the guard, because they lock the guard itself.
		t := &Turn{flock.New(path, flock.SetPermissions(0o644))}
		held, err := t.guard.TryLockContext(ctx, 20*time.Millisecond)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("another mcpscan is writing %s; try again later", file)
		case errors.Is(err, fs.ErrNotExist): // flock's error names the guard, which users do not know
			return nil, fmt.Errorf("writing %s: the directory %s does not exist; create it first", file, filepath.Dir(file))
		case err != nil:
			return nil, fmt.Errorf("locking %s against other writers: %w", file, err)
		case held && t.current():
			return t, nil
		}
		t.guard.Unlock() // the guard's last holder removed it, so the next writer would lock another file
	}
}

// current reports whether the locked file is still the one that others will find.
func (t *Turn) current() bool {
	mine, err := t.guard.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(t.guard.Path())
	return err == nil && os.SameFile(mine, there)
}

// Release lets the next writer continue. It removes the guard while holding the lock, so that no
// other writer can hold it at that moment. On Windows, a file cannot be removed while it is open,
// so the guard is removed last, or by the writer that has opened it in the meantime.
func (t *Turn) Release() {
	if runtime.GOOS != "windows" {
		os.Remove(t.guard.Path())
	}
	t.guard.Unlock()
	if runtime.GOOS == "windows" {
		os.Remove(t.guard.Path())
	}
}

// WithoutLinks resolves the links in the path of a file, which need not exist yet, so that
// replacing the file does not replace a link to it.
func WithoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
