package servers

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/live"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// asking is the state of listing one server.
type asking struct {
	*Listing
	server      Target
	lane        *lane
	disk        *Disk
	session     string
	inherited   Inherited
	environment []string

	mu      sync.Mutex   // guards the following fields: a watched server sends frames while its lists are reported
	secrets text.Secrets // secrets given to the server

	answered   bool
	identified bool             // its identity is recorded
	waiting    []*scanner.Event // events held until the server reports its name
	bytes      int              // total size of waiting
}

// Limits on the frames kept until a server reports its name.
const (
	maxUnnamed      = 256
	maxUnnamedBytes = 1 << 20
)

// ask fetches one server's lists, and fetches them again under another client name if clients are
// to be compared. It returns the variables that the server may have needed but did not get.
func (l *Listing) ask(ctx context.Context, t Target, lane *lane, d *Disk) missed {
	first := l.asking(t, lane, d)
	lacks := first.list(ctx, l.ClientName)
	if l.Compare && ctx.Err() == nil {
		again := l.asking(t, lane, d)
		again.server.Name, again.server.Unnamed, again.server.Origin = first.server.Name, false, first.server.Origin
		again.session = session + "-other-client" // a difference between clients is not a change over time
		again.list(ctx, otherClient(l.ClientName))
	}
	return lacks
}

// otherClient returns the client name for listing a server a second time: the name of a common
// agent client if the first listing used ours, and otherwise ours.
func otherClient(name string) string {
	if name == OwnClient {
		return "claude-code"
	}
	return OwnClient
}

// OwnClient is the client name that we send to servers.
const OwnClient = "mcpscan"

// clientVersion returns the version that is sent with a client name. With another client's name,
// the version reveals nothing about us.
func (l *Listing) clientVersion(name string) string {
	if name == OwnClient {
		return l.Version
	}
	return "1.0.0"
}

func (l *Listing) asking(t Target, lane *lane, d *Disk) *asking {
	in := l.Inherits(&t)
	t.Inherit(&in)
	return &asking{secrets: t.Given(), Listing: l, server: t, lane: lane, disk: d, session: session,
		inherited: in, environment: slices.Concat(in.Variables, t.Env)}
}

// list fetches the server's lists under the given client name.
func (a *asking) list(ctx context.Context, client string) missed {
	t := &a.server
	if a.Block && a.refused(ctx) {
		return missed{}
	}
	target := live.Target{Name: t.Name, Command: t.Command, Env: a.environment, Dir: t.Dir, URL: t.URL, Transport: t.Transport, Headers: t.Headers}
	if t.Unnamed {
		target.Name = ""
	}
	o := live.Options{
		MaxFrame: a.MaxMessage, StartTimeout: a.StartTimeout, StepTimeout: a.StepTimeout, Timeout: a.Timeout,
		ClientName: client, ClientVersion: a.clientVersion(client),
		OnFrame: a.frame, Until: a.Until, Mask: t.Conceal,
	}
	if a.listed != nil {
		o.Listed = func(res live.Result) {
			a.finish(ctx, &res, nil)
			a.listed()
		}
	}
	res, err := live.List(ctx, target, o)
	a.finish(ctx, &res, err)
	if t.URL != "" || errors.Is(err, live.ErrStart) {
		return missed{}
	}
	return a.inherited.missing(a.title(), (err != nil || len(res.Problems) > 0) && ctx.Err() == nil)
}

// finish emits what remains to be reported after listing: the events held so far, the server's
// identity, and what was not listed.
func (a *asking) finish(ctx context.Context, res *live.Result, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush()
	if a.answered && !a.identified { // packages fetched for the server are now on disk
		a.identified = true
		identity, unknown := a.server.identity(afterStart(ctx, a.environment, a.disk))
		a.started(identity, unknown, res.Unlisted || err != nil, res.Absent)
	}
	a.report(ctx, res, err)
}

// event returns an event for the server.
func (a *asking) event(kind scanner.EventKind) *scanner.Event {
	e := &scanner.Event{Kind: kind, Session: a.session, Server: a.server.Name, Transport: "stdio", Origin: a.server.Origin}
	if a.server.URL != "" {
		e.Transport = "http"
	}
	return e
}

