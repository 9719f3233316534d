package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// auditLog is the log written by --events.
type auditLog struct {
	to   *report.Events // nil if there is nothing to write
	file *os.File
}

// openAuditLog creates the --events file, accessible only to its owner because it contains names and
// arguments of calls. It must not be one of the other output files. Without a name, nothing is written.
func openAuditLog(name string, others ...string) (*auditLog, error) {
	switch {
	case name == "":
		return &auditLog{}, nil
	case name == "-":
		return nil, fmt.Errorf("--events -: standard output carries the report; expected a file name")
	}
	for _, other := range others {
		if other != "" && filepath.Clean(other) == filepath.Clean(name) {
			return nil, fmt.Errorf("--events %s: another output already goes to this file; choose another name", name)
		}
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the --events file: %w", err)
	}
	return &auditLog{to: report.NewEvents(file), file: file}, nil
}

// beside returns a sink that writes to the log and passes everything on.
func (l *auditLog) beside(s scanner.Sink) scanner.Sink {
	if l.to == nil {
		return s
	}
	return tee{s, l.to}
}

// close closes the log and returns any error.
func (l *auditLog) close() error {
	if l.file == nil {
		return nil
	}
	return errors.Join(l.to.Close(), l.file.Close())
}

// tee passes everything to two sinks.
type tee [2]scanner.Sink

func (t tee) Event(e *scanner.Event, out *scanner.Outcome) error {
	return errors.Join(t[0].Event(e, out), t[1].Event(e, out))
}

func (t tee) Finding(f *scanner.Finding) error {
	return errors.Join(t[0].Finding(f), t[1].Finding(f))
}
