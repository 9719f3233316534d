package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// hosted is a proxy that starts a server for each session; the test implements the servers.
type hosted struct {
	*front
	command *proxy.Command
	started chan *played
}

// played is a server process that the test implements.
type played struct {
	*server
	t     testing.TB
	lines chan string // what it reads
	out   *io.PipeWriter
}

func (p *played) End(context.Context) {
	p.exit()
	p.out.Close()
}

// host starts a proxy in front of a command. change may modify its options and the command.
func host(t testing.TB, o scanner.Options, change func(*proxy.Options, *proxy.Command)) *hosted {
	t.Helper()
	h := &hosted{started: make(chan *played, 100)}
	h.front = inFront(t, engineOf(t, o), nil, func(o *proxy.Options, _ *proxy.Access, u *proxy.Upstream) {
		decided := o.Decided
		calm(time.Second)(o)
		o.Decided = decided
		h.command = &proxy.Command{MaxSessions: 3, Idle: time.Hour, Start: func(context.Context) (*proxy.Started, error) {
			stdin, in := io.Pipe()
			out, stdout := io.Pipe()
			p := &played{server: &server{exited: make(chan struct{})}, t: t, lines: make(chan string, 1000), out: stdout}
			go func() {
				defer close(p.lines)
				for r := bufio.NewReader(stdin); ; {
					line, err := r.ReadString('\n')
					if err != nil {
						return
					}
					p.lines <- line
				}
			}()
			h.started <- p
			return &proxy.Started{Server: p, Stdin: in, Stdout: out}, nil
		}}
		if change != nil {
			change(o, h.command)
		}
		u.Command = h.command
	})
	h.url = strings.TrimSuffix(h.url, "mcp")
	return h
}

// reads compares the next line that the server gets with want.
func (p *played) reads(want string) {
	p.t.Helper()
	if got, ok := <-p.lines; got != want+"\n" {
		p.End(p.t.Context()) // nobody waits for it any more
		p.t.Errorf("the server got %q (%t), want %q", got, ok, want)
	}
}

// says sends lines from the server.
func (p *played) says(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.out, line+"\n"); err != nil {
			p.t.Error(err)
			return
		}
	}
}

const welcome = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`

// begin starts a session, and returns its server and its session header.
func (h *hosted) begin(capabilities string) (*played, string) {
	h.t.Helper()
	var p *played
	first := strings.TrimSpace(initialize(capabilities))
	go func() {
		p = <-h.started
		p.reads(first)
		p.says(welcome)
	}()
	status, head, body := h.ask(http.MethodPost, h.url, first)
	if id := head.Get("Mcp-Session-Id"); status != http.StatusOK || body != event(welcome) || len(id) < 20 {
		h.t.Fatalf("%d %v %s", status, head, body)
	}
	return p, "Mcp-Session-Id: " + head.Get("Mcp-Session-Id")
}

// answer makes the server expect a request and reply with these lines.
func (p *played) answer(want string, lines ...string) {
	go func() {
		p.reads(want)
		p.says(lines...)
	}()
}

// TestInitializedAgain checks that the proxy's own session ID is not reported as used a second time when a client
// initializes its session again.
func TestInitializedAgain(t *testing.T) {
	var found atomic.Int32
	h := host(t, scanner.Options{}, func(o *proxy.Options, _ *proxy.Command) {
		decided := o.Decided
		o.Decided = func(e *scanner.Event, out *scanner.Outcome, do scanner.Action) {
			decided(e, out, do)
			for i := range out.Findings {
				if out.Findings[i].Rule.ID == "prt-weak-session-id" {
					found.Add(1)
				}
			}
		}
	})
	p, session := h.begin("{}")
	p.answer(strings.TrimSpace(initialize("{}")), welcome)
	o := h.open(http.MethodPost, strings.TrimSpace(initialize("{}")), session)
	o.want(welcome, "EOF")
	if found.Load() > 0 {
		t.Error("the session ID is reported")
	}
}

// open is a response that is being read.
type open struct {
	t      testing.TB
	lines  *bufio.Reader
	status int
	close  func()
}

// open sends a request and returns its response once it has begun.
func (h *hosted) open(method, body string, headers ...string) *open {
	h.t.Helper()
	o := h.begun(method, body, headers...)
	h.t.Cleanup(o.close)
	return o
}

// begun is like open, but the caller closes the response.
func (h *hosted) begun(method, body string, headers ...string) *open {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, method, h.url, strings.NewReader(body))
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return &open{h.t, bufio.NewReader(resp.Body), resp.StatusCode, cancel}
}

// next returns the message in the next event, or the error at the end.
func (o *open) next() string {
	for {
		line, err := o.lines.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSpace(data)
		}
		if err != nil {
			return err.Error()
		}
	}
}

func (o *open) want(messages ...string) {
	o.t.Helper()
	for _, want := range messages {
		if got := o.next(); got != want {
			o.t.Errorf("the client got %s, want %s", got, want)
		}
	}
}

func answerTo(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"of":` + id + `}}`
}

