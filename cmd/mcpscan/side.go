package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// side is one side of a comparison: a file of any kind, or servers to list.
type side struct {
	inputs []report.Input
	source scanner.Source
	close  func()
}

// side opens a target, or adds the server that it names, or that a command starts, to the plan; the side is
// then nil. For a lockfile, the side has the approved definitions if approved is set, otherwise those
// last seen.
func (p *plan) side(ctx context.Context, target string, command []string, approved bool) (*side, error) {
	switch {
	case len(command) > 0:
		return nil, p.command(command)
	case isURL(target):
		return nil, p.url(target)
	}
	return p.file(ctx, target, approved)
}

// file detects the type of a file by its content. Definitions and recordings become a side; a
// configuration is added to the plan, and the side is then nil.
func (p *plan) file(ctx context.Context, name string, approved bool) (*side, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, fmt.Errorf("opening %s: %w; expected a lockfile, a definition file, a recording, a client configuration or a URL", name, err)
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name a file in it", name)
	}
	data, err := readTarget(name, p.maxMessage)
	if err != nil && !errors.Is(err, errOverLimit) {
		return nil, err
	}
	events, kind, derr := offered(name, data, approved)
	if err == nil && derr == nil {
		return &side{inputs: []report.Input{{Kind: kind, Name: name}}, source: replay.Events(events), close: func() {}}, nil
	}
	var broken *lockfile.Error
	if errors.As(derr, &broken) {
		return nil, derr
	}
	if conf, cerr := parseConfig(name, data); err == nil && cerr == nil {
		p.config(conf)
		return nil, nil
	}
	src, closeAll, rerr := recordings(ctx, []string{name}, nil, replay.Options{MaxMessage: p.maxMessage}, nil)
	switch {
	case rerr != nil && err == nil && errors.Is(rerr, replay.ErrFormat) && !errors.Is(derr, replay.ErrNotDefinitions):
		return nil, derr
	case rerr != nil:
		return nil, rerr
	}
	return &side{inputs: []report.Input{{Kind: "recording", Name: name}}, source: src, close: closeAll}, nil
}

// offered reads the definitions in a file: a lockfile, of which approved selects the approved
// ones, or a definition file.
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
