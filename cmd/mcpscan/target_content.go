package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// target adds one target to the plan.
func (p *plan) target(ctx context.Context, t string, stdin io.Reader) error {
	switch {
	case isURL(t):
		return p.url(t)
	case t == "-":
		data, err := within(ctx, func() ([]byte, error) { return readAtMost(stdin, 0, p.maxMessage) })
		return p.content(label(t), data, err)
	}
	info, err := os.Stat(t)
	if err != nil {
		return fmt.Errorf("opening the target: %w; expected a file, a directory, an http(s) URL, or the command of a server after --", err)
	}
	if info.IsDir() {
		return p.discover(t, false)
	}
	data, err := readTarget(t, p.maxMessage)
	return p.content(t, data, err)
}

// content adds the content of a file or standard input: definitions, a lockfile or a client
// configuration. err is the error from reading it.
func (p *plan) content(t string, data []byte, err error) error {
	if errors.Is(err, errOverLimit) {
		p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
		p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	events, kind, derr := offered(t, data, false)
	var broken *lockfile.Error
	switch {
	case derr == nil:
		p.inputs = append(p.inputs, report.Input{Kind: kind, Name: t})
		p.events = append(p.events, events...)
		p.manifests(t, data)
		return nil
	case errors.As(derr, &broken):
		return derr
	}
	file, cerr := parseConfig(t, data)
	if cerr == nil {
		if abs, err := filepath.Abs(t); err == nil {
			file.User = discoverDirs("", true).Belongs(abs)
		}
		p.config(file)
		return nil
	}
	if why := replay.Unread(data); why != "" {
		if why == replay.NoMessage {
			why += ": neither definitions nor a client configuration"
		}
		p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
		p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "%s", why)
		return nil
	}
	return notATarget(t, derr, cerr)
}

// manifests adds the commands in a bundle's manifests, to be checked like a configuration. The
// user has not installed them, so they are not started.
func (p *plan) manifests(name string, data []byte) {
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
		p.events = append(p.events, &scanner.Event{Kind: scanner.ConfigEvent, Config: &f.ClientConfig, Origin: at})
		for _, e := range f.Entries {
			for _, problem := range e.Problems {
				p.skip(at, "server %s: %s", e.Name, problem)
			}
		}
	}
}

// reads reports whether a lockfile is already a target.
func (p *plan) reads(name string) bool {
	return slices.ContainsFunc(p.inputs, func(in report.Input) bool {
		return in.Kind == "lockfile" && filepath.Clean(in.Name) == filepath.Clean(name)
	})
}

// notATarget returns an error explaining why a file is neither definitions nor a configuration.
func notATarget(name string, derr, cerr error) error {
	var syntax *config.SyntaxError
	switch {
	case errors.Is(derr, replay.ErrBundle):
		return derr
	case errors.Is(derr, replay.ErrNotDefinitions) && errors.Is(cerr, config.ErrNotConfig):
		return fmt.Errorf("%s: neither definitions nor a client configuration; to inspect a recording: mcpscan replay %s", name, name)
	case errors.As(cerr, &syntax) && !errors.Is(derr, replay.ErrNotDefinitions):
		return fmt.Errorf("%w (to inspect a recording: mcpscan replay %s)", cerr, name)
	}
	return derr
}
