package servers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// home returns the user's home directory, in which launchers keep their caches.
func (m machine) home() string {
	if runtime.GOOS == "windows" {
		return m.getenv("USERPROFILE")
	}
	return m.getenv("HOME")
}

// cache returns a directory in the user's cache directory.
func (m machine) cache(name string) string {
	switch dir := m.getenv("XDG_CACHE_HOME"); {
	case runtime.GOOS == "windows":
		return filepath.Join(m.getenv("LOCALAPPDATA"), name)
	case filepath.IsAbs(dir):
		return filepath.Join(dir, name)
	}
	return filepath.Join(m.home(), ".cache", name)
}

// fetchedByNPX reads the version and integrity of the package that npx ran: the one installed in
// the project, or the one in npx's own cache. npm's libnpmexec derives the name of the cache
// directory from the requested packages.
func (m machine) fetchedByNPX(l *launch.Command, cwd string) (version, integrity string) {
	if l.Program != "npx" && l.Program != "npm" || l.Installs {
		return "", ""
	}
	if root := npmProject(cwd); root != "" {
		if _, err := os.Stat(filepath.Join(root, "node_modules", l.Name, "package.json")); err == nil {
			version, integrity = m.lockedByNPM(filepath.Join(root, "node_modules", ".package-lock.json"), l.Name)
			if version == l.Version || l.Version == "" {
				return version, integrity
			}
			if !l.Exact { // either version may have run
				return "", ""
			}
		}
	}
	kept := m.getenv("npm_config_cache")
	switch {
	case kept != "":
	case runtime.GOOS == "windows":
		kept = m.cache("npm-cache")
	default:
		kept = filepath.Join(m.home(), ".npm")
	}
	var asked []string
	for _, p := range append([]launch.Package{l.Package}, l.With...) {
		if p.Version != "" {
			p.Name += "@" + p.Version
		}
		asked = append(asked, p.Name)
	}
	slices.Sort(asked)
	sum := sha512.Sum512([]byte(strings.Join(asked, "\n")))
	return m.lockedByNPM(filepath.Join(kept, "_npx", hex.EncodeToString(sum[:])[:16], "package-lock.json"), l.Name)
}

// npmProject returns the directory whose node_modules npm searches first, or "" if there is none.
func npmProject(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		for _, name := range [...]string{"package.json", "node_modules"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return ""
	}
}

// lockedByNPM reads the entry of a package in an npm lockfile.
func (m machine) lockedByNPM(file, name string) (version, integrity string) {
	doc := m.disk.packageLock(file)
	if doc == nil {
		return "", ""
	}
	entry := doc.Get(doc.Get(0, "packages"), "node_modules/"+name)
	version, _ = doc.Str(entry, "version")
	integrity, _ = doc.Str(entry, "integrity")
	return version, integrity
}

// fetchedFromPyPI reads the version of a package in the cache of uv or pipx. If there are several
// versions, the one that ran is unknown unless the command names it.
func (m machine) fetchedFromPyPI(l *launch.Command) (version, integrity string) {
	var versions, digests []string
	for _, dir := range m.distributions(l.Program) {
		name, version := distribution(dir)
		if name != pythonName(l.Name) || l.Exact && version != l.Version {
			continue
		}
		versions, digests = append(versions, version), append(digests, m.wheelDigest(dir))
	}
	if versions = slices.Compact(slices.Sorted(slices.Values(versions))); len(versions) != 1 {
		return "", ""
	}
	if digests = slices.Compact(slices.Sorted(slices.Values(digests))); len(digests) == 1 {
		integrity = digests[0]
	}
	return versions[0], integrity
}

// distributions returns the .dist-info directories of the wheels in a launcher's cache.
func (m machine) distributions(launcher string) []string {
	var patterns []string
	switch launcher {
	case "uv", "uvx":
		dir := m.getenv("UV_CACHE_DIR")
		if dir == "" {
			dir = m.cache("uv")
			if runtime.GOOS == "windows" {
				dir = filepath.Join(dir, "cache")
			}
		}
		patterns = []string{filepath.Join(escapeGlob(dir), "archive-v*", "*", "*.dist-info")}
	case "pipx":
		patterns = distributionPatterns(filepath.Join(escapeGlob(m.pipxCache()), "*"))
	}
	return globAll(patterns)
}

// pipxCache returns the directory in which pipx keeps the environments of pipx run: in its home, if that
// is set or is the one of old versions, which newer ones keep using, else in the user's cache.
func (m machine) pipxCache() string {
	home := m.getenv("PIPX_HOME")
	if home == "" {
		home = filepath.Join(m.home(), ".local", "pipx")
		if _, err := os.Stat(home); err != nil {
			return m.cache("pipx")
		}
	}
	return filepath.Join(home, ".cache")
}

