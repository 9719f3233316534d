package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// chooseLockfile chooses the lockfile to write, unless --lockfile names it. It fails if the targets have
// other lockfiles, because their servers would be approved at first use in the one that is written.
func (c *lockCmd) chooseLockfile(checks *app.Checks, targets []string) error {
	if c.Lockfile != "" {
		return nil
	}
	c.Lockfile = cmp.Or(checks.LockfileBeside(c.Targets), lockfile.Name)
	others := checks.OtherLockfiles(c.Lockfile, slices.Concat(c.Targets, targets))
	if len(others) == 0 {
		return nil
	}
	return usage("%s would be written, but the projects of the targets have other lockfiles: %s; to lock one of these projects, run: mcpscan lock%s %s; to write %[1]s, add --lockfile %[1]s",
		text.Visible(c.Lockfile, 400), quotedNames(others), app.LockfileFlag(others[0]), text.ShellWord(text.Visible(filepath.Dir(others[0]), 400)))
}

// namedBeside returns the servers named by the configurations in or below the lockfile's directory, with
// their hosts: each client has its own settings for a server, and the targets of a run may include the
// configuration of only one client. complete is false if something there could not be read.
type namedBeside func() (hosts map[string][]string, complete bool)

// beside returns a function that reads these configurations on its first call.
func (c *lockCmd) beside(ctx context.Context) namedBeside {
	return sync.OnceValues(func() (map[string][]string, bool) { return app.HostsBelow(ctx, filepath.Dir(c.Lockfile), c.MaxMessage) })
}

// keepHosts keeps a listed server's recorded hosts if other configurations still name them. before is
// nil for a new lockfile.
func (b namedBeside) keepHosts(before *lockfile.File, now *scanner.Snapshot) {
	if before == nil {
		return
	}
	for _, name := range now.Names() {
		o, s := now.Servers[name], before.Servers[name]
		if s == nil || s.Identity == nil || o.Identity == nil || len(o.Identity.NewHosts(s.Identity.Last())) == 0 {
			continue
		}
		hosts, _ := b()
		o.Identity = o.Identity.KeepHosts(s.Identity.Last(), hosts[name])
	}
}

// unnamed returns the servers in a lockfile that neither the targets nor other configurations name. It
// returns none if the targets include no configuration.
func (b namedBeside) unnamed(f *lockfile.File, o *offers) []string {
	if len(o.configured) == 0 {
		return nil
	}
	hosts, _ := b()
	return slices.DeleteFunc(f.Names(), func(name string) bool {
		_, named := hosts[name]
		return named || o.configured[name] || o.now.Servers[name] != nil
	})
}

// covered reports whether nothing was skipped, the targets name every server named by a configuration
// in or below the lockfile's directory, and the lockfile has all servers that the targets name.
// Otherwise, an entry that no configuration names may have the approvals of a renamed server that is
// still to be locked.
func (b namedBeside) covered(f *lockfile.File, o *offers) bool {
	named, complete := b()
	for name := range named {
		complete = complete && o.configured[name]
	}
	for name := range o.configured {
		complete = complete && f.Servers[name] != nil
	}
	return complete && len(named) > 0 && len(o.result.Coverage.Skipped) == 0
}
