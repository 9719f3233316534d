package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcpscan/mcpscan/internal/config"
)

// Dirs returns where to look for configurations: in a directory and, if user is set, in
// the user's directories.
func Dirs(dir string, user bool) config.Dirs {
	d := config.Dirs{GOOS: runtime.GOOS, Project: dir, Getenv: func(string) string { return "" }}
	if !user {
		return d
	}
	d.Getenv = os.Getenv
	d.Home, _ = os.UserHomeDir()
	d.XDGConfig = os.Getenv("XDG_CONFIG_HOME")
	d.AppData, d.LocalAppData, d.ProgramData = os.Getenv("APPDATA"), os.Getenv("LOCALAPPDATA"), os.Getenv("PROGRAMDATA")
	return d
}

// ParseConfig parses a client configuration. It replaces entries wrapped by mcpscan wrap with the
// servers behind the proxy, if they start the running program.
func ParseConfig(path string, data []byte) (*config.File, error) {
	file, err := config.Parse(path, data)
	if err == nil {
		file.SeeThrough(ThisProgram)
	}
	return file, err
}

// ThisProgram reports whether a path is that of the running program. A name alone proves nothing:
// a repository can contain a program called mcpscan.
func ThisProgram(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	own, err := os.Executable()
	if err != nil {
		return false
	}
	a, err1 := os.Stat(own)
	b, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// ErrOverLimit is the error for a file that is too long to inspect.
var ErrOverLimit = errors.New("more bytes than the limit")

// ReadTarget reads a whole file. It rejects devices and pipes, because they may be endless and
// report no reliable size.
func ReadTarget(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name) // opening a pipe would wait for its writer
	if err != nil {
		return nil, fmt.Errorf("reading the target: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the target: %s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the target: %w", err)
	}
	defer f.Close()
	return readAtMost(f, info.Size(), limit)
}

// readAtMost reads a target of at most limit bytes. size is its reported size, used to allocate
// the buffer once.
func readAtMost(r io.Reader, size, limit int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, limit, 200<<20)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r, min(limit, 1<<40)+1))
	data := b.Bytes()
	if err != nil {
		return nil, fmt.Errorf("reading the target: %w", err)
	}
	if int64(len(data)) > min(limit, 1<<40) {
		return nil, fmt.Errorf("a file has %w of %d (--max-message)", ErrOverLimit, limit)
	}
	return data, nil
}
