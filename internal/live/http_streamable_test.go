package live

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// posted reads the message in a POST to a hand-written server.
func posted(t *testing.T, r *http.Request) message {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return message{}
	}
	all := parse(body)
	if len(all) != 1 {
		t.Errorf("%d messages in %q", len(all), body)
		return message{}
	}
	return all[0]
}

func respond(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, format, args...)
}

func stream(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	fmt.Fprintf(w, format, args...)
	w.(http.Flusher).Flush()
}

// legacyHTTP is a hand-written legacy server. own may answer before it does.
func legacyHTTP(t *testing.T, own func(w http.ResponseWriter, r *http.Request, m message) bool) string {
	return serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		if r.Method == http.MethodPost {
			m = posted(t, r)
		}
		switch {
		case own != nil && own(w, r, m):
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.id == "" || m.method == "":
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, "Accepted")
		case m.method == methodStart:
			w.Header().Set(headerSession, "s-1")
			respond(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.id, helloLegacy)
		case m.method == "tools/list":
			respond(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.id, oneTool)
		case m.method == methodDiscover:
			http.Error(w, "Bad Request", http.StatusBadRequest)
		default:
			respond(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.id)
		}
	}))
}

func TestHTTPSessionAndVersionHeaders(t *testing.T) {
	t.Parallel()
	url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch m.method {
		case methodDiscover:
			if r.Header.Get(headerVersion) != versionModern || r.Header.Get("Mcp-Method") != methodDiscover {
				t.Errorf("headers of discover: %v", r.Header)
			}
		case methodStart:
			if r.Header.Get(headerVersion)+r.Header.Get("Mcp-Method")+r.Header.Get(headerSession) != "" {
				t.Errorf("headers of initialize: %v", r.Header)
			}
		default:
			if r.Header.Get(headerVersion) != "2025-06-18" || r.Header.Get(headerSession) != "s-1" {
				t.Errorf("headers of %s %s: %v", r.Method, m.method, r.Header)
			}
		}
		return false
	})
	res, s, err := list(t, Target{URL: url})
	if err != nil || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Errorf("got %+v, %v", res, err)
	}
	if s.count(ServerToClient, "Accepted") != 0 {
		t.Error("the body of a 202 was handed out")
	}
}

