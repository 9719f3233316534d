package launch

import "strings"

// cargo parses the arguments of cargo run, which builds local code, and of cargo install and cargo
// binstall, which fetch what a shell then starts.
func cargo(l *Command) {
	from := 0
	if len(l.Words) > 0 && strings.HasPrefix(l.Words[0], "+") { // a toolchain
		from = 1
	}
	at := cargoOptions.first(l.Words, from)
	if at < 0 {
		return
	}
	switch l.Words[at] {
	case "run", "r":
		l.Package = Package{Ecosystem: Local, Name: ".", Arg: l.ArgOf(at)}
		cargoOptions.read(l.Words[at+1:], func(option, value string, i int) {
			if option == "--manifest-path" {
				l.Name, l.Arg = value, l.ArgOf(at+1+i)
			}
		})
	case "install", "binstall":
		l.Options, l.Installs = l.Words, true
		l.crates(at + 1)
	}
}

// crates sets the packages that cargo installs: crates, or what a repository or a directory contains.
func (l *Command) crates(from int) {
	var source Package
	version, revision := "", ""
	crateOptions.read(l.Words[from:], func(option, value string, i int) {
		switch option {
		case "--git":
			source = Package{Ecosystem: Git, Name: value, Arg: l.ArgOf(from + i)}
		case "--path":
			source = Package{Ecosystem: Local, Name: value, Arg: l.ArgOf(from + i)}
		case "--version", "--vers":
			version = value
		case "--rev", "--tag", "--branch":
			revision = value
		}
	})
	if source.Ecosystem == Git {
		source.Version = revision
		if commit.MatchString(revision) || short.MatchString(revision) {
			source.Exact, source.Digest = true, revision
		}
	}
	if source.Ecosystem != None {
		l.Package = source
		return
	}
	for at := crateOptions.first(l.Words, from); at >= 0; at = crateOptions.first(l.Words, at+1) {
		p := cratePackage(l.Words[at])
		if p.Arg = l.ArgOf(at); p.Version == "" {
			p.Version, p.Exact = version, semver.MatchString(version)
		}
		l.With = append(l.With, p)
	}
	if len(l.With) > 0 {
		l.Package, l.With = l.With[0], l.With[1:]
	}
}

// cratePackage parses a crate with or without a version.
func cratePackage(s string) Package {
	name, version, _ := strings.Cut(s, "@")
	return Package{Ecosystem: Cargo, Name: name, Version: version, Exact: semver.MatchString(version)}
}
