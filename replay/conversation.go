package replay

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// conversations turns the transcripts in a file into events: a model's calls and their results
// become frames to and from the servers. Each call or result appears only once, however often a
// history repeats it.
type conversations struct {
	file    string
	servers *registry
	yield   func(*scanner.Event)
	judge   func(*scanner.Event) Decisions // called instead of yield if decisions are needed at once
	said    func(*Said)                    // receives what Talk.Read returns; may be nil

	*Memory
	now   *conversation
	begun int              // number of conversations named after the file
	lists map[string]*list // definitions collected so far, by server
	order []*list
	bare  bareCalls
}

// Memory records the conversations in the transcripts read so far, and their calls and results, so
// that files read with the same memory can continue each other's conversations. Only one reader may
// use it at a time.
type Memory struct {
	byKey    map[string]*conversation
	sessions map[string]*conversation
	kept     int                 // number of marks in all conversations
	closed   map[uint64]struct{} // evicted conversations, by digest
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{byKey: map[string]*conversation{}, sessions: map[string]*conversation{}, closed: map[uint64]struct{}{}}
}

// conversation is the state of one session.
type conversation struct {
	session string
	key     string
	first   string // the ID of its first call
	events  int
	seen    map[mark]int // highest number of occurrences in one request so far
	refused map[mark]scanner.Decision
	current map[mark]int         // number of occurrences in the current request
	open    map[string][]pending // calls without a result, by id
	calls   map[string]*pending  // all calls, by id
}

// mark identifies a call, result or definition by its content.
type mark [16]byte

// pending is a call and its state.
type pending struct {
	id       string // ID in its frame
	server   string
	args     mark // of its arguments
	answered bool
	echo     bool // its result came from an item with Echo
}

// maxConversations is the maximum number of conversations remembered.
const maxConversations = 4096

// maxSaid is the maximum number of marks (content hashes) remembered for all conversations
// together.
const maxSaid = 1 << 18

// clock is the start time for formats without timestamps.
var clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newConversations(file string, servers map[string][]string, memory *Memory, yield func(*scanner.Event)) *conversations {
	if memory == nil {
		memory = NewMemory()
	}
	return &conversations{file: file, servers: newRegistry(servers), yield: yield, Memory: memory, lists: map[string]*list{}}
}

// take handles an item.
func (c *conversations) take(i *llm.Item) {
	if i.Kind != llm.Declared && i.Kind != llm.Known && i.Kind != llm.Ignored {
		c.flush()
	}
	switch i.Kind {
	case llm.Begin:
		c.begin(i)
	case llm.Known:
		c.servers.add(i.Server)
	case llm.Declared:
		c.declare(i)
	case llm.Call:
		c.call(i)
	case llm.Result:
		c.result(i)
	case llm.Skipped:
		c.yield(&scanner.Event{Kind: scanner.SkippedEvent, Reason: i.Reason, Origin: c.at(i)})
	case llm.Ignored:
		c.yield(&scanner.Event{Kind: scanner.IgnoredEvent, Reason: i.Reason, Origin: c.at(i)})
	}
}

func (c *conversations) at(i *llm.Item) scanner.Origin {
	at := i.Origin()
	at.File, at.Exact = c.file, false
	return at
}

// begin starts a request, and resets the counts of repeated history.
func (c *conversations) begin(i *llm.Item) {
	if i.Echo { // a second name for the current conversation
		if c.now != nil && len(c.byKey) < maxSaid {
			c.byKey[i.Key] = c.now
		}
		return
	}
	if i.Session != "" {
		c.session(i)
	} else if known := c.byKey[i.Key]; known != nil && (known.first == i.First || known.first == "" || strings.HasPrefix(i.Key, "response ")) {
		c.now = known
	} else if known := c.byKey[i.Key+"\x00"+i.First]; known != nil && i.First != "" {
		c.now = known
	} else {
		c.reopened(i, i.Key+"\x00"+i.First)
		c.now = c.open(c.name())
		c.now.key = i.Key
		if len(c.byKey) < maxSaid {
			c.byKey[i.Key] = c.now
		}
	}
	clear(c.now.current)
}

