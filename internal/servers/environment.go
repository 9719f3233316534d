package servers

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Inherited contains the variables from our environment that a server gets, as NAME=VALUE, and the
// names of those that it does not get.
type Inherited struct {
	id        string // ID of the server's entry in mcpscan.yaml
	Variables []string
	beyond    []string // names of the non-standard variables that it gets
	withheld  []string // names of the variables that it does not get and may need; secrets first
}

// Inherits returns the part of our environment that a server gets in addition to the variables in
// its configuration.
func (l *Listing) Inherits(t *Target) (in Inherited) {
	id := t.Name
	if t.Foreign {
		id = t.Written.Name
	}
	in.id = id
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch {
		case name == "": // Windows uses such names for the current directory of each drive
		case !l.InheritEnv && !l.passes(id, name):
			if _, own := t.Written.Env[name]; !own && !fromShell(name) && !strings.HasPrefix(name, inputPrefix) { // a server gets an input through a reference
				in.withheld = append(in.withheld, name)
			}
		default:
			in.Variables = append(in.Variables, variable)
			if !policy.Standard(name) {
				in.beyond = append(in.beyond, name)
			}
		}
	}
	secretsFirst(in.beyond)
	secretsFirst(in.withheld)
	return in
}

// fromShell reports whether a shell or terminal sets the variable for itself, so that no server
// needs it.
func fromShell(name string) bool {
	switch name {
	case "_", "PWD", "OLDPWD", "SHLVL", "LOGNAME", "HOSTNAME", "MAIL", "PS1", "COLUMNS", "LINES", "COLORTERM", "LS_COLORS",
		"LESSOPEN", "LESSCLOSE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "XDG_SESSION_ID", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY":
		return true
	}
	return false
}

// passes reports whether a variable is passed to a server. Names are case-insensitive on Windows.
func (l *Listing) passes(server, name string) bool {
	return slices.Contains(l.Named, name) || l.Declared.Inherits(server, name) || runtime.GOOS == "windows" && l.Declared.Inherits(server, strings.ToUpper(name))
}

func secretsFirst(names []string) {
	rank := func(name string) int {
		if secrets.MayNameSecret(name) {
			return 0
		}
		return 1
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
}

// Inherit records which variables of our environment the server gets, so that the secrets in them
// are masked.
func (t *Target) Inherit(in *Inherited) {
	for _, variable := range in.Variables {
		if name, _, _ := strings.Cut(variable, "="); !policy.Standard(name) {
			t.inherited = append(t.inherited, variable)
		}
	}
}

// givenTo describes the non-standard variables from our environment that a server is about to get;
// "" if there are none.
func (in *Inherited) givenTo() string {
	if len(in.beyond) == 0 {
		return ""
	}
	return listed(in.beyond, 20) + " from your environment"
}

// missed contains the variables that a server did not get and may have needed.
type missed struct {
	server string
	names  []string
}

// missing returns the variables that a server may have needed: all withheld ones if listing it
// failed, otherwise only secrets, because without them a server may list less than it offers.
func (in *Inherited) missing(server string, failed bool) missed {
	names := in.withheld
	if !failed {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !secrets.MayNameSecret(name) })
	}
	if in.id != server {
		server += " (id: " + in.id + ")"
	}
	return missed{server, names}
}

// Lacks returns the names of the secrets that a server does not get, on one line, or "" if there
// are none.
func (in *Inherited) Lacks() string { return listed(in.missing("", false).names, 8) }

// describeMissed describes which servers were started without which variables, with one line per
// list of variables.
func describeMissed(all []missed) string {
	var lines []string
	servers := map[string][]string{}
	for _, m := range all {
		if len(m.names) == 0 {
			continue
		}
		names := listed(m.names, 8)
		if servers[names] == nil {
			lines = append(lines, names)
		}
		servers[names] = append(servers[names], m.server)
	}
	var b strings.Builder
	for _, names := range lines {
		fmt.Fprintf(&b, "mcpscan: servers started without %s from your environment: %s. If a server needs one, list it under env_allow in an entry for its id in mcpscan.yaml or under env in its configuration, or use --inherit-env\n",
			names, listed(servers[names], 8))
	}
	return b.String()
}

// listed joins names into one line for a terminal.
func listed(names []string, most int) string {
	shown := names[:min(len(names), most)]
	line := text.Visible(strings.Join(shown, ", "), 400)
	if more := len(names) - len(shown); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}
