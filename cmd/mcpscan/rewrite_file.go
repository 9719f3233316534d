package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/replace"
)

// backupSuffix is the file name suffix of a backup. Clients do not read files with this suffix.
const backupSuffix = ".mcpscan-backup"

// rewriteFile atomically replaces a file unless it has changed since it was read. If keep is set,
// it first writes a backup, unless one exists. Links stay links. A program that writes the file
// between the last check and the renaming loses its change, because no system call compares and
// renames.
func rewriteFile(path string, before, after []byte, keep bool) (backup string, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return "", errors.New("the file is read-only; make it writable first: chmod u+w")
	}
	if err := unchangedSince(real, before); err != nil {
		return "", err
	}
	if keep {
		if backup, err = backUp(real+backupSuffix, before, info.Mode().Perm()); err != nil {
			return "", fmt.Errorf("writing its backup: %w", err)
		}
	}
	err = replace.FileIf(real, after, info.Mode().Perm(), func() error { return unchangedSince(real, before) })
	if err != nil && backup != "" { // the file was not edited, so it needs no backup
		os.Remove(backup)
		backup = ""
	}
	return backup, err
}

// unchangedSince returns an error if a file no longer has the content that was read: a client may have
// written it since.
func unchangedSince(path string, before []byte) error {
	now, err := app.ReadTarget(path, int64(len(before)))
	if err != nil || !bytes.Equal(now, before) {
		return errors.New("the file changed in the meantime; close the client that writes it, and try again")
	}
	return nil
}

// backUp writes a backup, with the file's permissions, if there is none.
func backUp(path string, data []byte, mode fs.FileMode) (written string, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
		return "", err
	}
	return path, nil
}
