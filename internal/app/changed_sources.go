package app

import (
	"cmp"
	"io/fs"
	"os"
	"slices"

	"github.com/mcpscan/mcpscan/internal/config"
)

// source is a file with settings or a policy, as it was when it was read.
type source struct {
	name string
	seen fs.FileInfo // nil if it did not exist
}

// sourcesOf returns the files with the settings and policies, including mcpscan.yaml in the working
// directory, if the settings are read from there, even if it does not exist.
func sourcesOf(o Options, s *config.Settings, policies []string) (all []source) {
	names := slices.Clone(policies)
	if s.Path != "" || o.Config == "" && !o.NoConfig {
		names = append(names, cmp.Or(s.Path, config.SettingsFile))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		now, _ := os.Stat(name)
		all = append(all, source{name, now})
	}
	return all
}

// Outdated returns the files of settings and policies that changed since they were read, each once.
func (c *Checks) Outdated() (names []string) {
	c.sources = slices.DeleteFunc(c.sources, func(s source) bool {
		now, _ := os.Stat(s.name)
		same := sameState(now, s.seen)
		if !same {
			names = append(names, s.name)
		}
		return !same
	})
	return names
}
