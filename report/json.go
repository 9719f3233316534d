package report

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// WriteJSON writes the report in its public form, indented by two spaces. The output is
// deterministic.
func WriteJSON(w io.Writer, r *Report) error {
	shallow := *r
	shallow.Schema = Schema
	shallow.Findings = nil // findings, the only long list, are written one by one
	shallow.complete()
	out := newJSONEscaper(w)
	enc := jsontext.NewEncoder(out, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err := writeReport(enc, &shallow, r.Findings); err != nil {
		return fmt.Errorf("writing the JSON report: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the JSON report: %w", err)
	}
	return nil
}

func writeReport(enc *jsontext.Encoder, r *Report, findings []Finding) error {
	steps := []func() error{
		func() error { return enc.WriteToken(jsontext.BeginObject) },
		func() error { return writeMember(enc, "schema", r.Schema) },
		func() error { return writeMember(enc, "tool", r.Tool) },
		func() error { return writeMember(enc, "inputs", r.Inputs) },
		func() error { return writeGiven(enc, "config", r.Config, r.Config != nil) },
		func() error { return writeGiven(enc, "baseline", r.Baseline, r.Baseline != "") },
		func() error { return writeMember(enc, "summary", r.Summary) },
		func() error { return writeFindings(enc, findings) },
		func() error { return writeMember(enc, "coverage", r.Coverage) },
		func() error { return writeGiven(enc, "unused_ignores", r.UnusedIgnores, len(r.UnusedIgnores) > 0) },
		func() error { return enc.WriteToken(jsontext.EndObject) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func writeMember(enc *jsontext.Encoder, name string, value any) error {
	if err := enc.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return json.MarshalEncode(enc, value)
}

// writeGiven writes an optional member if it is present.
func writeGiven(enc *jsontext.Encoder, name string, value any, given bool) error {
	if !given {
		return nil
	}
	return writeMember(enc, name, value)
}

func writeFindings(enc *jsontext.Encoder, findings []Finding) error {
	if err := enc.WriteToken(jsontext.String("findings")); err != nil {
		return err
	}
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for i := range findings {
		f := findings[i]
		notNil(&f.Related)
		if err := json.MarshalEncode(enc, &f); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

// Read reads a report written by WriteJSON. It ignores unknown members and rejects anything
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
	report.complete()
	return &report, nil
}

// shownError wraps an error that may quote hostile text.
type shownError struct{ error }

// Error returns the message, escaped.
func (e shownError) Error() string { return visible(e.error.Error(), 400) }

// Unwrap returns the original error.
func (e shownError) Unwrap() error { return e.error }