func progress(token string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`
}

func tracked(id, token string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"t","arguments":{},"_meta":{"progressToken":` + token + `}}}`
}

const (
	roots   = `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`
	changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// event returns a message as it arrives in a stream.
func event(message string) string { return "event: message\ndata: " + message + "\n\n" }

// TestBridge checks that what a client posts reaches the server as one line, that the server's
// lines reach the client as JSON or events, whichever it accepts, and that only line endings
// between values change.
func TestBridge(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusAccepted, "", session)
	p.reads(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	odd := "{\"id\" : 1.0,\r\n\t\"jsonrpc\":\"2.0\",\n\"method\":\"ping\", \"x\":\"\xc3\\u00e9\"}"
	line := "{\"id\" : 1.0,  \t\"jsonrpc\":\"2.0\", \"method\":\"ping\", \"x\":\"\xc3\\u00e9\"}"
	p.answer(line, ` { "id":1,"jsonrpc" : "2.0","result":{}} `+"\r")
	h.post(odd, http.StatusOK, event(` { "id":1,"jsonrpc" : "2.0","result":{}} `), session)

	p.answer(tracked("2", `"a"`), progress(`"a"`), answerTo("2"))
	h.post(tracked("2", `"a"`), http.StatusOK, event(progress(`"a"`))+event(answerTo("2")), session)
	p.answer(tracked("3", "1"), answerTo("3"))
	h.open(http.MethodPost, tracked("3", "1"), session, "Accept: text/event-stream").want(answerTo("3"), "EOF")
	p.answer(tracked("3", "1"), progress("1"), answerTo("3"))
	if got, _ := h.open(http.MethodPost, tracked("3", "1"), session, "Accept: application/json").lines.ReadString(0); got != answerTo("3") {
		t.Errorf("in JSON only: %s", got)
	}
	p.answer(call("3", "t"), answerTo("3"))
	h.post(call("3", "t"), http.StatusOK, event(progress("1"))+event(answerTo("3")), session) // what waited
	p.answer(call("4", "t"), `{"id":4,`+"\r"+`"result":{}}`)
	h.post(call("4", "t"), http.StatusOK, event(`{"id":4,`+"\ndata: "+`"result":{}}`), session)
	p.answer(tracked("4", "1"), progress("1"), `{"id":4,`+"\r"+`"result":{}}`)
	h.post(tracked("4", "1"), http.StatusOK, event(progress("1"))+event(`{"id":4,`+"\ndata: "+`"result":{}}`), session)
	batch := "[" + call("5", "t") + "," + call("6", "t") + "]"
	p.answer(batch, answerTo("6"), answerTo("5"))
	h.post(batch, http.StatusOK, event(answerTo("6"))+event(answerTo("5")), session)
	p.answer(batch, "["+answerTo("6")+","+answerTo("5")+"]")
	h.post(batch, http.StatusOK, event("["+answerTo("6")+","+answerTo("5")+"]"), session)
	h.answeredTogether(p, session)

	if status, _, body := h.ask(http.MethodDelete, h.url, "", session); status != http.StatusNoContent || body != "" {
		t.Errorf("%d %s", status, body)
	}
	<-p.exited
	h.post(call("7", "t"), http.StatusNotFound, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"mcpscan: the session has ended; send initialize to begin another one"}}`, session)
}

// answeredTogether makes the server answer the requests of two HTTP requests in one batch. Each gets its
// own answer, and what belongs to none follows the usual way.
func (h *hosted) answeredTogether(p *played, session string) {
	var both sync.WaitGroup
	for _, id := range []string{"7", "8"} {
		both.Go(func() { h.post(tracked(id, id), http.StatusOK, event(progress(id))+event(answerTo(id)), session) })
		p.reads(tracked(id, id))
	}
	p.says("[" + progress("7") + "," + progress("8") + "," + answerTo("8") + ", " + answerTo("7") + "]")
	both.Wait()
}

// TestBridgeRefuses checks that the response to a request that cannot reach a server says why.
func TestBridgeRefuses(t *testing.T) {
	h := host(t, scanner.Options{Policy: denying{}}, nil)
	p, session := h.begin("{}")
	for _, test := range []struct {
		method, body string
		headers      []string
		status       int
		want         string
	}{
		{"POST", call("1", "t"), nil, 400, "expected the Mcp-Session-Id"},
		{"POST", call("1", "t"), []string{"Mcp-Session-Id: other"}, 404, "the session has ended"},
		{"POST", `{"jsonrpc":"2.0","id":1,"method":"ping"`, []string{session}, 400, "-32700"},
		{"POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\nng\"}", []string{session}, 400, "-32700"},
		{"POST", "", []string{session}, 400, "-32700"},
		{"POST", "12", []string{session}, 400, "-32700"},
		{"POST", "[" + call("1", "t") + "," + call("1.0", "t") + "]", []string{session}, 400, "the same id"},
		{"POST", "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 1025) + call("1", "t") + "]", []string{session}, 503, "requests without an answer"},
		{"POST", strings.Repeat(" ", 1<<20) + call("1", "t"), []string{session}, 413, "--max-message"},
		{"POST", call("1", "denied"), []string{session}, 200, "blocked by mcpscan"},
		{"GET", "", nil, 400, "expected the Mcp-Session-Id"},
		{"GET", "", []string{session, "Last-Event-ID: 1"}, 400, "cannot be resumed"},
		{"DELETE", "", []string{"Mcp-Session-Id: other"}, 404, "the session has ended"},
		{"PUT", "", []string{session}, 405, "expected POST, GET or DELETE"},
	} {
		if status, _, body := h.ask(test.method, h.url, test.body, test.headers...); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %.100s: %d %s, want %d %s", test.method, test.body, status, body, test.status, test.want)
		}
	}
	for _, accepted := range []string{"text/html", "application/json"} {
		o := h.open(http.MethodPost, "["+call("1", "t")+","+call("2", "t")+"]", session, "Accept: "+accepted)
		if o.status != http.StatusNotAcceptable {
			t.Errorf("%s: %d", accepted, o.status)
		}
	}
	if o := h.open(http.MethodGet, "", session, "Accept: application/json"); o.status != http.StatusNotAcceptable {
		t.Errorf("GET: %d", o.status)
	}
	if len(p.lines) > 0 {
		t.Errorf("the server got %q", <-p.lines)
	}
}

// TestBridgeStreams checks that a server's unsolicited messages reach the client over the right
// stream, and wait until there is one.
func TestBridgeStreams(t *testing.T) {
	h := host(t, scanner.Options{Policy: denying{}}, nil)
	p, session := h.begin(`{"roots":{},"sampling":{}}`)
	other, _ := h.begin("{}")
	p.says(roots, changed)
	stream := h.open(http.MethodGet, "", session)
	stream.want(roots, changed)
	h.post(answerTo(`"r"`), http.StatusAccepted, "", session)
	p.reads(answerTo(`"r"`))

	// While one request is open, its response gets everything.
	p.answer(tracked("1", `"a"`), roots)
	one := h.open(http.MethodPost, tracked("1", `"a"`), session)
	one.want(roots)
	// While several are open, each response carries its own request's progress notifications; the
	// GET stream gets the rest.
	p.answer(tracked("2", `"b"`), progress(`"b"`))
	two := h.open(http.MethodPost, tracked("2", `"b"`), session)
	two.want(progress(`"b"`))
	p.says(progress(`"a"`), changed, answerTo("1"), answerTo("2"))
	one.want(progress(`"a"`), answerTo("1"), "EOF")
	two.want(answerTo("2"), "EOF")
	stream.want(changed)

	// A new stream replaces the old one.
	again := h.open(http.MethodGet, "", session)
	stream.want("EOF")
	p.says(changed)
	again.want(changed)

	// If the policy denies a request from the server, the server receives an error response.
	p.says(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
	p.reads(refused("7", "it is denied", "no-denied", "block"))
	if len(other.lines) > 0 {
		t.Errorf("another session got %q", <-other.lines)
	}
}

// TestBridgeWithoutStream checks that a server request gets an error if the client reads no stream,
// and that other undeliverable messages are counted.
func TestBridgeWithoutStream(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	const room = 256
	for range room {
		p.says(changed)
	}
	p.says(roots, answerTo("99"))
	p.reads(`{"jsonrpc":"2.0","id":"r","error":{"code":-32603,"message":"mcpscan: its client is not reading a stream"}}`)
	p.answer(call("1", "t"), answerTo("1"))
	o := h.open(http.MethodPost, call("1", "t"), session)
	for range room {
		o.want(changed)
	}
	o.want(answerTo("1"), "EOF")
	about := strings.Join(h.about(), "\n")
	for _, want := range []string{"a message from the server was dropped: its client is not reading a stream", "a message from the server was dropped: it answers no open request"} {
		if !strings.Contains(about, want) {
			t.Errorf("not counted: %s", want)
		}
	}
}

// TestBridgeCancels checks that a cancelled request needs no answer, and that a late answer is
// dropped.
func TestBridgeCancels(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	p.answer(tracked("1", `"a"`), progress(`"a"`))
	o := h.open(http.MethodPost, tracked("1", `"a"`), session)
	o.want(progress(`"a"`))
	h.post(cancelled, http.StatusAccepted, "", session)
	p.reads(cancelled)
	o.want("EOF")
	p.says(answerTo("1"))
	p.answer(call("2", "t"), answerTo("2"))
	h.post(call("2", "t"), http.StatusOK, event(answerTo("2")), session)
	if about := strings.Join(h.about(), "\n"); !strings.Contains(about, "an answer to a cancelled request") || strings.Contains(about, "dropped") {
		t.Errorf("a late answer is not counted as ignored: %s", about)
	}
	p.answer(call("1", "t"), answerTo("1")) // the ID may be used again
	h.post(call("1", "t"), http.StatusOK, event(answerTo("1")), session)

	// Without sessions, a client cancels by disconnecting.
	stateless := "MCP-Protocol-Version: 2026-07-28"
	go func() {
		p = <-h.started
		p.reads(tracked("8", `"b"`))
		p.says(progress(`"b"`))
	}()
	o = h.open(http.MethodPost, tracked("8", `"b"`), stateless)
	o.want(progress(`"b"`))
	o.close()
	p.reads(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"the client disconnected"}}`)
}

