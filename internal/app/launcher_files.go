package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/scanner"
)

// settingsFiles lists the files from which launchers take settings, in their working directory or above
// it, each with the prefix of the environment variables that have the same effect. uvx and pipx read no
// such file.
var settingsFiles = []struct {
	name, prefix string
	programs     []string
}{
	{".npmrc", npmPrefix, []string{"npx", "npm", "pnpx", "pnpm", "yarn", "bunx", "bun", "deno"}},
	{config.PNPMWorkspace, npmPrefix, []string{"pnpx", "pnpm"}},
	{"bunfig.toml", "BUN_CONFIG_", []string{"bunx", "bun"}},
	{".yarnrc.yml", "YARN_", []string{"yarn"}},
}

const npmPrefix = "npm_config_"

// unreadFiles lists files of a project that can change what a program behind a wrapper does, but
// are not read: the wrappers use most of a file's contents only after the user has trusted it.
var unreadFiles = map[string][]string{
	"mise":   {"mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"},
	"direnv": {".envrc"},
}

// launcherFile is a settings file of launchers in a project.
type launcherFile struct {
	prefix   string       // see settingsFiles
	of       *config.File // the first configuration that starts such a launcher
	at       scanner.Origin
	packages []string            // packages that the launchers fetch
	vars     *config.File        // nil if the file was not read
	err      error               // why it was not read
	ignored  bool                // Git ignores the file, so other machines do not have it
	last     map[string]string   // effective values of the settings, by name without the prefix
	hosts    map[string][]string // hosts of registries and proxies, by the scope of the packages; "" for all
}

// launchers adds to an entry of a project what it and its launchers read from files in the project: the
// hosts in its environment files and in the launchers' settings, and the file that npx runs instead of a
// package.
func (p *Plan) launchers(f *config.File, e *config.Server) {
	var named []*envFile
	for _, name := range e.EnvFiles {
		if at := envFilePath(f, name); at != "" {
			file := p.envFile(f, at)
			if named = append(named, file); !file.ignored {
				e.FileHosts = append(e.FileHosts, file.hosts...)
			}
		}
	}
	if e.Command == "" {
		return
	}
	l := launch.Parse(e.Command, e.Args)
	r := launcherReader{Plan: p, f: f, e: e, seen: map[string]bool{}, noted: map[string]bool{}, npm: servers.NPM{Dirs: p.dirsOf(f, e)}}
	at := scanner.Origin{File: f.Path, Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1)}
	l.Each(func(c *launch.Command) {
		r.unread(c, at)
		for _, file := range settingsFiles {
			if c.Contained || !slices.Contains(file.programs, c.Program) {
				continue
			}
			for _, dir := range r.npm.Dirs {
				r.read(filepath.Join(dir, file.name), file.prefix, c.Name)
			}
			if file.prefix == npmPrefix {
				r.variables(c, named)
			}
			if file.name == config.PNPMWorkspace && c.Ecosystem.Fetched() {
				r.pnpmfile(c.Name)
			}
		}
	})
	instead, why := p.disk.Instead(&l, &r.npm, StartDir(f))
	if instead != "" {
		e.Found = configfile.Found{Instead: instead}
		e.Found, why = p.disk.Find(e, StartDir(f))
	}
	if why != "" {
		p.skip(at, "server %s: %s", e.Name, why)
	}
	if file := p.disk.Untracked(&l, &r.npm, StartDir(f)); instead == "" && file != "" {
		p.ignore(at, "a package in node_modules that Git neither tracks nor ignores")
		p.Notes = append(p.Notes, fmt.Sprintf("server %s: %s is not in the lockfile, because Git neither tracks nor ignores it; to lock it, run git add and then mcpscan lock again, or else add it to .gitignore", e.Name, file))
	}
}

// unread lists the files that the wrappers of a command read, but mcpscan does not.
func (r *launcherReader) unread(c *launch.Command, at scanner.Origin) {
	for _, program := range append(c.Wrappers, c.Program) {
		for _, name := range unreadFiles[program] {
			exists := func(dir string) bool { _, err := os.Lstat(filepath.Join(dir, name)); return err == nil }
			if !c.Contained && !r.noted[name] && slices.ContainsFunc(r.npm.Dirs, exists) {
				r.noted[name] = true
				r.ignore(at, fmt.Sprintf("%s, in which %s finds programs, packages or variables for the server", name, program))
			}
		}
	}
}

