package proxy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestLLMServerThatKeepsChanging checks that a new session receives only a server's first and last
// list, however often it changed, and that the number of tool names kept for the server is bounded.
func TestLLMServerThatKeepsChanging(t *testing.T) {
	engine, err := scanner.New(nil, scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen, skipped := map[string][]string{}, 0
	decided := func(e *scanner.Event, _ *scanner.Outcome, _ scanner.Action) {
		switch {
		case e.Kind == scanner.SkippedEvent && strings.Contains(e.Reason, "lists more than"):
			skipped++
		case e.Kind == scanner.FrameEvent && e.Server == "math" && e.Session != "proxy":
			seen[e.Session] = append(seen[e.Session], string(e.Frame))
		}
	}
	frame := func(text string) *scanner.Event {
		return &scanner.Event{Kind: scanner.FrameEvent, Session: "proxy", Server: "math", Transport: "stdio", Direction: mcp.ServerToClient, Frame: []byte(text)}
	}
	lists := func(id int, tools string) *scanner.Event {
		return frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, tools))
	}
	provider := httptest.NewServer(http.NotFoundHandler())
	defer provider.Close()
	at, _ := url.Parse(provider.URL)
	l := proxy.NewLLM(proxy.Options{Engine: engine.Live(), MaxMessage: 8 << 20, Now: time.Now, Decided: decided}, proxy.Access{},
		proxy.LLMOptions{Name: "mcp://llm", Listed: []*scanner.Event{lists(1, `{"name":"first"}`)}}, []proxy.Upstream{{URL: at, Transport: proxy.NewTransport(0, nil)}})
	defer l.Close()
	ours := httptest.NewServer(l)
	defer ours.Close()
	const changes, each = 40, 500
	for i := range changes {
		var tools []string
		for k := range each {
			tools = append(tools, fmt.Sprintf(`{"name":"tool-%d-%d"}`, i, k))
		}
		l.Later(frame(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
		l.Later(lists(i+2, strings.Join(tools, ",")))
	}
	if skipped == 0 {
		t.Error("the names of the tools are not bounded")
	}
	for _, agent := range []string{"a/1", "b/1"} { // the first agent has the proxy's initial session
		req, _ := http.NewRequest(http.MethodPost, ours.URL+"/v1/messages", strings.NewReader(`{}`))
		req.Header.Set("User-Agent", agent)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if len(seen) == 0 {
		t.Error("no new session")
	}
	for session, frames := range seen {
		if len(frames) != 3 || !strings.Contains(frames[0], `"first"`) || !strings.Contains(frames[1], "list_changed") || !strings.Contains(frames[2], fmt.Sprintf(`"tool-%d-0"`, changes-1)) {
			t.Errorf("session %s: %d frames, %.300q", session, len(frames), frames)
		}
	}
}
