package scanner_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// pings returns events for words such as "a:2s", which is a session and a time, or
// "a:" without a time. Lines are numbered from 1.
func pings(t *testing.T, script string) (events []*scanner.Event) {
	t.Helper()
	for i, word := range strings.Fields(script) {
		e := frame(i, mcp.ClientToServer, `{"jsonrpc":"2.0","method":"ping"}`)
		session, at, _ := strings.Cut(word, ":")
		e.Session, e.Time = session, time.Time{}
		if at != "" {
			d, err := time.ParseDuration(at)
			if err != nil {
				t.Fatal(err)
			}
			e.Time = time.Unix(1e9, 0).UTC().Add(d)
		}
		events = append(events, e)
	}
	return events
}

// TestEviction checks that if only two sessions may be open, opening a third closes the one whose
// last event has the earlier time, whatever the order of the input. A closed session that continues
// must be counted.
func TestEviction(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		evicted int
		again   int // number of sessions that continue after they were closed
	}{
		"as many as may be open":                {"a:1s b:2s a:3s b:4s", 0, 0},
		"the oldest by time, not by place":      {"a:5s b:1s c:6s a:7s", 1, 0},
		"the same the other way round":          {"b:1s a:5s c:6s a:7s", 1, 0},
		"it goes on":                            {"a:5s b:1s c:6s b:7s", 2, 1},
		"its newest event counts":               {"a:1s b:2s a:3s c:4s a:5s", 1, 0},
		"also where it stands late":             {"a:99s b:50s a:1s c:60s a:100s", 1, 0}, // and the late session is counted
		"of one time, the first by name":        {"b:1s a:1s c:2s b:3s", 1, 0},
		"the same in the other order":           {"a:1s b:1s c:2s b:3s", 1, 0},
		"without a time, ahead of all others":   {"a: b:1s c:2s b:3s", 1, 0},
		"without any times, idle by events":     {"b: a: b: c: b:", 1, 0},
		"an event without a time keeps nothing": {"a:1s b:2s a: c:3s b:4s", 1, 0},
		"a clock a year ahead":                  {"a:8760h b:1s c:2s c:3s a:8761h", 1, 0},
	} {
		e, err := scanner.New([]scanner.Rule{markerRule()}, scanner.Options{Sessions: 2})
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Run(context.Background(), &source{pings(t, c.script)})
		if err != nil {
			t.Fatal(err)
		}
		again := 0
		for _, s := range res.Coverage.Skipped {
			if strings.Contains(s.Reason, "continued after it was closed") {
				again += s.Count
			}
		}
		if res.Coverage.Evicted != c.evicted || again != c.again {
			t.Errorf("%s: %d evicted, %d went on: %+v", name, res.Coverage.Evicted, again, res.Coverage)
		}
	}
}

// crowd is a source of sessions that all stay open. Each has a definition, a call and its answer,
// far apart in the input.
type crowd struct{ sessions, at int }

func (c *crowd) Next() (scanner.Chunk, error) {
	if c.at == 3*c.sessions {
		return nil, io.EOF
	}
	c.at += 3000
	return crowded{c.at - 3000, min(c.at, 3*c.sessions), c.sessions}, nil
}

type crowded struct{ from, to, sessions int }

func (c crowded) Release() {}

func (c crowded) Events(yield func(*scanner.Event)) {
	for i := c.from; i < c.to; i++ {
		frames := [...]string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read_file"}]}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file"}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`}
		e := frame(i, mcp.ServerToClient, frames[i/c.sessions])
		if i/c.sessions == 1 {
			e.Direction = mcp.ClientToServer
		}
		e.Session, e.Server = fmt.Sprint("s", i%c.sessions), fmt.Sprint("srv", i%1000)
		yield(e)
	}
}

// heap is a sink that samples the size of live memory.
type heap struct {
	events int
	most   uint64
}

func (h *heap) Event(*scanner.Event, *scanner.Outcome) error {
	if h.events++; h.events%4_000 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return nil
}

func (h *heap) Finding(*scanner.Finding) error { return nil }

// TestManySessions checks that any number of concurrently open sessions needs a
// bounded amount of memory, and that closed ones are counted.
func TestManySessions(t *testing.T) {
	const sessions = 8_000
	e, err := scanner.New(rules.All(), scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &heap{}
	res, err := e.Run(context.Background(), &crowd{sessions: sessions}, h)
	if err != nil {
		t.Fatal(err)
	}
	if res.Stats.Sessions != 3*sessions || res.Coverage.Evicted != 3*sessions-2048 || res.Stats.Servers != 1000 {
		t.Errorf("%+v, %d evicted", res.Stats, res.Coverage.Evicted)
	}
	if bound := uint64(64 << 20); h.most > bound {
		t.Errorf("%d MiB live", h.most>>20)
	}
}

// TestCompactSession checks that a session finds the same after it was compacted.
func TestCompactSession(t *testing.T) {
	list := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"send_it","description":"Sends a text from %s.","inputSchema":{"type":"object"}}]}}`
	session := []*scanner.Event{returned(1, "files", "The key is "+aSecret+" and the ID "+tokens(1, 1)), frame(2, mcp.ServerToClient, fmt.Sprintf(list, "mail")),
		frame(3, mcp.ServerToClient, fmt.Sprintf(list, "web")), sent(4, "web", tokens(1, 1)+aSecret)}
	session[1].Server, session[2].Server = "mail", "web"
	of := func(events ...*scanner.Event) (found []string) {
		s, _ := run(t, rules.All(), events...)
		for _, f := range s.findings {
			if f.Session == session[0].Session {
				found = append(found, fmt.Sprint(f.Rule.ID, f.Severity, f.Message, f.Evidence, f.Location, f.Related))
			}
		}
		return found
	}
	others := pings(t, strings.Repeat("other:5s ", 4_000))
	want := of(session...)
	if text := strings.Join(want, "\n"); !strings.Contains(text, "value-flow") || !strings.Contains(text, "shadow-tool") {
		t.Fatalf("%q", want)
	}
	for n := range session {
		if got := of(slices.Concat(session[:n], others, session[n:])...); !slices.Equal(got, want) {
			t.Errorf("rest after %d events: %q, want %q", n, got, want)
		}
	}
}
