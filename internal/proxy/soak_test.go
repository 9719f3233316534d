package proxy_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// soak makes the tests below run at full speed for the given time:
//
//	go test ./internal/proxy -run Soak -soak 10m -timeout 1h -v
var soak = flag.Duration("soak", 0, "how long soak tests run; 0 is a few thousand messages")

// long reports whether the run should continue with message n.
func long(begin time.Time, n, few int) bool {
	if *soak > 0 {
		return time.Since(begin) < *soak
	}
	return n < few
}

// heap returns the size of live memory in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees objects that the first collection kept for finalizers and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// flat checks that live memory at the end of a run is about the same as at the beginning.
type flat struct {
	t     *testing.T
	begun time.Time
	first int64
	next  time.Time
}

// grown is the permitted growth of live memory after the start of a run. A session's memory has
// fixed bounds, which the first few thousand messages reach.
const grown = 8 << 20

func (f *flat) look(n int) {
	if now := time.Now(); *soak > 0 && now.After(f.next) {
		f.next = now.Add(max(*soak/10, time.Second))
		f.t.Logf("after %v and %d messages: %.1f MB live", now.Sub(f.begun).Round(time.Second), n, float64(heap())/1e6)
	}
}

func (f *flat) end(n int) {
	f.t.Helper()
	last := heap()
	f.t.Logf("%d messages in %v: %.1f MB live, %.1f MB at the beginning", n, time.Since(f.begun).Round(time.Millisecond), float64(last)/1e6, float64(f.first)/1e6)
	if last > f.first+grown {
		f.t.Errorf("%d bytes are live, %d were at the beginning", last, f.first)
	}
}

// result returns the response that servers in these tests send, with text that rules inspect.
func result(id string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"Note %s of %d. Reference 7f3a%08x%s. %s"}]}}`, id, id, n, n, id, strings.Repeat("The meeting is on Tuesday, and Anna brings the figures. ", 15))
}

func asking(id string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"read_note","arguments":{"number":%d}}}`, id, n)
}

// calm spaces messages so far apart in time that their calls are not a burst.
func calm(step time.Duration) func(*proxy.Options) {
	var ticks atomic.Int64
	return func(o *proxy.Options) {
		o.Now = func() time.Time {
			return time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC).Add(time.Duration(ticks.Add(1)) * step)
		}
		o.Decided = func(*scanner.Event, *scanner.Outcome, scanner.Action) {}
	}
}

// TestSoakStdio checks that no message over stdio is lost or reordered, in either direction,
// and that memory does not grow.
func TestSoakStdio(t *testing.T) {
	c := connect(t, engineOf(t, scanner.Options{}), calm(300*time.Millisecond))
	begin := time.Now()
	sent, ends := 0, make(chan struct{})
	go func() { // client
		defer c.toProxy.Close()
		defer close(ends)
		for ; long(begin, sent, 3000); sent++ {
			if _, err := io.WriteString(c.toProxy, asking(fmt.Sprint(sent), sent)+"\n"); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	served := 0
	go func() { // server
		defer c.serverOut.Close()
		lines := bufio.NewReaderSize(c.serverIn, 64<<10)
		for ; ; served++ {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if want := asking(fmt.Sprint(served), served) + "\n"; line != want {
				t.Errorf("the server got %q, want %q", line, want)
				return
			}
			if _, err := io.WriteString(c.serverOut, result(fmt.Sprint(served), served)+"\n"); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	f := &flat{t: t, begun: begin}
	got, lines := 0, bufio.NewReaderSize(c.fromProxy, 64<<10)
	for ; ; got++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		if want := result(fmt.Sprint(got), got) + "\n"; line != want {
			t.Fatalf("the client got %q, want %q", line, want)
		}
		if got == 1000 {
			f.first = heap()
		}
		f.look(got)
	}
	<-ends
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	if got != sent || served != sent {
		t.Errorf("%d sent, %d served, %d answered", sent, served, got)
	}
	f.end(got)
}

// TestSoakSessions checks that 1,000 concurrent sessions over HTTP, each with its own
// connection, lose no messages and get no answers meant for others, and that each takes a fixed
// amount of memory.
func TestSoakSessions(t *testing.T) {
	sessions := 1000
	if *soak == 0 {
		sessions = 100
	}
	var served atomic.Int64
	f := inFront(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		served.Add(1)
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(body, []byte(`"initialize"`)) {
			w.Header().Set("Mcp-Session-Id", r.Header.Get("Test-Session"))
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}}`)
			return
		}
		var id, n int
		if _, err := fmt.Sscanf(string(body), `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_note","arguments":{"number":%d}}}`, &id, &n); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, result(fmt.Sprint(id), n))
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) {
		calm(time.Second / time.Duration(sessions))(o)
	})
	transport := &http.Transport{MaxIdleConnsPerHost: sessions, MaxConnsPerHost: sessions}
	defer transport.CloseIdleConnections()
	ask := func(session int, body string) string {
		req, _ := http.NewRequest(http.MethodPost, f.url, strings.NewReader(body))
		name := fmt.Sprintf("session-%d", session)
		req.Header.Set("Test-Session", name)
		if !strings.Contains(body, `"initialize"`) {
			req.Header.Set("Mcp-Session-Id", name)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		return fmt.Sprint(string(got), strings.TrimPrefix(fmt.Sprint(err), "<nil>"))
	}
	round := func(do func(session int)) {
		var wg sync.WaitGroup
		for s := range sessions {
			wg.Go(func() { do(s) })
		}
		wg.Wait()
	}
	begin, before := time.Now(), heap()
	sent := sessions
	round(func(s int) {
		if got := ask(s, strings.TrimSpace(initialize("{}"))); !strings.Contains(got, `"serverInfo"`) {
			t.Errorf("session %d: %s", s, got)
		}
	})
	m := &flat{t: t, begun: begin}
	for n := 0; long(begin, n, 12) && !t.Failed(); n++ {
		round(func(s int) {
			if got, want := ask(s, asking(fmt.Sprint(n), s)), result(fmt.Sprint(n), s); got != want {
				t.Errorf("session %d: got %q, want %q", s, got, want)
			}
		})
		sent += sessions
		if n == 8 {
			m.first = heap()
			t.Logf("%.1f kB for a session", float64(m.first-before)/float64(sessions)/1e3)
		}
		m.look(sent)
	}
	if int(served.Load()) != sent {
		t.Errorf("%d sent, %d served", sent, served.Load())
	}
	m.end(sent)
}
