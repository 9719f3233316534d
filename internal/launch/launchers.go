package launch

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// launchers holds, for each program that fetches or builds what it starts, the parser for its arguments.
var launchers = map[string]func(*Command){
	"npx":  fetched(&npxOptions, "", npmPackage),
	"npm":  installs(&npmOptions, npmPackage, npmInstall, orInit(&npmOptions, " exec x ", " init create innit ")),
	"pnpx": fetched(&pnpmOptions, "", npmPackage),
	"pnpm": installs(&pnpmOptions, npmPackage, []string{"add", "install", "i"}, orInit(&pnpmOptions, " dlx ", " create ")),
	"yarn": installs(&yarnOptions, npmPackage, []string{"add", "global add"}, orInit(&yarnOptions, " dlx ", " create ")),
	"bunx": fetched(&bunOptions, "", npmPackage),
	"bun":  installs(&bunOptions, npmPackage, []string{"add", "a", "install", "i"}, bun),
	"uvx":  fetched(&uvOptions, "", pypiPackage),
	"uv":   installs(&uvOptions, pypiPackage, []string{"pip install", "tool install", "add"}, uv),
	"pipx": installs(&pipxOptions, pypiPackage, []string{"install"}, fetched(&pipxOptions, " run ", pypiPackage)),
	"pip":  installs(&pipOptions, pypiPackage, []string{"install"}, nil),

	"docker": container, "podman": container, "nerdctl": container, "container": container,

	"nix":    fetched(&nixOptions, " run shell ", nixPackage),
	"go":     installs(&goOptions, goPackage, []string{"install"}, fetched(&goOptions, " run ", goPackage)),
	"deno":   installs(&denoOptions, denoPackage, []string{"install", "i", "add"}, deno),
	"dnx":    func(l *Command) { l.nuget(0) },
	"dotnet": dotnet,
	"cargo":  cargo,
	"jbang":  jbang,
}

// fetched returns the parser for the arguments of a launcher: its options, one of the verbs if there
// are any, and a package.
func fetched(o *options, verbs string, parse func(string) Package) func(*Command) {
	return func(l *Command) {
		if from := o.verb(l.Words, verbs); from >= 0 {
			l.take(o, from, parse)
		}
	}
}

// take sets the package from the packages named by options or, if there are none, from the first
// word, at or after the given index, that is not part of an option.
func (l *Command) take(o *options, from int, parse func(string) Package) {
	at, named, code := l.read(o, from, parse)
	switch {
	case len(named) > 0:
		l.Package, l.With = named[0], append(named[1:], l.With...)
	case at >= 0 && !code:
		l.Package = parse(l.Words[at])
		l.Arg = l.ArgOf(at)
	}
	if at >= 0 {
		l.interprets(at)
	}
}

// local sets the package to the file or program that a word names.
func (l *Command) local(at int) {
	l.Package = Package{Ecosystem: Local, Name: l.Words[at], Arg: l.ArgOf(at)}
}

// read parses the options before the verb, which is the word before the given index, and those after
// it. It returns the index of the first word after them, or -1, and the packages named by options. code
// is set if an option gives a command to run instead of the package.
func (l *Command) read(o *options, from int, parse func(string) Package) (at int, named []Package, code bool) {
	start := 0
	add := func(list []Package, value string, i int) []Package {
		p := parse(value)
		p.Arg = l.ArgOf(start + i)
		return append(list, p)
	}
	each := func(option, value string, i int) {
		switch {
		case has(o.named, option):
			named = add(named, value, i)
		case has(o.with, option):
			for _, one := range strings.Split(value, ",") {
				l.With = add(l.With, strings.TrimSpace(one), i)
			}
		case has(o.list, option):
			if p, ok := remotePackage(value); ok {
				p.Arg = l.ArgOf(start + i)
				l.With = append(l.With, p)
			}
		case has(o.code, option):
			code = true
		case has(o.dir, option):
			l.chdir(value)
		}
	}
	o.read(l.Words[:max(from-1, 0)], each)
	start = from
	l.Options = l.Words
	if at = o.read(l.Words[from:], each); at >= 0 {
		at += from
		l.Options = l.Words[:at]
	}
	return at, named, code
}

// bun distinguishes bun x from bun FILE and bun run FILE.
func bun(l *Command) {
	at := bunOptions.read(l.Words, func(option, value string, _ int) {
		if has(bunOptions.dir, option) {
			l.chdir(value)
		}
	})
	if at >= 0 && l.Words[at] == "x" {
		l.take(&bunOptions, at+1, npmPackage)
		return
	}
	if at >= 0 && l.Words[at] == "run" {
		at = bunOptions.first(l.Words, at+1)
	}
	if at >= 0 {
		l.local(at)
	}
}