// name returns a name for a conversation, based on the file's name; the first conversation gets the
// file's name unchanged.
func (c *conversations) name() string {
	for {
		name := c.file
		if c.begun++; c.begun > 1 {
			name = fmt.Sprintf("%s#%d", name, c.begun)
		}
		if c.sessions[name] == nil {
			return name
		}
	}
}

func (c *conversations) open(session string) *conversation {
	s := &conversation{session: session, seen: map[mark]int{}, refused: map[mark]scanner.Decision{}, current: map[mark]int{}, open: map[string][]pending{}, calls: map[string]*pending{}}
	if len(c.sessions) >= maxConversations {
		c.forget()
	}
	c.sessions[session] = s
	return s
}

// forget clears the memory, but keeps digests that identify the conversations in it.
func (c *conversations) forget() {
	for session, s := range c.sessions {
		if len(c.closed) >= maxSaid {
			clear(c.closed)
		}
		if s.key == "" {
			c.closed[digestOf(session)] = struct{}{}
		} else if s.first != "" {
			c.closed[digestOf(s.key+"\x00"+s.first)] = struct{}{}
		}
	}
	c.kept = 0
	clear(c.byKey)
	clear(c.sessions)
	c.now = nil
}

// reopened reports a conversation that continues after it was evicted.
func (c *conversations) reopened(i *llm.Item, name string) {
	if _, known := c.closed[digestOf(name)]; known {
		c.yield(&scanner.Event{Kind: scanner.SkippedEvent, Origin: c.at(i),
			Reason: "a conversation continued after it was closed to limit memory: repeated history is counted again"})
		delete(c.closed, digestOf(name))
	}
}

func digestOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name)
	return h.Sum64()
}

// session returns the conversation that an item belongs to.
func (c *conversations) session(i *llm.Item) *conversation {
	if i.Session == "" {
		if c.now == nil {
			c.now = c.open(c.name())
		}
		return c.now
	}
	if c.now == nil || c.now.session != i.Session {
		if c.now = c.sessions[i.Session]; c.now == nil {
			c.reopened(i, i.Session)
			c.now = c.open(i.Session)
		}
	}
	return c.now
}