// dirsOf returns an entry's working directory in its project and the directories above it, up to the root
// of the repository: npm's own project may begin above that of the client.
func (p *Plan) dirsOf(f *config.File, e *config.Server) (dirs []string) {
	for dir := cmp.Or(config.InProject(e.Cwd), "."); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, filepath.Join(projectOf(f), filepath.FromSlash(dir)))
	}
	dir := projectOf(f)
	dirs = append(dirs, dir)
	for root := p.disk.Repository(dir); root != "" && !sameDirectory(dir, root); dirs = append(dirs, dir) {
		dir = filepath.Join(dir, "..")
	}
	return dirs
}

func sameDirectory(a, b string) bool {
	abs, err := filepath.Abs(a)
	return err != nil || abs == b
}

// launcherReader reads the settings files of an entry's launchers.
type launcherReader struct {
	*Plan
	f       *config.File
	e       *config.Server
	seen    map[string]bool // by path of a file that was read: whether its hosts count for the identity
	noted   map[string]bool // names of files in the coverage
	ignored bool            // a file that Git ignores led to the current one, whose hosts therefore do not count
	npm     servers.NPM
}

// variables reads the files named by variables in a command's environment and in its environment files.
func (r *launcherReader) variables(c *launch.Command, files []*envFile) {
	for _, file := range files {
		r.ignored = file.ignored
		for _, s := range file.places {
			r.named(strings.TrimPrefix(s.Pointer, "/envFile/"), s.Text, c.Name)
		}
		r.ignored = false
	}
	for _, name := range slices.Sorted(maps.Keys(r.e.Env)) {
		r.named(name, r.e.Env[name], c.Name)
	}
	for _, v := range c.Env {
		r.named(v.Name, v.Value, c.Name)
	}
}

// pnpmfile reads the file whose code pnpm dlx runs if it starts in the root of a workspace.
func (r *launcherReader) pnpmfile(pkg string) {
	dir := r.npm.Dirs[0]
	if _, err := os.Stat(filepath.Join(dir, config.PNPMWorkspace)); err == nil {
		r.read(filepath.Join(dir, ".pnpmfile.cjs"), npmPrefix, pkg)
	}
}

// read reads a settings file and the files that it names, unless they were already read for the entry.
func (r *launcherReader) read(name, prefix, pkg string) {
	file := r.launcherFile(r.f, r.e, name, prefix)
	before := r.ignored
	r.ignored = before || file.ignored
	defer func() { r.ignored = before }()
	file.packages = append(file.packages, pkg)
	if counted, seen := r.seen[name]; seen && (counted || r.ignored) {
		return
	}
	if r.seen[name] = !r.ignored; !r.ignored {
		r.e.FileHosts = append(r.e.FileHosts, file.hosts[""]...)
		if scope, _, scoped := strings.Cut(pkg, "/"); scoped {
			r.e.FileHosts = append(r.e.FileHosts, file.hosts[scope]...)
		}
	}
	for _, setting := range npmPlaces {
		if value := file.last[setting]; value != "" && prefix == npmPrefix {
			r.named(npmPrefix+setting, value, pkg)
		}
	}
}

// npmPlaces are the settings of npm that name a file or directory with settings or packages.
var npmPlaces = []string{"userconfig", "globalconfig", "prefix", "cache"}

// npmPlace matches the variables that have the effect of these settings; see named.
var npmPlace = lazyregexp.New(`(?i)^/envFile/(?:npm_config_(?:userconfig|globalconfig|prefix|cache)|prefix|home|userprofile)$`)

