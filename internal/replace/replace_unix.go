//go:build !windows

// Package replace writes files atomically, and replaces the text between two markers in a document.
package replace

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// File writes a file completely or not at all, even if the process is killed.
func File(path string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(path, data, mode)
}
