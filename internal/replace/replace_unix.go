//go:build !windows

// Package replace writes a file whole or not at all.
package replace

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// File writes a file whole or not at all, whenever the process is killed.
func File(path string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(path, data, mode)
}
