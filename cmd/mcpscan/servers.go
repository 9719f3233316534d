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
	"github.com/mcpscan/mcpscan/internal/live"
	"github.com/mcpscan/mcpscan/scanner"
)

// consent keeps a configuration file from running commands that nobody has
// seen: on a terminal each is shown in full and asked for, elsewhere they are
// refused unless a flag says otherwise.
func (c *liveFlags) consent(ctx context.Context, std streams, p *plan) {
	ask, all := terminal(std.in) && terminal(std.err), false
	answers := bufio.NewReader(std.in)
	p.targets = slices.DeleteFunc(p.targets, func(t liveTarget) bool {
		switch {
		case ctx.Err() != nil:
			p.skip(t.origin, "server %s was not asked: interrupted", t.name)
			return true
		case c.NoRun:
			p.leave(t)
			return true
		case !t.foreign || c.RunServers:
			return false
		case !ask:
			p.skip(t.origin, "server %s was not asked: its command comes from a configuration file; read it, then use --run-servers: %s", t.name, t.conceal(t.shown()))
			return true
		}
		if all { // what starts is shown all the same
			fmt.Fprint(std.err, t.described(c.inherits(&t)))
			return false
		}
		fmt.Fprint(std.err, t.question(c.inherits(&t)))
		answer, _ := within(ctx, func() (string, error) { return answers.ReadString('\n') })
		if ctx.Err() != nil {
			p.skip(t.origin, "server %s was not asked: interrupted", t.name)
			return true
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "a", "all":
			all = true
			return false
		case "y", "yes":
			return false
		}
		p.skip(t.origin, "server %s was not asked: you declined", t.name)
		return true
	})
}

// discoverDirs says where configurations are looked for: in a directory, and
// for the user as well where no target was named.
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

// session is the session of all that one scan sees.
const session = "scan"

// liveSource yields what was read, and then what servers say, in the order in
// which it is said.
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

// start asks all servers at once and returns the stream of what is seen. One
// lock gives events their time, their place in the recording and their order,
// so that the three agree.
func (c *liveFlags) start(ctx context.Context, std streams, p *plan, rec *recording, limit int64, quiet bool) scanner.Source {
	out := make(chan *scanner.Event, 64)
	feed := &feed{out: out, recording: rec}
	go func() {
		defer close(out)
		for _, e := range p.events {
			feed.send(e, false)
		}
		bar := newProgress(std, "asking servers", int64(len(p.targets)), servers, quiet)
		defer bar.end()
		var wg sync.WaitGroup
		withheld := make([]string, len(p.targets))
		for i, t := range p.targets {
			wg.Go(func() {
				withheld[i] = c.ask(ctx, t, feed, limit)
				bar.add(1)
			})
		}
		wg.Wait()
		if !quiet {
			fmt.Fprint(std.err, strings.Join(withheld, ""))
		}
	}()
	return &liveSource{out}
}

// feed puts events in order. Its clock never stands still: two events of one
// nanosecond would have no order on replay.
type feed struct {
	mu   sync.Mutex
	out  chan<- *scanner.Event
	last time.Time

	recording *recording
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
	f.out <- e // the engine reads to the end, also after an interruption
}

// ask lists one server, and returns a line about variables that it was not given.
func (c *liveFlags) ask(ctx context.Context, t liveTarget, f *feed, limit int64) (withheld string) {
	in := c.inherits(&t)
	t.secrets = append(t.secrets, in.secrets()...)
	environment := slices.Concat(in.variables, t.env)
	base := scanner.Event{Session: session, Server: t.name, Transport: "stdio", Origin: t.origin}
	if t.url != "" {
		base.Transport = "http"
	}
	answered := false
	res, err := live.List(ctx, live.Target{Name: t.name, Command: t.command, Env: environment, Dir: t.dir, URL: t.url, Transport: t.transport, Headers: t.headers}, live.Options{
		MaxFrame: limit, StartTimeout: c.StartTimeout, StepTimeout: c.StepTimeout,
		ClientName: "mcpscan", ClientVersion: version(),
		OnFrame: func(fr live.Frame) {
			if fr.Address { // of the transport, not a message
				return
			}
			e := base
			e.Frame, e.Direction = fr.Data, scanner.ClientToServer
			if fr.Direction == live.ServerToClient {
				e.Direction, answered = scanner.ServerToClient, true
			}
			f.send(&e, true)
		},
	})
	if answered { // what was fetched for the server is there now
		e := base
		e.Kind, e.Identity = scanner.StartedEvent, t.identity(afterStart(ctx, environment))
		f.send(&e, true)
	}
	skip := func(format string, args ...any) {
		e := base
		e.Kind, e.Reason = scanner.SkippedEvent, t.conceal(fmt.Sprintf(format, args...))
		f.send(&e, true)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		skip("server %s was not inspected in full: interrupted", t.name)
	case err != nil:
		skip("server %s was not inspected: %v", t.name, err)
	}
	for _, p := range res.Problems {
		skip("server %s: %s", t.name, p)
	}
	if res.Oversize > 0 {
		skip("server %s sent frames longer than the limit of %d bytes (--max-message): %d", t.name, limit, res.Oversize)
	}
	if t.url != "" {
		return ""
	}
	return in.tellWithheld(t.name, (err != nil || len(res.Problems) > 0) && ctx.Err() == nil)
}
