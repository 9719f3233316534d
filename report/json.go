package report

import (
	"cmp"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// writeJSON writes the report in its public form, indented by two spaces. The output is
// deterministic.
func writeJSON(w io.Writer, r *Report, _ Options) error {
	whole := *r
	whole.Schema = Schema
	return encode(w, "JSON", "\n", &whole, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
}

// encode writes a document of the named format as JSON, followed by end.
func encode(w io.Writer, format, end string, doc any, options ...json.Options) error {
	out := newJSONEscaper(w)
	err := json.MarshalWrite(out, doc, options...)
	io.WriteString(out, end)
	if err = cmp.Or(err, out.Flush()); err != nil {
		return fmt.Errorf("writing the %s report: %w", format, err)
	}
	return nil
}

// Read reads a report written in the format json. It ignores unknown members and rejects anything
// that is not a report of this schema.
func Read(r io.Reader) (*Report, error) {
	var report Report
	err := json.UnmarshalRead(r, &report)
	switch {
	case report.Schema != "" && report.Schema != Schema:
		return nil, fmt.Errorf("reading a report: its schema is %q, expected %q", visible(report.Schema, 80), Schema)
	case err != nil:
		return nil, fmt.Errorf("reading a report: expected JSON with schema %q: %w", Schema, shownError{err})
	case report.Schema == "":
		return nil, fmt.Errorf(`reading a report: it has no member "schema", expected %q`, Schema)
	}
	return &report, nil
}

// shownError wraps an error that may quote hostile text.
type shownError struct{ error }

// Error returns the message, escaped.
func (e shownError) Error() string { return visible(e.error.Error(), 400) }

// Unwrap returns the original error.
func (e shownError) Unwrap() error { return e.error }