// TestHTTPUnknownVersion checks that requests carry the version that the client assumes if it does not
// know the server's.
func TestHTTPUnknownVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{`"protocolVersion":"2030-01-01",`, ``} {
		listed := false
		url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
			switch m.method {
			case methodStart:
				respond(w, `{"jsonrpc":"2.0","id":%s,"result":{%s"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, m.id, version)
				return true
			case "tools/list":
				listed = true
				if got := r.Header.Get(headerVersion); got != versionLegacy {
					t.Errorf("%s: the version of tools/list is %q", version, got)
				}
			}
			return false
		})
		if _, _, err := list(t, Target{URL: url}); err != nil || !listed {
			t.Errorf("%s: listed is %v, %v", version, listed, err)
		}
	}
}

// The server sends a request on the answer's stream, and waits for our reply before it answers.
func TestHTTPServerThatAsksBack(t *testing.T) {
	t.Parallel()
	answered := make(chan string, 8)
	url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case r.Method == http.MethodPost && m.method == "":
			answered <- m.id
		case m.method == "tools/list":
			stream(w, ": hello\n\nid: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":\"q\",\"method\":\"roots/list\"}\n\n")
			select {
			case id := <-answered:
				stream(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.id, oneTool)
				if id != `"q"` {
					t.Errorf("answer to %s", id)
				}
			case <-r.Context().Done():
			}
			return true
		}
		return false
	})
	res, s, err := list(t, Target{URL: url})
	if err != nil || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Fatalf("got %+v, %v", res, err)
	}
	wantProblems(t, res.Problems)
}

// The server closes the stream, and sends the answer to the client that resumes it.
func TestHTTPStreamIsResumed(t *testing.T) {
	t.Parallel()
	var asked atomic.Value
	url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case m.method == "tools/list":
			asked.Store(m.id)
			stream(w, "id: e-1\nretry: 10\ndata:\n\n")
			return true
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "e-1":
			stream(w, "id: e-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", asked.Load(), oneTool)
			return true
		}
		return false
	})
	res, s, err := list(t, Target{URL: url})
	if err != nil || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Fatalf("got %+v, %v", res, err)
	}
	wantProblems(t, res.Problems)
}

func TestHTTPProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		own  func(w http.ResponseWriter, r *http.Request, m message)
		want string
	}{
		{"oversize body", func(w http.ResponseWriter, _ *http.Request, m message) { respond(w, "{%s", strings.Repeat(" ", 2<<20)) },
			"tools/list: an answer exceeds the limit of 1048576 bytes (--max-message) and was not read"},
		{"stream without an answer", func(w http.ResponseWriter, _ *http.Request, m message) { stream(w, ": bye\n\n") },
			"tools/list: the event stream ended without an answer"},
		{"session is gone", func(w http.ResponseWriter, _ *http.Request, m message) { http.Error(w, "gone", 404) },
			`tools/list: HTTP 404 Not Found with content type "text/plain; charset=utf-8" instead of a JSON-RPC answer: "gone"`},
		{"another answer", func(w http.ResponseWriter, _ *http.Request, m message) {
			respond(w, `{"jsonrpc":"2.0","id":"x","result":{}}`)
		},
			`tools/list: HTTP 200 OK with content type "application/json" instead of a JSON-RPC answer: "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}"`},
		{"no answer", func(w http.ResponseWriter, r *http.Request, m message) { stream(w, ": wait\n\n"); <-r.Context().Done() },
			"tools/list: no answer within 400ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
				if m.method == "tools/list" {
					tt.own(w, r, m)
				}
				return m.method == "tools/list"
			})
			var change []func(*Options)
			if strings.Contains(tt.want, "no answer within") {
				change = append(change, neverSteps)
			}
			res, _, err := list(t, Target{URL: url}, change...)
			if err != nil {
				t.Fatal(err)
			}
			wantProblems(t, res.Problems, tt.want)
		})
	}
}

// A server that does not answer server/discover is also sent initialize.
func TestHTTPHangingDiscover(t *testing.T) {
	t.Parallel()
	url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		if m.method == methodDiscover {
			<-r.Context().Done()
		}
		return m.method == methodDiscover
	})
	res, _, err := list(t, Target{URL: url})
	if err != nil || res.era != eraLegacy {
		t.Fatalf("got %+v, %v", res, err)
	}
}

func TestHTTPErrors(t *testing.T) {
	var bomb bytes.Buffer // made beforehand, because compressing takes time
	z := gzip.NewWriter(&bomb)
	_, _ = io.Copy(z, io.MultiReader(strings.NewReader("data: "), io.LimitReader(zeros{}, 2<<20), strings.NewReader("\n\n")))
	_ = z.Flush()
	t.Parallel()
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Welcome</title>\x1b[2J")
	}
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want []string
	}{
		{"HTML", page, []string{`HTTP 200 OK with content type "text/html"`, `<title>Welcome</title>\x1b[2J`}},
		{"asks who we are", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://x"`)
			w.WriteHeader(401)
		}, []string{"HTTP 401 Unauthorized", `"Bearer resource_metadata=\"https://x\""`, "send credentials in a header"}},
		{"redirects elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/mcp?k=v", http.StatusTemporaryRedirect)
		}, []string{`it redirects to "https://evil.example/mcp"`}},
		{"says nothing", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise, the handler does not notice that the client is gone
			<-r.Context().Done()
		}, []string{"no answer within 1s"}},
		{"sends a bomb and waits", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
			w.(http.Flusher).Flush()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, []string{"an answer exceeds the limit of 1048576 bytes (--max-message) and was not read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var change []func(*Options)
			limit := time.Second
			if tt.name == "says nothing" || tt.name == "sends a bomb and waits" {
				change = append(change, func(o *Options) { o.StartTimeout = limit })
			}
			target := Target{URL: serveHTTP(t, tt.h) + "/?token=secret"}
			_, _, err := list(t, target, change...)
			// If the machine is too busy to read the answer in time, the test allows more time.
			for tt.name == "sends a bomb and waits" && err != nil && !strings.Contains(err.Error(), tt.want[0]) && limit < time.Minute {
				limit *= 2
				_, _, err = list(t, target, change...)
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the query is reported: %v", err)
			}
		})
	}
}

