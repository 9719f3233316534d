package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// AuditLog is the log file written by --events.
type AuditLog struct {
	to    *report.Events // nil if there is nothing to write
	file  *os.File       // nil for a proxy's log
	lines *auditLines    // lines of a proxy's log; nil for other commands
}

// OpenAuditLog creates the --events file, accessible only to its owner because it contains names
// and arguments of calls. If name is empty, nothing is written.
func OpenAuditLog(name string) (*AuditLog, error) {
	file, err := openAuditLog(name, os.O_TRUNC)
	if file == nil {
		return &AuditLog{}, err
	}
	return &AuditLog{to: report.NewEvents(file), file: file}, nil
}

// AppendAuditLog is like OpenAuditLog, but keeps what the file contains: a client may start a proxy
// many times, or several at once. It calls tell to report problems with the file.
func AppendAuditLog(name string, tell func(string, ...any)) (*AuditLog, error) {
	file, err := openAuditLog(name, os.O_APPEND)
	if file == nil {
		return &AuditLog{}, err
	}
	lines := &auditLines{file: file, tell: tell}
	last := make([]byte, 1)
	if is, err := file.Stat(); err == nil && is.Mode().IsRegular() && is.Size() > 0 {
		if _, err := file.ReadAt(last, is.Size()-1); err == nil && last[0] != '\n' { // its writer was killed
			lines.waiting.WriteByte('\n')
		}
	}
	return &AuditLog{to: report.NewEvents(&lines.waiting), lines: lines}, nil
}

func openAuditLog(name string, how int) (*os.File, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return nil, fmt.Errorf("--events -: standard output carries other data; expected a file name")
	}
	file, err := openPrivate(name, how)
	if err != nil {
		return nil, fmt.Errorf("creating the --events file: %w", err)
	}
	return file, nil
}

// Beside returns a sink that writes to both the log and s.
func (l *AuditLog) Beside(s scanner.Sink) scanner.Sink {
	if l.to == nil {
		return s
	}
	return Tee{s, l.to}
}

// Flush writes the current event of a proxy to the file. No more findings about the event may follow.
func (l *AuditLog) Flush() {
	if l.to != nil {
		_ = l.to.Flush() // into memory
		l.lines.write()
	}
}

// Approval writes the answer to a question about a held message. e has the time of the answer.
func (l *AuditLog) Approval(e *scanner.Event, a report.Approval) {
	if l.to != nil {
		l.to.Approval(e, a)
		l.Flush()
	}
}

// Close closes the log and returns any error.
func (l *AuditLog) Close() error {
	if l.to == nil {
		return nil
	}
	err := l.to.Close()
	if l.lines != nil {
		return l.lines.close()
	}
	return errors.Join(err, l.file.Close())
}

// Tee passes everything to two sinks.
type Tee [2]scanner.Sink

func (t Tee) Event(e *scanner.Event, out *scanner.Outcome) error {
	return errors.Join(t[0].Event(e, out), t[1].Event(e, out))
}

func (t Tee) Finding(f *scanner.Finding) error {
	return errors.Join(t[0].Finding(f), t[1].Finding(f))
}
