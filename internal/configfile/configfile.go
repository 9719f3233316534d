// Package configfile models the servers in client configurations, and the changes to files that
// affect findings. Package config reads them, and the engine inspects them. This package does no
// I/O.
package configfile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Position is a 1-based position in a file; Column counts Unicode code points.
type Position struct{ Line, Column int }

// String formats the position as line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Compare orders positions by line, then by column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// ClientConfig is a client configuration: the servers that a client uses, and their permissions.
type ClientConfig struct {
	// Path is the path as given by the user.
	Path string
	// Client is the program that the file belongs to, or "" if several share the format.
	Client string
	// Shape names the containers that were read, such as "mcpServers" or "mcp_servers (toml)";
	// several are joined by " + ".
	Shape string
	// User reports whether the file belongs to a user or a machine. Any other file may have
	// come with a repository.
	User bool
	// Project is the project directory in which the file was found, or "".
	Project string
	// Entries are the servers in file order.
	Entries []Entry
	// Settings are the other settings of the file that rules use, in file order.
	Settings []Setting
}

// Entry is one server in a client configuration, normalised. Strings are as written in the file,
// including references.
type Entry struct {
	// Name is the key of the entry, or its name field in a list.
	Name string
	// Transport is "stdio", "http", "sse" or "ws", or "" if the entry does not determine it.
	Transport string
	// Command is the program of a stdio server; Args are its arguments.
	Command string
	Args    []string
	// Env contains the variables that the client adds to the server's environment. The value of a
	// variable that the client only passes on is a reference to that variable.
	Env map[string]string
	// EnvFiles are files with more variables, as named in the entry.
	EnvFiles []string
	// FileHosts are the hosts named by files of the project: in the variables of EnvFiles, and in
	// settings that determine where the entry's launcher gets packages.
	FileHosts []string
	// Cwd is the working directory of a stdio server.
	Cwd string
	// ExpandsWorkspace is set if the client replaces ${workspaceFolder} with the directory of the
	// project.
	ExpandsWorkspace bool
	// URL and Headers are the address of a remote server and the headers sent to it.
	URL     string
	Headers map[string]string
	// CommandLine is set if the server was given on a command line, not in a configuration.
	CommandLine bool
	// Other contains the scalars in all other members, such as OAuth credentials.
	Other []Setting
	// Disabled is set if the file disables the entry in a way that this client supports. Such
	// entries are inspected anyway; see ConfigPass.Report in package scanner.
	Disabled bool
	// AutoApprove lists the values that let tools run without asking.
	AutoApprove []Approved
	// ToolAllow and ToolDeny limit the tools that the client shows.
	ToolAllow, ToolDeny []string
	// Scope is the part of the configuration to which the entry applies, such as the project
	// path in ~/.claude.json, or "" for all of it.
	Scope string
	// Platform is the platform to which the entry applies, if it is a platform-specific variant in an
	// MCPB manifest; "" means all platforms.
	Platform string
	// Pos is the start of the entry: its key, or the list item.
	Pos Position
	// Span contains the position of each value by JSON Pointer in terms of this struct
	// ("/command", "/args/0", "/env/TOKEN", "/url", "/headers/X"), independent of the file's
	// spelling, except for AutoApprove.
	Span map[string]Position
	// Problems lists the parts of this entry that could not be understood.
	Problems []string
	// Found describes the entry's command on this machine; empty if it was not looked up.
	Found Found
	// Proxy is the mcpscan proxy that the entry starts in front of its server, or nil.
	Proxy *EntryProxy
}

// Approved is a value that lets tools run without asking. Pointer is its location in the entry, with the
// key as clients spell it, because several keys have this effect.
type Approved struct {
	Pointer string
	Text    string // as written: the name of a tool, or a value that means every tool
	Every   bool
}

// EntryProxy is an mcpscan proxy as started by an entry. Span contains the positions of its
// program ("/proxy") and of its flags ("/proxy/0").
type EntryProxy struct {
	// Program is the program as written, and Flags are its flags, without "proxy" and "--".
	Program string
	Flags   []string
	// Through reports whether the entry is exactly what mcpscan wrap writes and its program is the
	// running mcpscan: Command and Args of the entry are then those of the server behind the proxy.
	// Otherwise they are as written.
	Through bool
	// Written reports whether the entry has mcpscan wrap's marker, whoever wrote it.
	Written bool
}

// Found describes an entry's command on a machine: its version in the package manager, with
// the registry's digest; its executable, if present; and the file of the project that the launcher runs
// instead of the package, if any. Unknown values are empty.
type Found struct {
	Resolved, Integrity string
	Executable, Digest  string
	Instead             string
	// DigestLF and DigestCRLF are the digests of the executable with these line endings, if it is text.
	DigestLF, DigestCRLF string
	// Removed reports whether the change under review removed the approved executable, or replaced it
	// with something that is not a file.
	Removed bool
}

// Setting is a value in a client configuration, outside its server entries or, in Entry.Other, inside
// one.
type Setting struct {
	Pointer string // JSON Pointer into the file or, in Entry.Other, into the entry
	Text    string // value of a scalar: the string, or the literal as written
	Pos     Position
}

// SwitchesOff reports whether an entry only turns off a server that another file configures.
func (e *Entry) SwitchesOff() bool { return e.Disabled && e.Command == "" && e.URL == "" }

// Compared reports whether an entry is compared with a lockfile, which has one command or address for
// each server.
func (e *Entry) Compared() bool { return e.Platform == "" && !e.SwitchesOff() }

// At returns the position of a value of the entry, or of its nearest existing parent.
func (e *Entry) At(pointer string) Position {
	for ; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		if pos, ok := e.Span[pointer]; ok {
			return pos
		}
	}
	return e.Pos
}

// ConcealedBytes is the number of bytes at the beginning of a value that are searched for secrets
// before a part of the value is shown.
const ConcealedBytes = 64 << 10

// Secrets returns a mask for the secrets in the entry: values recognised by their name or format, and
// credentials within values. Values that only look random are not masked.
func (e *Entry) Secrets() text.Secrets {
	given := secrets.Given{URL: text.Literal(e.URL), Headers: map[string]string{}}
	for name, value := range e.Env {
		given.Variables = append(given.Variables, name+"="+text.Literal(value))
	}
	for name, value := range e.Headers {
		given.Headers[name] = text.Literal(value)
	}
	for _, w := range e.Args {
		given.Words = append(given.Words, text.Literal(w))
	}
	certain, _, _ := given.Secrets()
	return text.NewSecrets(certain, nil)
}