// TestErrorsAreMaskedBeforeTheyAreCut has servers repeat a secret where a quotation is cut.
func TestErrorsAreMaskedBeforeTheyAreCut(t *testing.T) {
	t.Parallel()
	const secret = "zq7Kx9Wm2Vb4Tn8Rp5Lc3Hd6Jf1Gs0Ya"
	long := func(before int) string {
		return strings.Repeat("x", before) + secret + strings.Repeat("x", 500)
	}
	answers := map[string]http.HandlerFunc{
		"body": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			io.WriteString(w, r.URL.Query().Get("text"))
		},
		"challenge": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", r.URL.Query().Get("text"))
			w.WriteHeader(401)
		},
		"error": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":%q}}`, r.URL.Query().Get("text"))
		},
	}
	for name, h := range answers {
		for _, before := range []int{100, 190, 290} {
			t.Run(fmt.Sprint(name, before), func(t *testing.T) {
				t.Parallel()
				_, _, err := list(t, Target{URL: serveHTTP(t, h) + "/?text=" + long(before)}, func(o *Options) {
					o.Mask = func(s string) string { return strings.ReplaceAll(s, secret, "[masked]") }
				})
				if err == nil || strings.Contains(err.Error(), secret[:4]) || !strings.Contains(err.Error(), "xxx[masked") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestEndpointOnAnotherOriginIsRefused(t *testing.T) {
	t.Parallel()
	hit := serveHTTP(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other origin was called") }))
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(w, "event: endpoint\ndata: %s/messages\n\n", hit)
		<-r.Context().Done()
	}))
	_, s, err := list(t, Target{URL: url, Transport: "sse"})
	if err == nil || !strings.Contains(err.Error(), "has a different origin than") {
		t.Errorf("got %v", err)
	}
	if s.count(ServerToClient, "/messages") != 1 || !s.frames[0].Address {
		t.Errorf("the endpoint event was not handed out: %+v", s.frames)
	}
}

// A URL that ends in /sse may belong to a streamable server, with a stream that
// never names an endpoint.
func TestStreamableBehindASSEPath(t *testing.T) {
	t.Parallel()
	url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Method == http.MethodGet {
			stream(w, ": nothing to say\n\n")
			<-r.Context().Done()
		}
		return r.Method == http.MethodGet
	})
	res, s, err := list(t, Target{URL: url + "/sse"}, func(o *Options) { o.StartTimeout = 8 * time.Second }) // half of it for each transport
	if err != nil || res.transport != "http" || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestResolve(t *testing.T) {
	w := &web{peer: &peer{opts: Options{}.withDefaults()}}
	for _, tt := range []struct{ base, raw, want string }{
		{"http://a/sse", "/messages?s=1", "http://a/messages?s=1"},
		{"http://a/x/sse", "messages", "http://a/x/messages"},
		{"https://a/sse", "https://A:443/m", "https://A:443/m"},
		{"http://a/sse", "?s=1", "http://a/sse?s=1"},
		{"http://a/sse", "//b/m", ""},
		{"http://a/sse", "http://a:81/m", ""},
		{"https://a/sse", "http://a/m", ""},
		{"http://a/sse", "javascript:alert(1)", ""},
		{"http://a/sse", "http://a@b/m", ""},
		{"http://a/sse", "http://[::1", ""},
	} {
		base, _ := http.NewRequest(http.MethodGet, tt.base, nil)
		got, err := w.resolve(base.URL, tt.raw)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s from %s: got %q, %v, want %q", tt.raw, tt.base, got, err, tt.want)
		}
	}
}

func TestTargetsThatCannotBe(t *testing.T) {
	for _, target := range []Target{
		{}, {Command: []string{"x"}, URL: "http://x"}, {URL: "http://x", Transport: "carrier pigeon"},
		{URL: "ftp://x"}, {URL: "http://"}, {URL: "http://127.0.0.1:1/mcp?token=secret"},
	} {
		_, _, err := list(t, target)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: got %v", target, err)
		}
	}
}

