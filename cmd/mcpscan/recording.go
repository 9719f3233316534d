package main

import (
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// recording is the file that --record writes. After the first error, the scan goes on without it:
// a full disk must not hide a server.
type recording struct {
	to   *replay.Recorder // nil if there is nothing (more) to write
	file *os.File
	err  error
}

// openRecording creates the --record file, accessible only to its owner because servers send more
// than a report repeats.
func openRecording(name string) (*recording, error) {
	if name == "" {
		return &recording{}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the recording: %w", err)
	}
	return &recording{to: replay.NewRecorder(f, name), file: f}, nil
}

// record writes an event, and sets its location in the recording if it has one.
func (r *recording) record(e *scanner.Event) {
	if r.to == nil {
		return
	}
	before := *e
	if err := r.to.Record(e); err != nil {
		*e, r.to = before, nil
		r.err = fmt.Errorf("%w; the recording is incomplete", err)
	}
}

// close closes the recording and returns its first error.
func (r *recording) close() error {
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("recording: %w; the recording is incomplete", err)
	}
	return r.err
}