// markOf returns the mark for the given parts.
func markOf(what ...[]byte) mark {
	h := sha256.New()
	for _, part := range what {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return mark(h.Sum(nil)[:len(mark{})])
}

// before records an occurrence of a mark, and reports whether it repeats an earlier one.
func (c *conversations) before(s *conversation, i *llm.Item, m mark) bool {
	switch {
	case i.Fresh:
		s.current[m] = s.seen[m] + 1
	case !i.History && i.ID != "" && s.seen[m] > 0: // an id belongs to one call
		return true
	default:
		s.current[m]++
	}
	if s.current[m] <= s.seen[m] {
		return true
	}
	if c.kept++; c.kept > maxSaid {
		c.kept = 0
		for _, s := range c.sessions {
			clear(s.seen)
			clear(s.refused)
			clear(s.current)
			clear(s.open)
			clear(s.calls)
		}
		e := skipped(c.file, i.Origin().Line, "more calls, results and tools than the limit of %d: a history that repeats them is counted again", maxSaid)
		c.yield(e)
	}
	s.seen[m] = s.current[m]
	return false
}

// event returns the event for an item.
func (c *conversations) event(s *conversation, i *llm.Item, server string, frame *composed) *scanner.Event {
	e := &scanner.Event{Type: typeMessage, Session: s.session, Server: server, Request: i.Turn, Time: i.Time, FromModelLog: i.Record, Dialect: Dialect(i.Format),
		Frame: frame.b, Parts: frame.parts, Origin: c.at(i)}
	for k := range e.Parts {
		e.Parts[k].Origin.File = c.file
	}
	if i.Clock {
		e.Time, e.Undated = clock.Add(time.Duration(s.events)*time.Second), true
	}
	return e
}

// next returns the ID of the next frame: the ID of the call, if that is unique.
func (s *conversation) next(c *conversations, i *llm.Item) string {
	id := i.ID
	if id == "" || s.calls[id] != nil {
		id = fmt.Sprintf("%s#%d", c.file, s.events+1)
	}
	return string(wire.AppendString(nil, []byte(id)))
}

func (c *conversations) emit(s *conversation, i *llm.Item, e *scanner.Event, odd string, m mark) {
	s.events++
	if c.judge == nil {
		c.yield(e)
	} else {
		c.decided(s, m, saidOf(i), c.judge(e)[0])
	}
	if odd != "" {
		c.yield(&scanner.Event{Kind: scanner.SkippedEvent, Reason: odd, Origin: c.at(i)})
	}
}

func (c *conversations) call(i *llm.Item) {
	s := c.session(i)
	args := argumentsOf(i)
	before, said := s.calls[i.ID], markOf(args)
	if again := before != nil && before.answered && before.args != said && len(args) > len("{}"); i.ID != "" && before != nil && i.Echo && !again {
		return // a repetition; a call with other arguments is a new one, because some models reuse an ID
	}
	server, tool := c.servers.of(i)
	c.bare.add(server, tool, c.at(i))
	m := markOf([]byte("call"), []byte(i.ID), []byte(server), []byte(tool), args)
	if c.before(s, i, m) {
		c.reportSaid(s, m, saidOf(i))
		return
	}
	p := pending{id: s.next(c, i), server: server, args: said}
	frame := callFrame(p.id, tool, i)
	e := c.event(s, i, server, frame)
	e.Direction = mcp.ClientToServer
	if s.first == "" && s.key != "" && i.ID != "" && len(c.byKey) < maxSaid {
		s.first, c.byKey[s.key+"\x00"+i.ID] = i.ID, s
	}
	s.open[i.ID] = append(s.open[i.ID], p)
	s.calls[i.ID] = &p
	c.emit(s, i, e, frame.odd, m)
}

// argumentsOf returns the arguments in canonical form, whether they are in a string or not.
func argumentsOf(i *llm.Item) []byte {
	if i.Args.Kind() == wire.String {
		if parsed, err := i.Args.Parsed(); err == nil {
			return parsed.AppendCanonical(nil)
		}
		return bytes.Clone(bytes.TrimSpace(i.Args.Text()))
	}
	if !i.Args.Is() {
		return []byte("{}")
	}
	return i.Args.AppendCanonical(nil)
}

// contentOf appends the content of a result, without members that clients add only in some
// requests.
func contentOf(v llm.View, dst []byte) []byte {
	switch v.Kind() {
	case wire.String:
		return append(dst, v.Text()...)
	case wire.Array:
		for block := v.First(); block.Kind() != wire.Invalid; block = block.Next() {
			if said := block.At("text"); said.Kind() == wire.String {
				dst = append(dst, said.Text()...)
				continue
			}
			dst = block.AppendCanonical(dst)
		}
		return dst
	}
	return v.AppendCanonical(dst)
}

func (c *conversations) result(i *llm.Item) {
	s := c.session(i)
	known := s.calls[i.ID]
	if i.ID != "" && known != nil && known.answered && (i.Echo || known.echo) {
		return
	}
	m := markOf([]byte("result"), []byte(i.ID), contentOf(i.Media, contentOf(i.Content, nil)))
	if c.before(s, i, m) {
		c.reportSaid(s, m, saidOf(i))
		return
	}
	to := pending{id: s.next(c, i), server: cmp.Or(i.Server, "unknown")} // if the transcript lacks the call
	if known != nil {
		known.answered, known.echo, to.server = true, i.Echo, known.server
	}
	waiting := s.open[i.ID]
	if len(waiting) > 0 {
		to, s.open[i.ID] = waiting[0], waiting[1:]
		if len(waiting) == 1 {
			delete(s.open, i.ID)
		}
	}
	frame := resultFrame(to.id, i)
	e := c.event(s, i, to.server, frame)
	e.Direction, e.Unasked = mcp.ServerToClient, len(waiting) == 0
	e.Unattributed = e.Unasked && known == nil && i.Server == ""
	c.emit(s, i, e, frame.odd, m)
}
