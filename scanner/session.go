package scanner

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
)

// Session is what one agent run has shown so far. Only the engine changes it; rules see its
// state before the event.
type Session struct {
	// The fields that each message needs come first, to share cache lines.
	ID      string
	last    time.Time                        // of the newest event, by its own time
	seq     int64                            // of the last event, in the order of judging
	seats   [4]seat                          // the first servers, which are most
	newest  time.Time                        // of the calls
	latest  [capability.Categories]time.Time // of the calls of each category
	callers []*Server                        // those with calls within the window, in the order of the first
	known   map[uint64]knownValue            // values by their digests
	forgot  bool                             // values were forgotten to make place for those of other sessions

	Servers   map[string]*Server
	First     []*Server     // the first maxServers of them, in the order seen
	Trifecta  TrifectaTools // among the servers that have not all three by themselves
	Qualified []*Known      // the first maxQualified tools whose names have a separator that clients join names with

	rank   rank                // among the sessions that are open
	owners map[string][]*Known // tools by folded name, in the order seen
	alike  map[string][]*Known // the same by the skeleton of the name
	names  []toolName          // the first maxNames names, in the order seen
}

// seat is a server by its ID, found without a look into a map.
type seat struct {
	id string
	*Server
}

// toolName is a name of a tool as it is compared with others.
type toolName struct {
	folded  string
	letters uint64 // the set of its bytes, by their last six bits
	tool    *Known
}

// Owners returns the tools of this session whose name reads the same as name: the first of
// each server, of maxOwners servers at most. They are followed by those with names that only a
// careful reader distinguishes, by more than one letter.
func (s *Session) Owners(name string) []*Known {
	folded := names.FoldName(name)
	owners := s.owners[folded]
	for _, k := range s.alike[names.Skeleton(name)] {
		if other := names.FoldName(k.Definition.Name); other != folded && !names.OneEdit(other, folded) {
			owners = append(slices.Clip(owners), k)
		}
	}
	return owners
}

// Near returns tools of this session with names one letter away from name, but of at least two
// servers: omitted, inserted, replaced or swapped. It omits those of [Session.Owners], and
// returns maxNear at most.
func (s *Session) Near(name, except string) (near []*Known) {
	if len(s.Servers) < 2 {
		return nil
	}
	n := newToolName(name, nil)
	for i := range s.names {
		if len(near) == maxNear {
			break
		}
		o := &s.names[i]
		if d := len(n.folded) - len(o.folded); d < -1 || d > 1 || bits.OnesCount64(n.letters^o.letters) > 2 {
			continue
		}
		if o.tool.Server != except && names.OneEdit(n.folded, o.folded) {
			near = append(near, o.tool)
		}
	}
	return near
}

func newToolName(name string, tool *Known) toolName {
	n := toolName{folded: names.FoldName(name), tool: tool}
	for i := range len(n.folded) {
		n.letters |= 1 << (n.folded[i] & 63)
	}
	return n
}

// Server is what one server has shown in a session.
type Server struct {
	// The fields that each message needs come first, to share cache lines.
	ID      string
	met     bool              // an event was about it before
	Seen    bool              // it has taken part in a message before
	Listed  bool              // it has answered tools/list
	Asked   bool              // it has been sent a request
	Noisy   bool              // it has printed lines that are no messages
	Tools   map[string]*Known // nil before the first
	source  int               // the surest that its calls were told from
	counted int               // calls from that source which took place
	bit     uint64            // for it in a set of servers; 0 for all beyond maxTold
	changed map[string]*Known // tools that it lists by now as another definition than that in Tools
	shadows map[string]*Known // tools of other servers with the names of its own
	bucket  bucket
	recent  recent
	called  struct { // the last call that took place
		at   time.Time
		tool string
	}
	pending [mcp.ServerToClient + 1]requests // by sender
	answers answers
	calls   calls

	Words     []string // of its ID
	Info      mcp.ServerInfo
	Client    *mcp.ClientInfo          // nil where it is not known
	Roots     []string                 // URIs of what the client said last that the server may use; nil where it said nothing
	Relisted  map[string]bool          // tools that it has listed again as another definition than that in Tools
	Announced [mcp.MessageSubject]bool // by kind of definition: it has said that the list changed, and not listed it in full since
	Trifecta  TrifectaTools

	forgotten bool // the session has more servers than are remembered: nothing is known of it

	named  int // its tools among the session's names
	shown  map[mcp.DefinitionKey]bool
	told   map[string]bool // tools that it lists on other connections
	values remembered
	varied map[string]bool         // tools that were told as changed
	floods *[messageClasses]bucket // nil before the first message that the server sent unasked
}

// Known is a definition as the session saw it first. Sessions that saw the same
// definition share it.
type Known struct {
	Server     string
	Session    string
	Definition *mcp.Definition
	Location   Location
	Time       time.Time
	Client     *mcp.ClientInfo // that it was shown to, nil where that is not known
	Version    string          // that the server said it had
}

