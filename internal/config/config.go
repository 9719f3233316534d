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
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Position is a 1-based place in a file; Column counts Unicode code points.
type Position struct{ Line, Column int }

// String gives the position as line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Server is one entry of a client configuration, normalised over all shapes.
// Texts stand as they are written in the file: see Expand for references.
type Server struct {
	// Name is the key of the entry, or its name field in a list.
	Name string
	// Transport is "stdio", "http", "sse" or "ws", and "" when the entry does
	// not say enough.
	Transport string
	// Command is the program that a stdio server runs, and Args its arguments.
	Command string
	Args    []string
	// Env is what the client adds to the environment of the server. A variable
	// that the client only passes on stands here as a reference to itself.
	Env map[string]string
	// Cwd is the working directory of a stdio server.
	Cwd string
	// URL and Headers say where a remote server is and what is sent to it.
	URL     string
	Headers map[string]string
	// Disabled entries are kept by the client but not started.
	Disabled bool
	// AutoApprove names the tools that run without asking; "*" is every tool.
	AutoApprove []string
	// ToolAllow and ToolDeny limit the tools that the client shows.
	ToolAllow, ToolDeny []string
	// Scope says for which part of the file's realm the entry holds, such as
	// the project path in ~/.claude.json; "" is all of it.
	Scope string
	// Pos is where the entry starts: its key, or the item of a list.
	Pos Position
	// Span has the place of each value under its JSON Pointer in this struct's
	// terms ("/command", "/args/0", "/env/TOKEN", "/url", "/headers/X"), so that
	// nobody needs to know how the file spells it.
	Span map[string]Position
	// Problems says what in this entry could not be understood.
	Problems []string
}

// Problem is something wrong with the file rather than with one entry.
type Problem struct {
	// Pos is where the problem shows, Related the other place it concerns (the
	// first of two definitions), or zero.
	Pos, Related Position
	// Msg says what was found and what to do about it.
	Msg string
}

// File is a client configuration as read.
type File struct {
	// Path is the path as given to Parse.
	Path string
	// Shape names the containers that were read, such as "mcpServers" or
	// "mcp_servers (toml)"; where a file has several they are joined by " + ".
	Shape string
	// Client is the program the file belongs to, or "" when many share the form.
	Client string
	// Servers are the entries in file order.
	Servers []Server
	// Problems are those of the file as a whole, such as a server defined twice.
	Problems []Problem
}

// ErrNotConfig is returned, wrapped, for a file that parses but holds no place
// for MCP servers.
var ErrNotConfig = errors.New("not an MCP client configuration")

// SyntaxError says where a file stops being JSON, TOML or YAML.
type SyntaxError struct {
	Path         string
	Line, Column int
	Msg          string
}

// Error gives path, position and message; the message holds no text of the
// file beyond single escaped characters, because that text may be a secret.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("reading %q: line %d, column %d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// syntaxError is the only constructor, so that every parser's message is cut
// and freed of control characters before it can reach a terminal.
func syntaxError(pos Position, format string, args ...any) *SyntaxError {
	return &SyntaxError{Line: pos.Line, Column: pos.Column, Msg: printable(fmt.Sprintf(format, args...), 300)}
}

// Parse reads a client configuration. Format (JSON with comments, TOML, YAML)
// and shape are recognised by content; the path only breaks ties. The error
// wraps ErrNotConfig when the file parses but is something else, and is a
// *SyntaxError when it does not parse.
func Parse(path string, data []byte) (*File, error) {
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
		if file := recognise(path, f.name, roots); file != nil {
			return file, nil
		}
	}
	if failed != nil && !parsed {
		failed.Path = path
		return nil, failed
	}
	return nil, fmt.Errorf("reading %q: %w: expected mcpServers, servers, mcp_servers, context_servers, mcp or extensions with server entries; check that this is the file the client reads", path, ErrNotConfig)
}

// printable makes foreign text safe to show: control and format characters are
// escaped, and what is longer than limit runes is cut.
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
