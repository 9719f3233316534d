package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// unapproved prints once for each server how to approve the definitions that an outcome refuses.
func (r *proxyRun) unapproved(server string, out *scanner.Outcome) {
	if out.Decision.Check != scanner.PinCheck && !slices.ContainsFunc(out.Withheld, func(w scanner.Withheld) bool { return w.Decision.Check == scanner.PinCheck }) {
		return
	}
	file, flag := r.lockfileName(), ""
	if r.Lockfile != "" {
		flag = " --lockfile " + text.ShellWord(text.Visible(r.Lockfile, 400))
	}
	if name := r.lockedAs(server); name != "" {
		r.stderr.hint(fmt.Sprintf("%s has the server %s under the name %s: restart the proxy with --name %s", file, text.QuoteName(server), text.QuoteName(name), shellName(name)))
		return
	}
	r.stderr.hint(fmt.Sprintf("to approve definitions of the server %s, run mcpscan lock%s %s, then mcpscan approve%s %s; the client sees them when it next requests the list, at the latest after a restart",
		text.QuoteName(server), flag, r.lockTarget(), flag, shellName(server)))
}

// lockfileName returns the name of the lockfile, for messages.
func (r *proxyRun) lockfileName() string {
	return text.Visible(cmp.Or(r.Lockfile, lockfile.Name), 400)
}

func shellName(name string) string { return text.ShellWord(text.Visible(name, 200)) }

// lockedAs returns the name under which the lockfile has the server if that differs from its name in
// this run, otherwise "".
func (r *proxyRun) lockedAs(server string) string {
	known := r.checks.Known()
	if known[server] != nil || r.Servers != "" || r.LLM {
		return ""
	}
	if names, _ := known.Like(&r.target.Written); len(names) == 1 {
		return names[0]
	}
	return ""
}

// lockTarget returns the argument with which mcpscan lock records the server. The proxy does not know
// the client configuration that named it, and prints no command, because its arguments can contain
// secrets.
func (r *proxyRun) lockTarget() string {
	switch {
	case r.Servers != "" && !r.LLM:
		return "--run-servers " + text.ShellWord(text.Visible(r.Servers, 400))
	case r.Upstream != "" && !r.LLM:
		return text.ShellWord(text.Visible(servers.BareURL(r.Upstream), 400))
	}
	return "--run-servers CONFIGURATION"
}