// globAll returns the paths that match any of some well-formed patterns.
func globAll(patterns []string) (found []string) {
	for _, p := range patterns {
		paths, _ := filepath.Glob(p)
		found = append(found, paths...)
	}
	return found
}

// escapeGlob returns a pattern that matches only the given path. On Windows, where package filepath
// has no escapes in patterns, it returns the path unchanged: such paths rarely contain pattern
// characters.
func escapeGlob(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	return globCharacters.ReplaceAllString(path, `\$0`)
}

var globCharacters = lazyregexp.New(`[*?\[\\]`)

var pythonSeparators = lazyregexp.New(`[-_.]+`)

// pythonName returns the normalized form of a PyPI package name.
func pythonName(name string) string {
	return strings.ToLower(pythonSeparators.ReplaceAllString(name, "-"))
}

// wheelDigest returns a digest of the files in a wheel's RECORD, or "" if the wheel is
// platform-specific, or refers to the files of a project (an editable installation). It omits files
// added by build and install tools.
func (m machine) wheelDigest(distInfo string) string {
	about := m.disk.manifest(filepath.Join(distInfo, "WHEEL"))
	if about == nil || m.editable(distInfo) {
		return ""
	}
	for line := range strings.Lines(string(about)) {
		if tag, ok := strings.CutPrefix(line, "Tag:"); ok && !strings.HasSuffix(strings.TrimSpace(tag), "-none-any") {
			return ""
		}
	}
	record := m.disk.manifest(filepath.Join(distInfo, "RECORD"))
	if record == nil {
		return ""
	}
	var files []string
	for line := range strings.Lines(string(record)) {
		line = strings.TrimSpace(line)
		file, rest, _ := strings.Cut(line, ",")
		written := strings.Contains(file, ".dist-info/") && path.Base(file) != "entry_points.txt"
		if strings.HasPrefix(rest, "sha256=") && !written && filepath.IsLocal(file) && !strings.Contains(file, "__pycache__/") {
			files = append(files, line)
		}
	}
	if len(files) == 0 {
		return ""
	}
	slices.Sort(files)
	sum := sha256.Sum256([]byte(strings.Join(files, "\n")))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// editable reports whether an installed distribution only refers to the files of a project.
func (m machine) editable(distInfo string) bool {
	var doc wire.Doc
	if doc.Parse(m.disk.manifest(filepath.Join(distInfo, "direct_url.json"))) != nil {
		return false
	}
	at := doc.Get(doc.Get(0, "dir_info"), "editable")
	return at >= 0 && string(doc.Raw(at)) == "true"
}

// fetchedImage asks the container engine for the digest of an image. If the tag names a version,
// the digest is returned as the integrity, otherwise as the version that ran.
func (m machine) fetchedImage(l *launch.Command, command string) (version, integrity string) {
	if m.image == nil || l.Digest != "" {
		return "", ""
	}
	engine, name := l.Program, l.Name
	if strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".exe") == l.Program {
		engine = command
	}
	if l.Version != "" {
		name += ":" + l.Version
	}
	switch digest := m.image(engine, name); {
	case digest == "":
		return "", ""
	case l.Exact:
		return l.Version, strings.Replace(digest, ":", "-", 1)
	default:
		return digest, ""
	}
}

// inspectTimeout is the maximum time that a container engine may take to answer.
const inspectTimeout = 10 * time.Second

// inspectImage returns a function that runs a container engine, such as docker or podman, in the
// server's environment to get the registry digest of an image.
func (m machine) inspectImage(ctx context.Context, environment []string) func(engine, name string) string {
	return func(engine, name string) string {
		ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, m.lookPath(engine), "image", "inspect", "--format", "{{json .RepoDigests}}", name)
		cmd.Env, cmd.WaitDelay = environment, time.Second
		out, err := cmd.Output()
		var doc wire.Doc
		if err != nil || doc.Parse(bytes.TrimSpace(out)) != nil || doc.Kind(0) != wire.Array {
			return ""
		}
		found := map[string]bool{}
		digest := ""
		for i := doc.First(0); i >= 0; i = doc.Next(i) {
			_, after, ok := strings.Cut(doc.TextString(i), "@")
			if ok && imageDigest.MatchString(after) {
				found[after], digest = true, after
			}
		}
		if len(found) != 1 { // the image has no registry digest, or several
			return ""
		}
		return digest
	}
}

var imageDigest = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)