// TestBridgeStateless checks that in protocol versions without sessions, all requests from a client
// share one server process, unless two have the same id.
func TestBridgeStateless(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	stateless := "MCP-Protocol-Version: 2026-07-28"
	servers := make(chan *played, 10)
	go func() {
		p := <-h.started
		p.reads(call("1", "t"))
		p.says(answerTo("1"))
		servers <- p
	}()
	h.post(call("1", "t"), http.StatusOK, event(answerTo("1")), stateless)
	p := <-servers
	missing := `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`
	p.answer(call("2", "t"), missing)
	h.post(call("2", "t"), http.StatusNotFound, missing, stateless)

	p.answer(tracked("3", `"a"`), progress(`"a"`))
	o := h.open(http.MethodPost, tracked("3", `"a"`), stateless)
	o.want(progress(`"a"`))
	go func() {
		p := <-h.started
		p.reads(call("3", "t"))
		p.says(answerTo("3"))
	}()
	h.post(call("3", "t"), http.StatusOK, event(answerTo("3")), stateless)
	p.says(answerTo("3"))
	o.want(answerTo("3"), "EOF")
}

// TestBridgeEnds checks that when a server exits, all open requests get an error at once, and the
// session ends.
func TestBridgeEnds(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	stream := h.open(http.MethodGet, "", session)
	p.answer(tracked("1", `"a"`), progress(`"a"`))
	one := h.open(http.MethodPost, tracked("1", `"a"`), session)
	one.want(progress(`"a"`))
	go func() {
		p.reads(call("2", "t"))
		p.code = 3
		p.exit()
	}()
	ended := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"mcpscan: the server srv sent no valid response: it exited with code 3"}}`
	}
	h.post(call("2", "t"), http.StatusBadGateway, ended("2"), session)
	one.want(ended("1"), "EOF")
	stream.want("EOF")
	h.post(call("3", "t"), http.StatusNotFound, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"mcpscan: the session has ended; send initialize to begin another one"}}`, session)
	if want := "it exited with code 3"; !slices.Contains(h.failed, want) {
		t.Errorf("%q lacks %q", h.failed, want)
	}
}

