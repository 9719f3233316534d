package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestBridgeForms checks that a client that lists text/event-stream gets a stream for each request,
// even if the requests are concurrent, and that other clients that accept JSON get JSON.
func TestBridgeForms(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	const requests = 3
	go func() { // answer when all are open, the last one first
		ids := map[string]bool{}
		for range requests {
			request := <-p.lines
			for id := range requests {
				ids[fmt.Sprint(id)] = ids[fmt.Sprint(id)] || request == call(fmt.Sprint(id), "t")+"\n"
			}
		}
		for id := requests - 1; id >= 0 && ids[fmt.Sprint(id)]; id-- {
			p.says(answerTo(fmt.Sprint(id)))
		}
	}()
	var all sync.WaitGroup
	for id := range requests {
		all.Go(func() {
			status, head, body := h.ask(http.MethodPost, h.url, call(fmt.Sprint(id), "t"), session)
			if kind := head.Get("Content-Type"); status != http.StatusOK || kind != stream || body != event(answerTo(fmt.Sprint(id))) {
				t.Errorf("request %d: %d %s %s", id, status, kind, body)
			}
		})
	}
	all.Wait()
	for accepted, kind := range map[string]string{
		"text/event-stream, application/json": stream, "Application/JSON;q=0.9,Text/Event-Stream": stream, "text/event-stream": stream, "text/*": stream,
		"application/json": inJSON, "*/*": inJSON, "application/*, text/*": inJSON,
	} {
		p.answer(call("9", "t"), answerTo("9"))
		o := h.open(http.MethodPost, call("9", "t"), session, "Accept: "+accepted)
		body, _ := o.lines.ReadString(0)
		want := answerTo("9")
		if kind == stream {
			want = event(want)
		}
		if body != want {
			t.Errorf("%s: got %q, want %q", accepted, body, want)
		}
	}
}

// TestBridgeLenient checks that messages that only lenient parsers accept reach the server and the
// client, and that both ends of an exchange are matched.
func TestBridgeLenient(t *testing.T) {
	h := host(t, scanner.Options{}, nil)
	p, session := h.begin("{}")
	for _, value := range []string{"NaN", "-Infinity", "\"\xff\"", "\"\x01\""} {
		request := strings.Replace(call("9", "t"), "{}", `{"n":`+value+`}`, 1)
		response := `{"jsonrpc":"2.0","id":9,"result":{"n":` + value + `}}`
		p.answer(request, response)
		if status, _, body := h.ask(http.MethodPost, h.url, request, session); status != http.StatusOK || body != event(response) {
			t.Errorf("%q: %d %q", value, status, body)
		}
	}
}

// TestBridgeObserves checks that messages that cannot be inspected are forwarded and counted in observe
// mode: those above the size limit, and those that exceed a limit of the parser.
func TestBridgeObserves(t *testing.T) {
	h := host(t, scanner.Options{}, func(o *proxy.Options, _ *proxy.Command) { o.Observe, o.FailClosed = true, true })
	p, session := h.begin("{}")
	for _, value := range []string{`"` + strings.Repeat("x", 1<<21) + `"`, strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth)} {
		request := strings.Replace(call("9", "t"), "{}", `{"n":`+value+`}`, 1)
		response := `{"jsonrpc":"2.0","id":9,"result":{"n":` + value + `}}`
		for _, accepted := range []string{inJSON, stream} {
			p.answer(request, response)
			o := h.open(http.MethodPost, request, session, "Accept: "+accepted)
			want := response
			if accepted == stream {
				want = event(response)
			}
			if body, _ := o.lines.ReadString(0); o.status != http.StatusOK || body != want {
				t.Fatalf("%.60s: %d %.200q", value, o.status, body)
			}
		}
	}
	if events := strings.Join(h.about(), "\n"); strings.Contains(events, "refuse") || strings.Count(events, "--max-message") != 4 {
		t.Errorf("the events are\n%.2000s", events)
	}
}
