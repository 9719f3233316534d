package main

import (
	"io"
	"os"

	"github.com/mcpscan/mcpscan/report"
)

// reportCmd is mcpscan report.
type reportCmd struct {
	File string `arg:"" help:"A report written with --format json; - is standard input."`
	outputFlags
}

// Run renders the report again. The exit code is that of the run it reports.
func (c *reportCmd) Run(std streams) error {
	if _, err := c.collector(); err != nil {
		return err
	}
	var in io.Reader = std.in
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return usage("opening the report: %w", err)
		}
		defer f.Close()
		in = f
	}
	r, err := report.Read(in)
	if err != nil {
		return usage("%s: %w", c.File, err)
	}
	return c.finish(std, r)
}
