package report

import (
	"bufio"
	"cmp"
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
	Dir   string         // sarif, github, gitlab: working directory; absolute paths under it are written relative to it

	// Fails is the lowest severity at which an open finding is a failed test in junit. The
	// default is the configured alert threshold, or high.
	Fails *scanner.Severity
}

// formats contains the formats. Each is implemented in the files named after it.
var formats = [...]struct {
	name, title string
	write       func(*bufio.Writer, *Report, Options) error
}{
	{"text", "text", writeText},
	{"json", "JSON", writeJSON},
	{"sarif", "SARIF", writeSARIF},
	{"markdown", "markdown", writeMarkdown},
	{"html", "html", writeHTML},
	{"github", "github", writeGitHub},
	{"junit", "junit", writeJUnit},
	{"gitlab", "gitlab", writeGitLab},
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
		if f.name != format {
			continue
		}
		b := bufio.NewWriter(w)
		if err := cmp.Or(f.write(b, r, o), b.Flush()); err != nil {
			return fmt.Errorf("writing the %s report: %w", f.title, err)
		}
		return nil
	}
	return fmt.Errorf("unknown format %q: expected one of %s", format, strings.Join(Formats(), ", "))
}
