//go:build !windows

package lockfile

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// replace writes a file whole or not at all, whenever the process is killed.
func replace(path string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(path, data, mode)
}
