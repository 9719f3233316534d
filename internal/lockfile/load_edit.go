package lockfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mcpscan/mcpscan/internal/replace"
)

// Load reads a lockfile. If it does not exist, Load returns an empty File and an error that wraps
// fs.ErrNotExist.
func Load(path string) (*File, error) {
	info, err := os.Stat(path) // opening a pipe would block until it has a writer
	if err != nil {
		return &File{Path: path, Servers: map[string]*Server{}}, fmt.Errorf("opening the lockfile: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening the lockfile: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the lockfile: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the lockfile: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes, the limit for a lockfile", path, MaxBytes)
	}
	return Parse(path, data)
}

// Unchanged returns an error if the content of f differs from that of before, which was read earlier.
func (f *File) Unchanged(before *File) error {
	if bytes.Equal(f.data, before.data) {
		return nil
	}
	return fmt.Errorf("%s was changed while the servers ran, perhaps by one of them; nothing was written: review the changes, then run mcpscan lock again", f.Path)
}

// Edit reads a lockfile, calls edit to change it, and writes it atomically, while keeping other
// mcpscan processes from writing it. If edit fails, the file is left unchanged. If the file does
// not exist, Edit creates it if create is true. Edit reports whether the file changed.
func Edit(ctx context.Context, path string, create bool, edit func(*File) error) (changed bool, err error) {
	real := replace.WithoutLinks(path)
	turn, err := replace.TakeTurn(ctx, real)
	if err != nil {
		return false, err
	}
	defer turn.Release()
	f, err := Load(real)
	if err != nil && (!create || !errors.Is(err, fs.ErrNotExist)) {
		return false, err
	}
	f.Path = path
	if err := edit(f); err != nil {
		return false, err
	}
	data, err := f.Format()
	if err != nil {
		return false, fmt.Errorf("writing %s: %w", path, err)
	}
	if f.data != nil && string(data) == string(f.data) {
		return false, nil
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(real); err == nil {
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return false, fmt.Errorf("writing %s: the file is read-only; make it writable first: chmod u+w", path)
		}
	}
	if err := replace.File(real, data, mode); err != nil {
		return false, fmt.Errorf("writing %s: %w; the old file is unchanged", path, err)
	}
	return true, nil
}
