package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestEndpointsAsClientsWriteThem checks that messages are inspected however a client's URL parser
// writes the announced URL, and on paths for authentication.
func TestEndpointsAsClientsWriteThem(t *testing.T) {
	f := inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "denied") {
			t.Errorf("%s: the server got %s", r.RequestURI, body)
		}
		if r.Method == http.MethodGet {
			say(w, stream, "event: endpoint\ndata: /a/%2e%2e/messages?a='b'&c=%2f\n\n")
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}, nil)
	f.ask(http.MethodGet, f.url, "")
	at := strings.TrimSuffix(f.url, "/mcp")
	for _, path := range []string{"/a/%2e%2e/messages?a='b'&c=%2f", "/messages?a=%27b%27&c=%2f", "/messages?a=%27b%27&c=/"} {
		for tool, want := range map[string]int{"x": http.StatusAccepted, "denied": http.StatusOK} {
			if status, _, body := f.ask(http.MethodPost, at+path, call("1", tool)); status != want {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
	}
	second := `{"client_name":"x"}` + "\n" + call("1", "denied")
	for body, want := range map[string]int{call("1", "denied"): 404, "[" + call("1", "denied") + "]": 404, `{"client_name":"x"}`: 202, `{"client_name":"}{"}`: 202, "grant_type=x": 202, "": 202, second: 404, "\xFE\xFF\x00{": 415} {
		if status, _, got := f.ask(http.MethodPost, at+"/token", body); status != want || want == 404 && body != second && !strings.Contains(got, `"id":1`) {
			t.Errorf("/token %s: %d %s, want %d", body, status, got, want)
		}
	}
	for _, head := range [][]string{{"Content-Encoding: gzip"}, {"Content-Encoding: identity", "Content-Encoding: gzip"}, {"Content-Type: text/plain; charset=utf-16"}} {
		for _, path := range []string{"/register", "/mcp"} {
			if status, _, got := f.ask(http.MethodPost, at+path, "x", head...); status != http.StatusUnsupportedMediaType {
				t.Errorf("%s with %s: %d %s", path, head, status, got)
			}
		}
	}
}

// TestAmbiguousEvents checks that no event hides behind a character at which only some clients end
// lines, and that the request is still answered.
func TestAmbiguousEvents(t *testing.T) {
	hidden := `{"jsonrpc":"2.0","id":1,"result":{"content":"hidden"}}`
	for _, test := range []struct{ sent, want string }{
		{": ping\u2028data: " + hidden + "\u2028\u2028\n\ndata: " + pong + "\n\n", "\ndata: " + pong + "\n\n"},
		{": ping\vdata: " + hidden[:20] + "\ndata: " + hidden[20:] + "\n\n", ""},
		{"data: " + pong + "\nx:\u0085\u0085data: " + hidden + "\n\n", "error"},
		{"id: 1\u2029data: " + hidden + "\u2029\ndata: " + pong + "\n\n", "error"},
		{"event: x\x1cdata: " + hidden + "\n\ndata: " + pong + "\n\n", "data: " + pong + "\n\n"},
		{"data: x\fdata: " + hidden + "\f\f\n\n", ""},
		{"data: {\ndata: " + hidden + "\n\n", "error"},
		{"\u00EF\u00BB\u00BFdata: " + hidden + "\n\ndata: " + pong + "\n\n", "\ndata: " + pong + "\n\n"},
		{"data:\r" + hidden + "\n\ndata: " + pong + "\n\n", "data: " + pong + "\n\n"},
		{"data:\r" + hidden + "\n\n", "error"},
		{"data:\r\r" + hidden + "\n\ndata: " + pong + "\n\n", "data:\r\r\ndata: " + pong + "\n\n"},
		{"data: " + hidden[:24] + "\r" + hidden[24:] + "\n\n", "error"},
		{"event: endpoint\ndata: /x\n: \x1ddata: " + hidden + "\n\ndata: " + pong + "\n\n", "data: " + pong + "\n\n"},
		{`data: {"jsonrpc":"2.0","id":1,"result":{"a":"` + "\u2028" + `"}}` + "\n\n", `data: {"jsonrpc":"2.0","id":1,"result":{"a":"` + "\u2028" + `"}}` + "\n\n"},
	} {
		for _, observe := range []bool{false, true} {
			f := inFront(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) { say(w, stream, test.sent) },
				func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.Observe = observe })
			method, asks := http.MethodPost, call("1", "x")
			if strings.HasPrefix(test.sent, "event: endpoint") { // only the stream that a client opens has one
				method, asks = http.MethodGet, ""
			}
			_, _, got := f.ask(method, f.url, asks)
			switch {
			case observe && got != test.sent,
				!observe && strings.Contains(got, "hidden") && !strings.Contains(test.sent, "\ndata: "+hidden[20:]),
				!observe && test.want == "error" && !strings.Contains(got, `"id":1,"error"`),
				!observe && test.want != "error" && test.want != "" && got != test.want:
				t.Errorf("observing %v\n%q\n%q\nwant %q", observe, test.sent, got, test.want)
			}
		}
	}
}