func (s *Session) server(id string) *Server {
	for i := range s.seats {
		if seat := &s.seats[i]; seat.id == id && seat.Server != nil {
			return seat.Server
		}
	}
	srv := s.Servers[id]
	if srv == nil {
		srv = &Server{ID: id, Words: names.Words(id)}
		if len(s.Servers) < maxTold {
			srv.bit = 1 << len(s.Servers)
		}
		if n := len(s.Servers); n < len(s.seats) {
			s.seats[n] = seat{id, srv}
		}
		if srv.forgotten = len(s.Servers) >= maxSessionServers; srv.forgotten {
			return srv
		}
		s.Servers[id] = srv
		if len(s.First) < maxServers {
			s.First = append(s.First, srv)
		}
	}
	return srv
}

// apply changes the session by one message and its sender. know makes the record of a
// definition, around the one copy of it that the whole input keeps. It returns
// false where a bound kept something from being remembered.
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
		whole = srv.pending[from].put(m.ID, PendingCall{m.Method, m.Target, e.Time, m.NoCursor})
	case mcp.Notification, mcp.Audit:
		for _, kind := range announcements[m.Method] {
			srv.Announced[kind] = true
		}
	case mcp.Response:
		if srv.pending[opposite(from)].take(m.ID) && from == mcp.ServerToClient {
			srv.answer(m.Message)
		}
	}
	if m.Roots != nil && from == mcp.ClientToServer {
		srv.Roots = m.Roots
	}
	srv.Seen = srv.Seen || m.Kind != mcp.Started // that is what the machine says of it
	if m.traits&mcp.OnList == 0 {
		return whole
	}
	srv.Listed = srv.Listed || m.Lists[mcp.ToolSubject]
	for kind, listed := range m.Lists {
		if listed && !m.More {
			srv.Announced[kind] = false
		}
	}
	m.Listings = s.list(srv, m.Definitions, know)
	if m.Changed != nil {
		srv.replace(m.Changed, know)
	}
	return whole
}

// list remembers the tools that a server lists, and returns those that are new or changed.
func (s *Session) list(srv *Server, definitions []mcp.Definition, know func(*mcp.Definition) *Known) (listings []Listing) {
	if srv.Tools == nil {
		srv.Tools = map[string]*Known{}
	}
	var fresh map[string]bool // by this message: what occurs twice in a list is no change
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
				note(&srv.varied, d.Name)
			}
			continue
		}
		listings = append(listings, Listing{Definition: d})
		note(&fresh, d.Name)
		k := know(d)
		srv.Tools[k.Definition.Name] = k
		srv.Trifecta.Add(k)
		s.own(srv, k)
		s.shadow(srv, k)
	}
	if !srv.Trifecta.Complete() {
		s.Trifecta.merge(&srv.Trifecta)
	}
	return listings
}

// note puts a name into a set that may not be there yet.
func note(set *map[string]bool, name string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[name] = true
}

// The bounds of comparisons between the servers of a session. No model works with more tools.
const (
	maxOwners         = 16    // servers remembered for one folded name of a tool
	maxNear           = 16    // tools whose names are one letter away
	maxServers        = 64    // servers whose names are compared
	maxSessionServers = 16384 // servers of a session
	maxNames          = 4096  // names of tools that are compared with those that are alike
	serverNames       = 512   // of one server, which must not crowd out the others

	maxQualified = 64 // tools whose names are compared with those of later servers
)

// Qualified reports whether a name has a separator that clients put between the
// names of a server and of its tool.
func Qualified(name string) bool {
	return strings.Contains(name, "__") || strings.ContainsAny(name, "/:")
}

// own remembers a tool by its name.
func (s *Session) own(srv *Server, k *Known) {
	n := newToolName(k.Definition.Name, k)
	enlist(s.owners, n.folded, k)
	enlist(s.alike, names.Skeleton(k.Definition.Name), k)
	if Qualified(k.Definition.Name) && len(s.Qualified) < maxQualified {
		s.Qualified = append(s.Qualified, k)
	}
	if srv.named < serverNames && len(s.names) < maxNames {
		srv.named++
		s.names = append(s.names, n)
	}
}

// enlist adds a tool to those of one key: the first of its server.
func enlist(by map[string][]*Known, key string, k *Known) {
	owners := by[key]
	if len(owners) < maxOwners && !slices.ContainsFunc(owners, func(o *Known) bool { return o.Server == k.Server }) {
		by[key] = append(owners, k)
	}
}

// announcements maps a notification to the lists that it says have changed.
var announcements = map[string][]mcp.SubjectKind{
	"notifications/tools/list_changed":     {mcp.ToolSubject},
	"notifications/prompts/list_changed":   {mcp.PromptSubject},
	"notifications/resources/list_changed": {mcp.ResourceSubject, mcp.TemplateSubject},
	"mcp_tools_list_changed":               {mcp.ToolSubject},
}

func opposite(d mcp.Direction) mcp.Direction {
	switch d {
	case mcp.ClientToServer:
		return mcp.ServerToClient
	case mcp.ServerToClient:
		return mcp.ClientToServer
	}
	return mcp.Unknown
}
