package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// target adds one target to the plan.
func (p *Plan) target(ctx context.Context, t string, stdin io.Reader) error {
	switch {
	case servers.IsURL(t):
		return p.url(t)
	case t == "-":
		data, err := Within(ctx, func() ([]byte, error) { return readAtMost(stdin, "standard input", 0, p.maxMessage) })
		return p.content(label(t), data, nameMaxMessage(err))
	}
	info, err := os.Stat(t)
	if err != nil {
		return fmt.Errorf("opening the target: %w; expected a file, a directory, an http(s) URL, or the command of a server after --", err)
	}
	if info.IsDir() {
		return p.discover(t, false)
	}
	data, err := p.read(t)
	return p.content(t, data, err)
}

// content adds the content of a file or standard input: definitions, a lockfile or a client
// configuration. err is the error from reading it.
func (p *Plan) content(t string, data []byte, err error) error {
	if errors.Is(err, ErrOverLimit) {
		p.Inputs = append(p.Inputs, report.Input{Kind: "file", Name: t})
		p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	events, kind, derr := offered(t, data, false)
	if _, broken := errors.AsType[*lockfile.Error](derr); broken {
		return derr
	}
	file, cerr := parseConfig(t, data)
	if derr == nil {
		p.Inputs = append(p.Inputs, report.Input{Kind: kind, Name: t})
		p.Events = append(p.Events, events...)
		p.manifests(t, data)
	}
	if cerr == nil && (derr != nil || configures(file, kind)) {
		p.take(file)
	}
	if derr == nil || cerr == nil {
		return nil
	}
	if why := replay.Unread(data); why != "" {
		if why == replay.NoMessage {
			why += ": neither definitions nor a client configuration"
		}
		p.Inputs = append(p.Inputs, report.Input{Kind: "file", Name: t})
		p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "%s", why)
		return nil
	}
	return notATarget(t, derr, cerr)
}

// configures reports whether a file of definitions is a client configuration as well, such as the
// file of an agent with tools and servers. If the file's name does not identify a client, the file
// must have a key under which clients keep servers. A lockfile has such a key, but configures
// nothing.
func configures(f *config.File, kind string) bool {
	return kind == "definitions" && len(f.Entries)+len(f.Settings) > 0 && (f.Client != "" || f.Shape != "flat")
}

// manifests adds the commands in a bundle's manifests, which are checked like a configuration.
// They are not started, because the user has not installed the bundle.
func (p *Plan) manifests(name string, data []byte) {
	for _, m := range replay.Manifests(data) {
		f := config.ParseManifest(name, m)
		if f == nil {
			continue
		}
		at := scanner.Origin{File: name, Line: 1, Column: 1}
		for i := range f.Entries {
			if len(m) != len(data) { // positions inside a zip are meaningless
				f.Entries[i].Pos, f.Entries[i].Span = config.Position{Line: 1, Column: 1}, nil
			}
		}
		p.Events = append(p.Events, &scanner.Event{Kind: scanner.ConfigEvent, Config: &f.ClientConfig, Origin: at})
		for _, e := range f.Entries {
			for _, problem := range e.Problems {
				p.skip(at, "server %s: %s", e.Name, problem)
			}
		}
	}
}

// reads reports whether the plan already contains a lockfile as an input.
func (p *Plan) reads(name string) bool {
	return slices.ContainsFunc(p.Inputs, func(in report.Input) bool {
		return in.Kind == "lockfile" && filepath.Clean(in.Name) == filepath.Clean(name)
	})
}

// recordingArgument returns the argument that names a recording on a command line.
func recordingArgument(name string) string {
	if name == label("-") {
		return "-"
	}
	return text.ShellWord(name)
}

// notATarget returns an error explaining why a file is neither definitions nor a configuration.
func notATarget(name string, derr, cerr error) error {
	var syntax *config.SyntaxError
	switch {
	case errors.Is(derr, replay.ErrBundle):
		return derr
	case errors.Is(derr, replay.ErrNotDefinitions) && errors.Is(cerr, config.ErrNotConfig):
		return fmt.Errorf("%s: neither definitions nor a client configuration; to inspect a recording, run mcpscan replay %s", name, recordingArgument(name))
	case errors.As(cerr, &syntax) && !errors.Is(derr, replay.ErrNotDefinitions):
		return fmt.Errorf("%w (to inspect a recording, run mcpscan replay %s)", cerr, recordingArgument(name))
	}
	return derr
}

// Side is one side of a comparison: a file of any kind, or servers to list.
type Side struct {
	Notes  []string // see Plan
	Inputs []report.Input
	Files  []string // files that its servers' command lines name
	Source scanner.Source
	Close  func()
}

