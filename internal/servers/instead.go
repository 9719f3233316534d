package servers

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// NPM contains the directories in which npx looks for a package before it asks the registry.
type NPM struct {
	Dirs     []string // the working directory and those above it, whose package.json and node_modules it reads
	Prefixes []string // of global packages, according to settings
	Caches   []string // according to settings
}

// Instead returns the file of the project that npx or npm exec runs instead of fetching a package, or a
// file that makes it do so, or "" if there is none. Its path is relative to the project, or to the
// working directory if project is "". Except for programs declared in package.json, only files that Git
// tracks count: the others were installed on this machine. why is the reason if it is unknown which
// files Git tracks.
func (d *Disk) Instead(l *launch.Command, n *NPM, project string) (name, why string) {
	word := packageSpec(l)
	if word == "" || len(n.Dirs) == 0 {
		return "", ""
	}
	found := func(dir, file string) string {
		abs, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil || file == "" {
			return ""
		}
		return portable(abs, project)
	}
	named := slices.ContainsFunc(l.Options, packageOption.MatchString)
	for _, dir := range n.Dirs {
		if file := d.ownProgram(dir, word); file != "" && !named {
			return found(dir, file), ""
		}
	}
	switch r := d.repository(n.Dirs[0]); {
	case r == nil:
		return "", ""
	case r.unread:
		return "", fmt.Sprintf("the Git index of %s cannot be read or exceeds %d bytes, so files that npx would run instead of the package were not looked for", portable(r.root, ""), int64(maxManifest))
	default:
		return found(r.root, r.instead(l, word, n)), ""
	}
}

// Untracked returns the file in node_modules that Instead would return if Git tracked it, or "" if there
// is none or Git ignores it. Its path is relative to the project, as in Instead.
func (d *Disk) Untracked(l *launch.Command, n *NPM, project string) string {
	word := packageSpec(l)
	if word == "" {
		return ""
	}
	for _, dir := range n.Dirs {
		for _, name := range [...]string{path.Join(".bin", word), path.Join(l.Name, "package.json")} {
			file := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
			r := d.repository(dir)
			if _, err := os.Stat(file); err != nil || r == nil || r.unread || d.Ignored(file) {
				continue
			}
			if rel, inside := r.path(file); inside && !r.tracks(rel) {
				return portable(filepath.Join(r.root, filepath.FromSlash(rel)), project)
			}
		}
	}
	return ""
}

// packageSpec returns the name and version of the package that npx or npm exec looks for, or "" if the
// command is neither of them.
func packageSpec(l *launch.Command) string {
	switch {
	case l.Program != "npx" && l.Program != "npm" || l.Installs || l.Ecosystem != launch.NPM:
		return ""
	case l.Version != "":
		return l.Name + "@" + l.Version
	}
	return l.Name
}

// packageOption matches the option that names the package, after which the next word is a program.
var packageOption = lazyregexp.New(`^(?:-p|--package(?:=.*)?)$`)

// ownProgram returns the file that the package.json in a directory declares for a program, or "".
func (d *Disk) ownProgram(dir, program string) string {
	own, known := d.programs[dir]
	if !known {
		own = d.ownPrograms(dir)
		d.programs[dir] = own
	}
	if file := own[program]; file != "" || own[""] == "" {
		return file
	}
	file := path.Join(own[""], program)
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
		return ""
	}
	return file
}

// ownPrograms returns the files that the package.json in a directory declares for its programs, by name.
// If it declares only a directory that contains them, that directory has the name "".
func (d *Disk) ownPrograms(dir string) map[string]string {
	var doc wire.Doc
	data := bytes.TrimPrefix(d.manifest(filepath.Join(dir, "package.json")), []byte("\xef\xbb\xbf"))
	if len(data) == 0 || doc.Parse(data) != nil {
		return nil
	}
	own := map[string]string{}
	switch bin := doc.Get(0, "bin"); doc.Kind(bin) {
	case wire.String:
		name, _ := doc.Str(0, "name")
		own[path.Base(name)] = doc.TextString(bin)
	case wire.Object:
		for i := doc.First(bin); i >= 0; i = doc.Next(i) {
			own[path.Base(separators.Replace(doc.KeyString(i)))] = doc.TextString(i)
		}
	default:
		if in, ok := doc.Str(doc.Get(0, "directories"), "bin"); ok && filepath.IsLocal(filepath.FromSlash(in)) {
			own[""] = in
		}
	}
	return own
}

