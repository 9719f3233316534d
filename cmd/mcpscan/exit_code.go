package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// Exit codes.
const (
	exitClean      = 0 // nothing at or above --fail-on
	exitFindings   = 1 // findings at or above it
	exitUsage      = 2 // wrong usage or configuration
	exitIncomplete = 3 // something could not be inspected

	exitSignalled = 128 // plus the signal number: 130 for Ctrl-C
)

// exitError carries an exit code, and a message if any, through kong.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage returns a usage error.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitOf returns the exit code for an error, with its message. The default is the code for wrong
// usage or configuration.
func exitOf(err error) *exitError {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit
	}
	if _, ok := errors.AsType[*app.IncompleteError](err); ok {
		return &exitError{exitIncomplete, err}
	}
	return &exitError{exitUsage, err}
}

// withLost adds the error from an incompletely written output file to the exit error. An
// exit code in err takes precedence.
func withLost(err, lost error) error {
	if lost == nil {
		return err
	}
	exit := exitOf(err)
	return &exitError{exit.code, errors.Join(exit.err, lost)}
}

// fail prints an error, if it has a message, and returns its exit code.
func fail(w io.Writer, err error) int {
	if err == nil {
		return exitClean
	}
	exit := exitOf(err)
	if exit.err != nil {
		fmt.Fprintf(text.Guard(w), "mcpscan: %s\n", visibleLines(text.Mask(err.Error())))
	}
	return exit.code
}

// maxReasons is how many reasons for an incomplete inspection are written to standard error; the
// report contains all.
const maxReasons = 5

// verdict converts a report to the exit error. Open findings take precedence over skipped input.
func (f *outputFlags) verdict(std streams, r *report.Report) error {
	if worst, any := r.Summary.Open().Worst(); any && f.FailOn != "never" && worst >= f.failOn(r) {
		return &exitError{code: exitFindings}
	}
	nothing := r.Coverage.Events == 0
	if len(r.Coverage.Skipped) == 0 && !nothing || f.AllowIncomplete {
		return nil
	}
	switch {
	case f.Quiet:
	case len(r.Coverage.Skipped) == 0:
		fmt.Fprintln(std.err, "mcpscan: nothing was inspected: found no server, message or definition; use --allow-incomplete to accept that")
	default:
		for i, s := range r.Coverage.Skipped {
			if i == maxReasons {
				fmt.Fprintf(std.err, "mcpscan: %s why the inspection is incomplete\n", report.Count(len(r.Coverage.Skipped)-i, "more reason"))
				break
			}
			fmt.Fprintf(std.err, "mcpscan: not inspected: %s\n", text.VisibleEnds(s.Reason, 800))
		}
		fmt.Fprintln(std.err, "mcpscan: not everything was inspected; use --allow-incomplete to accept that")
	}
	return &exitError{code: exitIncomplete}
}

// failOn returns the severity that fails a run.
func (f *outputFlags) failOn(r *report.Report) scanner.Severity {
	switch {
	case f.FailOn != "":
		return severity(f.FailOn)
	case r.Config != nil && r.Config.AlertThreshold != nil:
		return *r.Config.AlertThreshold
	}
	return scanner.High
}

// fails returns the severity that the user chose for failures, if any. For --fail-on never, it
// returns nil, so that formats with test results, such as JUnit, still show failures.
func (f *outputFlags) fails() *scanner.Severity {
	if f.FailOn == "" || f.FailOn == "never" {
		return nil
	}
	return new(severity(f.FailOn))
}
