package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

// consent prevents a configuration file from running commands that nobody has seen: on a terminal,
// it shows each command in full and asks; elsewhere, it refuses them unless a flag allows them.
func (c *liveFlags) consent(ctx context.Context, std streams, p *plan) {
	ask, all := terminal(std.in) && terminal(std.err), false
	answers := bufio.NewReader(std.in)
	p.targets = slices.DeleteFunc(p.targets, func(t liveTarget) bool {
		switch {
		case ctx.Err() != nil:
			p.skip(t.origin, "server %s not started: %v", t.name, context.Cause(ctx))
			return true
		case c.NoRun:
			p.leave(t)
			return true
		case !t.foreign || c.RunServers:
			return false
		case !ask:
			p.skip(t.origin, "server %s not started: its command comes from a configuration file; read it, then use --run-servers: %s", t.name, t.conceal(t.shown()))
			return true
		}
		if all { // show what starts, all the same
			fmt.Fprint(std.err, t.described(c.inherits(&t)))
			return false
		}
		fmt.Fprint(std.err, t.question(c.inherits(&t)))
		answer, _ := within(ctx, func() (string, error) { return answers.ReadString('\n') })
		if ctx.Err() != nil {
			p.skip(t.origin, "server %s not started: %v", t.name, context.Cause(ctx))
			return true
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "a", "all":
			all = true
			return false
		case "y", "yes":
			return false
		}
		p.skip(t.origin, "server %s not started: you declined", t.name)
		return true
	})
}

// discoverDirs returns where to look for configurations: in a directory and, if user is set, in
// the user's directories.
func discoverDirs(dir string, user bool) config.Dirs {
	d := config.Dirs{GOOS: runtime.GOOS, Project: dir, Getenv: func(string) string { return "" }}
	if !user {
		return d
	}
	d.Getenv = os.Getenv
	d.Home, _ = os.UserHomeDir()
	d.XDGConfig = os.Getenv("XDG_CONFIG_HOME")
	d.AppData, d.LocalAppData, d.ProgramData = os.Getenv("APPDATA"), os.Getenv("LOCALAPPDATA"), os.Getenv("PROGRAMDATA")
	return d
}

// session is the session name of everything in one scan.
const session = "scan"

// liveSource yields the inputs that were read, and then the server frames, in order.
type liveSource struct{ events <-chan *scanner.Event }

func (s *liveSource) Next() (scanner.Chunk, error) {
	e, ok := <-s.events
	if !ok {
		return nil, io.EOF
	}
	return single{e}, nil
}

// single is a chunk of one event.
type single struct{ event *scanner.Event }

func (s single) Events(yield func(*scanner.Event)) { yield(s.event) }
func (s single) Release()                          {}

// start lists all servers in parallel and returns the stream of events. One lock assigns their
// times, their locations in the recording and their order, so that all three agree.
func (c *liveFlags) start(ctx context.Context, std streams, p *plan, rec *recording, limit int64, quiet bool) scanner.Source {
	out := make(chan *scanner.Event, 64)
	feed := &feed{out: out, recording: rec, names: map[string]bool{}}
	for _, t := range p.targets {
		feed.names[t.name] = true
	}
	go func() {
		defer close(out)
		for _, e := range p.events {
			feed.send(e, false)
		}
		bar := newProgress(std, "asking servers", int64(len(p.targets)), servers, quiet)
		defer bar.end()
		var wg sync.WaitGroup
		missing := make([]missed, len(p.targets))
		for i, t := range p.targets {
			wg.Go(func() {
				missing[i] = c.ask(ctx, t, feed, p.disk, limit)
				bar.add(1)
			})
		}
		wg.Wait()
		if !quiet {
			fmt.Fprint(std.err, describeMissed(missing))
		}
	}()
	return &liveSource{out}
}

// feed puts events in order. Its clock always advances: events with equal times would have no
// order on replay.
type feed struct {
	mu   sync.Mutex
	out  chan<- *scanner.Event
	last time.Time

	recording *recording
	names     map[string]bool // of servers
}

// claim returns the name that a server asked for, or a similar one if it is taken.
func (f *feed) claim(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	free := name
	for i := 2; f.names[free]; i++ {
		free = fmt.Sprintf("%s#%d", name, i)
	}
	f.names[free] = true
	return free
}

func (f *feed) send(e *scanner.Event, stamp bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if stamp {
		now := time.Now().UTC()
		if !now.After(f.last) {
			now = f.last.Add(1)
		}
		e.Time, f.last = now, now
	}
	f.recording.record(e)
	f.out <- e // the engine reads to the end, even after an interrupt
}
