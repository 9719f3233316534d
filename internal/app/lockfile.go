package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// Against makes a run compare definitions with those approved in a lockfile. It runs the engine's
// rules on the approved definitions as well. "" means mcpscan.lock, if it exists. A named lockfile
// that does not exist, or an mcpscan.lock that is a link to a missing file, approves nothing.
func (c *Checks) Against(ctx context.Context, name string) error {
	named := name != ""
	name = cmp.Or(name, lockfile.Name)
	if _, err := os.Readlink(name); err == nil {
		named = true
	}
	base, tree := c.base, treeOf(c.base)
	if tree != "" {
		base = tree.lockfile(name)
	}
	c.lockfile = name
	c.lockfileSeen, _ = os.Stat(name)
	now, err := lockfile.Load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named && base == "":
		return nil
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		c.Locked = now
		c.Files = append(c.Files, name)
	}
	if c.approved, err = c.approvedIn(ctx, now); err != nil || base == "" {
		return err
	}
	before, err := lockfile.Load(base)
	if err != nil {
		return err
	}
	c.Files = append(c.Files, base)
	if tree.holds(name) { // the path of the base tree differs from run to run
		before.Path = path.Join("base", filepath.ToSlash(name))
	}
	c.Before = before
	c.before, err = offersOf(ctx, c.engine, before)
	return err
}

// With returns checks with the same rules that compare definitions with those in another lockfile. If the
// change under review adds that one beside an existing lockfile, its servers are as new as they would be
// in the existing one.
func (c *Checks) With(ctx context.Context, name string) (*Checks, error) {
	other := &Checks{engine: c.engine, Triage: c.Triage, maxMessage: c.maxMessage, base: c.base, rulesOf: c}
	err := other.Against(ctx, name)
	if err == nil && c.Before != nil && other.Before == nil {
		other.Before = &lockfile.File{Path: filepath.ToSlash(name)}
		other.before, err = offersOf(ctx, c.engine, other.Before)
	}
	return other, err
}

// Renew reads the lockfile again if it changed since it was last read, and reports whether
// [Checks.Engine] now has other approvals. If Renew fails, the approvals stay the same, and it does not
// read the file again until the file changes.
func (c *Checks) Renew(ctx context.Context) (renewed bool, err error) {
	is, err := os.Stat(c.lockfile)
	if sameState(is, c.lockfileSeen) {
		return false, nil
	}
	if c.lockfileSeen = is; err != nil {
		return false, err
	}
	now, err := lockfile.Load(c.lockfile)
	if err != nil {
		return false, err
	}
	approved, err := c.approvedIn(ctx, now)
	if err != nil {
		return false, err
	}
	c.approved = approved
	c.locking.Lock()
	defer c.locking.Unlock()
	c.Locked = now
	return true, nil
}

// sameState reports whether two descriptions, nil for a missing file, are of the same file in the same
// state.
func sameState(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// Known returns the servers in the lockfile. It may be called while another goroutine calls Renew.
func (c *Checks) Known() servers.Known {
	c.locking.Lock()
	defer c.locking.Unlock()
	return servers.KnownIn(c.Locked)
}

// Engine returns the engine, which compares definitions with the approved ones, if any.
func (c *Checks) Engine() *scanner.Engine {
	engine := c.engine
	if c.rulesOf != nil { // Advise can change the engine
		engine = c.rulesOf.engine
	}
	if c.approved == nil {
		return engine
	}
	return engine.Against(c.approved, c.before).Renaming(func(server string) bool {
		return c.approved.Servers[server] == nil || c.Enabled != nil && !c.Enabled[server]
	})
}

// approvedIn is like offersOf, and records the path of the lockfile unless it has the default name.
func (c *Checks) approvedIn(ctx context.Context, f *lockfile.File) (*scanner.Snapshot, error) {
	approved, err := offersOf(ctx, c.engine, f)
	if err == nil && c.lockfile != lockfile.Name {
		approved.File = c.lockfile
	}
	return approved, err
}

// offersOf returns the definitions in a lockfile: the approved versions, and definitions without an
// approval.
func offersOf(ctx context.Context, engine *scanner.Engine, f *lockfile.File) (*scanner.Snapshot, error) {
	offers := scanner.NewSnapshot()
	_, err := engine.Keeping().Run(context.WithoutCancel(ctx), replay.Events(f.Events(true)), offers)
	return offers, err
}

// Servers returns the servers that the policy declares, and those in the lockfile with their tools.
// They are needed to split names in transcripts into server and tool.
func (c *Checks) Servers() map[string][]string {
	all := toolsByServer(c.Locked)
	if p := c.Triage.Settings.Policy; p != nil {
		for _, d := range p.Servers {
			if _, known := all[d.ID]; !known {
				all[d.ID] = nil
			}
		}
	}
	return all
}

// HostsBelow returns, for each server that a configuration in or below a directory names, the hosts in
// its entries. complete is false if something could not be read.
func HostsBelow(ctx context.Context, dir string, maxMessage int64) (hosts map[string][]string, complete bool) {
	p := NewPlan(ctx, nil, maxMessage)
	p.NoRun = true
	err := p.discover(dir, false)
	hosts, complete = map[string][]string{}, err == nil || errors.Is(err, ErrNoConfig)
	for _, event := range p.Events {
		complete = complete && event.Kind != scanner.SkippedEvent
		if event.Kind != scanner.ConfigEvent {
			continue
		}
		for i := range event.Config.Entries {
			e := &event.Config.Entries[i]
			hosts[e.Name] = append(hosts[e.Name], baseline.IdentityOf(e).Hosts...)
		}
	}
	return hosts, complete
}

// LockedTools returns the servers in mcpscan.lock with their tools, or nil if no lockfile can be
// read.
func LockedTools() map[string][]string {
	f, err := lockfile.Load(lockfile.Name)
	if err != nil {
		return nil
	}
	return toolsByServer(f)
}

// toolsByServer returns the servers in a lockfile with their tools. f may be nil.
func toolsByServer(f *lockfile.File) map[string][]string {
	all := map[string][]string{}
	if f == nil {
		return all
	}
	for name, server := range f.Servers {
		tools := []string{}
		for key := range server.Entries {
			if key.Kind == mcp.ToolSubject {
				tools = append(tools, key.Name)
			}
		}
		slices.Sort(tools)
		all[name] = tools
	}
	return all
}

// LockfileFlag returns the flag that selects a lockfile on a command line, or "" for the default.
func LockfileFlag(file string) string {
	if file == lockfile.Name {
		return ""
	}
	return " --lockfile " + text.ShellWord(text.Visible(file, 400))
}

// ResetCommand returns the command that removes a server's entry from a lockfile.
func ResetCommand(file, server string) string {
	return "mcpscan pins reset" + LockfileFlag(file) + " " + text.ShellWord(text.Visible(server, 200))
}
