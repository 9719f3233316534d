package proxy_test

//lint:file-ignore SA1019 clients and servers still use deprecated parts of MCP

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestHTTPWithSDK checks that a client built with the official SDK works the same with and without
// the proxy, in every protocol version and transport, including progress, logging, sampling,
// elicitation and roots.
func TestHTTPWithSDK(t *testing.T) {
	engine, err := scanner.New(rules.All(), scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		options *mcp.StreamableHTTPOptions // nil for HTTP+SSE
		legacy  bool
	}{
		{"sessions", &mcp.StreamableHTTPOptions{}, true},
		{"stateless", &mcp.StreamableHTTPOptions{Stateless: true}, false},
		{"plain JSON", &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}, false},
		{"HTTP+SSE", nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
			mcp.AddTool(server, &mcp.Tool{Name: "asks"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
				if !test.legacy {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fine"}}}, nil, nil
				}
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1})
				sampled, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "What is one and one?"}}}})
				if err != nil {
					return nil, nil, err
				}
				elicited, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which colour?"})
				if err != nil {
					return nil, nil, err
				}
				roots, err := r.Session.ListRoots(ctx, nil)
				if err != nil {
					return nil, nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s %s %d", sampled.Model, elicited.Action, len(roots.Roots))}}}, nil, nil
			})
			get := func(*http.Request) *mcp.Server { return server }
			var handler http.Handler = mcp.NewSSEHandler(get, nil)
			if test.options != nil {
				handler = mcp.NewStreamableHTTPHandler(get, test.options)
			}
			f := inFront(t, engine, handler.ServeHTTP, nil)
			progress := make(chan float64, 1)
			client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
				CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
					return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "two"}}, nil
				},
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "decline"}, nil
				},
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Progress },
			})
			client.AddRoots(&mcp.Root{URI: "file:///x"})
			var transport mcp.Transport = &mcp.SSEClientTransport{Endpoint: f.url}
			if test.options != nil {
				transport = &mcp.StreamableClientTransport{Endpoint: f.url}
			}
			var o *mcp.ClientSessionOptions
			if test.legacy {
				o = &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
			}
			session, err := client.Connect(t.Context(), transport, o)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) != 1 {
				t.Fatalf("%v, %v", listed, err)
			}
			params := &mcp.CallToolParams{Name: "asks"}
			params.SetProgressToken("p")
			result, err := session.CallTool(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			want := map[bool]string{true: "m decline 1", false: "fine"}[test.legacy]
			if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != want {
				t.Errorf("got %+v, want %q", result.Content[0], want)
			}
			if test.legacy {
				if got := <-progress; got != 1 {
					t.Errorf("progress %v", got)
				}
			}
		})
	}
}

// TestAskedWithSDK checks that a client built with the official SDK is asked about a sampling
// request while its call waits for that request, and that the call ends whatever the user answers,
// or if nobody answers.
func TestAskedWithSDK(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "samples"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		sampled, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "What is one and one?"}}}})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: sampled.Model}}}, nil, nil
	})
	for _, test := range []struct {
		result  *mcp.ElicitResult // nil if the user does not answer
		timeout time.Duration
		want    string
	}{
		{&mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, time.Hour, "m"},
		{&mcp.ElicitResult{Action: "decline"}, time.Hour, "needs approval: refused by the client"},
		{nil, soon, "needs approval: nobody answered in time"},
	} {
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
		f := inFront(t, engineOf(t, scanner.Options{Policy: prompting{}}), handler.ServeHTTP, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) {
			o.Asking = newAsked().asking(test.timeout)
		})
		client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
			CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "two"}}, nil
			},
			ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if test.result == nil {
					<-ctx.Done() // until the proxy takes the question back
					return nil, ctx.Err()
				}
				return test.result, nil
			},
		})
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: f.url}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "samples"})
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := result.Content[0].(*mcp.TextContent); !ok || !strings.Contains(text.Text, test.want) {
			t.Errorf("got %+v, want %q", result.Content[0], test.want)
		}
		session.Close()
	}
}