// An endpoint event on a transport without such events, and a second endpoint event on one with
// them, count as ordinary server output.
func TestEndpointEventsThatNameNoEndpoint(t *testing.T) {
	t.Parallel()
	url := legacyHTTP(t, func(w http.ResponseWriter, _ *http.Request, m message) bool {
		if m.method == "tools/list" {
			stream(w, "event: endpoint\ndata: hidden\n\nevent: endpoint\ndata: {\"note\":\"hidden\"}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.id, oneTool)
		}
		return m.method == "tools/list"
	})
	res, s, err := list(t, Target{URL: url})
	if err != nil || len(res.Problems) != 0 || s.count(ServerToClient, `"name":"a"`) != 1 || s.count(ServerToClient, "hidden") != 2 {
		t.Fatalf("got %+v, %v, %+v", res, err, s.frames)
	}
	for _, f := range s.frames {
		if f.Address {
			t.Errorf("taken for an address: %s", f.Data)
		}
	}
	url = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(w, "event: endpoint\ndata: /messages\n\nevent: endpoint\ndata: hidden\n\n")
	}))
	_, s, _ = list(t, Target{URL: url, Transport: "sse"})
	if len(s.frames) < 2 || !s.frames[0].Address || s.count(ServerToClient, "hidden") != 1 {
		t.Fatalf("got %+v", s.frames)
	}
	for _, f := range s.frames[1:] {
		if f.Address {
			t.Errorf("taken for an address: %s", f.Data)
		}
	}
}

// A byte order mark before an answer is skipped, as in clients.
func TestHTTPByteOrderMark(t *testing.T) {
	t.Parallel()
	url := legacyHTTP(t, func(w http.ResponseWriter, _ *http.Request, m message) bool {
		if m.method == "tools/list" {
			respond(w, "\xEF\xBB\xBF"+`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.id, oneTool)
		}
		return m.method == "tools/list"
	})
	res, s, err := list(t, Target{URL: url})
	if err != nil || len(res.Problems) != 0 || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Errorf("got %+v, %v", res, err)
	}
}

// Events that clients read differently are counted, wherever the characters are that only some of
// them take for the end of a line.
func TestHTTPAmbiguousEvents(t *testing.T) {
	t.Parallel()
	answer := `{"jsonrpc":"2.0","id":%s,"result":` + oneTool + `}`
	for body, want := range map[string]int{
		"data: " + answer + "\n\n":                                       0,
		": \u2027\ndata: " + answer + "\n\n":                             0,
		"data: {\"a\":\"\u2028\"}\n\ndata: " + answer + "\n\n":           0,
		": ping\u2028data: {}\u2028\u2028\n\ndata: " + answer + "\n\n":   1,
		"data: " + answer + "\n\n: ping\u0085data: {}\n":                 1,
		"id: 1\x1cdata: {}\ndata: " + answer + "\n\ndata: x\u2029{}\n\n": 2,
	} {
		url := legacyHTTP(t, func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.method == "tools/list" {
				stream(w, body, m.id)
			}
			return m.method == "tools/list"
		})
		res, s, err := list(t, Target{URL: url})
		if err != nil || len(res.Problems) != 0 || res.Ambiguous != want || s.count(ServerToClient, `"name":"a"`) != 1 {
			t.Errorf("%q: %+v, %v", body, res, err)
		}
	}
}

// Frames that clients may decode before they read them are counted.
func TestHTTPUndecoded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind, coding, before string
		want                 int
	}{
		{"application/json; charset=utf-8", "identity", "", 0},
		{"application/json; charset=shift_jis", "", "", 1},
		{"application/json", "br", "", 1},
		{"text/event-stream; charset=utf-7", "", "data: ", 1},
		{"text/event-stream", "x", "data: {}\n\ndata: ", 2},
		{"text/event-stream", "", "data: {\x00\"\x00\n\ndata: ", 1},
	} {
		url := legacyHTTP(t, func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.method == "tools/list" {
				w.Header().Set("Content-Type", tt.kind)
				if tt.coding != "" {
					w.Header().Set("Content-Encoding", tt.coding)
				}
				fmt.Fprintf(w, tt.before+`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n\n", m.id, oneTool)
			}
			return m.method == "tools/list"
		})
		res, s, err := list(t, Target{URL: url})
		if err != nil || len(res.Problems) != 0 || res.Undecoded != tt.want || s.count(ServerToClient, `"name":"a"`) != 1 {
			t.Errorf("%+v: %+v, %v", tt, res, err)
		}
	}
}

// zeros is a reader of text that compresses well.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
