package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
)

// inherited are the variables of our environment that a server is started with, as
// NAME=VALUE, and the names of those that it is not given.
type inherited struct {
	id        string // of the entry in mcpscan.yaml that decides
	variables []string
	beyond    []string // names of the variables that are not standard
	withheld  []string // names; those of secrets come first
}

// inherits returns the part of our environment that a server gets, without what its
// configuration sets.
func (c *liveFlags) inherits(t *liveTarget) (in inherited) {
	id := t.name
	if t.foreign {
		id = t.written.Name
	}
	in.id = id
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch {
		case name == "": // Windows keeps the directory of each drive under such names
		case !c.InheritEnv && !c.passes(id, name):
			if _, own := t.written.Env[name]; !own {
				in.withheld = append(in.withheld, name)
			}
		default:
			in.variables = append(in.variables, variable)
			if !policy.Standard(name) {
				in.beyond = append(in.beyond, name)
			}
		}
	}
	secretsFirst(in.beyond)
	secretsFirst(in.withheld)
	return in
}

// passes asks the policy about a variable. Names have no case on Windows.
func (c *liveFlags) passes(server, name string) bool {
	return slices.Contains(c.named, name) || c.declared.Inherits(server, name) || runtime.GOOS == "windows" && c.declared.Inherits(server, strings.ToUpper(name))
}

func secretsFirst(names []string) {
	rank := func(name string) int {
		if secretName(name) {
			return 0
		}
		return 1
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
}

// secretName reports whether a variable is named like a secret.
func secretName(name string) bool { return policy.Sensitive(name) || text.NamesSecret(name) }

// secrets are the values, beyond the standard variables, that are secret by their name.
func (in *inherited) secrets() (values []string) {
	for _, variable := range in.variables {
		if name, value, _ := strings.Cut(variable, "="); secretName(name) && !policy.Standard(name) {
			values = append(values, value)
		}
	}
	return values
}

// givenTo describes the variables of our environment, beyond the standard ones, that a
// server is about to get; "" for none.
func (in *inherited) givenTo() string {
	if len(in.beyond) == 0 {
		return ""
	}
	return listed(in.beyond, 20) + " of your environment"
}

// missed are the variables that a server may have needed and did not get.
type missed struct {
	server string
	names  []string
}

// missing names the variables that a server may have needed: all that were withheld where
// listing it failed, and otherwise those of secrets, without which a server can list less
// than it has.
func (in *inherited) missing(server string, failed bool) missed {
	names := in.withheld
	if !failed {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !secretName(name) })
	}
	if in.id != server {
		server += " (" + in.id + " in mcpscan.yaml)"
	}
	return missed{server, names}
}

// describeMissed says which servers were started without which variables, one line for
// those that missed the same.
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
		fmt.Fprintf(&b, "mcpscan: started without %s of this environment: %s. If a server needs one, list it in env_allow of mcpscan.yaml or in env of its configuration, or use --inherit-env\n",
			names, listed(servers[names], 8))
	}
	return b.String()
}

// listed joins names for one line of a terminal.
func listed(names []string, most int) string {
	shown := names[:min(len(names), most)]
	line := text.Visible(strings.Join(shown, ", "), 400)
	if more := len(names) - len(shown); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}
