package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// outputFlags selects the formats and destinations of a report, and the severity that fails the
// run.
type outputFlags struct {
	Format          []string `help:"Report format: ${formats}. Repeat as FORMAT=FILE for several." placeholder:"FORMAT" default:"text" sep:"none"`
	Output          string   `short:"o" help:"Write the report to this file instead of standard output." placeholder:"FILE"`
	FailOn          string   `help:"Exit 1 on findings of this severity or higher: note, low, medium, high, critical, never. Default: alert_threshold of the configuration, or high." placeholder:"SEVERITY" default:"" enum:",note,low,medium,high,critical,never"`
	MinSeverity     string   `help:"List findings of this severity or higher: note, low, medium, high, critical. Default: low; drift is listed at any severity." placeholder:"SEVERITY" default:"" enum:",note,low,medium,high,critical"`
	AllowIncomplete bool     `help:"Exit 0 instead of 3 if something could not be inspected."`
	Quiet           bool     `short:"q" help:"Write only errors to standard error."`
	NoColor         bool     `help:"Disable colour, even on a terminal."`
}

// documented returns all rules that a report can name if no configuration adds rules.
func documented() []scanner.Rule { return append(rules.All(), scanner.EngineRules()...) }

// collector starts a report.
func (f *outputFlags) collector() (*report.Collector, error) {
	plain := 0
	for _, spec := range f.Format {
		name, file, named := strings.Cut(spec, "=")
		if !slices.Contains(report.Formats(), name) {
			return nil, usage("unknown format %q: expected %s", name, strings.Join(report.Formats(), ", "))
		}
		if named && file == "" {
			return nil, usage("--format %s needs a file name", spec)
		}
		if !named || file == "-" {
			plain++
		}
	}
	if plain > 1 {
		return nil, usage("only one format can go to standard output; write the others to files, as in --format sarif=out.sarif")
	}
	if plain == 0 && f.Output != "" {
		return nil, usage("--output has no effect: every --format names its own file")
	}
	collector := report.NewCollector(severity(cmp.Or(f.MinSeverity, "low")))
	if f.MinSeverity == "" {
		collector.ListChanges()
	}
	return collector, nil
}

// written returns the files that reports are written to.
func (f *outputFlags) written() []string {
	written := []string{f.Output}
	for _, spec := range f.Format {
		if _, file, ok := strings.Cut(spec, "="); ok {
			written = append(written, file)
		}
	}
	return written
}

// keepInputs returns an error if one of the files to write (the reports and others) is also an input,
// or if two of them are the same file.
func (f *outputFlags) keepInputs(inputs []string, others ...string) error {
	outputs := slices.DeleteFunc(append(others, f.written()...), func(w string) bool { return w == "" || w == "-" })
	for i, w := range outputs {
		to, err := os.Stat(w)
		if err == nil && !to.Mode().IsRegular() {
			continue
		}
		if slices.ContainsFunc(outputs[:i], func(other string) bool { return filepath.Clean(other) == filepath.Clean(w) }) {
			return usage("%s: another output already goes to this file; choose another name", w)
		}
		if err != nil { // a missing file is not an input
			continue
		}
		for _, in := range inputs {
			if from, err := os.Stat(in); err == nil && os.SameFile(from, to) {
				return usage("%s is also an input, and the output would overwrite it; choose another file", w)
			}
		}
	}
	return nil
}

// severity parses a severity that the grammar has checked.
func severity(name string) scanner.Severity {
	var s scanner.Severity
	if s.UnmarshalText([]byte(name)) != nil {
		return scanner.Critical
	}
	return s
}

// write renders the report in every requested format. Only one can go to standard output or -o;
// the others need their own files.
func (f *outputFlags) write(std streams, r *report.Report, rules []scanner.Rule) error {
	for _, spec := range f.Format {
		name, file, _ := strings.Cut(spec, "=")
		if file == "" {
			file = f.Output
		}
		if err := f.render(std, name, file, r, rules); err != nil {
			return err
		}
	}
	return nil
}

func (f *outputFlags) render(std streams, format, file string, r *report.Report, rules []scanner.Rule) error {
	dir, _ := os.Getwd() // without it, absolute paths stay absolute
	o := report.Options{Rules: rules, Fails: f.fails(), Dir: dir}
	if file == "" && terminal(std.out) {
		o.Color, o.Width = f.colored(), columns(std.out)
	}
	return writeTo(std, "the report", file, func(w io.Writer) error { return report.Write(w, format, r, o) })
}

// writeTo writes to a file, or to standard output if none is named. label is the name of the content
// in errors.
func writeTo(std streams, label, file string, write func(io.Writer) error) (err error) {
	w := std.out
	if file != "" && file != "-" {
		out, err := os.Create(file)
		if err != nil {
			return usage("writing %s: %w", label, err)
		}
		defer func() { err = closeFile(out, err) }()
		w = out
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", label, err)
	}
	return nil
}

func closeFile(f *os.File, err error) error {
	if cerr := f.Close(); err == nil && cerr != nil {
		return fmt.Errorf("writing %s: %w", f.Name(), cerr)
	}
	return err
}

// finish writes a report and returns the exit error.
func (f *outputFlags) finish(std streams, r *report.Report, rules []scanner.Rule) error {
	if err := f.write(std, r, rules); err != nil {
		return err
	}
	return f.verdict(std, r)
}

// colored reports whether to use colours on a terminal.
func (f *outputFlags) colored() bool {
	return !f.NoColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// columns returns the width of a terminal, or 0 if it is unknown.
func columns(s any) (width int) {
	if f, ok := s.(*os.File); ok {
		width, _, _ = term.GetSize(int(f.Fd()))
	}
	return width
}

// terminal reports whether a stream is a terminal.
func terminal(s any) bool {
	f, ok := s.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// visibleLines makes a multi-line message safe for a terminal.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = text.Visible(l, 2000)
	}
	return strings.Join(lines, "\n")
}
