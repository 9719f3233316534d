package app

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/scanner"
)

// settingsFiles lists the files that launchers read in their working directory, each with the
// prefix of the environment variables that have the same effect. uvx and pipx read no such file.
var settingsFiles = []struct {
	name, prefix string
	programs     []string
}{
	{".npmrc", "npm_config_", []string{"npx", "npm", "pnpx", "pnpm", "yarn", "bunx", "bun"}},
	{"bunfig.toml", "BUN_CONFIG_", []string{"bunx", "bun"}},
}

// launcherFile is a settings file in a project, together with the packages fetched by the launchers
// that read it.
type launcherFile struct {
	prefix   string // see settingsFiles
	packages []string
	of       *config.File // the first configuration that starts such a launcher
	at       scanner.Origin
}

// launchers collects the files from which the launchers in a project's configuration take settings.
func (p *Plan) launchers(f *config.File) {
	if f.User {
		return
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Command == "" {
			continue
		}
		dir := filepath.Join(projectOf(f), filepath.FromSlash(config.InProject(e.Cwd)))
		l := launch.Parse(e.Command, e.Args)
		l.Each(func(c *launch.Command) {
			for _, file := range settingsFiles {
				if !c.Contained && slices.Contains(file.programs, c.Program) {
					one := p.launcherFile(f, e, filepath.Join(dir, file.name), file.prefix)
					one.packages = append(one.packages, c.Name)
				}
			}
		})
	}
}

// launcherFile returns the entry for a path in p.launcherFiles, adding it if necessary.
func (p *Plan) launcherFile(f *config.File, e *config.Server, path, prefix string) *launcherFile {
	if p.launcherFiles[path] == nil {
		if p.launcherFiles == nil {
			p.launcherFiles = map[string]*launcherFile{}
		}
		at := scanner.Origin{File: f.Path, Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1)}
		p.launcherFiles[path] = &launcherFile{prefix: prefix, of: f, at: at}
	}
	return p.launcherFiles[path]
}

// launcherSettings adds the settings in the collected files. A missing file is not reported,
// because a launcher works without it.
func (p *Plan) launcherSettings() {
	for _, path := range slices.Sorted(maps.Keys(p.launcherFiles)) {
		file := p.launcherFiles[path]
		data, err := ReadTarget(path, maxEnvFile)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !isLink(path):
		case err == nil && !below(projectOf(file.of), path):
			p.skip(file.at, "%s not checked: a symbolic link leads outside the project", filepath.Base(path))
		case err != nil:
			p.skip(file.at, "%s not read: %v", filepath.Base(path), err)
		default:
			vars := config.ParseEnvFile(path, file.of.Client, file.prefix, data)
			vars.Project = file.of.Project
			vars.Settings = slices.DeleteFunc(vars.Settings, file.unused)
			p.Config(vars)
		}
	}
}

// unused reports whether a setting specifies the registry of an npm scope from which the launchers fetch no packages.
func (f *launcherFile) unused(s configfile.Setting) bool {
	scope, ok := strings.CutPrefix(strings.TrimPrefix(s.Pointer, "/envFile/"+f.prefix), "@")
	scope, _, _ = strings.Cut(scope, ":")
	return ok && !slices.ContainsFunc(f.packages, func(name string) bool { return strings.HasPrefix(name, "@"+scope+"/") })
}
