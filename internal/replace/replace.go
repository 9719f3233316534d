// Package replace writes files atomically, lets processes that write the same file take turns, and
// replaces the text between two markers in a document.
package replace

import "io/fs"

// File writes a file completely or not at all, even if the process is killed.
func File(path string, data []byte, mode fs.FileMode) error {
	return FileIf(path, data, mode, func() error { return nil })
}
