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

// Run renders the report again. The exit code is the same as for the reported run.
func (c *reportCmd) Run(ctx context.Context, std streams) error {
	if _, err := c.collector(); err != nil {
		return err
	}
	if err := c.keepInputs([]string{c.File}); err != nil {
		return err
	}
	r, err := app.Within(ctx, func() (*report.Report, error) { return readReport(c.File, std.in) })
	if err != nil {
		return err
	}
	return c.finish(std, r, documented())
}

// readReport reads a saved report from a file, or from in if name is -.
func readReport(name string, in io.Reader) (*report.Report, error) {
	if name != "-" || in == nil {
		f, err := os.Open(name)
		if err != nil {
			return nil, usage("opening the report: %w", err)
		}
		defer f.Close()
		in = f
	}
	r, err := report.Read(in)
	if err != nil {
		return nil, usage("%s: %w", name, err)
	}
	return r, nil
}
