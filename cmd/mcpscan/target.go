package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/published"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// liveTarget is a server to list.
type liveTarget struct {
	name      string
	command   []string
	env       []string // set by the configuration, as NAME=VALUE
	dir       string
	url       string
	transport string
	headers   map[string]string
	origin    scanner.Origin
	foreign   bool // from a configuration file: the command is not the user's own
	unnamed   bool // name is an ID until the server reports its name

	written config.Server // the configuration entry, with references not expanded
	secrets []string      // values from the environment
	named   []string      // those of variables whose names suggest secrets
}

// endpoint is the location of something without a file.
func endpoint(name string) scanner.Origin {
	return scanner.Origin{File: "mcp://" + name, Line: 1, Column: 1}
}

// configTarget returns the target for a configured server.
func configTarget(s config.Server, at scanner.Origin) (liveTarget, error) {
	written := s
	var secrets, named []string
	s, missing := config.Expand(s, func(name string) (string, bool) {
		value, ok := os.LookupEnv(name)
		secrets = append(secrets, value)
		if secretName(name) {
			named = append(named, value)
		}
		return value, ok
	})
	if len(missing) > 0 {
		return liveTarget{}, fmt.Errorf("%s is not set; set it in the environment", strings.Join(missing, ", "))
	}
	t := liveTarget{name: s.Name, dir: s.Cwd, url: s.URL, headers: s.Headers, origin: at, foreign: true, written: written, secrets: secrets, named: named}
	switch {
	case s.Transport == "ws":
		return t, errors.New("WebSocket transport is not supported")
	case s.Command != "":
		t.command, t.url = append([]string{s.Command}, s.Args...), ""
		t.env = pairs(s.Env, "=")
	case s.URL == "":
		return t, errors.New("it has neither a command nor a URL")
	case s.Transport == "sse":
		t.transport = "sse"
	}
	return t, nil
}

// pairs returns the map's entries as key-value strings, sorted by key.
func pairs(m map[string]string, between string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+between+m[k])
	}
	return out
}

// shown returns the full command or URL as configured: references are not expanded, and other
// secrets are masked.
func (t *liveTarget) shown() string {
	command, address := t.command, t.url
	if t.foreign {
		command, address = append([]string{t.written.Command}, t.written.Args...), t.written.URL
	}
	if len(t.command) == 0 {
		return text.Mask(address)
	}
	command = slices.Clone(command)
	for i, w := range command {
		if i > 0 && text.NamesSecret(command[i-1]) && !strings.HasPrefix(w, "-") && !text.IsReference(w) {
			command[i] = text.Masked
		} else if name, value, ok := strings.Cut(w, "="); ok && !strings.Contains(name, "://") {
			command[i] = name + "=" + maskedValue(name, value)
		}
	}
	return text.Mask(quoted(command))
}

// describe describes everything that determines what runs if a server is started: a variable such as
// LD_PRELOAD or PATH can turn a harmless command into another program.
func (l *listing) describe(t *liveTarget) string {
	in := l.inherits(t)
	var b strings.Builder
	fmt.Fprintf(&b, "Server %s in %s:\n  %s\n", text.Visible(t.name, 200), text.Visible(t.origin.File, 400), text.Visible(t.shown(), 100000))
	line := func(what, s string) { fmt.Fprintf(&b, "  %s %s\n", what, text.Visible(s, 100000)) }
	if t.written.Cwd != "" && len(t.command) > 0 {
		line("in", t.written.Cwd)
	}
	if len(t.command) > 0 {
		for _, k := range slices.Sorted(maps.Keys(t.written.Env)) {
			line("with", k+"="+maskedValue(k, t.written.Env[k]))
		}
		if given := in.givenTo(); given != "" {
			line("with", given)
		}
	} else {
		for _, k := range slices.Sorted(maps.Keys(t.written.Headers)) {
			line("with", k+": "+maskedValue(k, t.written.Headers[k]))
		}
	}
	return b.String()
}

// maskedValue returns the value of a variable or header for display: references unexpanded,
// secrets masked.
func maskedValue(name, value string) string {
	if literal := text.Literal(value); literal != "" && (text.NamesSecret(name) || published.Find(name+`="`+literal+`"`) != "") {
		return text.Masked
	}
	_, shown, _ := strings.Cut(text.Mask(name+"="+value), "=")
	return shown
}

// quoted formats a command for a shell.
func quoted(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		if words[i] = w; w == "" || w != text.Masked && strings.ContainsAny(w, " \t\n\"'\\$`;&|<>*?()") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// conceal masks secrets in text from or about a server.
func (t *liveTarget) conceal(s string) string { return text.Mask(text.NewSecrets(t.known()).Mask(s)) }

// identity returns the server's identity, including what m knows about its command. References are
// not expanded.
func (t *liveTarget) identity(m machine) (id *baseline.Identity, why string) {
	entry := t.written
	if len(t.command) > 0 {
		entry.Found, why = m.find(&config.Server{Command: t.command[0], Args: t.command[1:], Cwd: t.dir})
		entry.Found.Executable = t.conceal(entry.Found.Executable)
	}
	return baseline.IdentityOf(&entry), why
}

// isURL reports whether a target is a URL, not a file.
func isURL(target string) bool {
	return strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")
}

// bare returns a URL without parts that may be secret.
func bare(raw string) string { return cmp.Or(text.BareURL(raw), "an unreadable URL") }