// TestEndpoints checks that in HTTP+SSE the URL for messages is rewritten to the proxy, and
// that a URL that would bypass it ends the connection.
func TestEndpoints(t *testing.T) {
	endpoint := ""
	messages := make(chan string, 10)
	f := inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			messages <- r.RequestURI + " " + string(body)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", stream)
		fmt.Fprintf(w, ": hello\nevent: endpoint\r\ndata: %s\r\n\r\n", strings.ReplaceAll(endpoint, "ORIGIN", "http://"+r.Host))
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case m := <-messages:
			fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\"}\n\nevent: message\ndata: %s\n\n", pong)
			messages <- m
		}
	}, nil)
	for _, test := range []struct{ said, passed string }{
		{"/messages?sessionId=1&a=%2f", "/messages?sessionId=1&a=%2f"},
		{"messages", "/messages"},
		{"ORIGIN/messages?sessionId=2", "/messages?sessionId=2"},
		{"?sessionId=3", "/mcp?sessionId=3"},
		{" /messages?sessionId=4 ", "/messages?sessionId=4"},
		{`\\evil.example\x`, "/%5C%5Cevil.example%5Cx"},
		{"/messages?sessionId='5'", "/messages?sessionId='5'"},
		{"https://evil.example/messages", ""},
		{"/token?sessionId=6", ""},
		{"/x/%2e%2e/register", ""},
		{"/.well-known/%2e/x", ""},
		{"//evil.example/messages", ""},
		{"ORIGIN//evil.example/messages", ""},
		{"ORIGIN.evil.example/messages", ""},
		{"javascript:alert(1)", ""},
		{"\x01", ""},
	} {
		endpoint = test.said
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(resp.Body)
		if line, _ := r.ReadString('\n'); line != ": hello\n" {
			t.Errorf("%q", line)
		}
		if test.passed == "" {
			if rest, err := io.ReadAll(r); len(rest) > 0 || err == nil {
				t.Errorf("%q: passed on %q, %v", test.said, rest, err)
			}
			cancel()
			resp.Body.Close()
			continue
		}
		lines := ""
		for range 3 {
			line, _ := r.ReadString('\n')
			lines += line
		}
		if want := "event: endpoint\r\ndata: " + test.passed + "\r\n\r\n"; lines != want {
			t.Errorf("%q: passed on %q, want %q", test.said, lines, want)
			cancel()
			continue
		}
		at := strings.TrimSuffix(f.url, "/mcp")
		if status, _, body := f.ask(http.MethodPost, at+test.passed, call("1", "x")); status != http.StatusAccepted || body != "" {
			t.Errorf("%q: %d %q", test.said, status, body)
		}
		rest, _ := io.ReadAll(r) // the stream continues with the answer, without the refused message
		if want := "event: message\n\nevent: message\ndata: " + pong + "\n\n"; string(rest) != want {
			t.Errorf("%q: %q, want %q", test.said, rest, want)
		}
		got := []string{<-messages, <-messages}
		slices.Sort(got)
		if want := []string{test.passed + " " + call("1", "x"), test.passed + " " + refused(`"s1"`, "it is denied", "no-denied", "block")}; got[0] != want[1] && got[0] != want[0] || got[0] == got[1] {
			t.Errorf("%q: the server got %q, want %q", test.said, got, want)
		}
		cancel()
		resp.Body.Close()
	}
	if status, _, _ := f.ask(http.MethodPost, strings.TrimSuffix(f.url, "/mcp")+"/messages?sessionId=9", call("1", "x")); status != http.StatusNotFound {
		t.Errorf("an address that nobody named: %d", status)
	}
	for _, d := range f.about() {
		if strings.Contains(d, "client_to_server") && !strings.Contains(d, " sse ") {
			t.Errorf("%q", d)
		}
	}
}

