package scanner

import (
	"slices"
	"time"
)

// Session is what one agent run has shown so far. The engine alone changes it;
// rules read it in its state before the event.
type Session struct {
	ID      string
	Servers map[string]*Server

	owners map[string][]*Known // tools by folded name, in the order seen
}

// Owners returns the tools of this session whose name is the same to a reader
// as name: the first of each server, and of maxOwners servers at most.
func (s *Session) Owners(name string) []*Known { return s.owners[FoldName(name)] }

// Server is what one server has shown in a session.
type Server struct {
	ID        string
	Info      ServerInfo
	Tools     map[string]*Known
	Listed    bool                 // it has answered tools/list
	Announced [MessageSubject]bool // by kind of definition: it has said that the list changed, and not listed it in full since
	Asked     bool                 // it has been sent a request
	Noisy     bool                 // it has printed lines that are no messages

	pending [ServerToClient + 1]map[string]PendingCall // by sender, then by raw id
}

// Known is a definition as the session saw it first. Sessions that saw the same
// definition share it.
type Known struct {
	Server     string
	Session    string
	Definition *Definition
	Location   Location
	Time       time.Time
}

// PendingCall is a request that has no response yet.
type PendingCall struct {
	Method string
	Target string
	Time   time.Time
}

// maxPending bounds the open requests remembered of each side of a connection,
// so that one side cannot crowd out the other. A client has a handful.
const maxPending = 4096

func (s *Session) server(id string) *Server {
	srv := s.Servers[id]
	if srv == nil {
		srv = &Server{ID: id, Tools: map[string]*Known{}}
		for d := range srv.pending {
			srv.pending[d] = map[string]PendingCall{}
		}
		s.Servers[id] = srv
	}
	return srv
}

// apply changes the session by one message and its sender. know makes the record of a
// definition, around the one copy of it that the whole input keeps. It returns
// false where a bound kept something from being remembered.
func (s *Session) apply(srv *Server, e *Event, from Direction, m *Message, know func(*Definition) *Known) (whole bool) {
	whole = true
	if m.Server != nil {
		srv.Info.update(m.Server)
	}
	switch m.Kind {
	case Request:
		srv.Asked = srv.Asked || from == ClientToServer
		open := srv.pending[from]
		if _, again := open[m.ID]; again || len(open) < maxPending {
			open[m.ID] = PendingCall{m.Method, m.Target, e.Time}
		} else {
			whole = false
		}
	case Notification, Audit:
		for _, kind := range announcements[m.Method] {
			srv.Announced[kind] = true
		}
	case Response:
		delete(srv.pending[opposite(from)], m.ID)
	}
	srv.Listed = srv.Listed || m.Listing == ToolSubject
	if m.Listing != NoSubject && !m.More {
		srv.Announced[m.Listing] = false
	}
	for i := range m.Definitions {
		d := &m.Definitions[i]
		if d.Kind == ToolSubject && srv.Tools[d.Name] == nil {
			k := know(d)
			srv.Tools[k.Definition.Name] = k
			s.own(k)
		}
	}
	return whole
}

// maxOwners bounds the servers remembered for one folded name of a tool.
const maxOwners = 16

// own remembers a tool by its folded name.
func (s *Session) own(k *Known) {
	folded := FoldName(k.Definition.Name)
	owners := s.owners[folded]
	if len(owners) < maxOwners && !slices.ContainsFunc(owners, func(o *Known) bool { return o.Server == k.Server }) {
		s.owners[folded] = append(owners, k)
	}
}

// announcements maps a notification to the lists that it says have changed.
var announcements = map[string][]SubjectKind{
	"notifications/tools/list_changed":     {ToolSubject},
	"notifications/prompts/list_changed":   {PromptSubject},
	"notifications/resources/list_changed": {ResourceSubject, TemplateSubject},
	"mcp_tools_list_changed":               {ToolSubject},
}

// update takes over what a later message says, and keeps what it does not.
func (i *ServerInfo) update(by *ServerInfo) {
	for _, f := range [...]struct{ now, next *string }{{&i.Name, &by.Name}, {&i.Version, &by.Version}, {&i.Protocol, &by.Protocol}} {
		if *f.next != "" {
			*f.now = *f.next
		}
	}
	i.Instructions = i.Instructions || by.Instructions
}

func opposite(d Direction) Direction {
	switch d {
	case ClientToServer:
		return ServerToClient
	case ServerToClient:
		return ClientToServer
	}
	return Unknown
}
