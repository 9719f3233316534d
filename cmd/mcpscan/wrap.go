package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
)

type wrapCmd struct {
	wrapFlags
	Mode     string `help:"Mode of the proxies: enforce blocks the messages that mcpscan.yaml and policies refuse; observe only reports them. Default: enforce, or the current mode of a wrapped server." placeholder:"MODE" default:"" enum:",enforce,observe"`
	Settings string `help:"The mcpscan.yaml for the proxies; default for project files: the one in the working directory, if it exists." placeholder:"FILE"`
	Lockfile string `help:"The lockfile for the proxies; default for project files: mcpscan.lock in the working directory, if it exists." placeholder:"FILE"`
}

// Run edits the configurations so that their servers start behind the proxy.
func (c *wrapCmd) Run(ctx context.Context, std streams) error {
	program, err := ownPath()
	if err != nil {
		return err
	}
	by := config.Wrapper{Program: program, Options: config.ProxyOptions{Observe: c.Mode == "observe"}}
	if by.Options.Config, err = existing(c.Settings); err != nil {
		return usage("--settings: %w; create the file first, or leave out the flag", err)
	}
	if by.Options.Lockfile, err = existing(c.Lockfile); err != nil {
		return usage("--lockfile: %w; to create the file: mcpscan lock --run-servers%s CONFIGURATION", err, app.LockfileFlag(c.Lockfile))
	}
	given := by.Options
	return c.edit(ctx, std, func(f *editedFile, data []byte, chosen func(*config.Server) bool) ([]byte, []config.Outcome, error) {
		by := by
		if f.project && c.Settings == "" {
			by.Options.Config, _ = existing(projectFiles["--config"].name)
		}
		if f.project && c.Lockfile == "" {
			by.Options.Lockfile, _ = existing(projectFiles["--lockfile"].name)
		}
		if err := startable(by.Options); err != nil {
			return nil, nil, err
		}
		by.Change = func(o *config.ProxyOptions) {
			if c.Mode != "" {
				o.Observe = given.Observe
			}
			o.Config = cmp.Or(given.Config, present(o.Config, by.Options.Config))
			o.Lockfile = cmp.Or(given.Lockfile, present(o.Lockfile, by.Options.Lockfile))
		}
		return config.Wrap(f.path, data, by, chosen)
	}, true)
}

// projectFiles has an entry for each proxy flag that names a file: name is the file in the working
// directory that wrap uses for a project by default, and flag is the flag of wrap that selects another.
var projectFiles = map[string]struct{ name, flag string }{
	"--config":   {config.SettingsFile, "--settings"},
	"--lockfile": {lockfile.Name, "--lockfile"},
}

// present returns a file that a wrapped entry names, or the one that replaces it if the project was
// moved.
func present(file, moved string) string {
	if _, err := os.Stat(file); file == "" || err == nil {
		return file
	}
	return cmp.Or(moved, file)
}

// startable returns an error if a proxy with these options cannot read a file that it needs to start.
func startable(o config.ProxyOptions) error {
	if o.Config != "" {
		if _, err := app.ReadSettings(o.Config); err != nil {
			return err
		}
	}
	if o.Lockfile != "" {
		if _, err := os.Stat(o.Lockfile); err != nil {
			return err
		}
	}
	return nil
}

// existing returns the absolute path of a file that must exist, or "" for "".
func existing(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if _, err := os.Stat(name); err != nil {
		return "", fmt.Errorf("the proxies could not read %s: %s", name, reason(err))
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("cannot determine the path of %s: %w", name, err)
	}
	return path, nil
}

// draft is an edit that has not been written to its file yet.
type draft struct {
	file          *config.File // before the edit
	before, after []byte
	outcomes      []config.Outcome
}

func (d *draft) changed() bool { return !bytes.Equal(d.after, d.before) }
