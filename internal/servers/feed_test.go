package servers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
	"github.com/mcpscan/mcpscan/scanner"
)

// oneTool is an MCP server with the given name. It begins to answer when the channel after is closed,
// and closes listed when it has listed its tools.
func oneTool(name string, after <-chan struct{}, listed chan<- struct{}) http.HandlerFunc {
	done := sync.OnceFunc(func() { close(listed) })
	return func(w http.ResponseWriter, request *http.Request) {
		var r fakeserver.Request
		if json.NewDecoder(request.Body).Decode(&r) != nil || r.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		<-after
		w.Header().Set("Content-Type", "application/json")
		switch r.Method {
		case "initialize":
			fmt.Fprint(w, r.Result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"`+name+`","version":"1"}}`))
		case "tools/list":
			fmt.Fprint(w, r.Result(`{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}`))
			done()
		default:
			fmt.Fprint(w, r.NotFound())
		}
	}
}

// list lists servers that report the given names. Each of them answers only after the next one in the
// list is listed. It returns the events.
func list(t *testing.T, unnamed bool, names ...string) (events []*scanner.Event) {
	after := make(chan struct{})
	close(after)
	targets := make([]Target, len(names))
	for i, name := range slices.Backward(names) {
		listed := make(chan struct{})
		server := httptest.NewServer(oneTool(name, after, listed))
		t.Cleanup(server.Close)
		targets[i] = Target{Name: name, URL: server.URL, Transport: "http", Unnamed: unnamed, Origin: Endpoint(name)}
		after = listed
	}
	l := &Listing{StartTimeout: time.Minute, StepTimeout: time.Minute, Timeout: time.Minute, ClientName: OwnClient}
	w := Watcher{Asked: func() {}, Done: func(string) {}}
	for src := l.Source(t.Context(), nil, targets, NewDisk(t.Context()), w); ; {
		c, err := src.Next()
		if err != nil {
			return events
		}
		c.Events(func(e *scanner.Event) { events = append(events, e) })
	}
}

// order returns the servers of the events in order, and checks that the times increase.
func order(t *testing.T, events []*scanner.Event) (servers []string) {
	var last time.Time
	for _, e := range events {
		if servers = append(servers, e.Server); !e.Time.After(last) {
			t.Errorf("an event of server %q at %v is not after the previous one at %v", e.Server, e.Time, last)
		}
		last = e.Time
	}
	return slices.Compact(servers)
}

// TestServersInOrder checks that the events of servers follow the order of their names, although the
// servers are listed at once and answer in another order.
func TestServersInOrder(t *testing.T) {
	want := []string{"a", "b", "c"}
	for _, names := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a"}} {
		if got := order(t, list(t, false, names...)); !slices.Equal(got, want) {
			t.Errorf("configured as %q: order %q, want %q", names, got, want)
		}
	}
}

// TestUnnamedServersInOrder checks that the first of two servers that report the same name keeps it,
// whichever answers first.
func TestUnnamedServersInOrder(t *testing.T) {
	events := list(t, true, "same", "same")
	if got, want := order(t, events), []string{"same", "same#2"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
	for _, e := range events {
		if e.Origin.File != Endpoint(e.Server).File {
			t.Errorf("server %q: origin %q", e.Server, e.Origin.File)
		}
	}
}

// TestHeldEventsAreBounded checks that a server that sends more than a lane holds waits for the servers
// before it, and that none of its events is lost.
func TestHeldEventsAreBounded(t *testing.T) {
	f := newFeed([]Target{{Name: "a"}, {Name: "b"}}, nil)
	sent := make(chan int)
	go func() {
		for i := range 4 {
			f.lanes[1].send(&scanner.Event{Server: "b", Frame: make([]byte, maxHeld/2+1)})
			sent <- i
		}
		close(sent)
	}()
	<-sent
	<-sent
	select {
	case <-sent:
		t.Fatal("a lane holds more than its limit")
	case <-time.After(50 * time.Millisecond):
	}
	f.lanes[0].send(&scanner.Event{Server: "a"})
	f.lanes[0].end()
	for range sent { // until the sender is done
	}
	close(f.out)
	var events []*scanner.Event
	for e := range f.out {
		events = append(events, e)
	}
	if got := order(t, events); len(events) != 5 || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%d events in the order %q, want 5 of a, b", len(events), got)
	}
}
