// Package osv reads advisories in OSV format: a single one, a list, several concatenated ones, or
// an ecosystem archive exported by osv.dev.
//
// An export can be hundreds of megabytes long, so it must never be held in memory as a whole:
// advisories are read one at a time, and only the requested ones are kept.
package osv

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/rules/supplychain"
)

// Stats counts the advisories in a file.
type Stats struct {
	Read      int // all advisories
	Kept      int // about a requested package
	Withdrawn int // withdrawn by their publisher
	Other     int // only about ecosystems that mcpscan does not know
}

// MaxAdvisory is the maximum size of one advisory, in bytes. The longest published advisory
// examined, which lists all versions of its package, is about one megabyte long.
const MaxAdvisory = 16 << 20

// Read reads advisories, and keeps the ones about packages for which keep returns true. An error
// includes its location in the file and, if the data has the wrong form, what was expected.
func Read(name string, file io.ReaderAt, size int64, keep func(launch.Ecosystem, string) bool) ([]supplychain.Advisory, Stats, error) {
	r := &reader{name: name, keep: keep}
	var magic [4]byte
	if _, err := file.ReadAt(magic[:], 0); err == nil && string(magic[:]) == "PK\x03\x04" {
		err := r.archive(file, size)
		return r.kept, r.stats, err
	}
	err := r.stream(name, io.NewSectionReader(file, 0, size))
	if err == nil && r.stats.Read == 0 {
		err = fmt.Errorf("%s: no advisory found; expected OSV JSON (one vulnerability or a list) or the zip archive of an ecosystem", name)
	}
	return r.kept, r.stats, err
}

type reader struct {
	name  string
	keep  func(launch.Ecosystem, string) bool
	kept  []supplychain.Advisory
	stats Stats
}

// archive reads the JSON files in a zip archive.
func (r *reader) archive(file io.ReaderAt, size int64) error {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return fmt.Errorf("%s: not a readable zip archive: %w; download it again", r.name, err)
	}
	for _, member := range z.File {
		if !strings.HasSuffix(member.Name, ".json") {
			continue
		}
		in, err := member.Open()
		if err != nil {
			return fmt.Errorf("%s: %q: %w; download it again", r.name, member.Name, err)
		}
		err = r.stream(fmt.Sprintf("%s: %q", r.name, member.Name), in)
		in.Close()
		if err != nil {
			return err
		}
	}
	if r.stats.Read == 0 {
		return fmt.Errorf("%s: no advisory in the archive; expected *.json as osv.dev exports them", r.name)
	}
	return nil
}

// stream reads the values of a file: advisories, or lists of them.
func (r *reader) stream(where string, in io.Reader) error {
	bounded := &bounded{in: bufio.NewReaderSize(in, 64<<10)}
	d := jsontext.NewDecoder(bounded)
	for {
		bounded.left = MaxAdvisory
		switch d.PeekKind() {
		case 0: // EOF, or an error that ReadToken returns
			_, err := d.ReadToken()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return failed(where, d, err)
		case '[', ']':
			if _, err := d.ReadToken(); err != nil {
				return failed(where, d, err)
			}
		default:
			if err := r.one(where, d); err != nil {
				return err
			}
		}
	}
}

// one reads one advisory.
func (r *reader) one(where string, d *jsontext.Decoder) error {
	var v vulnerability
	if err := json.UnmarshalDecode(d, &v); err != nil {
		return failed(where, d, err)
	}
	r.stats.Read++
	switch {
	case v.ID == "":
		return fmt.Errorf("%s: %s has no id; expected an OSV vulnerability", where, place(d.StackPointer()))
	case v.Withdrawn != "":
		r.stats.Withdrawn++
		return nil
	}
	kept, known := 0, false
	for _, a := range v.Affected {
		ecosystem, ok := ecosystems[a.Package.Ecosystem]
		known = known || ok
		if ok && r.keep(ecosystem, a.Package.Name) {
			r.kept = append(r.kept, v.advisory(ecosystem, &a))
			kept++
		}
	}
	if !known {
		r.stats.Other++
	}
	if kept > 0 {
		r.stats.Kept++
	}
	return nil
}

// place formats a JSON pointer for a message.
func place(p jsontext.Pointer) string {
	if p == "" {
		return "the file"
	}
	return string(p)
}

// failed returns an error with its location in the file.
func failed(where string, d *jsontext.Decoder, err error) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return fmt.Errorf("%s: %s, byte %d: wrong type; expected an OSV vulnerability", where, place(semantic.JSONPointer), semantic.ByteOffset)
	case errors.As(err, &syntactic):
		return fmt.Errorf("%s: %s, byte %d: not JSON: %w", where, place(syntactic.JSONPointer), syntactic.ByteOffset, syntactic.Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %s, byte %d: unexpected end of file; download it again", where, place(d.StackPointer()), d.InputOffset())
	}
	return fmt.Errorf("%s: %s: %w", where, place(d.StackPointer()), err)
}

// bounded is a reader that fails if an advisory is too long.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("an advisory is longer than the maximum of %d bytes", MaxAdvisory)
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
