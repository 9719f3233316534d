// Package recgen generates recordings for tests and benchmarks: realistic events.jsonl files of any
// size, deterministic for a given seed.
//
// Its recordings must never be used to measure detection: they contain planted attacks only so that
// some rules report findings.
package recgen

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Options configures a recording.
type Options struct {
	Seed  uint64
	Bytes int64 // the recording ends with the exchange that reaches this size

	Honest bool // plants nothing, keeps servers unchanged, has realistic times between calls, adds logs
}

// Write writes a recording: several interleaved sessions, in each of which a client initialises a
// few servers, lists their tools and calls them. Unless Honest is set, about one session in eight
// has a poisoned definition and, in most cases, poisoned results.
func Write(w io.Writer, o Options) error {
	b := bufio.NewWriterSize(w, 1<<20)
	g := &generator{rng: rand.New(rand.NewPCG(o.Seed, 0x6d6370)), w: b, now: time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC), honest: o.Honest}
	var open []*session
	for g.written < o.Bytes {
		for len(open) < concurrent {
			open = append(open, g.session())
		}
		i := g.rng.IntN(len(open))
		if !open[i].step(g) {
			open = append(open[:i], open[i+1:]...)
		}
	}
	if g.err != nil {
		return g.err
	}
	return b.Flush()
}

// concurrent is the number of sessions that are interleaved at any time.
const concurrent = 4

type generator struct {
	rng      *rand.Rand
	w        *bufio.Writer
	now      time.Time
	written  int64
	sessions int
	honest   bool
	err      error
}

// emit writes one event. message is a JSON value.
func (g *generator) emit(session, server, direction, message string) {
	step := 40_000_000
	if g.honest {
		step = 2_000_000_000
	}
	g.now = g.now.Add(time.Duration(1+g.rng.IntN(step)) * time.Nanosecond)
	n, err := fmt.Fprintf(g.w, `{"type":"mcp_message","timestamp":"%s","session_id":"%s","server_id":"%s","server_type":"stdio","direction":"%s","message":%s}`+"\n",
		g.now.Format(time.RFC3339Nano), session, server, direction, message)
	g.written += int64(n)
	if g.err == nil {
		g.err = err
	}
}

// session is an agent run being generated.
type session struct {
	id       string
	servers  []*server
	calls    int // remaining calls
	poisoned bool
}

type server struct {
	name  string
	tools []string
	ids   int
	stage int
}

func (g *generator) session() *session {
	g.sessions++
	s := &session{id: "session-" + strconv.Itoa(g.sessions), calls: 40 + g.rng.IntN(160), poisoned: g.rng.IntN(8) == 0 && !g.honest}
	for _, k := range g.rng.Perm(len(domains))[:2+g.rng.IntN(3)] {
		s.servers = append(s.servers, &server{name: domains[k].server})
	}
	return s
}

// step emits the next exchange of a session, and reports whether there was one.
func (s *session) step(g *generator) bool {
	for _, srv := range s.servers {
		if srv.stage < 2 {
			srv.start(g, s)
			return true
		}
	}
	if s.calls == 0 {
		return false
	}
	s.calls--
	s.servers[g.rng.IntN(len(s.servers))].call(g, s)
	return true
}

func (srv *server) start(g *generator, s *session) {
	srv.ids++
	id := srv.ids
	if srv.stage++; srv.stage == 1 {
		g.emit(s.id, srv.name, "client_to_server", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"client","version":"1.0.0"}}}`, id))
		g.emit(s.id, srv.name, "server_to_client", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":%q,"version":"1.2.0"},"instructions":%s}}`, id, srv.name, quote(g.instructions(srv))))
		return
	}
	g.emit(s.id, srv.name, "client_to_server", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id))
	g.emit(s.id, srv.name, "server_to_client", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, srv.list(s)))
}

// instructions returns a server's instructions. In an honest recording, they are the same in every
// session.
func (g *generator) instructions(srv *server) string {
	if g.honest {
		return "Tools for the " + srv.name + " of this workspace. Results are paged; the cursor of one page asks for the next."
	}
	return g.prose(60)
}

// list generates the tool definitions of a server. Apart from planted text, they depend only on its
// name, so every session sees the same ones.
func (srv *server) list(s *session) string {
	d := domainOf(srv.name)
	fixed := &generator{rng: rand.New(rand.NewPCG(uint64(len(srv.name))*7919+uint64(srv.name[0]), 1))}
	var defs []string
	for _, verb := range d.verbs {
		for _, noun := range d.nouns {
			name := verb + "_" + noun
			srv.tools = append(srv.tools, name)
			text := strings.ToUpper(verb[:1]) + verb[1:] + " " + noun + " in " + srv.name + ". " + fixed.prose(40+fixed.rng.IntN(60))
			if s.poisoned && len(defs) == 3 {
				text += " " + plantedDefinition
			}
			defs = append(defs, fmt.Sprintf(`{"name":%q,"title":%q,"description":%s,"inputSchema":{"type":"object","properties":{"query":{"type":"string","description":%s},"limit":{"type":"integer","description":%s,"default":20},"path":{"type":"string","description":%s,"examples":`+
				`["docs/guide.md"]}},"required":["query"]},"annotations":{"readOnlyHint":%t}}`,
				name, verb+" "+noun, quote(text), quote(fixed.prose(12)), quote(fixed.prose(8)), quote(fixed.prose(10)), verb == "get" || verb == "list"))
		}
	}
	return strings.Join(defs, ",")
}

func (srv *server) call(g *generator, s *session) {
	srv.ids++
	tool := srv.tools[g.rng.IntN(len(srv.tools))]
	g.emit(s.id, srv.name, "client_to_server", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"query":%s,"limit":%d,"path":"docs/%s.md"}}}`,
		srv.ids, tool, quote(g.prose(6)), g.rng.IntN(100), words[g.rng.IntN(len(words))]))
	text := g.result()
	if s.poisoned && g.rng.IntN(50) == 0 {
		text += "\n" + plantedResult
	}
	g.emit(s.id, srv.name, "server_to_client", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}],"isError":false}}`, srv.ids, quote(text)))
}

// result generates the text of a result: prose, code, JSON, or non-ASCII text, and in an honest
// recording also logs.
func (g *generator) result() string {
	if g.honest && g.rng.IntN(3) == 0 {
		return g.log(10 + g.rng.IntN(80))
	}
	switch k := g.rng.IntN(20); {
	case k < 9:
		return g.prose(80 + g.rng.IntN(500))
	case k < 15:
		return g.code(20 + g.rng.IntN(120))
	case k < 19:
		return g.data(10 + g.rng.IntN(60))
	}
	return g.foreign(4 + g.rng.IntN(20))
}

// Texts returns a text of at least size bytes for each kind of result.
func Texts(seed uint64, size int) map[string]string {
	texts := map[string]string{}
	for kind, more := range map[string]func(*generator) string{
		"prose":     func(g *generator) string { return g.prose(200) + "\n" },
		"code":      func(g *generator) string { return g.code(20) },
		"JSON":      func(g *generator) string { return g.data(20) + "\n" },
		"not ASCII": func(g *generator) string { return g.foreign(20) },
		"logs":      func(g *generator) string { return g.log(20) },
	} {
		g := &generator{rng: rand.New(rand.NewPCG(seed, 0x6d6370))}
		var b strings.Builder
		for b.Len() < size {
			b.WriteString(more(g))
		}
		texts[kind] = b.String()
	}
	return texts
}
