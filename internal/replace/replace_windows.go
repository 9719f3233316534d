// Package replace writes files atomically, and replaces the text between two markers in a document.
package replace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// File writes a file completely or not at all, provided that renaming over a file on the same
// volume is atomic, which Windows does not guarantee.
func File(path string, data []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
