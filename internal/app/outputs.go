package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// AuditLog is the log file of --events.
type AuditLog struct {
	to   *report.Events // nil if there is nothing to write
	file *os.File
}

// OpenAuditLog creates the --events file, accessible only to its owner because it contains names
// and arguments of calls. If name is empty, nothing is written.
func OpenAuditLog(name string) (*AuditLog, error) {
	switch {
	case name == "":
		return &AuditLog{}, nil
	case name == "-":
		return nil, fmt.Errorf("--events -: standard output carries the report; expected a file name")
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the --events file: %w", err)
	}
	return &AuditLog{to: report.NewEvents(file), file: file}, nil
}

// Beside returns a sink that writes to both the log and s.
func (l *AuditLog) Beside(s scanner.Sink) scanner.Sink {
	if l.to == nil {
		return s
	}
	return Tee{s, l.to}
}

// Flush writes the current event to the file, for readers of a log that has not ended. No more
// findings about the event may follow. Close returns the errors.
func (l *AuditLog) Flush() {
	if l.to != nil {
		_ = l.to.Flush()
	}
}

// Close closes the log and returns any error.
func (l *AuditLog) Close() error {
	if l.file == nil {
		return nil
	}
	return errors.Join(l.to.Close(), l.file.Close())
}

// Tee passes everything to two sinks.
type Tee [2]scanner.Sink

func (t Tee) Event(e *scanner.Event, out *scanner.Outcome) error {
	return errors.Join(t[0].Event(e, out), t[1].Event(e, out))
}

func (t Tee) Finding(f *scanner.Finding) error {
	return errors.Join(t[0].Finding(f), t[1].Finding(f))
}

// Recording is the file written by --record. After a write error, the scan continues without it,
// because a full disk must not end the inspection of a server.
type Recording struct {
	to   *replay.Recorder // nil if there is nothing (more) to write
	file *os.File
	err  error
}

// OpenRecording creates the --record file, accessible only to its owner because it contains
// everything that servers send.
func OpenRecording(name string) (*Recording, error) {
	if name == "" {
		return &Recording{}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the recording: %w", err)
	}
	return &Recording{to: replay.NewRecorder(f, name), file: f}, nil
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
