package scanner

import (
	"math/bits"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
)

// Session is the state of one client's connections to its servers, identified by the session ID. Only
// the engine changes it; rules see the state before the current message.
type Session struct {
	// The fields that each message needs come first, to share cache lines.
	ID      string
	last    time.Time                        // time of the newest event
	seq     int64                            // sequence number of the last event, in the order of judging
	newest  time.Time                        // time of the newest call
	latest  [capability.Categories]time.Time // the same for each category
	callers []*Server                        // servers with calls within the window, in order of first call
	known   map[uint64]*valueSource          // sources of values, by digest; nil for values from the client and from definitions
	packed  int                              // number of values while known is packed
	counted bool                             // the session is in the statistics
	forgot  bool                             // values were dropped to make room for those of other sessions

	Servers   map[string]*Server
	First     []*Server     // the first maxServers servers, in the order seen
	Trifecta  TrifectaTools // witnesses from servers whose own tools do not have all capabilities
	Qualified []*Known      // the first maxQualified tools with qualified names; see names.Qualified

	rank    rank       // position among the open sessions
	compact bool       // see sweep
	tools   []*Known   // in the order seen
	index   *toolIndex // of tools; nil until needed
}

// Owners returns the tools in this session with the same folded name: the first one on each server,
// for at most maxOwners servers. After them come tools whose names have the same skeleton but
// differ by more than one edit.
func (s *Session) Owners(name string) []*Known {
	folded := names.FoldName(name)
	index := s.indexed()
	owners := index.owners[folded]
	for _, k := range index.alike[names.Skeleton(name)] {
		if other := names.FoldName(k.Definition.Name); other != folded && !names.OneEdit(other, folded) {
			owners = append(slices.Clip(owners), k)
		}
	}
	return owners
}

// Near returns at most maxNear tools whose names are one edit (a letter omitted, inserted, replaced
// or transposed) away from the given one. It omits the tools of one server (except) and those that
// [Session.Owners] returns.
func (s *Session) Near(name, except string) (near []*Known) {
	if len(s.Servers) < 2 {
		return nil
	}
	n, index := newToolName(name, nil), s.indexed()
	for i := range index.names {
		if len(near) == maxNear {
			break
		}
		o := &index.names[i]
		if d := len(n.folded) - len(o.folded); d < -1 || d > 1 || bits.OnesCount64(n.letters^o.letters) > 2 {
			continue
		}
		if o.tool.Server != except && names.OneEdit(n.folded, o.folded) {
			near = append(near, o.tool)
		}
	}
	return near
}

// Server is the state of one server in a session.
type Server struct {
	// The fields that each message needs come first, to share cache lines.
	ID      string
	met     bool              // the session has an event about it
	Seen    bool              // it has sent or received a message before the current one
	Listed  bool              // it has answered tools/list
	Asked   bool              // it has been sent a request
	Noisy   bool              // it has printed lines that are not messages
	unread  bool              // it may have answered in a message that was not read
	Tools   map[string]*Known // tools as first listed; nil before the first listing
	source  int               // most reliable source of its calls so far
	counted int               // calls from that source that took place
	bit     uint64            // its bit in a set of servers; 0 beyond the first maxTracked
	changed map[string]*Known // tools whose current definition is not the one in Tools
	shadows map[string]*Known // tools of other servers with the same names as its own
	bucket  bucket
	recent  recent
	called  struct { // the last call that took place
		at   time.Time
		tool string
	}
	sentDirection mcp.Direction                    // direction of frames that its log labels as sent; see learnSide
	pending       [mcp.ServerToClient + 1]requests // open requests, by sender
	tasks         map[uint64]PendingCall           // calls that run as tasks, by the hash of the task's ID
	answers       answers
	calls         calls
	issued        []uint64 // digests of the session IDs that it issued, at most maxIssued

	Words    []string // words of its ID
	Info     mcp.ServerInfo
	Client   *mcp.ClientInfo // nil if unknown
	Roots    []string        // URIs of the roots last listed by the client; nil if unknown
	Relisted map[string]bool // tools that it has listed again with a definition other than the one in Tools
	Trifecta TrifectaTools

	announced [mcp.MessageSubject]bool // kinds that it announced as changed and has not listed completely since
	reopened  [mcp.MessageSubject]bool // kinds that it has not listed completely since a client initialized it again, as after a restart

	forgotten bool // not remembered, because the session has too many servers

	shown           map[mcp.DefinitionKey]bool
	listedElsewhere map[string]bool // names of the tools that it listed on other connections
	values          remembered
	packed          []sourceRun             // sources of values, in their order, while the session is idle
	varied          map[string]bool         // tools reported as changed
	floods          *[messageClasses]bucket // nil before the server's first unsolicited message
}

// Known is a definition together with where and when a session first saw it, and the client that
// received it. Sessions that saw the same definition share one copy.
type Known struct {
	*provenance
	Definition *mcp.Definition
	at         place
}

// provenance says where and when the definitions in one message were first seen, and by which client.
type provenance struct {
	Server        string
	Session       string
	file, pointer string // see Location
	Time          time.Time
	Client        *mcp.ClientInfo // client to which they were shown; nil if unknown
	Version       string          // server version, as reported by the server
}

// Location returns the position of the definition.
func (k *Known) Location() Location {
	return Location{File: k.file, Line: int(k.at.line), Column: int(k.at.column), Pointer: k.pointer}
}

func newServer(id string) *Server { return &Server{ID: id, Words: names.Words(id)} }

// serverOf returns the server of an event. A server joins its session with its first message, as in
// a replay, so the session does not remember the server of a StartedEvent or a RemovedEvent.
func (s *Session) serverOf(e *Event) *Server {
	if !e.Kind.sent() {
		return newServer(e.Server)
	}
	return s.server(e.Server)
}

