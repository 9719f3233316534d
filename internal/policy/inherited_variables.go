package policy

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// standard are the variables that a server may have unless its env_deny lists them.
var standard = []string{
	// Unix.
	"PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "XDG_RUNTIME_DIR",
	// The files of CA certificates, without which launchers fail behind a private certificate authority.
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
	// Windows, including all that the MCP SDKs pass on there.
	"SYSTEMROOT", "COMSPEC", "TEMP", "TMP", "USERPROFILE", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMDRIVE",
	"HOMEDRIVE", "HOMEPATH", "USERNAME", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE", "WINDIR",
}

// Standard reports whether a server may have the variable unless its env_deny lists it.
func Standard(variable string) bool { return slices.Contains(standard, strings.ToUpper(variable)) }

// sensitive contains suffixes of variable names that indicate secrets. In env_allow, only an exact
// name, not a glob, allows such a variable.
var sensitive = []string{"_TOKEN", "_KEY", "_SECRET", "_API_KEY", "_PASSWORD", "_CREDENTIALS"}

// Sensitive reports whether the name of a variable indicates a secret.
func Sensitive(variable string) bool {
	upper := strings.ToUpper(variable)
	return slices.ContainsFunc(sensitive, func(ending string) bool { return strings.HasSuffix(upper, ending) })
}

// Inherits reports whether a started server gets a variable from the environment of the program
// that starts it. A server without env_allow and env_deny, or without a declaration, gets only the
// standard variables. l may be nil.
func (l *Lists) Inherits(server, variable string) bool {
	if l == nil {
		return Standard(variable)
	}
	if d := l.declared(server); d == nil || len(d.EnvAllow)+len(d.EnvDeny) == 0 {
		return Standard(variable)
	}
	return l.Variable(server, variable).Verdict != scanner.Block
}

func (l *Lists) declared(server string) *Declared {
	if i := slices.IndexFunc(l.Servers, func(d Declared) bool { return d.ID == server }); i >= 0 {
		return &l.Servers[i]
	}
	return nil
}

// Variable decides whether a declared server may have a variable. If there is an allow list, the
// deny list has no effect.
func (l *Lists) Variable(server, name string) scanner.Decision {
	d := l.declared(server)
	if d == nil {
		return scanner.Decision{}
	}
	if len(d.EnvAllow) == 0 {
		for _, glob := range d.EnvDeny {
			if glob.Refuses(name) {
				return l.variable("env_deny", d.At, "the server's env_deny lists it, with the pattern %q", glob)
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
	case Standard(name):
		return scanner.Decision{}
	case Sensitive(name):
		return l.variable("env_allow", d.At, "its name indicates a secret, and the server's env_allow does not list it")
	}
	return l.variable("env_allow", d.At, "the server's env_allow does not list it")
}

func (l *Lists) variable(key string, at configfile.Position, format string, args ...any) scanner.Decision {
	p := Policy{file: l.File}
	return p.decision(blocks(key, at, format, args...))
}
