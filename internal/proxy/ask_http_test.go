package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// elicited starts a proxy that asks the user, in front of a server that the test implements.
func elicited(t *testing.T, a *asked, timeout time.Duration, serve http.HandlerFunc) *hosted {
	return &hosted{front: inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"initialize"`) {
			w.Header().Set("Mcp-Session-Id", "2b7e1516-28ae-4d2a-abf7-158809cf4f3c")
			say(w, inJSON, welcome)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		serve(w, r)
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.Asking = a.asking(timeout) })}
}

// session is the header that names the session started by elicited.
const session = "Mcp-Session-Id: 2b7e1516-28ae-4d2a-abf7-158809cf4f3c"

// questionIn returns the id of the question in an event.
func questionIn(t *testing.T, event string) string {
	t.Helper()
	_, rest, ok := strings.Cut(event, `{"jsonrpc":"2.0","id":"mcpscan-`)
	id, rest, ok2 := strings.Cut(rest, `","method":"elicitation/create","params":{"message":"mcpscan is holding tools/call \"asked\" for the server srv, because the policy requires approval: somebody has to agree. Arguments: {}"`)
	if !ok || !ok2 || rest == "" {
		t.Fatalf("not a question: %s", event)
	}
	return `"mcpscan-` + id + `"`
}

// TestElicitationOverHTTP checks that a client that supports elicitation is asked over the response
// stream of its request, that its answer reaches no server, and that only an explicit yes allows
// the request.
func TestElicitationOverHTTP(t *testing.T) {
	for _, test := range []struct {
		capabilities, answer string
		allowed, elsewhere   bool
	}{
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"allow":true}}`, true, false},
		{`{"elicitation":{"form":{},"url":{}}}`, `"result":{"action":"accept","content":{"allow":true,"x":1}}`, true, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"allow":"true"}}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept"}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"decline","content":{"allow":true}}`, false, false},
		{`{"elicitation":{}}`, `"error":{"code":-32601,"message":"no"}`, true, true},
		{`{"elicitation":{"url":{}}}`, "", true, true},
		{`{}`, "", true, true},
	} {
		var reached atomic.Int32
		a := newAsked()
		h := elicited(t, a, time.Hour, func(w http.ResponseWriter, r *http.Request) {
			reached.Add(1)
			say(w, inJSON, answerTo("1"))
		})
		h.post(strings.TrimSpace(initialize(test.capabilities)), http.StatusOK, welcome)
		if test.answer == "" {
			go func() { <-a.heard; a.say <- true }()
			h.post(call("1", "asked"), http.StatusOK, answerTo("1"), session)
			continue
		}
		o := h.open(http.MethodPost, call("1", "asked"), session)
		id := questionIn(t, o.next())
		if test.elsewhere {
			go func() { <-a.heard; a.say <- true }()
		}
		yes := `{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"allow":true}}}`
		h.post(yes, http.StatusAccepted, "", "Mcp-Session-Id: another") // not the client that was asked
		h.post(`{"jsonrpc":"2.0","id":`+id+`,`+test.answer+"}", http.StatusAccepted, "", session)
		h.post(yes, http.StatusAccepted, "", session) // too late
		want, calls := answerTo("1"), int32(1)
		if !test.allowed {
			want, calls = refused("1", "needs approval: refused by the client: somebody has to agree", "ask", "prompt"), 0
		}
		o.want(want, "EOF")
		if got := reached.Load(); got != calls {
			t.Errorf("%s: the server got %d messages, want %d", test.answer, got, calls)
		}
	}
}

