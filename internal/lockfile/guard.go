package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// guardTimeout is how long to wait for another writer.
const guardTimeout = 10 * time.Second

// guard is the lock that writers of a lockfile hold in turn. It is next to the lockfile, because
// writers may run as different users, with different home directories and caches. A writer removes
// it when done, so that it does not get committed; a guard left behind by a killed writer is
// reused.
type guard struct {
	file *flock.Flock
}

// guardPath returns the path of a lockfile's guard.
func guardPath(lockfile string) string {
	return filepath.Join(filepath.Dir(lockfile), "."+filepath.Base(lockfile)+".guard")
}

// takeTurn waits until no other writer holds the guard of a lockfile, whose path must not contain
// links.
func takeTurn(ctx context.Context, lockfile string) (*guard, error) {
	ctx, cancel := context.WithTimeout(ctx, guardTimeout)
	defer cancel()
	path := guardPath(lockfile)
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // may be a link or pipe
			return nil, fmt.Errorf("locking %s against other writers: %s is not a regular file; remove it", lockfile, path)
		}
		// Other users must be able to open it, because the lock is on the file itself.
		g := &guard{flock.New(path, flock.SetPermissions(0o644))}
		held, err := g.file.TryLockContext(ctx, 20*time.Millisecond)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("another mcpscan is writing %s; try again later", lockfile)
		case errors.Is(err, fs.ErrNotExist): // flock's error names the guard, which users do not know
			return nil, fmt.Errorf("writing %s: the directory %s does not exist; create it first", lockfile, filepath.Dir(lockfile))
		case err != nil:
			return nil, fmt.Errorf("locking %s against other writers: %w", lockfile, err)
		case held && g.current():
			return g, nil
		}
		g.file.Unlock() // its last holder removed it, so the next writer would lock another file
	}
}

// current reports whether the locked file is still the one that others will find.
func (g *guard) current() bool {
	mine, err := g.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(g.file.Path())
	return err == nil && os.SameFile(mine, there)
}

// release lets the next writer continue. It removes the file while holding the lock, so that no
// other writer can hold it at that moment. On Windows, an open file cannot be removed, so it
// remains.
func (g *guard) release() {
	os.Remove(g.file.Path())
	g.file.Unlock()
}

// withoutLinks resolves the links in the path of a lockfile, which need not exist yet, so that
// replacing the file does not replace a link to it.
func withoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