// TestEndpointsKeepSessions checks that a server cannot use an endpoint event to answer a request of
// Streamable HTTP in another session, with and without session IDs, in the response or in the stream that
// the client opens with GET.
func TestEndpointsKeepSessions(t *testing.T) {
	for _, id := range []string{"", "s1"} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			f := inFront(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				switch {
				case strings.Contains(string(body), "initialize"):
					w.Header()["Mcp-Session-Id"] = []string{id}
					say(w, inJSON, pong)
				case r.Method == method:
					say(w, stream, "event: endpoint\ndata: /other\n\ndata: "+pong+"\n\n")
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			}, nil)
			f.ask(http.MethodPost, f.url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
			f.ask(http.MethodPost, f.url, call("1", "x"), "Mcp-Session-Id: "+id)
			f.ask(http.MethodGet, f.url, "", "Mcp-Session-Id: "+id)
			for _, d := range f.about() {
				if !strings.HasPrefix(d, "proxy http ") && !strings.HasPrefix(d, "proxy sse ") {
					t.Errorf("%s with ID %q: %q", method, id, f.about())
					break
				}
			}
		}
	}
}

// TestAcceptedOverSSE checks that the text with which servers acknowledge a message in HTTP+SSE is not a
// message that could not be inspected, but that a message in its place is inspected.
func TestAcceptedOverSSE(t *testing.T) {
	said := ""
	f := inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			say(w, stream, "event: endpoint\ndata: /messages\n\n")
			return
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, said)
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.FailClosed = true })
	f.ask(http.MethodGet, f.url, "")
	for _, test := range []struct{ said, want string }{
		{"Accepted", "sse client_to_server forward"},
		{pong, "sse client_to_server forward|sse server_to_client forward"},
		{"{broken", "sse client_to_server forward|sse server_to_client refuse"},
	} {
		before := len(f.about())
		said = test.said
		_, _, body := f.ask(http.MethodPost, strings.TrimSuffix(f.url, "/mcp")+"/messages", call("1", "x"))
		var got []string
		for _, d := range f.about()[before:] {
			_, rest, _ := strings.Cut(d, " ")
			got = append(got, rest)
		}
		if strings.Join(got, "|") != test.want || body == test.said != !strings.Contains(test.want, "refuse") {
			t.Errorf("%s: %q, the client got %q", test.said, got, body)
		}
	}
}

// TestStreamsOfAnotherType checks that events in the response to a GET request do not pass uninspected
// if only some clients read them, because the content type is that of another format. Web pages pass.
func TestStreamsOfAnotherType(t *testing.T) {
	for _, test := range []struct {
		kind, body string
		status     int
	}{
		{"text/plain", "id: 1\r\ndata: " + pong + "\r\n\r\n", 502},
		{"", "data:" + pong, 502},
		{inJSON, pong + "\ndata: " + pong + "\n\n", 502},
		{inJSON, pong, 200},
		{"text/html", "<html>\n<p>data: none</p>\n\n</html>", 200},
	} {
		f := inFront(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			say(w, test.kind, test.body)
		}, nil)
		status, _, body := f.ask(http.MethodGet, f.url, "")
		if status != test.status || status == 200 && body != test.body || status != 200 && !strings.Contains(body, "which only some clients read") {
			t.Errorf("%s %q: got %d %s, want %d", test.kind, test.body, status, body, test.status)
		}
		if about := f.about(); status != 200 && !strings.Contains(about[0], "refuse the server sends an event stream") {
			t.Errorf("%q", about)
		}
	}
}

