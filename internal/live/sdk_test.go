package live

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer offers five tools, three prompts, three resources and a template, with
// two per page.
func sdkServer(legacy bool) *mcp.Server {
	o := &mcp.ServerOptions{PageSize: 2}
	if legacy {
		o.SupportedProtocolVersions = []string{"2025-06-18", "2024-11-05"}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, o)
	for i := range 5 {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("tool-%d", i)},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return nil, nil, nil
			})
	}
	for i := range 3 {
		s.AddPrompt(&mcp.Prompt{Name: fmt.Sprintf("prompt-%d", i)}, nil)
		s.AddResource(&mcp.Resource{Name: fmt.Sprintf("resource-%d", i), URI: fmt.Sprintf("file:///%d", i)}, nil)
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template-0", URITemplate: "file:///{x}"}, nil)
	return s
}

func runSDK(legacy bool, in io.Reader) int {
	if err := sdkServer(legacy).Run(context.Background(), &mcp.IOTransport{Reader: io.NopCloser(in), Writer: os.Stdout}); err != nil {
		return 1
	}
	return 0
}

func wantSDK(t *testing.T, s *seen, res Result, err error, era, version, transport string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if res.era != era || res.version != version || res.transport != transport || res.Oversize != 0 {
		t.Errorf("got %+v", res)
	}
	wantProblems(t, res.Problems)
	for name, n := range map[string]int{"tool": 5, "prompt": 3, "resource": 3, "template": 1} {
		for i := range n {
			if want := fmt.Sprintf(`"name":"%s-%d"`, name, i); s.count(ServerToClient, want) != 1 {
				t.Errorf("%s was listed %d times", want, s.count(ServerToClient, want))
			}
		}
	}
}

func TestSDKStdio(t *testing.T) {
	for _, tt := range []struct{ mode, era, version string }{
		{"sdk", eraModern, versionModern},
		{"sdk-slow", eraModern, versionModern}, // it answers only after it got both probes
		{"sdk-legacy", eraLegacy, "2025-06-18"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			res, s, err := list(t, helper(t, tt.mode))
			wantSDK(t, s, res, err, tt.era, tt.version, "stdio")
		})
	}
}

func serveHTTP(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func TestSDKStreamable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, era, version string
		legacy             bool
		opts               mcp.StreamableHTTPOptions
	}{
		{"modern", eraModern, versionModern, false, mcp.StreamableHTTPOptions{Stateless: true}},
		{"modern, plain JSON", eraModern, versionModern, false, mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}},
		{"with sessions", eraLegacy, versionLegacy, false, mcp.StreamableHTTPOptions{}},
		{"with sessions, plain JSON", eraLegacy, versionLegacy, false, mcp.StreamableHTTPOptions{JSONResponse: true}},
		{"old and stateless", eraLegacy, "2025-06-18", true, mcp.StreamableHTTPOptions{Stateless: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := sdkServer(tt.legacy)
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &tt.opts)
			deleted := 0
			target := Target{Headers: map[string]string{"X-Key": "secret"}}
			target.URL = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Key") != "secret" {
					t.Errorf("%s without the configured header", r.Method)
				}
				if r.Method == http.MethodDelete {
					deleted++
				}
				handler.ServeHTTP(w, r)
			})) + "/mcp"
			res, s, err := list(t, target)
			wantSDK(t, s, res, err, tt.era, tt.version, "http")
			if tt.era == eraLegacy && !tt.opts.Stateless && deleted != 1 {
				t.Errorf("%d sessions ended, want 1", deleted)
			}
		})
	}
}

func TestSDKEventStream(t *testing.T) {
	t.Parallel()
	server := sdkServer(false)
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil)
	base := serveHTTP(t, handler)
	for _, tt := range []struct{ name, path, transport string }{
		{"named", "/events", "sse"},
		{"by its path", "/sse", ""},
		{"found out", "/events", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, s, err := list(t, Target{URL: base + tt.path, Transport: tt.transport})
			wantSDK(t, s, res, err, eraLegacy, versionLegacy, "sse")
		})
	}
}
