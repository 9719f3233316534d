package live

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
)

// TestWatchHTTP checks that a server at a URL is listed again when it announces a change on its
// event stream, even after that stream was interrupted, and that Until ends the server's session.
func TestWatchHTTP(t *testing.T) {
	t.Parallel()
	var page, streams atomic.Int32
	listed, ended := make(chan struct{}), make(chan struct{}, 1)
	url := legacyHTTP(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case m.method == "tools/list":
			respond(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"v%d"}]}}`, m.id, page.Add(1))
		case r.Method == http.MethodGet && streams.Add(1) == 1:
			stream(w, "retry: 1\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n")
			<-listed
		case r.Method == http.MethodGet:
			if r.Header.Get("Last-Event-ID") != "7" {
				t.Errorf("resumed after %q", r.Header.Get("Last-Event-ID"))
			}
			stream(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
			for range 3 {
				stream(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n")
			}
			<-r.Context().Done()
		case r.Method == http.MethodDelete:
			ended <- struct{}{}
		default:
			return false
		}
		return true
	})
	until := make(chan struct{})
	res, s, err := list(t, Target{URL: url, Transport: "http"}, func(o *Options) {
		seen := o.OnFrame
		o.OnFrame = func(f Frame) {
			seen(f)
			if string(f.Data) == `{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"v2"}]}}` {
				close(until)
			}
		}
		o.Listed = func(Result) { close(listed) }
		o.Until = until
	})
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, res.Problems)
	if s.count(ServerToClient, `"name":"v2"`) != 1 {
		t.Errorf("the changed list was not passed on: %+v", s)
	}
	if n := s.count(ServerToClient, "notifications/message"); n > 1 {
		t.Errorf("%d messages that do not matter", n)
	}
	<-ended
}

// TestWatchInterrupted checks that cancelling the context ends a watched server.
func TestWatchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	_, err := List(ctx, Target{URL: legacyHTTP(t, nil), Transport: "http"}, Options{Listed: func(Result) { cancel() }})
	if err == nil {
		t.Error("no error")
	}
}
