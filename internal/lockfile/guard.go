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

// patience is how long another writer is waited for.
const patience = 10 * time.Second

// guard is what writers of one lockfile take turns by. It lies beside the lockfile, because
// that is the one place that all of them share: users, homes and caches differ. It is
// removed when its writer is done, so that nobody commits it; one that a killed writer
// left behind is used again.
type guard struct {
	file *flock.Flock
}

// guardPath is the path of a lockfile's guard.
func guardPath(lockfile string) string {
	return filepath.Join(filepath.Dir(lockfile), "."+filepath.Base(lockfile)+".guard")
}

// takeTurn waits until no other writer holds the guard of a lockfile. The lockfile is named
// without links.
func takeTurn(ctx context.Context, lockfile string) (*guard, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	path := guardPath(lockfile)
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // opening it would follow a link, or wait
			return nil, fmt.Errorf("locking %s against other writers: %s is not a regular file; remove it", lockfile, path)
		}
		// Other users must be able to open it: the lock is on the file, not its content.
		g := &guard{flock.New(path, flock.SetPermissions(0o644))}
		held, err := g.file.TryLockContext(ctx, 20*time.Millisecond)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("another mcpscan is writing %s; try again later", lockfile)
		case errors.Is(err, fs.ErrNotExist): // flock names the guard, which nobody asked for
			return nil, fmt.Errorf("writing %s: the directory %s does not exist; create it first", lockfile, filepath.Dir(lockfile))
		case err != nil:
			return nil, fmt.Errorf("locking %s against other writers: %w", lockfile, err)
		case held && g.current():
			return g, nil
		}
		g.file.Unlock() // its last holder has removed it: the next writer holds another file
	}
}

// current reports whether the file that is held is the one that others will find.
func (g *guard) current() bool {
	mine, err := g.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(g.file.Path())
	return err == nil && os.SameFile(mine, there)
}

// release lets the next writer continue. It removes the file while holding the lock, so that
// nobody else can hold it at that moment; on Windows an open file stays.
func (g *guard) release() {
	os.Remove(g.file.Path())
	g.file.Unlock()
}

// withoutLinks returns the path of a lockfile that need not exist yet. A link stays a link
// when its target is replaced.
func withoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
