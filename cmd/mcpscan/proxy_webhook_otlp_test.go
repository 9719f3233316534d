package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/otlp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// collected holds the received requests, by path.
type collected struct {
	mu  sync.Mutex
	got map[string][]string
}

func (c *collected) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got[r.URL.Path] = append(c.got[r.URL.Path], r.Header.Get("Authorization")+" "+string(body))
}

const proxied = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`

// TestAlerts checks that detections reach the webhook, that logs and metrics reach the OTLP
// endpoint, and that nothing is sent without these flags.
func TestAlerts(t *testing.T) {
	c := &collected{got: map[string][]string{}}
	server := httptest.NewServer(c)
	defer server.Close()
	t.Setenv("HOOK_TOKEN", "hook-token")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20otlp-token")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL+"/unasked")
	block := filepath.Join(t.TempDir(), "block.yaml")
	if err := os.WriteFile(block, []byte("output_inspection:\n  on_detection: block\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	through := func(flags ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		args := append(append([]string{"proxy", "--config", block, "--name", "calc"}, flags...), "--", "fakeserver", "poisoned")
		if code := run(args, streams{strings.NewReader(proxied), &out, &errs}); code != exitClean {
			t.Fatalf("exits %d: %s", code, errs.String())
		}
	}
	if through(); len(c.got) > 0 {
		t.Errorf("nobody was named, and got %v", c.got)
	}
	through("--webhook", server.URL+"/hook", "--webhook-token-env", "HOOK_TOKEN", "--otlp", server.URL+"/otlp/")
	hook := c.got["/hook"]
	if len(hook) == 0 {
		t.Fatal("the webhook got nothing")
	}
	for _, body := range hook {
		var detection struct {
			Type      string `json:"type"`
			Server    string `json:"server_id"`
			Detection struct {
				Severity string `json:"severity"`
			} `json:"detection"`
		}
		rest, ok := strings.CutPrefix(body, "Bearer hook-token ")
		if err := json.Unmarshal([]byte(rest), &detection); !ok || err != nil || detection.Type != "mcp_detection" || detection.Server != "calc" ||
			detection.Detection.Severity != "high" && detection.Detection.Severity != "critical" {
			t.Errorf("%v: %s", err, body)
		}
	}
	for path, want := range map[string][]string{
		"/otlp/v1/logs":    {"Bearer otlp-token ", `"stringValue":"inj-conceal"`, `"severityNumber":17`},
		"/otlp/v1/metrics": {`"name":"mcpscan.findings"`, `"name":"mcpscan.messages"`, `"stringValue":"rewrite"`, `"count":"4"`},
	} {
		last := ""
		if n := len(c.got[path]); n > 0 {
			last = c.got[path][n-1]
		}
		for _, w := range want {
			if !strings.Contains(last, w) {
				t.Errorf("%s lacks %s: %s", path, w, last)
			}
		}
	}
	if len(c.got) != 3 {
		t.Errorf("reported: %v", c.got)
	}
}

// TestPostedFindings checks that the webhook receives findings of every kind, and nothing else.
func TestPostedFindings(t *testing.T) {
	c := &collected{got: map[string][]string{}}
	server := httptest.NewServer(c)
	defer server.Close()
	a := (&alertFlags{Webhook: server.URL + "/hook"}).startAlerts(nil, t.Errorf)
	e := &scanner.Event{Kind: scanner.FrameEvent, Direction: mcp.ClientToServer, Server: "s", Frame: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f"}}`)}
	call := &scanner.Message{Kind: mcp.Request, Method: "tools/call", Target: "f"}
	out := &scanner.Outcome{Messages: []scanner.Judged{{Message: call, Decision: scanner.Decision{Check: scanner.CrossServerCheck, Verdict: scanner.Block, Rule: "read-then-send"}}}}
	if err := a.Event(e, out); err != nil {
		t.Fatal(err)
	}
	for _, f := range []scanner.Finding{
		{Rule: &scanner.Rule{ID: "inj-conceal"}}, {Rule: &scanner.Rule{ID: "binary-mismatch"}}, {Rule: &scanner.Rule{ID: "xs-server-lookalike"}, Other: "t"},
	} {
		f.Server, f.Severity = "s", scanner.High
		if err := a.Finding(&f); err != nil {
			t.Fatal(err)
		}
	}
	a.decided(e, out, scanner.Refuse, false)
	a.close()
	var got []string
	for _, body := range c.got["/hook"] {
		var posted struct{ Type string }
		if err := json.Unmarshal([]byte(strings.TrimSpace(body)), &posted); err != nil {
			t.Fatal(err)
		}
		got = append(got, posted.Type)
	}
	slices.Sort(got)
	if want := "[mcp_cross_server_blocked mcp_detection mcp_server_binary_mismatch mcp_server_name_similarity]"; fmt.Sprint(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHeldLogs checks that a held message is logged once it is decided, with the answer.
func TestHeldLogs(t *testing.T) {
	a := &alerts{meter: otlp.New(time.Now(), nil)}
	e := &scanner.Event{Kind: scanner.FrameEvent, Direction: mcp.ClientToServer, Server: "s"}
	out := &scanner.Outcome{Decision: scanner.Decision{Verdict: scanner.Prompt}}
	a.decided(e, out, scanner.Refuse, true)
	if logs := a.meter.Logs(); logs != nil {
		t.Errorf("before the answer: %s", logs)
	}
	a.answered(&proxy.Question{Server: "s", Messages: []proxy.QuestionMessage{{Method: "tools/call", Target: "pay"}}, Event: e}, "allowed", "the client")
	if logs := string(a.meter.Logs()); !strings.Contains(logs, `allowed tools/call \"pay\" for the server s: the client`) {
		t.Errorf("got %s", logs)
	}
}

// TestUndeliveredAlerts checks that failed deliveries are reported in a fixed order.
func TestUndeliveredAlerts(t *testing.T) {
	const gone = "http://127.0.0.1:1" // where nothing listens
	for range 8 {
		var told []string
		a := (&alertFlags{Webhook: gone, OTLP: gone}).startAlerts(nil, func(_ string, args ...any) { told = append(told, fmt.Sprint(args[0])) })
		a.webhook.Send([]byte("{}"))
		a.logs.Send([]byte("{}"))
		a.close()
		if got := strings.Join(told, "; "); got != "--webhook; --otlp, logs; --otlp, metrics" {
			t.Fatal(got)
		}
		if err := (&alertFlags{Webhook: "x", OTLP: "x"}).check(); err == nil || !strings.HasPrefix(err.Error(), "--webhook") {
			t.Fatal(err)
		}
	}
}

// TestReceiverHangs checks that the proxy writes its report and its recording before it waits for a
// receiver: a client that has closed the connection soon kills the proxy.
func TestReceiverHangs(t *testing.T) {
	dir := t.TempDir()
	report, recording := filepath.Join(dir, "report.json"), filepath.Join(dir, "events.jsonl")
	var complete atomic.Bool // before the receiver answered
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for r.Context().Err() == nil {
			data, _ := os.ReadFile(report)
			if json.Valid(data) {
				lines, _ := os.ReadFile(recording)
				complete.Store(bytes.Count(lines, []byte("\n")) == 4)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}))
	defer server.Close()
	var out, errs bytes.Buffer
	args := []string{"proxy", "--name", "calc", "--webhook", server.URL, "--record", recording, "--format", "json=" + report, "--", "fakeserver", "poisoned"}
	if code := run(args, streams{strings.NewReader(proxied), &out, &errs}); code != exitClean {
		t.Fatalf("exits %d: %s", code, errs.String())
	}
	if !complete.Load() {
		t.Error("the report and the recording were not complete before the receiver answered")
	}
}
