//go:build !windows

package replace

import (
	"errors"
	"io/fs"
	"os"

	"github.com/google/renameio/v2"
)

// FileIf is like File, but calls check when only the renaming is left to do. If check returns an
// error, the file stays as it is.
func FileIf(path string, data []byte, mode fs.FileMode, check func() error) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(mode), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer f.Cleanup() // has nothing left to remove after the renaming
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path) // CloseAtomicallyReplace would first wait for the disk, and the check would be out of date
}