// named handles a variable that names a file or directory of npm: it reads settings and adds directories
// of packages.
func (r *launcherReader) named(name, value, pkg string) {
	inside := config.InProject(value)
	if inside == "" || value == "" {
		return
	}
	place := filepath.Join(r.npm.Dirs[0], filepath.FromSlash(inside))
	switch strings.ToLower(name) {
	case "npm_config_userconfig", "npm_config_globalconfig":
		r.read(place, npmPrefix, pkg)
	case "npm_config_prefix", "prefix":
		if !r.ignored {
			r.npm.Prefixes = append(r.npm.Prefixes, place)
		}
		r.read(filepath.Join(place, "etc", "npmrc"), npmPrefix, pkg)
	case "npm_config_cache":
		r.addCache(place)
	case "home", "userprofile":
		r.addCache(filepath.Join(place, ".npm"))
		r.read(filepath.Join(place, ".npmrc"), npmPrefix, pkg)
	}
}

// addCache adds a directory in which npx looks for packages, unless an ignored file names it.
func (r *launcherReader) addCache(dir string) {
	if !r.ignored {
		r.npm.Caches = append(r.npm.Caches, dir)
	}
}

// launcherFile returns the settings file at a path, which it reads only once.
func (p *Plan) launcherFile(f *config.File, e *config.Server, name, prefix string) *launcherFile {
	if p.launcherFiles[name] != nil {
		return p.launcherFiles[name]
	}
	file := &launcherFile{prefix: prefix, of: f, at: scanner.Origin{File: f.Path, Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1)}}
	p.launcherFiles[name] = file
	data, err := ReadTarget(name, maxEnvFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isLink(name):
	case err == nil && !below(cmp.Or(p.disk.Repository(projectOf(f)), projectOf(f)), name):
		file.err = errors.New("not checked: a symbolic link leads outside the project")
	case err != nil:
		file.err = fmt.Errorf("not read: %w", err)
	default:
		if filepath.Ext(name) == ".cjs" { // code, which counts as the setting that names it
			data = []byte("pnpmfile=" + filepath.Base(name))
		}
		file.vars = config.ParseEnvFile(name, f.Client, prefix, data)
		file.vars.Project = f.Project
		file.ignored = p.disk.Ignored(name)
		file.index()
	}
	return file
}

// index determines the effective settings and their hosts. In YAML, settings with the same name are in
// different places, so all of them count.
func (f *launcherFile) index() {
	f.last, f.hosts = map[string]string{}, map[string][]string{}
	for _, s := range f.vars.Settings {
		f.last[f.name(s)] = s.Text
	}
	yaml := strings.HasPrefix(filepath.Ext(f.vars.Path), ".y")
	for _, s := range f.vars.Settings {
		name := f.name(s)
		if !sourceSetting.MatchString(name) || !yaml && s.Text != f.last[name] {
			continue
		}
		scope := ""
		if strings.HasPrefix(name, "@") {
			scope, _, _ = strings.Cut(name, ":")
		}
		hosts := baseline.HostsIn(name, s.Text)
		f.hosts[scope] = append(f.hosts[scope], slices.DeleteFunc(hosts, launch.OfficialRegistry)...)
	}
}

// sourceSetting matches the settings that determine where packages come from.
var sourceSetting = lazyregexp.New(`(?i)(?:registry|registryserver|proxy)$`)

// name returns the name of a setting without its prefix.
func (f *launcherFile) name(s configfile.Setting) string {
	return strings.ReplaceAll(strings.TrimPrefix(s.Pointer, "/envFile/"+f.prefix), "~1", "/")
}

// launcherSettings adds the settings in the files that were read. A missing file is not reported,
// because a launcher works without it.
func (p *Plan) launcherSettings() {
	for _, name := range slices.Sorted(maps.Keys(p.launcherFiles)) {
		file := p.launcherFiles[name]
		if file.err != nil {
			p.skip(file.at, "%s %v", filepath.Base(name), file.err)
		}
		if file.vars != nil && (filepath.IsAbs(name) || filepath.IsLocal(name)) { // others have no location in reports
			file.vars.Settings = slices.DeleteFunc(file.vars.Settings, file.unused)
			p.Config(file.vars)
		}
	}
}

// unused reports whether a setting specifies the registry of an npm scope from which the launchers fetch
// no packages.
func (f *launcherFile) unused(s configfile.Setting) bool {
	scope, _, _ := strings.Cut(f.name(s), ":")
	return strings.HasPrefix(scope, "@") && !slices.ContainsFunc(f.packages, func(name string) bool { return strings.HasPrefix(name, scope+"/") })
}
