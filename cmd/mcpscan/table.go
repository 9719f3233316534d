package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

// cellChars is the maximum length of a table cell, in characters.
const cellChars = 60

// table formats untrusted text as a table for people.
type table struct {
	header []string
	rows   [][]string
}

func newTable(header ...string) *table { return &table{header: header} }

// add adds a row. Cells are masked, escaped and truncated.
func (t *table) add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = text.Visible(text.Mask(c), cellChars)
	}
	t.rows = append(t.rows, row)
}

// write renders the table without ruled lines, as ps does.
func (t *table) write(w io.Writer) error {
	return put(text.Guard(w), []byte(report.Table(t.header, t.rows, false)))
}

// put writes a command's output.
func put(w io.Writer, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// writeJSON writes rows as a JSON array, with strings masked and escaped as in a report.
func writeJSON[T any](w io.Writer, rows []T) error {
	if rows == nil {
		rows = []T{}
	}
	cleanse(reflect.ValueOf(rows))
	return putJSON(w, rows)
}

// putJSON writes a value as indented JSON.
func putJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return put(w, b.Bytes())
}

// cleanse masks and escapes every string in v.
func cleanse(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			cleanse(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanse(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanse(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString(text.Visible(text.Mask(v.String()), math.MaxInt))
	}
}