// Side opens a target. If the target names a server, or command is set, it adds the server to the
// plan instead and returns nil. For a lockfile, the side contains the approved definitions if
// approved is set, otherwise those last seen.
func (p *Plan) Side(ctx context.Context, target string, command []string, approved bool) (*Side, error) {
	switch {
	case len(command) > 0:
		return nil, p.command(command)
	case servers.IsURL(target):
		return nil, p.url(target)
	}
	return p.file(ctx, target, approved)
}

// file detects the type of a file by its content. Definitions and recordings become a side; a
// configuration is added to the plan, and the side is then nil.
func (p *Plan) file(ctx context.Context, name string, approved bool) (*Side, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, fmt.Errorf("opening %s: %w; expected a lockfile, a definition file, a recording, a client configuration or a URL", name, err)
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name a file in it", name)
	}
	data, err := p.read(name)
	if err != nil && !errors.Is(err, ErrOverLimit) {
		return nil, err
	}
	events, kind, derr := offered(name, data, approved)
	conf, cerr := parseConfig(name, data)
	switch {
	case err != nil || derr != nil:
	case cerr == nil && configures(conf, kind):
		return nil, fmt.Errorf("%s contains both definitions and a client configuration; move one of them to a file of its own", name)
	default:
		identify(events, name, data)
		return &Side{Inputs: []report.Input{{Kind: kind, Name: name}}, Source: replay.Events(events), Close: func() {}}, nil
	}
	if _, broken := errors.AsType[*lockfile.Error](derr); broken {
		return nil, derr
	}
	if err == nil && cerr == nil {
		p.Config(conf)
		return nil, nil
	}
	src, closeAll, rerr := Recordings(ctx, []string{name}, nil, replay.Options{MaxMessage: p.maxMessage}, nil)
	switch {
	case rerr != nil && err == nil && errors.Is(rerr, replay.ErrFormat) && !errors.Is(derr, replay.ErrNotDefinitions):
		return nil, derr
	case rerr != nil:
		return nil, rerr
	}
	return &Side{Inputs: []report.Input{{Kind: "recording", Name: name}}, Source: src, Close: closeAll}, nil
}

// identify adds the identity of the server in a bundle's manifest to the definitions in the bundle.
// It ignores platform-specific variants of the command, because a server has one identity.
func identify(events []*scanner.Event, name string, data []byte) {
	at := slices.IndexFunc(events, func(e *scanner.Event) bool { return e.Kind == scanner.DefinitionEvent })
	for _, m := range replay.Manifests(data) {
		if f := config.ParseManifest(name, m); f != nil && at >= 0 {
			events[at].Identity = baseline.IdentityOf(&f.Entries[0])
			return
		}
	}
}

// offered reads the definitions in a lockfile or definition file. For a lockfile, it reads the
// approved versions if approved is set, otherwise those last seen.
func offered(name string, data []byte, approved bool) ([]*scanner.Event, string, error) {
	if lockfile.Is(data) {
		f, err := lockfile.Parse(name, data)
		if err != nil {
			return nil, "", err
		}
		return f.Events(approved), "lockfile", nil
	}
	events, err := replay.Definitions(name, data)
	return events, "definitions", err
}

// Unique renames servers with the same name. Servers that are identical in everything that affects
// their answers, including headers, which can select a tenant, are listed only once. Servers of
// different projects are not identical, unless they use no files of the projects.
func (p *Plan) Unique() {
	seen := map[string]int{}
	same := map[string]bool{}
	p.Targets = slices.DeleteFunc(p.Targets, func(t servers.Target) bool {
		dir := ""
		if t.InProject() {
			dir, _ = filepath.Abs(t.Dir)
		}
		key := fmt.Sprintf("%q", [][]string{{t.Name, t.URL, t.Transport, baseline.IdentityOf(&t.Written).Cwd, dir}, canonicalCommand(&t), t.Env, servers.Pairs(t.Headers)})
		known := same[key]
		same[key] = true
		return known
	})
	for i := range p.Targets {
		t := &p.Targets[i]
		if seen[t.Name]++; seen[t.Name] > 1 {
			t.Name = fmt.Sprintf("%s#%d", t.Name, seen[t.Name])
		}
	}
}

// canonicalCommand returns a target's command with paths relative to the directory in which it starts,
// so that the commands of two clients are equal if they differ only in notation.
func canonicalCommand(t *servers.Target) []string {
	if len(t.Command) == 0 {
		return nil
	}
	start, err := filepath.Abs(t.Dir)
	words := slices.Clone(t.Command)
	for i, word := range words {
		at := strings.IndexByte(word, '=') + 1
		if rel, outside := filepath.Rel(start, word[at:]); err == nil && outside == nil && filepath.IsAbs(word[at:]) && filepath.IsLocal(rel) {
			words[i] = word[:at] + strings.TrimSuffix("./"+filepath.ToSlash(rel), "/.")
		}
	}
	command, args := launch.Canonical(words[0], words[1:])
	return append([]string{command}, args...)
}
