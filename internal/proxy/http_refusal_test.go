package proxy_test

//lint:file-ignore SA1019 clients and servers still use deprecated parts of MCP

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestRefusalsOverSSE checks that a client of HTTP+SSE gets the error for a refused request at once, and
// that the session continues.
func TestRefusalsOverSSE(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	for _, name := range []string{"denied", "asked", "fine"} {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
	}
	f := inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil).ServeHTTP,
		func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) {
			o.Asking = &proxy.Asking{Timeout: time.Minute, Elsewhere: func(context.Context, *proxy.Question) (allowed, answered bool) { return false, true },
				Decided: func(*proxy.Question, bool, string) {}}
		})
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: f.url}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for tool, want := range map[string]string{"denied": "blocked by mcpscan: it is denied", "asked": "blocked by mcpscan: needs approval: refused by mcpscan held: somebody has to agree", "fine": ""} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool})
		if cancel(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", tool, err, want)
		}
	}
}

// TestRefusalsOnTheirStream checks that each refused request of HTTP+SSE is answered exactly once: in
// the stream of its session, between the server's events, or in the response if the stream has ended.
func TestRefusalsOnTheirStream(t *testing.T) {
	const posts = 50
	ends := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
	f := inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		name := r.Header.Get("Name")
		w.Header().Set("Content-Type", stream)
		for _, piece := range []string{"event: endpoint\nda", "ta: /messages?id=" + name + "\n\n"} {
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
		for i := 0; ; i++ {
			select {
			case <-ends[name]:
				return
			default:
				fmt.Fprintf(w, "data: %s", pong[:i%len(pong)])
				w.(http.Flusher).Flush()
				fmt.Fprintf(w, "%s\n\n", pong[i%len(pong):])
				w.(http.Flusher).Flush()
			}
		}
	}, nil)
	var all sync.WaitGroup
	defer all.Wait()
	for name, end := range ends {
		req, _ := http.NewRequest(http.MethodGet, f.url, nil)
		req.Header.Set("Name", name)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(resp.Body)
		if head, _ := r.ReadString('\n'); head != "event: endpoint\n" {
			t.Fatalf("%q", head)
		}
		all.Go(func() { // posts while the stream is open, and while it ends
			inResponse := make([]string, posts)
			var sent sync.WaitGroup
			for i := range inResponse {
				sent.Go(func() {
					status, _, body := f.ask(http.MethodPost, strings.Replace(f.url, "/mcp", "/messages?id=", 1)+name, call(fmt.Sprintf(`"%s%d"`, name, i), "denied"))
					if inResponse[i] = body; status != map[bool]int{true: http.StatusAccepted, false: http.StatusOK}[body == ""] {
						t.Errorf("status %d with the body %q", status, body)
					}
				})
				if i == posts/2 {
					close(end)
				}
			}
			rest, _ := io.ReadAll(r)
			sent.Wait()
			for i, body := range inResponse {
				answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s%d","error":{"code":-32001`, name, i)
				if times := strings.Count(string(rest), "\n\nevent: message\ndata: "+answer) + strings.Count(body, answer); times != 1 {
					t.Errorf("request %s%d was answered %d times, %q", name, i, times, body)
				}
			}
			if other := map[string]string{"a": `"id":"b`, "b": `"id":"a`}[name]; strings.Contains(string(rest), other) {
				t.Errorf("stream %s has answers for the other session", name)
			}
		})
	}
}
