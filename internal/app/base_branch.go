package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// baseTree is a directory that contains the files as they were before the change under review, or
// "" if there is none. The settings in it apply, so that a change cannot hide its own findings.
type baseTree string

// treeOf returns name as a baseTree, or "" if it is not a directory.
func treeOf(name string) baseTree {
	if info, err := os.Stat(name); name != "" && err == nil && info.IsDir() {
		return baseTree(name)
	}
	return ""
}

// lockfile returns the path of the base's version of a lockfile, or "" if there is none.
func (b baseTree) lockfile(name string) string {
	if _, err := os.Stat(b.path(name)); !b.holds(name) || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return b.path(name)
}

// holds reports whether the base tree covers a file. If so, the copy there is the earlier version;
// without a copy, the file is new.
func (b baseTree) holds(name string) bool { return b != "" && filepath.IsLocal(name) }

// path returns the path of the base's version of a file.
func (b baseTree) path(name string) string { return filepath.Join(string(b), name) }

// fileVersion is a file as it is in the working tree or in the base tree; nil if it does not exist
// there.
type fileVersion struct {
	name string
	data []byte
}

// read reads a file from the working tree or the base tree. Unless must is set, it returns nil for
// a missing file.
func read(what, name string, limit int64, must bool) (*fileVersion, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil, nil
	case err == nil && !must && !info.Mode().IsRegular(): // the user did not name it, so do not block on a pipe
		return nil, fmt.Errorf("reading %s: %s is %w", what, name, errIrregular)
	}
	data, err := ReadUpTo(what, name, limit)
	if err != nil {
		return nil, err
	}
	return &fileVersion{name, data}, nil
}

// errIrregular is the error for a file that is not regular, such as a pipe, which could block its
// reader.
var errIrregular = errors.New("not a regular file")

// versions returns the versions of a file before and after the change. If they are equal, or the
// base tree does not cover the file, was == now.
func (b baseTree) versions(what, name string, limit int64, must bool) (was, now *fileVersion, err error) {
	if !b.holds(name) {
		now, err = read(what, name, limit, must)
		return now, now, err
	}
	if was, err = read(what+" of the base", b.path(name), limit, false); err != nil {
		return nil, nil, err
	}
	if now, err = read(what, name, limit, must && was == nil); err != nil {
		return nil, nil, err
	}
	if was != nil && now != nil && bytes.Equal(was.data, now.data) {
		was = now
	}
	return was, now, nil
}

// changedSettings describes a changed configuration, policy or baseline, for an event.
func changedSettings(name string, was, now *fileVersion, changes []configfile.SettingsChange) *configfile.ChangedSettings {
	changed := &configfile.ChangedSettings{Path: name, Changes: changes}
	if was != nil {
		changed.Was = was.data
	}
	if now != nil {
		changed.Now = now.data
	}
	return changed
}

// settings reads the configuration in effect, and returns a description of its changes if the
// change under review modifies it. Without a configuration, the defaults apply.
func (o *Options) settings() (*config.Settings, []*configfile.ChangedSettings, error) {
	if o.NoConfig {
		if o.Config != "" {
			return nil, nil, errors.New("--config and --no-config cannot be combined")
		}
		return &config.Settings{}, nil, nil
	}
	name, named := cmp.Or(o.Config, config.SettingsFile), o.Config != ""
	if _, err := os.Readlink(name); err == nil { // otherwise, a link to a missing file would select the defaults
		named = true
	}
	was, now, err := treeOf(o.Base).versions("the configuration", name, config.MaxSettings, named)
	if errors.Is(err, errIrregular) {
		return nil, nil, fmt.Errorf("%w; --no-config ignores the file", err)
	}
	if err != nil {
		return nil, nil, err
	}
	is, err := now.settings()
	if err != nil || was == now {
		return is, nil, err
	}
	before, err := was.settings()
	if err != nil {
		return nil, nil, err
	}
	var data []byte
	if now != nil {
		data = now.data
	}
	return before, []*configfile.ChangedSettings{changedSettings(name, was, now, config.Compare(before, is, data, Vocabulary()))}, nil
}

// settings parses a version of the configuration.
func (v *fileVersion) settings() (*config.Settings, error) {
	if v == nil {
		return &config.Settings{}, nil
	}
	return config.ParseSettings(v.name, v.data, Vocabulary())
}

// ReadSettings returns the settings in a configuration file, as a run with --config reads them.
func ReadSettings(name string) (*config.Settings, error) {
	settings, _, err := (&Options{Config: name}).settings()
	return settings, err
}

// policies returns the names of the policies in effect, and a description of the changes to each
// policy that the change under review modifies.
func (b baseTree) policies(names []string) (decide []string, changed []*configfile.ChangedSettings, err error) {
	for _, name := range names {
		was, now, err := b.versions("the policy", name, config.MaxPolicy, true)
		if err != nil {
			return nil, nil, err
		}
		if was == now {
			decide = append(decide, name)
			continue
		}
		if now != nil {
			if _, _, err := LoadPolicy(name); err != nil {
				return nil, nil, err
			}
		}
		changes, decides, err := comparePolicies(was, now)
		if err != nil {
			return nil, nil, err
		}
		if decides {
			decide = append(decide, was.name)
		}
		changed = append(changed, changedSettings(name, was, now, changes))
	}
	return decide, changed, nil
}

// comparePolicies compares two versions of a policy, one of which may be missing, and reports
// whether the earlier one has any effect.
func comparePolicies(was, now *fileVersion) (changes []configfile.SettingsChange, decides bool, err error) {
	there := was
	if was == nil {
		there = now
	}
	if strings.EqualFold(filepath.Ext(there.name), ".toml") {
		var rules [2]*policy.Policy
		for i, v := range [...]*fileVersion{was, now} {
			if v == nil {
				continue
			}
			if rules[i], err = config.ParsePolicy(v.name, v.data); err != nil {
				return nil, false, err
			}
		}
		return policy.Compare(rules[0], rules[1]), was != nil, nil
	}
	var lists [2]*policy.Lists
	for i, v := range [...]*fileVersion{was, now} {
		settings, err := v.settings()
		if err != nil {
			return nil, false, err
		}
		lists[i] = settings.Policy
	}
	changes = policy.CompareLists(lists[0], lists[1])
	if now != nil {
		config.Place(changes, now.data)
	}
	return changes, lists[0] != nil && lists[0].Enforced, nil
}

// Events returns the changes as engine events.
func (c *Checks) Events() (events []*scanner.Event) {
	for _, changed := range c.changed {
		events = append(events, &scanner.Event{Kind: scanner.SettingsEvent, Settings: changed, Origin: scanner.Origin{File: changed.Path, Line: 1, Column: 1}})
	}
	return events
}

// config reports which configuration is in effect, and which changed files are not.
func (c *Checks) config() *report.Config {
	s := c.Triage.Settings
	said := &report.Config{File: s.Path, AlertThreshold: s.AlertThreshold}
	for _, changed := range c.changed {
		said.Changed = append(said.Changed, changed.Path)
	}
	if s.Path == "" && len(said.Changed) == 0 {
		return nil
	}
	return said
}