// frame handles a frame of the connection.
func (a *asking) frame(fr live.Frame) {
	if fr.Address { // address of the transport, not a message
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.event(scanner.FrameEvent)
	a.secrets = a.secrets.WithoutVocabulary(fr.Data)
	e.Frame, e.Direction = a.secrets.MaskJSON(fr.Data), mcp.ClientToServer
	if !bytes.Equal(e.Frame, fr.Data) {
		e.Unmasked, e.Given = fr.Data, a.secrets
	}
	if fr.Direction == live.ServerToClient {
		e.Direction, a.answered = mcp.ServerToClient, true
	}
	if !a.server.Unnamed {
		a.lane.send(e)
		return
	}
	a.waiting, a.bytes = append(a.waiting, e), a.bytes+len(fr.Data)
	if e.Direction == mcp.ServerToClient {
		a.name(ownName(e.Frame))
	}
	if len(a.waiting) > maxUnnamed || a.bytes > maxUnnamedBytes {
		a.flush()
	}
}

// name sets the server's name to the one that it reports.
func (a *asking) name(own string) {
	if own == "" {
		return
	}
	if a.Separate {
		own = a.Known.distinct(own, baseline.IdentityOf(&a.server.Written))
	}
	a.server.Name, a.server.Origin = own, Endpoint(own)
	a.flush()
}

// flush sends the events held until the server had a name. A server that still has no name
// keeps its ID.
func (a *asking) flush() {
	a.server.Unnamed = false
	for _, e := range a.waiting {
		e.Server, e.Origin = a.server.Name, a.server.Origin
		a.lane.send(e)
	}
	a.waiting = nil
}

// started emits an event with the server's identity, whether it failed to return a list, and which lists
// it does not have. If parts of the identity are unknown, a second event says why.
func (a *asking) started(id *baseline.Identity, why string, unlisted bool, absent []string) {
	e := a.event(scanner.StartedEvent)
	e.Identity, e.Unlisted, e.Absent = id, unlisted, absent
	a.lane.send(e)
	if why != "" && !a.server.Foreign { // otherwise, this was already reported with the configuration
		a.skip("server %s: %s", a.title(), why)
	}
}

// refused reports whether the server must not start. If so, it records the reason in place of the
// listing.
func (a *asking) refused(ctx context.Context) bool {
	identity, unknown, why := a.Identify(ctx, &a.server, a.environment, a.disk)
	if why == "" {
		return false
	}
	a.started(identity, unknown, true, nil)
	a.skip("server %s not started: %s, and version_pinning.on_change is block", a.title(), why)
	return true
}

// Identify returns the identity of a server that is about to start in an environment, and why parts
// of it are unknown. refused is the reason not to start it, if Listing.Block is set and its file
// is not known to be the approved one.
func (l *Listing) Identify(ctx context.Context, t *Target, environment []string, d *Disk) (id *baseline.Identity, unknown, refused string) {
	m := afterStart(ctx, environment, d)
	m.image = nil // must not execute anything yet
	id, unknown = t.identity(m)
	if l.Block {
		refused = t.replaced(id, unknown, l.Known)
	}
	return id, unknown, refused
}

// replaced returns the reason why the file that would be executed is not known to be the approved
// one. It returns "" if the file is the approved one, or if no file was approved. unknown
// says why the digest could not be determined.
func (t *Target) replaced(now *baseline.Identity, unknown string, known Known) string {
	was := known[t.Name].Approved()
	switch {
	case was == nil || was.Digest == "" || now.Digest != "" && !was.Replaced(now):
		return ""
	case now.Digest != "":
		return now.Executable + " differs from the approved file"
	case unknown == "":
		return "the command does not start the approved file"
	}
	return unknown
}

// title returns the server's name for messages.
func (a *asking) title() string {
	if len(a.server.Command) > 0 && a.server.Name == FallbackID(a.server.Written.Command, a.server.Written.Args, "") {
		return a.server.Shown()
	}
	return a.server.Name
}
