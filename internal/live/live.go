// Package live talks to a running MCP server over stdio, streamable HTTP or HTTP+SSE, in both
// protocol eras. It makes the server list everything it offers, and passes every frame to the
// caller as raw bytes.
//
// The caller must see the bytes of each frame as sent. SDKs decode frames into typed structs: they drop
// unknown members, hide tools and reject whole lists, all of which a scanner needs to see. From an
// answer, the package reads only the members that it needs to continue, by exact names. It must not
// leave processes behind.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// The two protocol eras.
const (
	eraModern = "modern" // server/discover and no session, from 2026-07-28 on
	eraLegacy = "legacy" // the initialize handshake, up to 2025-11-25
)

// Target is the server to connect to, given by Command or by URL.
type Target struct {
	Name      string
	Command   []string
	Env       []string // the complete environment of the process; nil inherits ours
	Dir       string
	URL       string
	Transport string            // for a URL: "http", "sse", or "" to try both
	Headers   map[string]string // sent with every HTTP request to the URL's origin
}

// Direction is the direction of a frame.
type Direction int

// The two directions.
const (
	ClientToServer Direction = iota
	ServerToClient
)

// Frame is one raw unit of the transport: a line on stdio, an HTTP body, or the data of one
// server-sent event.
type Frame struct {
	Direction Direction
	Data      []byte // owned by the receiver
	Address   bool   // the event contains the HTTP+SSE endpoint; it is not a message
}

// Options configures one List call. The zero value is usable.
type Options struct {
	OnFrame      func(Frame)   // called with every frame (but see Listed), one at a time, and never after List has returned
	MaxFrame     int64         // in bytes; a larger frame is counted but not emitted; default 64 MiB
	StartTimeout time.Duration // until the first usable answer, including npx downloads; default 60 s
	StepTimeout  time.Duration // for each later request; default 30 s
	Timeout      time.Duration // for the whole server, from its start to the last list; default 5 min

	ClientName, ClientVersion string // as sent to the server; default mcpscan and 0

	// Listed, if set, keeps the connection open after listing until Until is closed or the
	// connection ends, and lists the tools again whenever the server announces that they have
	// changed. Listed is called once, with the Result of the lists; the Result that List returns
	// then covers only the time after that. During that time, OnFrame gets only the announcements,
	// our requests and their answers.
	Listed func(Result)
	Until  <-chan struct{}

	// Mask masks secrets in text from the server before it is quoted in a Problem or an error; nil
	// masks nothing.
	Mask func(string) string

	maxPages int // maximum number of pages per list; set by tests
}

// Problem describes something that was not listed, or not as expected, worded for a report.
type Problem struct{ Step, Reason string }

// String joins step and reason for display.
func (p Problem) String() string { return p.Step + ": " + p.Reason }

// Result contains what List learned about the connection.
type Result struct {
	Oversize  int // frames above MaxFrame, which were not inspected
	Ambiguous int // events that clients read differently: see wire.AmbiguousEvent
	Undecoded int // frames that clients may decode, but that were read as they are: see web.receive
	Problems  []Problem
	Notes     []Problem // lists that the server apparently does not have, so nothing is missing
	Absent    []string  // lists that the server says it does not have, by their member, such as "tools"
	Unlisted  bool      // a list that the server should have could not be read in full: see hello.promises

	era, version string // of the protocol
	transport    string // "stdio", "http" or "sse"
	stderr       string // the last 4 KB of a stdio server's standard error, as sent
}

// List connects to the server, requests every page of its tools, prompts, resources and resource
// templates, and disconnects. Anything that could not be listed is a Problem; an error means that
// there was no usable connection, or that ctx ended. The Result is filled as far as possible in
// either case.
func List(ctx context.Context, t Target, o Options) (Result, error) {
	if err := t.check(); err != nil {
		return Result{}, err
	}
	s := &scan{target: t, opts: o.withDefaults(), parent: ctx, listed: map[string]bool{}}
	s.tap = &tap{onFrame: s.opts.OnFrame}
	err := s.run(ctx)
	s.tap.count(&s.result)
	return s.result, err
}