// TestHTTPNothingUnreadable checks that fail_closed refuses anything that is not a message, and
// that whoever waits for a message gets an error.
func TestHTTPNothingUnreadable(t *testing.T) {
	kind, body, status := "", "", 200
	f := inFront(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.FailClosed = true })
	why := `"error":{"code":-32001,"message":"blocked by mcpscan: the message could not be judged, and fail_closed is set"`
	for _, test := range []struct {
		asks, kind, body string
		status           int
		wantStatus       int
		want             string
	}{
		{"not JSON", inJSON, pong, 200, 400, `{"jsonrpc":"2.0","id":null,` + why},
		{`{"jsonrpc":"2.0","id":1,"verb":"tools/call"}`, inJSON, pong, 200, 400, `{"jsonrpc":"2.0","id":null,` + why},
		{call("1", "x"), inJSON, `{"half`, 200, 200, `{"jsonrpc":"2.0","id":1,` + why},
		{call("1", "x"), inJSON, `{"outcome":{}}`, 200, 200, `{"jsonrpc":"2.0","id":1,` + why},
		{call("1", "x"), "text/html", `<p>no</p>`, 200, 200, `{"jsonrpc":"2.0","id":1,` + why},
		{call("1", "x"), "text/html", `<p>no</p>`, 404, 404, `<p>no</p>`},
		{call("1", "x"), inJSON, `{"error":"invalid_token"}`, 401, 401, `{"error":"invalid_token"}`},
		{call("1", "x"), stream, "data: {\n\ndata: " + pong + "\n\n", 200, 200, "\ndata: " + pong + "\n\n"},
		{call("1", "x"), stream, "id: 1\ndata: {\n\n", 200, 200, "id: 1\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"blocked by mcpscan: a message that could not be judged"},
	} {
		kind, body, status = test.kind, test.body, test.status
		if got, _, said := f.ask(http.MethodPost, f.url, test.asks); got != test.wantStatus || !strings.HasPrefix(said, test.want) {
			t.Errorf("%s %s: got %d %q, want %d %q", test.asks, test.body, got, said, test.wantStatus, test.want)
		}
	}
}

