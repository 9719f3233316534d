package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/report"
)

// lockfileOf returns the path of the lockfile for an entry: the one given with --lockfile, the one that
// its proxy reads, or the one with which a scan compares the configuration.
func (c *doctorCmd) lockfileOf(path string, e *config.Server) string {
	if c.Lockfile != "" {
		return c.Lockfile
	}
	own, err := filepath.Abs(lockfile.Name)
	if e.Proxy != nil && e.Proxy.Through {
		for _, flag := range e.Proxy.Flags {
			file, found := strings.CutPrefix(flag, "--lockfile=")
			if !found || err == nil && file == own {
				continue
			}
			if _, err := os.Stat(file); err == nil {
				return file
			}
		}
	}
	return cmp.Or(new(app.Checks).Nearest(&config.File{ClientConfig: configfile.ClientConfig{Path: path, Project: e.Scope}}), lockfile.Name)
}

// locked returns a lockfile, or nil if it does not exist or cannot be read.
func (all *checkup) locked(name string) *lockfile.File {
	if !all.seen[name] {
		all.seen[name] = true
		switch f, err := lockfile.Load(name); {
		case err == nil:
			all.lockfiles[name] = f
		case !errors.Is(err, fs.ErrNotExist):
			all.unread(name, 0, err.Error())
		}
	}
	return all.lockfiles[name]
}

// lock determines a server's status in its lockfile f, which is nil if there is none.
func (s *checkedServer) lock(path string, f *lockfile.File, e *config.Server) {
	at := func(words ...string) []string {
		if s.Lockfile != lockfile.Name {
			words = append(words, "--lockfile", s.Lockfile)
		}
		return words
	}
	var locked *lockfile.Server
	if f != nil {
		locked = f.Servers[e.Name]
	}
	if locked == nil {
		s.Lock = lockMissing
		s.do("none of its definitions is approved", at("lock", "--run-servers", path)...)
		return
	}
	s.Lock = lockApproved
	counts := map[lockfile.Status]int{}
	for _, entry := range locked.Entries {
		counts[entry.Status]++
	}
	stale := locked.Identity.Stale(baseline.IdentityOf(e))
	switch {
	case locked.Identity == nil || len(locked.Entries) == 0:
		s.Lock = lockMissing
		s.do("the lockfile lists the server without definitions or without its identity", at("lock", "--run-servers", path)...)
	case len(stale) > 0:
		s.Lock = lockChanged
		s.do("it differs from the approved server: "+strings.Join(stale, "; "), at("lock", "--run-servers", path)...)
	case counts[lockfile.Changed] > 0 || locked.Identity.Seen != nil:
		s.Lock = lockChanged
	case counts[lockfile.Pending] > 0 || locked.Identity.Waits():
		s.Lock = lockPending
	}
	if waits := counts[lockfile.Changed] + counts[lockfile.Pending]; waits > 0 || locked.Identity.Waits() {
		s.do(waiting(counts, locked.Identity.Waits()), at("pins", "diff", e.Name)...)
	}
}

// waiting describes what is waiting for approval on a server.
func waiting(counts map[lockfile.Status]int, identity bool) string {
	var parts []string
	if n := counts[lockfile.Changed]; n > 0 {
		parts = append(parts, report.Count(n, "changed definition"))
	}
	if n := counts[lockfile.Pending]; n > 0 {
		parts = append(parts, report.Count(n, "new definition"))
	}
	if identity {
		parts = append(parts, "its identity")
	}
	return "waiting for approval: " + strings.Join(parts, ", ")
}
