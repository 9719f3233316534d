package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// Recording is the file written by --record. After a write error, the scan continues without it,
// because a full disk must not end the inspection of a server.
type Recording struct {
	to   *replay.Recorder // nil if there is nothing (more) to write
	file *os.File
	err  error
}

var errRecordStdout = errors.New("--record -: standard output carries other data; expected a file name")

// OpenRecording creates the --record file, accessible only to its owner because it contains
// everything that servers send.
func OpenRecording(name string) (*Recording, error) {
	if name == "" {
		return &Recording{}, nil
	}
	if name == "-" {
		return nil, errRecordStdout
	}
	f, err := openPrivate(name, os.O_TRUNC)
	if err != nil {
		return nil, fmt.Errorf("creating the recording: %w", err)
	}
	return &Recording{to: replay.NewRecorder(f, name), file: f}, nil
}

// openPrivate opens a file that only its owner may read, and creates it if it does not exist. It
// removes other users' access to an existing file, except on file systems without modes.
func openPrivate(name string, how int) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|how, 0o600)
	if err != nil {
		return nil, err
	}
	if is, err := f.Stat(); err == nil && is.Mode().IsRegular() && is.Mode().Perm()&0o077 != 0 {
		_ = f.Chmod(0o600)
	}
	return f, nil
}

// Record writes an event, and sets its location to the line written, if any.
func (r *Recording) Record(e *scanner.Event) {
	if r.to == nil {
		return
	}
	before := *e
	if err := r.to.Record(e); err != nil {
		*e, r.to = before, nil
		r.err = fmt.Errorf("%w; the recording is incomplete", err)
	}
}

// Close closes the recording and returns its first error.
func (r *Recording) Close() error {
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("recording: %w; the recording is incomplete", err)
	}
	return r.err
}