// TestBridgeBadServers covers servers that print a banner or an overlong line, or close their
// output.
func TestBridgeBadServers(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	p.answer(call("1", "t"), "Ready \x1b[31m", "", "\xEF\xBB\xBF"+answerTo("1"))
	h.post(call("1", "t"), http.StatusOK, event(answerTo("1")), session)
	if got := strings.Join(h.about(), "\n"); !strings.Contains(got, "stdio server") {
		t.Errorf("the banner was not counted: %s", got)
	}
	go func() {
		p.reads(call("2", "t"))
		_, _ = io.WriteString(p.out, strings.Repeat("x", 2<<20)) // fails when the proxy has enough
	}()
	h.post(call("2", "t"), http.StatusBadGateway, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"mcpscan: the server srv sent no valid response: a message from the server exceeds the limit of 1048576 bytes (--max-message)"}}`, session)

	p, session = h.begin("{}")
	go func() {
		p.reads(call("2", "t"))
		p.out.Close()
	}()
	h.post(call("2", "t"), http.StatusBadGateway, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"mcpscan: the server srv sent no valid response: it closed its output"}}`, session)
}

// TestBridgeBounds checks that no more processes than allowed run at a time, and that idle ones
// end.
func TestBridgeBounds(t *testing.T) {
	h := host(t, scanner.Options{}, func(_ *proxy.Options, c *proxy.Command) { c.MaxSessions = 2 })
	p, session := h.begin("{}")
	h.begin("{}")
	first := strings.TrimSpace(initialize("{}"))
	h.post(first, http.StatusServiceUnavailable, `{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"mcpscan: the server already has 2 sessions, each with a process: end one with DELETE, wait until one is idle, or raise --max-sessions"}}`)
	h.ask(http.MethodDelete, h.url, "", session)
	<-p.exited
	for h.count() > 1 {
		time.Sleep(time.Millisecond)
	}
	h.begin("{}")

	var stream *open
	for idle := 50 * time.Millisecond; ; idle *= 2 { // on a busy machine, the first session may end before its stream is read
		h = host(t, scanner.Options{}, func(_ *proxy.Options, c *proxy.Command) { c.Idle = idle })
		p, session = h.begin("{}")
		if stream = h.open(http.MethodGet, "", session); stream.status == http.StatusOK {
			break
		} else if idle > time.Minute {
			t.Fatalf("the stream has the status %d", stream.status)
		}
	}
	busy, _ := h.begin("{}")
	<-busy.exited // before the one whose stream is read
	p.says(changed)
	stream.want(changed)
	stream.close()
	<-p.exited
}

