package proxy_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

var updateLLM = flag.Bool("update", false, "write what the proxy answers into testdata/llm")

// agent is a proxy in front of a provider implemented by the test.
type agent struct {
	t      testing.TB
	url    string
	llm    *proxy.LLM
	mu     sync.Mutex
	judged []string // the decision about each event
}

// inFrontOf starts a proxy in front of a provider. change may modify its configuration.
func inFrontOf(t testing.TB, engine *scanner.Engine, provider http.HandlerFunc, change func(*proxy.Options, *proxy.Access, *proxy.LLMOptions, *proxy.Upstream)) *agent {
	t.Helper()
	a := &agent{t: t}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)
	o := proxy.Options{
		Engine: engine.Live(), MaxMessage: 1 << 20, Now: func() time.Time { return now },
		Decided: func(e *scanner.Event, out *scanner.Outcome, do scanner.Action) {
			a.mu.Lock()
			defer a.mu.Unlock()
			what := e.Reason
			for i := range out.Messages {
				what += out.Messages[i].Method + " " + out.Messages[i].Target
			}
			a.judged = append(a.judged, strings.TrimSpace(fmt.Sprintf("%s %s %s", do, e.Server, what)))
		},
	}
	transport := proxy.NewTransport(5*time.Minute, nil)
	t.Cleanup(transport.CloseIdleConnections)
	u := proxy.Upstream{URL: at, Transport: transport}
	talks := proxy.LLMOptions{Name: "mcp://llm"}
	var access proxy.Access
	if change != nil {
		change(&o, &access, &talks, &u)
	}
	a.llm = proxy.NewLLM(o, access, talks, []proxy.Upstream{u})
	t.Cleanup(a.llm.Close)
	local := httptest.NewServer(a.llm)
	t.Cleanup(local.Close)
	a.url = local.URL
	return a
}

// events returns the decisions.
func (a *agent) events() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.judged, "\n")
}

// ask sends a request and reads its response.
func (a *agent) ask(path, body string, headers ...string) (int, http.Header, string) {
	a.t.Helper()
	f := front{t: a.t}
	return f.ask(http.MethodPost, a.url+path, body, headers...)
}

// exchange is a request to a provider, with answers.
type exchange struct {
	path    string
	request string
	answers map[string]string
	kind    string // content type
}

// readExchange reads a file in testdata/llm.
func readExchange(t testing.TB, file string) (*exchange, *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{answers: map[string]string{}, kind: inJSON}
	x.path = strings.TrimPrefix(strings.TrimSpace(string(archive.Comment)), "POST ")
	for _, f := range archive.Files {
		if f.Name == "request" {
			x.request = string(f.Data)
		}
		x.answers[f.Name] = string(f.Data)
	}
	if strings.Contains(file, "streamed") {
		x.kind = stream
	}
	if strings.Contains(file, "bedrock-streamed") {
		x.kind = amazonStream
	}
	return x, archive
}

// amazonStream is the content type of a Bedrock Converse stream. In testdata, each line of such a
// stream is an event with its type and its payload.
const amazonStream = "application/vnd.amazon.eventstream"

// amazonFrames encodes a stream with Amazon's own encoder.
func amazonFrames(t testing.TB, lines string) string {
	t.Helper()
	var b bytes.Buffer
	encoder := eventstream.NewEncoder()
	for line := range strings.Lines(lines) {
		kind, payload, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		m := eventstream.Message{Payload: []byte(payload)}
		m.Headers.Set(":event-type", eventstream.StringValue(kind))
		m.Headers.Set(":content-type", eventstream.StringValue("application/json"))
		m.Headers.Set(":message-type", eventstream.StringValue("event"))
		if err := encoder.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// amazonLines decodes a stream with Amazon's own decoder.
func amazonLines(t testing.TB, raw string) string {
	t.Helper()
	var b strings.Builder
	decoder, r := eventstream.NewDecoder(), strings.NewReader(raw)
	for r.Len() > 0 {
		m, err := decoder.Decode(r, nil)
		if err != nil {
			t.Fatalf("after %d bytes: %v in %q", len(raw)-r.Len(), err, raw)
		}
		name := m.Headers.Get(":event-type")
		if name == nil {
			name = m.Headers.Get(":exception-type")
		}
		fmt.Fprintf(&b, "%v %s\n", name, m.Payload)
	}
	return b.String()
}

// cases are the names of the answers in each file. A file NAME.want contains the expected
// answer if something is blocked.
var cases = []string{"none", "one", "one-of-two", "all"}

// TestLLMRewrites checks that each refused call becomes text, in each dialect, with and
// without streaming, and that all other bytes are preserved.
func TestLLMRewrites(t *testing.T) {
	files, _ := filepath.Glob("testdata/llm/*.txtar")
	if len(files) == 0 {
		t.Fatal("no exchanges")
	}
	for _, file := range files {
		x, archive := readExchange(t, file)
		var updated []txtar.File
		for _, name := range cases {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				asked := ""
				a := inFrontOf(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					asked = r.URL.RequestURI() + " " + string(body)
					answer := x.answers[name]
					if x.kind == amazonStream {
						answer = amazonFrames(t, answer)
					}
					if r.Header.Get("X-Pieces") == "" {
						say(w, x.kind, answer)
					} else {
						w.Header().Set("Content-Type", x.kind)
						for ; len(answer) > 0; answer = answer[min(len(answer), 61):] {
							_, _ = io.WriteString(w, answer[:min(len(answer), 61)])
							w.(http.Flusher).Flush()
						}
					}
				}, nil)
				status, head, got := a.ask(x.path, x.request)
				if _, _, again := a.ask(x.path, x.request, "X-Pieces: yes"); again != got {
					t.Errorf("in pieces\n%s\nwhole\n%s", again, got)
				}
				if want := x.path + " " + x.request; asked != want {
					t.Errorf("the provider got %q, want %q", asked, want)
				}
				if x.kind == amazonStream {
					if name == "none" && got != amazonFrames(t, x.answers[name]) {
						t.Errorf("frames changed: %q", got)
					}
					got = amazonLines(t, got)
				}
				if length := head.Get("Content-Length"); status != 200 || length != "" && length != fmt.Sprint(len(got)) {
					t.Errorf("status %d, Content-Length %s of %d bytes", status, length, len(got))
				}
				want := x.answers[name]
				if name != "none" {
					want = x.answers[name+".want"]
					updated = append(updated, txtar.File{Name: name + ".want", Data: []byte(got)})
				}
				if got != want && !*updateLLM {
					t.Errorf("got\n%s\nwant\n%s\nafter\n%s", got, want, a.events())
				}
			})
		}
		if *updateLLM {
			var kept []txtar.File
			for _, f := range archive.Files {
				if !strings.HasSuffix(f.Name, ".want") {
					kept = append(kept, f)
				}
			}
			archive.Files = append(kept, updated...)
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// blockingEngine returns an engine that blocks results and definitions with high-severity findings.
func blockingEngine(t testing.TB) *scanner.Engine {
	return engineOf(t, scanner.Options{Policy: denying{}, Blocks: func(f *scanner.Finding) bool { return f.Severity >= scanner.High }})
}
