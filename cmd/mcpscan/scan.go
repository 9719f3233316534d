package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// scanCmd is mcpscan scan.
type scanCmd struct {
	Targets []string `arg:"" optional:"" help:"URLs, client configurations, definition files (tools/list results, dumps, MCPB manifests and bundles, server.json) or directories; none means the configurations of this project and user. Behind --, the command of one server." placeholder:"TARGET"`
	Command []string `kong:"-"`

	RunServers bool `help:"Start the servers that configurations name, and connect to their URLs, without asking."`
	NoRun      bool `help:"Start nothing and connect to nothing: inspect only what can be read."`

	Record       string            `help:"Write what was seen to this file, for mcpscan replay." placeholder:"FILE"`
	Header       map[string]string `help:"Header for the URLs given as targets, as NAME=VALUE." placeholder:"NAME=VALUE"`
	StartTimeout time.Duration     `help:"How long a server may take until its first answer." default:"60s"`
	StepTimeout  time.Duration     `help:"How long a server may take for each answer after that." default:"30s"`

	outputFlags
	engineFlags
}

// Help is what --help says beyond the flags.
func (c *scanCmd) Help() string {
	return "mcpscan scan [flags] -- npx -y some-mcp-server   starts one server and lists it."
}

// plan is what a scan is about to do.
type plan struct {
	inputs  []report.Input
	events  []*scanner.Event // of what could be read as it is
	targets []liveTarget     // of what has to be asked
}

// Run inspects the targets and reports.
func (c *scanCmd) Run(ctx context.Context, std streams) error {
	engine, err := c.engine()
	if err != nil {
		return err
	}
	collector, err := c.collector()
	if err != nil {
		return err
	}
	p, err := c.plan(ctx, std)
	if err != nil {
		return err
	}
	var files []string
	for _, in := range p.inputs {
		files = append(files, in.Name)
	}
	if err := c.keepInputs(files, c.Record); err != nil {
		return err
	}
	recorder, closeRecord, err := c.recorder()
	if err != nil {
		return err
	}
	running := context.WithoutCancel(ctx) // an interruption ends what is asked, not what is told of it
	src := c.start(ctx, std, p, recorder)
	res, err := engine.Run(running, src, collector)
	if err = errors.Join(err, closeRecord()); err != nil {
		return readError(err)
	}
	return c.finish(std, collector.Report(p.inputs, version(), res))
}

// recorder opens the file of --record.
func (c *scanCmd) recorder() (*replay.Recorder, func() error, error) {
	if c.Record == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.Create(c.Record)
	if err != nil {
		return nil, nil, usage("creating the recording: %w", err)
	}
	return replay.NewRecorder(f, c.Record), f.Close, nil
}

// plan sorts the targets into what can be read and what must be asked.
func (c *scanCmd) plan(ctx context.Context, std streams) (*plan, error) {
	if c.RunServers && c.NoRun {
		return nil, usage("--run-servers and --no-run contradict each other")
	}
	p := &plan{}
	if len(c.Command) > 0 {
		name := commandName(c.Command)
		p.inputs = append(p.inputs, report.Input{Kind: "server", Name: name})
		p.targets = append(p.targets, liveTarget{name: name, command: c.Command, origin: endpoint(name)})
	}
	for _, t := range c.Targets {
		if err := c.target(p, t); err != nil {
			if _, missing := os.Stat(t); missing != nil || len(c.Targets)+len(c.Command) == 1 {
				return nil, err
			}
			p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
			p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "an input was not read: %v", err)
		}
	}
	if len(c.Targets) == 0 && len(c.Command) == 0 {
		if err := c.discover(p, "."); err != nil {
			return nil, err
		}
	}
	p.unique()
	c.consent(ctx, std, p)
	return p, nil
}