// count returns the number of running processes.
func (h *hosted) count() int { return h.http.Processes() }

// TestBridgeLoad checks that many sessions with many concurrent requests, some of them abandoned,
// lose no answers and get none from other sessions.
func TestBridgeLoad(t *testing.T) {
	h := host(t, scanner.Options{}, func(_ *proxy.Options, c *proxy.Command) { c.MaxSessions = 8 })
	var all sync.WaitGroup
	for range 8 {
		p, session := h.begin("{}")
		go func() {
			for line := range p.lines {
				var id int
				if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":%d,`, &id); err == nil {
					p.says(progress(fmt.Sprint(id)), changed, answerTo(fmt.Sprint(id)))
				}
			}
		}()
		all.Go(func() {
			var some sync.WaitGroup
			for n := range 40 {
				some.Go(func() {
					id := fmt.Sprint(n)
					if n%10 == 9 {
						ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
						defer cancel()
						req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.url, strings.NewReader(tracked(id, id)))
						req.Header.Set("Mcp-Session-Id", strings.TrimPrefix(session, "Mcp-Session-Id: "))
						if resp, err := http.DefaultClient.Do(req); err == nil {
							resp.Body.Close()
						}
						return
					}
					status, _, body := h.ask(http.MethodPost, h.url, tracked(id, id), session)
					if status != http.StatusOK || !strings.Contains(body, event(progress(id))) || !strings.HasSuffix(body, event(answerTo(id))) {
						t.Errorf("%d %s", status, body)
					}
				})
			}
			some.Wait()
		})
	}
	all.Wait()
}
