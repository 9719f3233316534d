package main

import (
	"context"
	"io"
	"os"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/report"
)

type reportCmd struct {
	File string `arg:"" help:"A report written with --format json; - reads standard input."`
	outputFlags
}

// Run renders the report again. The exit code depends on the report and the flags, as in the run that
// wrote the report.
func (c *reportCmd) Run(ctx context.Context, std streams) error {
	if _, err := c.collector(); err != nil {
		return err
	}
	if err := c.keepInputs([]string{c.File}); err != nil {
		return err
	}
	r, err := app.Within(ctx, func() (*report.Report, error) { return readSaved("the report", c.File, std.in, report.Read) })
	if err != nil {
		return err
	}
	return c.finish(std, r, documented())
}

// readSaved reads a report from a file, or from stdin if name is - and stdin is not nil. label is
// the name of the report in errors.
func readSaved[T any](label, name string, stdin io.Reader, read func(io.Reader) (*T, error)) (*T, error) {
	if name != "-" || stdin == nil {
		f, err := os.Open(name)
		if err != nil {
			return nil, usage("opening %s: %w", label, err)
		}
		defer f.Close()
		stdin = f
	}
	r, err := read(stdin)
	if err != nil {
		return nil, usage("%s: %w", name, err)
	}
	return r, nil
}