// uv distinguishes uv tool run from uv run, which runs a project's command and installs --with
// packages.
func uv(l *Command) {
	at := uvOptions.verb(l.Words, " tool run ")
	switch {
	case at < 0:
	case l.Words[at-1] == "tool":
		if at < len(l.Words) && l.Words[at] == "run" {
			l.take(&uvOptions, at+1, pypiPackage)
		}
	default:
		at, named, _ := l.read(&uvOptions, at, pypiPackage)
		l.With = append(named, l.With...)
		if at >= 0 {
			l.interprets(at)
			if p, ok := remotePackage(l.Words[at]); ok { // a script at an address
				p.Arg = l.ArgOf(at)
				l.Package = p
				return
			}
		}
		switch {
		case len(l.With) > 0:
			l.Package, l.With = l.With[0], l.With[1:]
		case at >= 0:
			l.local(at)
		}
	}
}

// container parses the image of docker run.
func container(l *Command) {
	from := dockerOptions.verb(l.Words, " run container ")
	if from > 0 && l.Words[from-1] == "container" {
		if from >= len(l.Words) || l.Words[from] != "run" {
			return
		}
		from++
	}
	if from < 0 {
		return
	}
	l.take(&dockerOptions, from, imagePackage)
	dockerOptions.read(l.Options[from:], func(option, value string, at int) {
		name := containerEnv.FindStringSubmatch(option)
		switch {
		case option == "--entrypoint":
			l.entry = value
		case name == nil:
		case name[1] != "": // -eNAME=VALUE
			l.assign(name[1]+"="+value, l.ArgOf(from+at))
		default:
			l.assign(value, l.ArgOf(from+at))
		}
	})
}

// containerEnv matches --env, and -e or a group of short options that ends with e, with the value if it
// is attached.
var containerEnv = lazyregexp.New(`^(?:--env|-[ditPq]*e(.*))$`)

// deno parses the arguments of deno run, whose verb may be missing.
func deno(l *Command) {
	from := denoOptions.verb(l.Words, " run x serve ")
	if from < 0 && denoOptions.verb(l.Words, " eval task ") < 0 {
		from = 0
	}
	if from >= 0 {
		l.take(&denoOptions, from, denoPackage)
	}
}

// nuget parses the arguments of dnx. The version may be in an option.
func (l *Command) nuget(from int) {
	l.take(&dnxOptions, from, nugetPackage)
	for i, w := range l.Words[from:] { // options may also follow the package
		if w == "--" || l.Ecosystem != NuGet {
			return
		}
		version, ok := strings.CutPrefix(w, "--version=")
		if w == "--version" && from+i+1 < len(l.Words) {
			version, ok = l.Words[from+i+1], true
		}
		if ok {
			l.Version, l.Exact = version, numbered.MatchString(version)
		}
	}
}

func dotnet(l *Command) {
	switch {
	case len(l.Words) > 0 && l.Words[0] == "dnx":
		l.nuget(1)
	case len(l.Words) > 1 && l.Words[0] == "tool" && has(" exec execute install ", l.Words[1]):
		l.nuget(2)
		l.Installs = l.Words[1] == "install"
	case len(l.Words) > 0:
		for i, w := range l.Words {
			if w == "--project" && i+1 < len(l.Words) || strings.HasSuffix(strings.ToLower(w), ".dll") || strings.HasSuffix(w, ".cs") {
				if w == "--project" {
					i++
				}
				l.local(i)
				return
			}
		}
	}
}

// Patterns for versions and related syntax.
var (
	semver   = lazyregexp.New(`^[v=]{0,2}\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)
	numbered = lazyregexp.New(`^v?\d+(?:\.\d+)+(?:[-.+]?[0-9A-Za-z.+-]*)?$`)
	pep440   = lazyregexp.New(`^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|post|rev|r|dev)[-_.]?\d*)*(?:\+[0-9A-Za-z.]+)?$`)
	commit   = lazyregexp.New(`^[0-9a-f]{40}(?:[0-9a-f]{24})?$`)
	short    = lazyregexp.New(`^[0-9a-f]{7,64}$`)
	// repository matches addresses that npm fetches with git.
	repository = lazyregexp.New(`^https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)/[^/#]+/[^/#]+/?(?:#|$)`)
	drive      = lazyregexp.New(`^[A-Za-z]:[\\/]`)
)

