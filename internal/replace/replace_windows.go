package replace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// FileIf is like File, but calls check when only the renaming is left to do. If check returns an
// error, the file stays as it is. Windows does not guarantee that renaming over a file on the same
// volume is atomic.
func FileIf(path string, data []byte, mode fs.FileMode, check func() error) (err error) {
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
	if err = check(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