// separators converts the characters that npm treats as separators in the name of a program.
var separators = strings.NewReplacer(`\`, "/", ":", "/")

// instead returns the tracked file that npx runs instead of a package, or a file that makes it do so, or
// "".
func (r *repository) instead(l *launch.Command, word string, n *NPM) string {
	for _, dir := range n.Dirs {
		if file := r.installed(filepath.Join(dir, "node_modules"), l, word); file != "" {
			return file
		}
	}
	for _, dir := range n.Prefixes {
		rel, ok := r.path(dir)
		for _, file := range [...]string{path.Join(rel, "bin", word), path.Join(rel, word)} {
			if _, found := slices.BinarySearch(r.paths, file); ok && found {
				return file
			}
		}
		if file := r.installed(filepath.Join(dir, "lib", "node_modules"), l, word); file != "" {
			return file
		}
	}
	for _, dir := range n.Caches {
		for _, part := range [...]string{"_npx/", "_cacache/"} {
			if rel, ok := r.path(dir); ok && r.below(rel, part) != "" {
				return r.below(rel, part)
			}
		}
	}
	return ""
}

// installed returns the tracked file of a node_modules directory that provides a program or package, or "".
func (r *repository) installed(dir string, l *launch.Command, word string) string {
	rel, ok := r.path(dir)
	if !ok || r.modules[rel] == nil {
		return ""
	}
	if file := path.Join(rel, ".bin", word); r.below(file, "") == file {
		return file
	}
	for _, p := range r.modules[rel].packages[l.Name] {
		if !l.Exact || bareVersion(p.version) == bareVersion(l.Version) {
			return p.file
		}
	}
	return ""
}

// nodeModules contains the packages in a node_modules directory, by name, at any depth.
type nodeModules struct{ packages map[string][]installedPackage }

type installedPackage struct{ version, file string }

// nodeModules returns the tracked node_modules directories of a repository.
func (d *Disk) nodeModules(r *repository) map[string]*nodeModules {
	all := map[string]*nodeModules{}
	for _, file := range r.paths {
		before, rest, ok := strings.Cut("/"+file, "/node_modules/")
		if !ok {
			continue
		}
		dir := path.Join(strings.TrimPrefix(before, "/"), "node_modules")
		if all[dir] == nil {
			all[dir] = &nodeModules{map[string][]installedPackage{}}
		}
		d.install(all[dir], filepath.Join(r.root, filepath.FromSlash(file)), file, rest)
	}
	return all
}

// install adds what a tracked file installs if the file is a manifest, a link to a directory, or npm's
// list of the installed packages.
func (d *Disk) install(m *nodeModules, abs, file, rest string) {
	manifest := abs
	switch base := path.Base(rest); {
	case base == "package.json":
	case base != ".package-lock.json":
		if info, err := os.Lstat(abs); err != nil || info.Mode().IsRegular() {
			return
		}
		manifest = filepath.Join(abs, "package.json")
	}
	var doc wire.Doc
	data := d.manifest(manifest)
	if data == nil || doc.Parse(data) != nil {
		return
	}
	add := func(i int, key string) {
		name, ok := doc.Str(i, "name")
		if !ok {
			name = key
		}
		version, _ := doc.Str(i, "version")
		m.packages[name] = append(m.packages[name], installedPackage{version, file})
	}
	if rest != ".package-lock.json" {
		add(0, "")
		return
	}
	for i := doc.First(doc.Get(0, "packages")); i >= 0; i = doc.Next(i) {
		key := doc.KeyString(i)
		if at := strings.LastIndex(key, "node_modules/"); at >= 0 {
			key = key[at+len("node_modules/"):]
		}
		add(i, key)
	}
}

// bareVersion returns a version without its prefix and build metadata, which npm ignores.
func bareVersion(version string) string {
	version, _, _ = strings.Cut(strings.TrimLeft(version, "v="), "+")
	return version
}