func (t Target) check() error {
	switch {
	case len(t.Command) == 0 && t.URL == "":
		return errors.New("reaching the server: no command and no URL; give one of them")
	case len(t.Command) > 0 && t.URL != "":
		return errors.New("reaching the server: both a command and a URL; give only one of them")
	}
	switch t.Transport {
	case "", "http", "sse":
		return nil
	}
	return fmt.Errorf("reaching the server: unknown transport %q: use http or sse, or omit it", t.Transport)
}

func (o Options) withDefaults() Options {
	o.MaxFrame = min(positive(o.MaxFrame, 64<<20), 1<<40) // avoids overflow in sums
	o.Timeout = positive(o.Timeout, 5*time.Minute)
	o.StartTimeout = min(positive(o.StartTimeout, 60*time.Second), o.Timeout)
	o.StepTimeout = positive(o.StepTimeout, 30*time.Second)
	o.maxPages = positive(o.maxPages, maxPages)
	o.ClientName = cmp.Or(o.ClientName, "mcpscan")
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	o.ClientVersion = cmp.Or(o.ClientVersion, "0")
	return o
}

// positive returns n, or def if n is not positive.
func positive[T int | int64 | time.Duration](n, def T) T {
	if n <= 0 {
		return def
	}
	return n
}

// scan is one List call.
type scan struct {
	target Target
	opts   Options
	tap    *tap
	parent context.Context
	result Result
	listed map[string]bool // lists that were read in full, by method
}

// TooLong is the reason in the Problem for the list that was being read when Options.Timeout
// expired.
const TooLong = "not finished within the time limit for one server"

var errTooLong = errors.New(TooLong)

func (s *scan) run(ctx context.Context) error {
	var (
		p   *peer
		h   hello
		err error
	)
	whole, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTooLong)
	defer cancel()
	start, cancelStart := context.WithTimeout(whole, s.opts.StartTimeout)
	defer cancelStart()
	if len(s.target.Command) > 0 {
		p, h, err = s.dialStdio(start)
	} else {
		p, h, err = s.dialHTTP(start)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		s.result.era, s.result.version = h.era, h.version
		s.list(whole, p, h)
		err = context.Cause(ctx)
	}
	if err == nil && whole.Err() == nil && s.opts.Listed != nil {
		s.watch(ctx, p)
		err = context.Cause(ctx)
	}
	if p != nil {
		s.hangUp(ctx, p)
	}
	if err != nil {
		return fmt.Errorf("listing %s: %w", s.target.label(), err)
	}
	return nil
}

// hangUp closes the connection and collects its remaining results.
func (s *scan) hangUp(ctx context.Context, p *peer) {
	p.close(ctx.Err() == nil)
	if std, ok := p.link.(*stdio); ok {
		s.result.stderr = std.stderr.String()
	}
	lists := kinds()
	if p.watching.Load() {
		lists = lists[:1]
	}
	s.outdated(p, lists)
	if n := p.skipped.Load(); n > 0 {
		s.problem("requests from the server", fmt.Sprintf("%d requests came faster than they could be answered", n))
	}
}

// outdated adds a problem for each list that the server announced as changed after it was requested.
func (s *scan) outdated(p *peer, lists []kind) {
	for _, k := range lists {
		if p.isChanged(k.method) && !k.optional { // optional lists change together with another one
			s.problem(k.method, "the server announced another change after the list was last read, so the listed definitions may be out of date")
		}
	}
}

func (s *scan) problem(step, reason string) {
	s.result.Problems = append(s.result.Problems, Problem{Step: step, Reason: reason})
}

func (s *scan) note(step, reason string) {
	s.result.Notes = append(s.result.Notes, Problem{Step: step, Reason: reason})
}

// label identifies the target in an error.
func (t Target) label() string {
	switch {
	case t.Name != "":
		return fmt.Sprintf("%q", t.Name)
	case t.URL != "":
		return fmt.Sprintf("%q", bare(t.URL))
	}
	return fmt.Sprintf("%q", t.Command[0])
}

// bare returns a URL without the parts that may be secret.
func bare(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the given URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