// TestElicitedResponses checks that any response to an allowed request arrives as events on the
// stream that has already begun.
func TestElicitedResponses(t *testing.T) {
	failure := func(why string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"mcpscan: ` + why + `"}}`
	}
	for _, test := range []struct {
		status     int
		kind, body string
		want       []string
	}{
		{200, inJSON, "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"result\":{}}\n", []string{`{"jsonrpc":"2.0",`, `"id":1,"result":{}}`}},
		{200, stream, event(progress("1")) + event(answerTo("1")), []string{progress("1"), answerTo("1")}},
		{400, inJSON, failure("it was bad"), []string{failure("it was bad")}},
		{404, "text/html", "<p>nothing here", []string{failure("the server answered with status 404 but no message")}},
		{202, "", "", []string{failure("the server answered with status 202 but no message")}},
		{302, "", "", []string{failure("the server srv sent no valid response: it answers with status 302 and redirects to an unreadable URL, which the proxy does not follow: if you trust that URL, use it as --upstream")}},
	} {
		h := elicited(t, newAsked(), time.Hour, func(w http.ResponseWriter, r *http.Request) {
			if test.kind != "" {
				w.Header().Set("Content-Type", test.kind)
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		h.post(strings.TrimSpace(initialize(`{"elicitation":{}}`)), http.StatusOK, welcome)
		o := h.open(http.MethodPost, call("1", "asked"), session)
		id := questionIn(t, o.next())
		h.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"allow":true}}}`, http.StatusAccepted, "", session)
		for _, want := range test.want {
			if got := o.next(); strings.TrimSpace(got) != want {
				t.Errorf("%d %s: got %s, want %s", test.status, test.kind, got, want)
			}
		}
		for got := o.next(); got != "EOF"; got = o.next() {
			if got != "" {
				t.Errorf("%d %s: also got %q", test.status, test.kind, got)
			}
		}
	}
}

// TestElicitationTimesOut checks that an unanswered question is cancelled and its request refused,
// and that a client that reads no events is not asked.
func TestElicitationTimesOut(t *testing.T) {
	h := elicited(t, newAsked(), soon, func(w http.ResponseWriter, r *http.Request) { t.Error("the server got a message") })
	h.post(strings.TrimSpace(initialize(`{"elicitation":{}}`)), http.StatusOK, welcome)
	o := h.open(http.MethodPost, call("1", "asked"), session)
	id := questionIn(t, o.next())
	o.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"an answer is no longer needed"}}`,
		refused("1", "needs approval: nobody answered in time: somebody has to agree", "ask", "prompt"), "EOF")
	got, _ := h.open(http.MethodPost, call("2", "asked"), session, "Accept: application/json").lines.ReadString(0)
	if want := refused("2", "needs approval: nobody answered in time: somebody has to agree", "ask", "prompt"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCancelledOverHTTP checks that a request that its client cancels while it is held gets no answer, because
// clients report an answer that they do not expect as an error.
func TestCancelledOverHTTP(t *testing.T) {
	for _, capabilities := range []string{`{"elicitation":{}}`, `{}`} {
		a := newAsked()
		h := elicited(t, a, time.Hour, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusAccepted) })
		h.post(strings.TrimSpace(initialize(capabilities)), http.StatusOK, welcome)
		cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		if capabilities != `{}` {
			o := h.open(http.MethodPost, call("1", "asked"), session)
			id := questionIn(t, o.next())
			h.post(cancelled, http.StatusAccepted, "", session)
			o.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"an answer is no longer needed"}}`, "EOF")
		} else {
			go func() { <-a.heard; h.post(cancelled, http.StatusAccepted, "", session) }()
			h.post(call("1", "asked"), http.StatusOK, "", session)
			go func() { <-a.heard; h.post(cancelled, http.StatusAccepted, "", session) }()
			got, _ := h.open(http.MethodPost, call("1", "asked"), session, "Accept: application/json").lines.ReadString(0)
			if want := refused("1", "needs approval: the sender cancelled it: somebody has to agree", "ask", "prompt"); got != want { // JSON needs a message
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}

// TestElicitationBehindBridge checks that a server started by the proxy gets neither the question
// nor the answer.
func TestElicitationBehindBridge(t *testing.T) {
	a := newAsked()
	h := host(t, scanner.Options{Policy: denying{}}, func(o *proxy.Options, _ *proxy.Command) { o.Asking = a.asking(time.Hour) })
	p, session := h.begin(`{"elicitation":{}}`)
	o := h.open(http.MethodPost, call("1", "asked"), session)
	id := questionIn(t, o.next())
	h.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"allow":true}}}`, http.StatusAccepted, "", session)
	p.answer(call("1", "asked"), answerTo("1"))
	o.want(answerTo("1"), "EOF")
}
