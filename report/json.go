package report

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// writeJSON writes the report in its public form, indented by two spaces. The output is
// deterministic.
func writeJSON(w *bufio.Writer, r *Report, _ Options) error {
	whole := *r
	whole.Schema = Schema
	return encode(w, "\n", &whole, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
}

// encode writes a document as JSON, followed by end.
func encode(w io.Writer, end string, doc any, options ...json.Options) error {
	out := newJSONEscaper(w)
	err := json.MarshalWrite(out, doc, options...)
	io.WriteString(out, end)
	return cmp.Or(err, out.Flush())
}

// Read reads a report written in the format json. It ignores unknown members and rejects anything
// that is not a report of this schema.
func Read(r io.Reader) (*Report, error) {
	var report Report
	in := bufio.NewReader(r)
	switch mark, _ := in.Peek(3); {
	case bytes.HasPrefix(mark, []byte("\xFF\xFE")), bytes.HasPrefix(mark, []byte("\xFE\xFF")):
		return nil, errors.New("reading a report: it is encoded in UTF-16, like output redirected by PowerShell; save it as UTF-8, or write it with --format json=FILE")
	case string(mark) == "\xEF\xBB\xBF":
		_, _ = in.Discard(len(mark))
	}
	err := json.UnmarshalRead(in, &report)
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
