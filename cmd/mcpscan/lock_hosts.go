package main

import (
	"context"
	"path/filepath"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// keepHosts keeps a listed server's recorded hosts if other configurations in or below the lockfile's
// directory still name them: each client has its own settings for a server, and the targets may include
// the configuration of only one client. before is nil for a new lockfile.
func (c *lockCmd) keepHosts(ctx context.Context, before *lockfile.File, now *scanner.Snapshot) {
	if before == nil {
		return
	}
	var named map[string][]string
	for _, name := range now.Names() {
		o, s := now.Servers[name], before.Servers[name]
		if s == nil || s.Identity == nil || o.Identity == nil || len(o.Identity.NewHosts(s.Identity.Last())) == 0 {
			continue
		}
		if named == nil {
			named = app.HostsBelow(ctx, filepath.Dir(c.Lockfile), c.MaxMessage)
		}
		o.Identity = o.Identity.KeepHosts(s.Identity.Last(), named[name])
	}
}
