// Package config reads the files in which MCP clients configure their servers, and converts every
// entry to a common form, with the position of each value in the file. It also reads TOML policies
// and mcpscan's own settings, and applies the settings to findings.
//
// It must never start a process, open a connection or change a file: its input is untrusted and may be
// hostile. Only Discover and DiscoverBelow touch the file system: they look up names, and DiscoverBelow
// reads .gitmodules. Anything that cannot be understood is reported as a problem and never dropped,
// because a dropped entry would look clean.
package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// Position is a position in a file.
type Position = configfile.Position

// start is the position of the start of a file, reported for problems with the whole file.
var start = Position{Line: 1, Column: 1}

// Server is one normalised entry in a client configuration. Strings are as written in the file: see
// Expand for references.
type Server = configfile.Entry

// Problem describes what cannot be read, or is ambiguous, in a file; for a single entry, see
// Server.Problems.
type Problem struct {
	// Pos is the problem's position. Related is the other position involved (the first of two
	// definitions), or zero.
	Pos, Related Position
	// Msg describes the problem and how to fix it.
	Msg string
}

// File is a parsed client configuration.
type File struct {
	configfile.ClientConfig
	// Problems concern the file as a whole, such as a server defined twice.
	Problems []Problem
	// References are files with further servers and hooks.
	References []Reference
	// Elsewhere reports content that the client loads from other files, such as plugins.
	Elsewhere []Problem
}

// ErrNotConfig is returned, wrapped, for a file in no known format, or with neither a key for MCP
// servers nor settings that rules use.
var ErrNotConfig = errors.New("not an MCP client configuration")

// SyntaxError reports the position at which a file stops being valid JSON, TOML or YAML.
type SyntaxError struct {
	Path string
	Position
	Msg string
}

// Error returns path, position and message. The message quotes nothing from the file beyond single
// escaped characters, because the file may contain secrets.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("reading %q: line %d, column %d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// syntaxError is the only constructor, so that every parser's message is truncated, and its control
// characters are escaped, before it can reach a terminal.
func syntaxError(pos Position, format string, args ...any) *SyntaxError {
	return &SyntaxError{Position: pos, Msg: printable(fmt.Sprintf(format, args...), 300)}
}

// Parse reads a client configuration. The format (JSON with comments, TOML, YAML) and the shape are
// detected from the content and, where that is ambiguous, from the path. The error wraps ErrNotConfig if
// the file is something else, and is a *SyntaxError if it does not parse.
//
// Entries wrapped by mcpscan wrap are returned as written: see File.SeeThrough.
func Parse(path string, data []byte) (*File, error) { return ParseFor(clientOf(path), path, data) }

// ParseFor is like Parse, for a file whose client the caller knows.
func ParseFor(client, path string, data []byte) (*File, error) {
	r, err := read(client, path, data)
	if err != nil {
		return nil, err
	}
	return r.file, nil
}

// read is like ParseFor, but returns the reader, which has the entries' nodes.
func read(client, path string, data []byte) (*reader, error) {
	text, err := plainText(data)
	if err != nil {
		err.Path = path
		return nil, err
	}
	var failed *SyntaxError
	parsed := false
	for _, f := range candidates(path, text) {
		roots, err := f.parse(text)
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		// Almost any text is a YAML string, so only a mapping counts as parsed.
		roots = objects(roots)
		parsed = parsed || len(roots) > 0
		if r := recognise(client, path, f.name, roots); r != nil {
			return r, nil
		}
	}
	if failed != nil && !parsed {
		failed.Path = path
		return nil, failed
	}
	return nil, fmt.Errorf("reading %q: %w: expected mcpServers, servers, mcp_servers, context_servers, mcp or extensions with server entries; check that this is the file the client reads", path, ErrNotConfig)
}

// printable makes untrusted text safe to display: it escapes control and format characters and
// truncates the text after limit runes.
func printable(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}
