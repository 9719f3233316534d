// Package live talks to a running MCP server, over stdio, streamable HTTP or
// HTTP+SSE and in both protocol eras, makes it list everything it offers, and
// hands every frame to its caller as the bytes that stood on the wire.
//
// It must never decode a frame into typed structs before the caller saw the
// bytes: an SDK drops unknown members, hides tools and refuses whole lists, and
// a scanner has to see just those. It reads of an answer only what it needs to
// go on, by exact names. It must never leave a process or a goroutine behind.
package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// The two protocol eras as Result names them.
const (
	EraModern = "modern" // server/discover and no session, from 2026-07-28 on
	EraLegacy = "legacy" // the initialize handshake, up to 2025-11-25
)

// Target says how to reach one server: by Command, or by URL.
type Target struct {
	Name      string
	Command   []string
	Env       []string // the full environment of the process; nil inherits ours
	Dir       string
	URL       string
	Transport string            // for a URL: "http", "sse", or "" to find out
	Headers   map[string]string // sent with every HTTP request to the URL's origin
}

// Direction says who sent a frame.
type Direction int

// The two directions.
const (
	ClientToServer Direction = iota
	ServerToClient
)

// Frame is one unit of the transport as it stood on the wire: a line of stdio,
// an HTTP body, or the data of one server-sent event.
type Frame struct {
	Direction Direction
	Time      time.Time
	Data      []byte      // owned by the receiver
	Noise     bool        // the server sent something that does not begin like JSON where a message belongs
	Event     string      // the type of the server-sent event, "" for other frames
	Address   bool        // the event is the one that names the endpoint of HTTP+SSE: no message, and marked as Noise
	Status    int         // the HTTP status, 0 for stdio and for what we send
	Header    http.Header // the response's headers, nil where Status is 0; shared by the frames of one response
}

// Options bounds one List call. The zero value works.
type Options struct {
	Now          func() time.Time // stamps frames; default time.Now
	OnFrame      func(Frame)      // gets every frame, one at a time, and none after List returned
	MaxFrame     int64            // a larger frame is counted, not held; default 64 MiB
	StartTimeout time.Duration    // until the first usable answer, npx downloads included; default 60 s
	StepTimeout  time.Duration    // for each request after it; default 30 s
	Timeout      time.Duration    // for the server in all, from its start to the last list; default 5 min
	MaxPages     int              // of one list; default 200
	HTTPClient   *http.Client     // default: one of its own, without cookies and without an overall time-out

	ClientName, ClientVersion string // how we introduce ourselves; default mcpscan
}

// Problem names something that was not listed, in words for a report.
type Problem struct{ Step, Reason string }

// String joins the two as they are meant to be read.
func (p Problem) String() string { return p.Step + ": " + p.Reason }

// Result is what List learned about the connection itself.
type Result struct {
	Era             string // EraModern or EraLegacy
	ProtocolVersion string
	Transport       string // "stdio", "http" or "sse"
	Noise           int    // frames marked as Noise, without the address of the endpoint and the pages of HTTP errors
	Oversize        int    // frames above MaxFrame: nobody has seen them
	Problems        []Problem
	StderrTail      string // the last 4 KB of a stdio server's standard error, as sent
}

// List connects to the server, asks for every page of its tools, prompts,
// resources and resource templates, and disconnects. What could not be listed
// is a Problem; an error means that the server could not be talked to at all,
// or that ctx ended. The Result is filled as far as it got in either case.
func List(ctx context.Context, t Target, o Options) (Result, error) {
	if err := t.check(); err != nil {
		return Result{}, err
	}
	s := &scan{target: t, opts: o.withDefaults(), parent: ctx}
	s.tap = &tap{now: s.opts.Now, onFrame: s.opts.OnFrame}
	err := s.run(ctx)
	s.result.Noise, s.result.Oversize = s.tap.counts()
	return s.result, err
}

func (t Target) check() error {
	switch {
	case len(t.Command) == 0 && t.URL == "":
		return errors.New("reaching the server: neither a command nor a URL is given: give one of them")
	case len(t.Command) > 0 && t.URL != "":
		return errors.New("reaching the server: both a command and a URL are given: give one of them")
	}
	switch t.Transport {
	case "", "http", "sse":
		return nil
	}
	return fmt.Errorf("reaching the server: unknown transport %q: use http or sse, or omit it", t.Transport)
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = 64 << 20
	}
	o.MaxFrame = min(o.MaxFrame, 1<<40) // sums with it must not overflow
	if o.StartTimeout <= 0 {
		o.StartTimeout = 60 * time.Second
	}
	if o.StepTimeout <= 0 {
		o.StepTimeout = 30 * time.Second
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Minute
	}
	o.StartTimeout = min(o.StartTimeout, o.Timeout)
	if o.MaxPages <= 0 {
		o.MaxPages = maxPages
	}
	if o.ClientName == "" {
		o.ClientName = "mcpscan"
	}
	if o.ClientVersion == "" {
		o.ClientVersion = "0"
	}
	return o
}

// scan is one List call.
type scan struct {
	target Target
	opts   Options
	tap    *tap
	parent context.Context
	result Result
}

// TooLong is the reason of a Problem with the list at which a server used up Options.Timeout.
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
		s.result.Era, s.result.ProtocolVersion = h.era, h.version
		s.list(whole, p, h)
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

// hangUp closes the connection and keeps what it leaves for the report.
func (s *scan) hangUp(ctx context.Context, p *peer) {
	p.close(ctx.Err() == nil)
	if std, ok := p.link.(*stdio); ok {
		s.result.StderrTail = std.stderr.String()
	}
	for _, k := range kinds() {
		if p.isChanged(k.method) && !k.optional { // what is optional changes with another list
			s.problem(k.method, "the server announced another change after its last list")
		}
	}
	if n := p.unanswered(); n > 0 {
		s.problem("requests of the server", fmt.Sprintf("%d came faster than they could be answered", n))
	}
}

func (s *scan) problem(step, reason string) {
	s.result.Problems = append(s.result.Problems, Problem{Step: step, Reason: reason})
}

// label names the target in an error.
func (t Target) label() string {
	switch {
	case t.Name != "":
		return fmt.Sprintf("%q", t.Name)
	case t.URL != "":
		return fmt.Sprintf("%q", bare(t.URL))
	}
	return fmt.Sprintf("%q", t.Command[0])
}

// bare is a URL without what may be secret in it.
func bare(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the given URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
