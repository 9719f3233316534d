// Package config reads the files in which MCP clients keep their servers and
// gives every entry one form, with the place of each value in the file. It also
// reads mcpscan's own, and decides by it what becomes of findings.
//
// It must never start a process, open a connection or change a file: what it
// reads is foreign and may be hostile. Only Discover touches the file system,
// and it only looks for names. What could not be understood is returned as a
// problem and never dropped, because an entry that vanished looks clean.
package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// Position is a place in a file.
type Position = configfile.Position

// Server is one entry of a client configuration, normalised. Texts are as written in the file:
// see Expand for references.
type Server = configfile.Entry

// Problem is something wrong with the file rather than with one entry.
type Problem struct {
	// Pos is where the problem shows, Related the other place it concerns (the
	// first of two definitions), or zero.
	Pos, Related Position
	// Msg is what is wrong and what to do about it.
	Msg string
}

// File is a client configuration as read.
type File struct {
	configfile.ClientConfig
	// Problems are those of the file as a whole, such as a server defined twice.
	Problems []Problem
	// Elsewhere is what the client loads from other places.
	Elsewhere []Problem
}

// ErrNotConfig is returned, wrapped, for a file that parses but has no place for MCP servers.
var ErrNotConfig = errors.New("not an MCP client configuration")

// SyntaxError says where a file stops being JSON, TOML or YAML.
type SyntaxError struct {
	Path         string
	Line, Column int
	Msg          string
}

// Error returns path, position and message; the message has no text of the file beyond single
// escaped characters, because it may be a secret.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("reading %q: line %d, column %d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// syntaxError is the only constructor, so that every parser's message is cut and cleaned of
// control characters before it can reach a terminal.
func syntaxError(pos Position, format string, args ...any) *SyntaxError {
	return &SyntaxError{Line: pos.Line, Column: pos.Column, Msg: printable(fmt.Sprintf(format, args...), 300)}
}

// Parse reads a client configuration. Format (JSON with comments, TOML, YAML)
// and shape are recognised by content; the path only breaks ties. The error
// wraps ErrNotConfig when the file parses but is something else, and is a
// *SyntaxError when it does not parse.
//
// An entry that mcpscan wrap has wrapped is as written: see File.SeeThrough.
func Parse(path string, data []byte) (*File, error) {
	r, err := read(path, data)
	if err != nil {
		return nil, err
	}
	return r.file, nil
}

// read is Parse, with the nodes of the entries.
func read(path string, data []byte) (*reader, error) {
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
		if r := recognise(path, f.name, roots); r != nil {
			return r, nil
		}
	}
	if failed != nil && !parsed {
		failed.Path = path
		return nil, failed
	}
	return nil, fmt.Errorf("reading %q: %w: expected mcpServers, servers, mcp_servers, context_servers, mcp or extensions with server entries; check that this is the file the client reads", path, ErrNotConfig)
}

// printable makes foreign text safe to show: it escapes control and format characters, and
// cuts text after limit runes.
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

// quoted is a foreign name as it appears in a message.
func quoted(s string) string { return `"` + printable(s, 80) + `"` }
