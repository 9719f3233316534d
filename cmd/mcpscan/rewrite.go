package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpscan/mcpscan/internal/replace"
)

// backupSuffix is the end of the name of a backup. No client reads such a file.
const backupSuffix = ".mcpscan-backup"

// rewriteFile replaces a file whole or not at all, unless somebody changed it since it was
// read. Where a backup is wanted and there is none, it keeps what the file was; one that
// is there is that of an earlier time, and stays. Links stay links.
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
		return "", errors.New("it is read-only; make it writable first: chmod u+w")
	}
	if err := unchangedSince(real, before); err != nil {
		return "", err
	}
	if keep {
		if backup, err = backUp(real+backupSuffix, before, info.Mode().Perm()); err != nil {
			return "", fmt.Errorf("writing its backup: %w", err)
		}
	}
	if err := unchangedSince(real, before); err != nil { // the backup took time
		return "", err
	}
	return backup, replace.File(real, after, info.Mode().Perm())
}

// unchangedSince reports a file that is not what was read of it: its client may be writing it.
func unchangedSince(path string, before []byte) error {
	now, err := readTarget(path, int64(len(before)))
	if err != nil || !bytes.Equal(now, before) {
		return errors.New("it was changed meanwhile; close the client that writes it, and try again")
	}
	return nil
}

// backUp writes a backup if there is none, for the same readers as the file.
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
