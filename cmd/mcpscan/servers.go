package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/live"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// liveTarget is a server to ask.
type liveTarget struct {
	name      string
	command   []string
	env       []string
	dir       string
	url       string
	transport string
	headers   map[string]string
	origin    scanner.Origin
	foreign   bool // named by a configuration file: somebody else's command

	written config.Server // the entry of the configuration, its references as they stand there
	secrets []string      // values that came from the environment
}

// endpoint is the place of what no file holds.
func endpoint(name string) scanner.Origin {
	return scanner.Origin{File: "mcp://" + name, Line: 1, Column: 1}
}

// configTarget makes a target of a configured server.
func configTarget(s config.Server, at scanner.Origin) (liveTarget, error) {
	written := s
	var secrets []string
	s, missing := s.Expand(func(name string) (string, bool) {
		value, ok := os.LookupEnv(name)
		secrets = append(secrets, value)
		return value, ok
	})
	if len(missing) > 0 {
		return liveTarget{}, fmt.Errorf("%s has no value here; set it in the environment", strings.Join(missing, ", "))
	}
	t := liveTarget{name: s.Name, dir: s.Cwd, url: s.URL, headers: s.Headers, origin: at, foreign: true, written: written, secrets: secrets}
	switch {
	case s.Transport == "ws":
		return t, errors.New("the WebSocket transport is not supported")
	case s.Command != "":
		t.command, t.url = append([]string{s.Command}, s.Args...), ""
		t.env = os.Environ()
		t.env = append(t.env, pairs(s.Env, "=")...)
	case s.URL == "":
		return t, errors.New("it has neither a command nor a URL")
	case s.Transport == "sse":
		t.transport = "sse"
	}
	return t, nil
}

// pairs lists the names of a map with their values, sorted.
func pairs(m map[string]string, between string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+between+m[k])
	}
	return out
}

// shown is the command or URL in full, as the configuration has it: what its
// references stand for is nobody's business. Other secrets are masked.
func (t *liveTarget) shown() string {
	command, address := t.command, t.url
	if t.foreign {
		command, address = append([]string{t.written.Command}, t.written.Args...), t.written.URL
	}
	if len(t.command) == 0 {
		return text.Mask(address)
	}
	command = slices.Clone(command)
	for i, w := range command {
		if i > 0 && namesSecret(command[i-1]) && !strings.HasPrefix(w, "-") && !config.IsReference(w) {
			command[i] = masked
		} else if name, value, ok := strings.Cut(w, "="); ok && !strings.Contains(name, "://") {
			command[i] = name + "=" + maskedValue(name, value)
		}
	}
	return text.Mask(quoted(command))
}

// question asks whether the server may be started, with all that decides what
// will run: a variable such as LD_PRELOAD or PATH makes another program of a
// harmless command.
func (t *liveTarget) question() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Start %s, as %s says?\n  %s\n", text.Visible(t.name, 200), text.Visible(t.origin.File, 400), text.Visible(t.shown(), 100000))
	line := func(what, s string) { fmt.Fprintf(&b, "  %s %s\n", what, text.Visible(s, 100000)) }
	if t.written.Cwd != "" && len(t.command) > 0 {
		line("in", t.written.Cwd)
	}
	if len(t.command) > 0 {
		for _, k := range slices.Sorted(maps.Keys(t.written.Env)) {
			line("with", k+"="+maskedValue(k, t.written.Env[k]))
		}
	} else {
		for _, k := range slices.Sorted(maps.Keys(t.written.Headers)) {
			line("with", k+": "+maskedValue(k, t.written.Headers[k]))
		}
	}
	b.WriteString("[y/N] ")
	return b.String()
}

const masked = "[masked]"

// namesSecret reports whether the word is a flag, or the name of a variable or
// a header, whose value is a secret.
func namesSecret(word string) bool {
	if !strings.HasPrefix(word, "-") {
		word = "--" + word
	}
	probe := word + "=0123456789"
	return text.Mask(probe) != probe
}

// maskedValue is the value of a variable or a header as it is shown: references
// as they are written, secrets masked.
func maskedValue(name, value string) string {
	if namesSecret(name) && config.Literal(value) != "" {
		return masked
	}
	_, shown, _ := strings.Cut(text.Mask(name+"="+value), "=")
	return shown
}