// TestHTTPBypasses checks that ways to evade other proxies do not work here: siblings of the wrong
// type, keys in another case, responses with a method, text in unusual places, and server requests
// in every form.
func TestHTTPBypasses(t *testing.T) {
	asks := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	blocking, refusing := engineOf(t, scanner.Options{Blocks: func(*scanner.Finding) bool { return true }}), engineOf(t, scanner.Options{Policy: denying{}})
	tool := `{"name":"bad","description":"` + poison + `"}`
	for name, said := range map[string]string{
		"a neighbour of another type":     `{"jsonrpc":"2.0","id":1,"result":{"tools":[5,{"name":7},{"name":"x","description":5},` + tool + `]}}`,
		"a key in another case":           `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"bad","description":"` + poison + `","Description":"Adds numbers."}]}}`,
		"a key twice":                     `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"bad","description":"Adds numbers.","description":"` + poison + `"}]}}`,
		"a response with a method":        `{"jsonrpc":"2.0","id":1,"method":"x","result":{"content":[{"type":"text","text":"` + poison + `"}]}}`,
		"content that is no list":         `{"jsonrpc":"2.0","id":1,"result":{"content":{"type":"text","text":"` + poison + `"}}}`,
		"structured content":              `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"a":["` + poison + `"]}}}`,
		"an embedded resource":            `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource","resource":{"text":"` + poison + `"}}]}}`,
		"an error":                        `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"` + poison + `"}}`,
		"escapes":                         `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.ReplaceAll(poison, "I", `\u0049`) + `"}]}}`,
		"a batch in which it is the last": `[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `]}}]`,
	} {
		for _, kind := range []string{inJSON, stream} {
			body := said
			if kind == stream {
				body = ": c\rdata:" + said + "\r\r"
			}
			f := inFront(t, blocking, func(w http.ResponseWriter, r *http.Request) { say(w, kind, body) }, nil)
			if _, _, got := f.ask(http.MethodPost, f.url, asks); strings.Contains(got, "id_rsa") {
				t.Errorf("%s, %s: the client got %s", name, kind, got)
			}
		}
	}
	for _, said := range []string{
		`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}}`,
		`[{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}]`,
		`{"id":"s","method":"sampling\/createMessage","jsonrpc":"2.0"}`,
		"{\ndata: \"jsonrpc\":\"2.0\",\"id\":\"s\",\ndata: \"method\":\"sampling/createMessage\"}",
	} {
		told := make(chan string, 1)
		f := inFront(t, refusing, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				body, _ := io.ReadAll(r.Body)
				told <- string(body)
				w.WriteHeader(http.StatusAccepted)
				return
			}
			say(w, stream, "data: "+said+"\n\n")
		}, nil)
		if _, _, got := f.ask(http.MethodGet, f.url, ""); strings.Contains(got, "sampling") {
			t.Errorf("%s: the client got %q", said, got)
		}
		if got := strings.Trim(<-told, "[]"); got != refused(`"s"`, "it is denied", "no-denied", "block") {
			t.Errorf("%s: the server received %q", said, got)
		}
	}
}

// TestServers checks that each of several servers has a path, that one client's messages to all of
// them belong to one session, and that rules compare the servers.
func TestServers(t *testing.T) {
	var reached []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		reached = append(reached, r.RequestURI+" "+r.Header.Get("X-Key"))
		switch {
		case r.Method == http.MethodGet:
			say(w, stream, "event: endpoint\ndata: messages?id=1\n\n")
		case strings.Contains(string(body), "tools/list"):
			tool := map[string]string{"/a/mcp?k=1": "read_secret", "/b": "send_mail"}[r.RequestURI]
			say(w, inJSON, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"`+tool+`","inputSchema":{"type":"object"}}]}}`)
		default:
			var request struct{ ID json.RawMessage }
			if err := json.Unmarshal(body, &request); err != nil {
				t.Error(err)
			}
			say(w, inJSON, `{"jsonrpc":"2.0","id":`+string(request.ID)+`,"result":{}}`)
		}
	}))
	defer server.Close()
	var sessions []string
	o := proxy.Options{Engine: engineOf(t, scanner.Options{}).Live(), MaxMessage: 1 << 20, Now: time.Now, Decided: func(e *scanner.Event, _ *scanner.Outcome, _ scanner.Action) {
		sessions = append(sessions, e.Session+" "+e.Server)
	}}
	upstream := func(name, path string) proxy.Upstream {
		u, err := url.Parse(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		return proxy.Upstream{Name: name, URL: u, Transport: server.Client().Transport, Headers: map[string]string{"X-Key": name}}
	}
	several := proxy.NewServers(o, proxy.Access{}, []proxy.Upstream{upstream("a b", "/a/mcp?k=1"), upstream("b", "/b")})
	defer several.Close()
	local := httptest.NewServer(several)
	defer local.Close()
	f := &front{t: t}
	ask := func(method, path, body string, want int, headers ...string) string {
		t.Helper()
		status, _, got := f.ask(method, local.URL+path, body, headers...)
		if status != want {
			t.Errorf("%s %s: got %d %s, want %d", method, path, status, got, want)
		}
		return got
	}
	for _, path := range []string{"/a%20b", "/b"} {
		ask(http.MethodPost, path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200, "Authorization: for "+path)
	}
	ask(http.MethodPost, "/a%20b", call("2", "read_secret"), 200, "Mcp-Session-Id: 1")
	if got := ask(http.MethodPost, "/b", call("3", "send_mail"), 200, "X-Key: own"); !strings.Contains(got, `"rule":"read-then-send"`) {
		t.Errorf("the flow from one server to the other was not blocked: %s", got)
	}
	if got := ask(http.MethodGet, "/a%20b", "", 200); got != "event: endpoint\ndata: /a%20b/a/messages?id=1\n\n" {
		t.Errorf("the endpoint is %q", got)
	}
	ask(http.MethodPost, "/a%20b/a/messages?id=1", call("4", "x"), 200)
	for _, path := range []string{"/", "/a", "/b/", "/b/x", "/a%20b/a/messages?id=2", "/.well-known/oauth-protected-resource", "/b/.well-known/x"} {
		ask(http.MethodPost, path, call("5", "x"), 404)
	}
	ask(http.MethodPost, "/b", call("6", "x"), 403, "Host: evil.example")
	ask(http.MethodPost, "/x", call("6", "x"), 403, "Host: evil.example")
	if want := "/a/mcp?k=1 a b, /b b, /a/mcp?k=1 a b, /a/mcp?k=1 a b, /a/messages?id=1 a b"; strings.Join(reached, ", ") != want {
		t.Errorf("the servers got %q, want %q", reached, want)
	}
	slices.Sort(sessions)
	if got := slices.Compact(sessions); len(got) != 2 {
		t.Errorf("sessions %q", got)
	}
}