// localPath reports whether s is a path rather than the name of a package.
func localPath(s string) bool {
	return s == "." || s == ".." || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") ||
		strings.HasPrefix(s, `.\`) || strings.HasPrefix(s, `..\`) || strings.HasPrefix(s, "file:") || strings.HasPrefix(s, "${") || drive.MatchString(s)
}

// remotePackage parses the address of a repository or an archive.
func remotePackage(s string) (Package, bool) {
	low := strings.ToLower(s)
	switch {
	case strings.HasPrefix(low, "git+"), strings.HasPrefix(low, "git:"), strings.HasPrefix(low, "git@"), strings.HasPrefix(low, "github:"),
		strings.HasPrefix(low, "gitlab:"), strings.HasPrefix(low, "bitbucket:"), strings.HasPrefix(low, "gist:"),
		strings.HasPrefix(low, "http") && strings.Contains(low, "://") && strings.Contains(low+"#", ".git#"):
	case strings.HasPrefix(low, "http://"), strings.HasPrefix(low, "https://"):
		p := Package{Ecosystem: URL}
		p.Name, p.Digest, _ = strings.Cut(s, "#")
		if !strings.HasPrefix(p.Digest, "sha") {
			p.Digest = ""
		}
		return p, true
	default:
		return Package{}, false
	}
	p := Package{Ecosystem: Git}
	name, fragment, _ := strings.Cut(s, "#")
	p.Name, p.Version = name, strings.TrimPrefix(fragment, "semver:")
	if strings.Contains(fragment, "=") { // uv: #subdirectory=x, with the reference after an @
		p.Version = ""
	}
	if at := strings.LastIndexByte(name, '@'); p.Version == "" && at > strings.LastIndexByte(name, '/') && at > strings.Index(name, "://")+3 && !strings.HasPrefix(name[:at], "git+ssh://git@") {
		p.Name, p.Version = name[:at], name[at+1:]
	}
	if commit.MatchString(p.Version) || short.MatchString(p.Version) {
		p.Exact, p.Digest = true, p.Version
	}
	return p, true
}

// pypiPackage parses a requirement, or uvx's form name@version.
func pypiPackage(s string) Package {
	s = strings.TrimSpace(s)
	if _, address, ok := strings.Cut(s, " @ "); ok {
		s = strings.TrimSpace(address)
	}
	if localPath(s) || strings.HasSuffix(s, ".whl") && !strings.Contains(s, "://") {
		return Package{Ecosystem: Local, Name: s}
	}
	if p, ok := remotePackage(s); ok {
		return p
	}
	s, _, _ = strings.Cut(s, ";")
	p := Package{Ecosystem: PyPI, Name: strings.TrimSpace(s)}
	if i := strings.IndexAny(s, "=<>!~@ "); i > 0 {
		p.Name, p.Version = s[:i], strings.TrimSpace(s[i:])
		one := strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(p.Version, "@"), "="))
		if p, ok := remotePackage(one); ok { // name@address
			return p
		}
		p.Exact = (strings.HasPrefix(p.Version, "==") || strings.HasPrefix(p.Version, "@")) && pep440.MatchString(strings.ToLower(one))
		if p.Exact || strings.HasPrefix(p.Version, "@") {
			p.Version = one
		}
	}
	p.Name, _, _ = strings.Cut(p.Name, "[")
	return p
}

// imagePackage parses an image reference.
func imagePackage(s string) Package {
	p := Package{Ecosystem: OCI, Name: s}
	s, p.Digest, _ = strings.Cut(s, "@")
	p.Name = s
	if at := strings.LastIndexByte(s, ':'); at > strings.LastIndexByte(s, '/') {
		p.Name, p.Version = s[:at], s[at+1:]
	}
	p.Exact = p.Digest != "" || semver.MatchString(p.Version)
	return p
}

// goPackage parses an argument of go run: a module with a version, or a directory.
func goPackage(s string) Package {
	name, version, _ := strings.Cut(s, "@")
	if host, _, _ := strings.Cut(name, "/"); version == "" || localPath(s) || !strings.Contains(host, ".") {
		return Package{Ecosystem: Local, Name: s}
	}
	return Package{Ecosystem: Go, Name: name, Version: version, Exact: strings.HasPrefix(version, "v") && semver.MatchString(version) || short.MatchString(version)}
}

// denoPackage parses an argument of deno run.
func denoPackage(s string) Package {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "npm", "jsr":
		p := npmPackage(strings.TrimPrefix(rest, "/"))
		if at := strings.IndexByte(p.Version, '/'); at >= 0 { // npm:name@1.2.3/path
			p.Version = p.Version[:at]
			p.Exact = semver.MatchString(p.Version)
		}
		if kind == "jsr" {
			p.Ecosystem = JSR
		}
		return p
	case "http", "https":
		return Package{Ecosystem: URL, Name: s}
	}
	return Package{Ecosystem: Local, Name: s}
}

// nugetPackage parses an argument of dnx.
func nugetPackage(s string) Package {
	name, version, _ := strings.Cut(s, "@")
	return Package{Ecosystem: NuGet, Name: name, Version: version, Exact: numbered.MatchString(version)}
}