// quoted writes a command as a shell takes it.
func quoted(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		if words[i] = w; w == "" || w != masked && strings.ContainsAny(w, " \t\n\"'\\$`;&|<>*?()") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// unique tells servers of one name apart, and asks those once that are the same
// in all that makes a server answer as it does: a header can choose the tenant.
func (p *plan) unique() {
	seen := map[string]int{}
	same := map[string]bool{}
	p.targets = slices.DeleteFunc(p.targets, func(t liveTarget) bool {
		key := fmt.Sprintf("%q", [][]string{{t.name, t.url, t.transport, t.dir}, t.command, t.env, pairs(t.headers, "=")})
		known := same[key]
		same[key] = true
		return known
	})
	for i := range p.targets {
		t := &p.targets[i]
		if seen[t.name]++; seen[t.name] > 1 {
			t.name = fmt.Sprintf("%s#%d", t.name, seen[t.name])
		}
	}
}

// conceal masks what is secret in what a server, or somebody else, says of it.
func (t *liveTarget) conceal(s string) string {
	for _, secret := range t.known() {
		if len(secret) >= minSecret {
			s = strings.ReplaceAll(s, secret, masked)
		}
	}
	return text.Mask(s)
}

// known lists the secrets that the server was given, the longest first.
func (t *liveTarget) known() []string {
	var out []string
	for _, v := range t.secrets {
		if _, err := os.Stat(v); err != nil { // a path is no secret, and tells what failed
			out = append(out, v)
		}
	}
	for i, w := range t.command {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case ok && namesSecret(name):
			out = append(out, value)
		case i > 0 && namesSecret(t.command[i-1]) && !strings.HasPrefix(w, "-"):
			out = append(out, w)
		}
	}
	for name, value := range t.written.Env {
		if namesSecret(name) {
			out = append(out, value)
		}
	}
	for _, value := range t.headers {
		out = append(out, value, value[strings.LastIndexByte(value, ' ')+1:]) // also without its scheme
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// minSecret is the length from which a value of the environment is masked
// wherever it stands; what is shorter stands in too many words.
const minSecret = 6

// commandName derives the name of a server from its command: the package or
// script that the launcher is given, or the command itself.
func commandName(command []string) string {
	name, given := filepath.Base(command[0]), ""
	for i, a := range command[1:] {
		if a == "" || strings.HasPrefix(a, "-") || text.Mask(quoted(command[:i+2])) != quoted(command[:i+2]) { // a secret names no server
			continue
		}
		if strings.Contains(a, "mcp") || strings.Contains(a, "server") {
			given = a
			break
		}
		if given == "" && !launcherVerb[a] {
			given = a
		}
	}
	if given != "" && (launcher.MatchString(name) || strings.Contains(given, "mcp") || strings.Contains(given, "server")) {
		name = given
	}
	name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(filepath.Base(name)))
	if at := strings.LastIndex(name, "@"); at > 0 {
		name = name[:at]
	}
	return name
}

// launcher starts what it is given; two servers that it starts are not one.
var launcher = regexp.MustCompile(`^(python[0-9.]*|node|npx|pnpx|uvx?|deno|bunx?|tsx|ts-node|ruby|java|perl|php|docker|podman|go)(\.exe|\.cmd)?$`)

// launcherVerb are words of launchers that stand ahead of what is started.
var launcherVerb = map[string]bool{"run": true, "exec": true, "tool": true, "dlx": true, "x": true}

// urlName names a server by the host of its URL.
func urlName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return bare(raw)
	}
	return u.Host
}

// bare is a URL without what may be secret in it.
func bare(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a URL that cannot be read"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// consent keeps a configuration file from running commands that nobody has
// seen: on a terminal each is shown in full and asked for, elsewhere they are
// refused unless a flag says otherwise.
func (c *scanCmd) consent(ctx context.Context, std streams, p *plan) {
	ask := terminal(std.in) && terminal(std.err)
	answers := bufio.NewReader(std.in)
	p.targets = slices.DeleteFunc(p.targets, func(t liveTarget) bool {
		switch {
		case ctx.Err() != nil:
			p.skip(t.origin, "server %s was not asked: interrupted", t.name)
			return true
		case c.NoRun:
			p.skip(t.origin, "server %s was not asked (--no-run): %s", t.name, t.shown())
			return true
		case !t.foreign || c.RunServers:
			return false
		case !ask:
			p.skip(t.origin, "server %s was not asked: its command comes from a configuration file; read it, then use --run-servers: %s", t.name, t.shown())
			return true
		}
		fmt.Fprint(std.err, t.question())
		answer, _ := within(ctx, func() (string, error) { return answers.ReadString('\n') })
		if ctx.Err() != nil {
			p.skip(t.origin, "server %s was not asked: interrupted", t.name)
			return true
		}
		if strings.EqualFold(strings.TrimSpace(answer), "y") {
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
func (c *scanCmd) start(ctx context.Context, std streams, p *plan, rec *recording) scanner.Source {
	out := make(chan *scanner.Event, 64)
	feed := &feed{out: out, recording: rec}
	go func() {
		defer close(out)
		for _, e := range p.events {
			feed.send(e, false)
		}
		bar := c.progress(std, len(p.targets))
		var wg sync.WaitGroup
		for _, t := range p.targets {
			wg.Go(func() {
				c.ask(ctx, t, feed)
				bar()
			})
		}
		wg.Wait()
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

// ask lists one server.
func (c *scanCmd) ask(ctx context.Context, t liveTarget, f *feed) {
	base := scanner.Event{Session: session, Server: t.name, Transport: "stdio", Origin: t.origin}
	if t.url != "" {
		base.Transport = "http"
	}
	res, err := live.List(ctx, live.Target{Name: t.name, Command: t.command, Env: t.env, Dir: t.dir, URL: t.url, Transport: t.transport, Headers: t.headers}, live.Options{
		MaxFrame: c.MaxMessage, StartTimeout: c.StartTimeout, StepTimeout: c.StepTimeout,
		ClientName: "mcpscan", ClientVersion: version(),
		OnFrame: func(fr live.Frame) {
			if fr.Address { // of the transport, not a message
				return
			}
			e := base
			e.Frame, e.Direction = fr.Data, scanner.ClientToServer
			if fr.Direction == live.ServerToClient {
				e.Direction = scanner.ServerToClient
			}
			f.send(&e, true)
		},
	})
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
		skip("server %s sent frames longer than the limit of %d bytes (--max-message): %d", t.name, c.MaxMessage, res.Oversize)
	}
}

// progress shows on a terminal how many servers have answered.
func (c *scanCmd) progress(std streams, n int) func() {
	if n == 0 || c.Quiet || !terminal(std.err) {
		return func() {}
	}
	bar := progressbar.NewOptions(n, progressbar.OptionSetWriter(std.err), progressbar.OptionSetDescription("asking servers"),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20), progressbar.OptionShowCount())
	return func() { _ = bar.Add(1) }
}