// target adds one target to the plan.
func (c *scanCmd) target(p *plan, t string) error {
	if strings.HasPrefix(t, "http://") || strings.HasPrefix(t, "https://") {
		p.inputs = append(p.inputs, report.Input{Kind: "server", Name: bare(t)})
		p.targets = append(p.targets, liveTarget{name: urlName(t), url: t, headers: c.Header, origin: endpoint(urlName(t)), secrets: slices.Collect(maps.Values(c.Header))})
		return nil
	}
	info, err := os.Stat(t)
	if err != nil {
		return usage("opening the target: %w; expected a file, a directory, an http(s) URL, or -- and the command of a server", err)
	}
	if info.IsDir() {
		return c.discover(p, t)
	}
	if info.Size() > c.MaxMessage {
		p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
		p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "a file has %d bytes, which is over the limit of %d (--max-message)", info.Size(), c.MaxMessage)
		return nil
	}
	data, err := os.ReadFile(t)
	if err != nil {
		return usage("reading the target: %w", err)
	}
	events, derr := replay.Definitions(t, data)
	if derr == nil {
		p.inputs = append(p.inputs, report.Input{Kind: "definitions", Name: t})
		p.events = append(p.events, events...)
		return nil
	}
	file, cerr := config.Parse(t, data)
	if cerr == nil {
		p.config(file)
		return nil
	}
	return &exitError{exitUsage, notATarget(t, derr, cerr)}
}

// notATarget explains why a file is neither definitions nor a configuration.
func notATarget(name string, derr, cerr error) error {
	var syntax *config.SyntaxError
	switch {
	case errors.Is(derr, replay.ErrBundle):
		return derr
	case errors.Is(derr, replay.ErrNotDefinitions) && errors.Is(cerr, config.ErrNotConfig):
		return fmt.Errorf("%s: neither definitions nor a client configuration; a recording is read by: mcpscan replay %s", name, name)
	case errors.As(cerr, &syntax) && !errors.Is(derr, replay.ErrNotDefinitions):
		return fmt.Errorf("%w (a recording is read by: mcpscan replay %s)", cerr, name)
	}
	return derr
}

// config adds the servers of a client configuration to the plan.
func (p *plan) config(f *config.File) {
	p.inputs = append(p.inputs, report.Input{Kind: "config", Name: f.Path})
	at := func(pos config.Position) scanner.Origin {
		return scanner.Origin{File: f.Path, Line: max(pos.Line, 1), Column: max(pos.Column, 1)}
	}
	for _, problem := range f.Problems {
		p.skip(at(problem.Pos), "the configuration: %s", problem.Msg)
	}
	for _, s := range f.Servers {
		for _, problem := range s.Problems {
			p.skip(at(s.Pos), "server %s: %s", s.Name, problem)
		}
		if s.Disabled {
			p.events = append(p.events, &scanner.Event{Kind: scanner.IgnoredEvent, Reason: "a server that is disabled in its configuration", Origin: at(s.Pos)})
			continue
		}
		if t, err := configTarget(s, at(s.Pos)); err != nil {
			p.skip(at(s.Pos), "server %s was not started: %v", s.Name, err)
		} else {
			p.targets = append(p.targets, t)
		}
	}
}

func (p *plan) skip(at scanner.Origin, format string, args ...any) {
	p.events = append(p.events, &scanner.Event{Kind: scanner.SkippedEvent, Reason: text.Mask(fmt.Sprintf(format, args...)), Origin: at})
}

// discover adds the configurations that stand in their usual places. Files
// there that hold no servers are no concern of ours.
func (c *scanCmd) discover(p *plan, dir string) error {
	found := 0
	for _, loc := range config.Discover(discoverDirs(dir, len(c.Targets) == 0)) {
		data, err := os.ReadFile(loc.Path)
		if err != nil {
			p.skip(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "a configuration was not read: %v", err)
			continue
		}
		file, err := config.Parse(loc.Path, data)
		if errors.Is(err, config.ErrNotConfig) {
			continue
		}
		found++
		if err != nil {
			p.skip(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "a configuration was not read: %v", err)
			continue
		}
		p.config(file)
	}
	if found == 0 {
		return usage("no client configuration found in %s; name a target, or -- and the command of a server", dir)
	}
	return nil
}