func (s *Session) server(id string) *Server {
	srv := s.Servers[id]
	if srv != nil {
		return srv
	}
	srv = newServer(id)
	if len(s.Servers) < maxTracked {
		srv.bit = 1 << len(s.Servers)
	}
	if srv.forgotten = len(s.Servers) >= maxSessionServers; srv.forgotten {
		return srv
	}
	s.Servers[id] = srv
	if len(s.First) < maxServers {
		s.First = append(s.First, srv)
	}
	return srv
}

// apply updates the session with a message. know returns the record of a definition to remember; see
// judge.shared. apply returns false if a bound was reached and something was not remembered.
func (s *Session) apply(srv *Server, e *Event, from mcp.Direction, m *Judged, know func(*mcp.Definition) *Known) (whole bool) {
	whole = true
	if m.Server != nil {
		srv.Info.Update(m.Server)
	}
	if m.Client != nil && from == mcp.ClientToServer {
		srv.Client = m.Client
	}
	switch m.Kind {
	case mcp.Request:
		srv.Asked = srv.Asked || from == mcp.ClientToServer
		if m.Method == "initialize" && from == mcp.ClientToServer && srv.Seen {
			srv.reopen()
		}
		whole = srv.pending[from].put(m.ID, srv.ask(m.Message, from, e))
	case mcp.Notification, mcp.Audit:
		for _, kind := range announcements[m.Method] {
			srv.announced[kind] = true
		}
	case mcp.Response:
		asked, open := srv.pending[opposite(from)].take(m.ID)
		if open {
			srv.learnSide(e, m.Message, asked)
		}
		if from == mcp.ServerToClient && e.Direction == mcp.Unknown && e.Side == mcp.NoSide {
			srv.dispute(m.ID, open)
		}
		if open && from == mcp.ServerToClient {
			srv.answer(m.Message)
			if asked.Method == "initialize" && e.HTTP != nil {
				srv.issue(e.HTTP.Session)
			}
			if m.Task != 0 && asked.Method == "tools/call" {
				whole = srv.begin(m.Task, asked)
			}
		}
	}
	if m.Roots != nil && from == mcp.ClientToServer {
		srv.Roots = m.Roots
	}
	srv.Seen = true
	if m.traits&mcp.OnList == 0 {
		return whole
	}
	srv.Listed = srv.Listed || m.Lists[mcp.ToolSubject]
	for kind, listed := range m.Lists {
		if listed && !m.More {
			srv.announced[kind], srv.reopened[kind] = false, false
		}
	}
	m.Listings = s.list(srv, m.Definitions, know)
	if m.Changed != nil {
		srv.replace(m.Changed, know)
	}
	return whole
}

// maxIssued is the maximum number of session IDs of a server that a session remembers.
const maxIssued = 64

// issue remembers a session ID, if there is one.
func (srv *Server) issue(id string) {
	if d := digest(id); id != "" && len(srv.issued) < maxIssued && !slices.Contains(srv.issued, d) {
		srv.issued = append(srv.issued, d)
	}
}

// Issued reports whether the server has issued a session ID before, as far as the session remembers.
func (srv *Server) Issued(id string) bool { return slices.Contains(srv.issued, digest(id)) }

// reopen records that a client has initialized the server again, as after a restart. The server's lists
// may then differ without a notification.
func (srv *Server) reopen() {
	for kind := range srv.reopened {
		srv.reopened[kind] = true
	}
}

// list remembers the tools that a server lists, and returns those that are new or changed.
func (s *Session) list(srv *Server, definitions []mcp.Definition, know func(*mcp.Definition) *Known) (listings []Listing) {
	if srv.Tools == nil {
		srv.Tools = map[string]*Known{}
	}
	var fresh map[string]bool // tools that are new in this message, because a duplicate in a list is not a change
	for i := range definitions {
		d := &definitions[i]
		if d.Kind != mcp.ToolSubject {
			continue
		}
		if first := srv.Tools[d.Name]; first != nil {
			before := srv.Current(d.Name).Definition
			srv.relist(first, d, know)
			if before.Foreign == d.Foreign && before.Digest != d.Digest && !fresh[d.Name] {
				listings = append(listings, Listing{Definition: d, Before: before, Again: srv.varied[d.Name]})
				set(&srv.varied, d.Name, true)
			}
			continue
		}
		listings = append(listings, Listing{Definition: d})
		set(&fresh, d.Name, true)
		k := know(d)
		srv.Tools[k.Definition.Name] = k
		srv.Trifecta.Add(k)
		s.indexTool(k)
		s.shadow(srv, k)
	}
	if !srv.Trifecta.Complete() {
		s.Trifecta.merge(&srv.Trifecta)
	}
	return listings
}

// set sets a key of a map, creating the map if necessary.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// The bounds on comparisons between a session's servers. They allow for more tools than models can
// handle.
const (
	maxOwners         = 16    // servers remembered per folded tool name
	maxNear           = 16    // tools whose names are one edit away
	maxServers        = 64    // servers whose names are compared
	maxSessionServers = 16384 // servers of a session
	maxNames          = 4096  // tool names that are compared for similarity
	serverNames       = 512   // of these per server, so that no server crowds out the others

	maxQualified = 64 // tools whose names are compared with those of later servers
)

// announcements maps a notification to the kinds of lists that it announces as changed.
var announcements = map[string][]mcp.SubjectKind{
	"notifications/tools/list_changed":     {mcp.ToolSubject},
	"notifications/prompts/list_changed":   {mcp.PromptSubject},
	"notifications/resources/list_changed": {mcp.ResourceSubject, mcp.TemplateSubject},
	"mcp_tools_list_changed":               {mcp.ToolSubject},
}
