package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// Options are additional parameters for the formats.
type Options struct {
	Rules []scanner.Rule // rules of the run, for their descriptions
	Color bool           // text: ANSI colours, for a terminal; otherwise matches are between » and «
	Width int            // text: columns; 0 means 80
	Dir   string         // sarif, github, gitlab: working directory; absolute paths under it are written relative

	// Fails is the lowest severity at which an open finding is a failed test in junit. The
	// default is the configured alert threshold, or high.
	Fails *scanner.Severity
}

// formats contains the formats. Each is implemented in its own file.
var formats = [...]struct {
	name  string
	write func(io.Writer, *Report, Options) error
}{
	{"text", writeText},
	{"json", writeJSON},
	{"sarif", writeSARIF},
	{"markdown", writeMarkdown},
	{"html", writeHTML},
	{"github", writeGitHub},
	{"junit", writeJUnit},
	{"gitlab", writeGitLab},
}

// Formats returns the names of the formats that Write supports.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Write writes the report in the named format.
func Write(w io.Writer, format string, r *Report, o Options) error {
	for _, f := range formats {
		if f.name == format {
			return f.write(w, r, o)
		}
	}
	return fmt.Errorf("unknown format %q: expected one of %s", format, strings.Join(Formats(), ", "))
}
