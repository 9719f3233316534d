package policy

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// standard are the variables that every server may have: the system's own.
var standard = []string{"PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "XDG_RUNTIME_DIR",
	"SYSTEMROOT", "COMSPEC", "TEMP", "TMP", "USERPROFILE", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMDRIVE"}

// sensitive are the endings of names of secrets. Such a variable is allowed by its own
// name only, and by no glob.
var sensitive = []string{"_TOKEN", "_KEY", "_SECRET", "_API_KEY", "_PASSWORD", "_CREDENTIALS"}

// Sensitive reports whether a variable holds a secret by its name.
func Sensitive(variable string) bool {
	upper := strings.ToUpper(variable)
	return slices.ContainsFunc(sensitive, func(ending string) bool { return strings.HasSuffix(upper, ending) })
}

// Variable decides whether a declared server may have a variable. Where there is a list
// of what is allowed, that of what is denied has nothing to say.
func (l *Lists) Variable(server, name string) scanner.Decision {
	i := slices.IndexFunc(l.Servers, func(d Declared) bool { return d.ID == server })
	if i < 0 {
		return scanner.Decision{}
	}
	d := &l.Servers[i]
	if len(d.EnvAllow) == 0 {
		for _, glob := range d.EnvDeny {
			if glob.Refuses(name) {
				return l.block("env_deny", d.At, "env_deny of the server names it, by the pattern %q", glob)
			}
		}
		return scanner.Decision{}
	}
	for _, glob := range d.EnvAllow {
		if glob.String() == name || glob.Allows(name) && !Sensitive(name) {
			return scanner.Decision{}
		}
	}
	switch {
	case slices.Contains(standard, strings.ToUpper(name)):
		return scanner.Decision{}
	case Sensitive(name):
		return l.block("env_allow", d.At, "it holds a secret by its name, and env_allow of the server does not name it")
	}
	return l.block("env_allow", d.At, "env_allow of the server does not name it")
}
