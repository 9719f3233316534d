package servers

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Target is a server to list.
type Target struct {
	Name      string
	Command   []string
	Env       []string // variables set by the configuration, as NAME=VALUE
	Dir       string   // directory in which it starts; "" for the working directory
	Project   string   // directory of the project whose configuration contains it; "" for none
	URL       string
	Transport string
	Headers   map[string]string
	Origin    scanner.Origin
	Foreign   bool // from a configuration file, not written by the user on the command line
	Unnamed   bool // name is an ID until the server reports its name

	Written    config.Server // the configuration entry, with references not expanded
	references []string      // variables of our environment to which references refer, as NAME=VALUE
	inherited  []string      // other variables of our environment that it gets, except standard ones
}

// Endpoint returns a location for input that has no file.
func Endpoint(name string) scanner.Origin {
	return scanner.Origin{File: "mcp://" + name, Line: 1, Column: 1}
}

// Configured returns the target for a configured server that may be started: references in it are
// expanded, including those to the workspace, which its client defines. project is the directory of the
// project whose configuration contains the server, and in which clients start it; "" for none.
func Configured(s config.Server, project string, at scanner.Origin, in Workspace) (Target, error) {
	var references, inputs []string
	expanded, missing := config.Expand(s, func(name string) (string, bool) {
		if value, ok := in.variable(name); ok {
			return value, true
		}
		variable, prompted := inputVariable(name)
		value, ok := os.LookupEnv(variable)
		if prompted && !ok {
			inputs = append(inputs, variable)
		}
		if prompted { // a prompt usually asks for a secret, whatever its ID
			variable = "secret"
		}
		references = append(references, variable+"="+value)
		return value, ok
	})
	if len(inputs) > 0 {
		slices.Sort(inputs)
		return Target{}, fmt.Errorf("expected %s to be set in the environment; inputs of VS Code are read from %s",
			strings.Join(missing, ", "), strings.Join(slices.Compact(inputs), ", "))
	}
	if len(missing) > 0 {
		return Target{}, fmt.Errorf("expected %s to be set in the environment", strings.Join(missing, ", "))
	}
	t, err := AsWritten(expanded, project, at)
	t.Written, t.references = s, references
	if s.Transport == "ws" {
		err = errors.New("WebSocket transport is not supported")
	}
	return t, err
}

// inputVariable returns the environment variable that holds the value of a reference. For an input
// prompt of VS Code, prompted is true, and the variable has a prefix, so that a configuration cannot use
// the ID of an input to request any other variable. Different IDs have different
// variables.
func inputVariable(name string) (variable string, prompted bool) {
	id, prompted := strings.CutPrefix(name, "input:")
	if !prompted {
		return name, false
	}
	if plainInput.MatchString(id) {
		return inputPrefix + strings.ToUpper(strings.NewReplacer("-", "_", "_", "__").Replace(id)), true
	}
	digest := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%s%s___%X", inputPrefix, otherThanNames.ReplaceAllString(strings.ToUpper(id), "_"), digest[:4]), true
}

// inputPrefix begins the names of the variables that hold values of inputs.
const inputPrefix = "MCPSCAN_INPUT_"

var (
	plainInput     = lazyregexp.New(`^[a-z0-9]+(?:[-_][a-z0-9]+)*$`)
	otherThanNames = lazyregexp.New(`[^A-Z0-9]+`)
)

// AsWritten returns the target for a configured server that is not started, with its references
// not expanded.
func AsWritten(s config.Server, project string, at scanner.Origin) (Target, error) {
	t := Target{Name: s.Name, URL: s.URL, Headers: s.Headers, Origin: at, Foreign: true, Written: s}
	switch {
	case s.Command != "":
		t.Command, t.URL = append([]string{s.Command}, s.Args...), ""
		t.Env, t.Project, t.Dir = Pairs(s.Env), project, Directory(project, s.Cwd)
	case s.URL == "":
		return t, errors.New("it has neither a command nor a URL")
	case s.Transport == "sse":
		t.Transport = "sse"
	}
	return t, nil
}

// Pairs returns the map's entries as KEY=VALUE, sorted by key.
func Pairs(m map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return out
}

// directory returns the directory in which the server starts, with references not expanded, or "" for the
// working directory.
func (t *Target) directory() string {
	cwd, project := t.Written.Cwd, strings.TrimPrefix(portable(t.Project, ""), "./")
	switch {
	case t.Project == "" || filepath.IsAbs(cwd):
		return cwd
	case len(text.References(cwd)) > 0:
		return cwd + ", which, if relative, is in " + project
	}
	return path.Join(project, filepath.ToSlash(cwd))
}

// InProject reports whether the server may run code of the project whose configuration contains it, or
// may read a file that an argument names. Otherwise, it runs only a fetched or installed program.
func (t *Target) InProject() bool {
	if t.Project == "" || len(t.Command) == 0 {
		return false
	}
	if file := t.Written.Found.Executable; file != "" {
		return strings.HasPrefix(file, "./") || slices.ContainsFunc(t.Command[1:], func(arg string) bool { return isRegular(Directory(t.Dir, arg)) })
	}
	return !launch.Parse(t.Command[0], t.Command[1:]).Ecosystem.Fetched()
}

// identity returns the server's identity, including what m knows about its command. References
// remain unexpanded.
func (t *Target) identity(m machine) (id *baseline.Identity, why string) {
	entry := t.Written
	if len(t.Command) > 0 {
		m.project = t.Project
		entry.Found, why = m.find(&config.Server{Command: t.Command[0], Args: t.Command[1:], Cwd: t.Dir, Found: entry.Found})
		entry.Found.Executable = t.Conceal(entry.Found.Executable)
	}
	return baseline.IdentityOf(&entry), why
}

// IsURL reports whether a target is a URL, not a file.
func IsURL(target string) bool {
	return strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")
}

// BareURL returns a URL without parts that may be secret.
func BareURL(raw string) string {
	return cmp.Or(baseline.Masked(text.BareURL(raw)), "an unreadable URL")
}
