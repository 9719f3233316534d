package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// host is like the function host, but with a policy that prompts for sampling.
func (a *asked) host(t *testing.T, timeout time.Duration) *hosted {
	return host(t, scanner.Options{Policy: prompting{}}, func(o *proxy.Options, _ *proxy.Command) { o.Asking = a.asking(timeout) })
}

func sampling(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`
}

// unapproved returns the error for a request that nobody allows. by says who refused it, or why nobody
// did.
func unapproved(id, by string) string {
	return refused(id, "needs approval: "+by+": somebody has to agree", "ask", "prompt")
}

const yes, no = `"result":{"action":"accept","content":{"allow":true}}`, `"result":{"action":"decline"}`

// asks reads the next event, which must ask about a server request, and returns the beginning of
// the client's answer, up to its result.
func (o *open) asks() (answer string) {
	o.t.Helper()
	got := o.next()
	_, rest, ok := strings.Cut(got, `{"jsonrpc":"2.0","id":"mcpscan-`)
	id, rest, ok2 := strings.Cut(rest, `","method":"elicitation/create","params":{"message":"mcpscan is holding sampling/createMessage from the server srv, because`)
	if !ok || !ok2 || rest == "" {
		o.t.Fatalf("not a question: %s", got)
	}
	return `{"jsonrpc":"2.0","id":"mcpscan-` + id + `",`
}

// TestAskedServerRequests checks that, over HTTP, the client's user is asked about a server request
// on the stream that the request belongs to, that the stream continues meanwhile, and that only an
// explicit yes allows the request.
func TestAskedServerRequests(t *testing.T) {
	for _, test := range []struct {
		capabilities, answer string
		allowed, elsewhere   bool
	}{
		{`{"sampling":{},"elicitation":{}}`, yes, true, false},
		{`{"elicitation":{}}`, no, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept"}`, false, false},
		{`{"elicitation":{}}`, `"error":{"code":-32601,"message":"no"}`, true, true},
		{`{"elicitation":{"url":{}}}`, "", true, true},
		{`{}`, "", false, true},
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			a := newAsked()
			h := a.host(t, time.Hour)
			p, session := h.begin(test.capabilities)
			var o *open
			if method == http.MethodPost {
				p.answer(tracked("1", `"a"`), sampling("7"))
				o = h.open(http.MethodPost, tracked("1", `"a"`), session)
			} else {
				p.says(sampling("7"))
				o = h.open(http.MethodGet, "", session)
			}
			answer := ""
			if test.answer != "" {
				answer = o.asks()
			}
			p.says(progress(`"a"`))
			o.want(progress(`"a"`))
			if test.answer != "" {
				h.post(answer+yes+"}", http.StatusAccepted, "", "Mcp-Session-Id: another") // not the client that was asked
				h.post(answer+test.answer+"}", http.StatusAccepted, "", session)
			}
			if test.elsewhere {
				if q := <-a.heard; q.Asks != "server" || q.Messages[0].Method != "sampling/createMessage" {
					t.Errorf("%+v", q)
				}
				a.say <- test.allowed
			}
			if test.allowed {
				o.want(sampling("7"))
				h.post(answerTo("7"), http.StatusAccepted, "", session)
				p.reads(answerTo("7"))
			} else {
				p.reads(unapproved("7", map[bool]string{true: "refused by mcpscan held", false: "refused by the client"}[test.elsewhere]))
			}
			p.says(changed)
			o.want(changed)
			if method == http.MethodPost {
				p.says(answerTo("1"))
				o.want(answerTo("1"), "EOF")
			}
		}
	}
}

// TestAskedServerRequestsEnd checks that a server request is refused if no answer comes in time or
// the client disconnects, and dropped if the server cancels it or exits.
func TestAskedServerRequestsEnd(t *testing.T) {
	a := newAsked()
	h := a.host(t, soon)
	p, session := h.begin(`{"elicitation":{}}`)
	p.answer(call("1", "t"), sampling("7"))
	o := h.open(http.MethodPost, call("1", "t"), session)
	id := strings.TrimSuffix(strings.TrimPrefix(o.asks(), `{"jsonrpc":"2.0","id":`), ",")
	o.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"an answer is no longer needed"}}`)
	p.reads(unapproved("7", "nobody answered in time"))
	p.says(answerTo("1"))
	o.want(answerTo("1"), "EOF")
	a.wantTold(t, "sampling/createMessage from the server srv false: nobody answered in time")

	a = newAsked()
	h = a.host(t, time.Hour)
	p, session = h.begin("{}")
	other, otherSession := h.begin("{}")
	p.says(sampling("7"))
	o = h.open(http.MethodGet, "", session)
	<-a.heard
	other.says(sampling("7"))
	second := h.open(http.MethodGet, "", otherSession)
	<-a.heard
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	p.says(cancelled)
	o.want(cancelled)
	a.wantTold(t, "sampling/createMessage from the server srv false: the sender cancelled it")
	a.say <- true // for the session whose server did not cancel
	second.want(sampling("7"))

	p.says(sampling("8"))
	<-a.heard
	o.close()
	p.reads(unapproved("8", "the connection ended"))

	p.answer(call("2", "t"), sampling("9"))
	o = h.open(http.MethodPost, call("2", "t"), session)
	<-a.heard
	p.exit()
	p.out.Close()
	o.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"mcpscan: the server srv sent no valid response: it exited with code 0"}}`, "EOF")
}

// TestAskedServerRequestsBound checks that a server request beyond the limit on held messages gets
// an error at once, and that the client continues to receive messages.
func TestAskedServerRequestsBound(t *testing.T) {
	a := newAsked()
	h := a.host(t, time.Hour)
	p, session := h.begin("{}")
	o := h.open(http.MethodGet, "", session)
	const places = 32
	for n := range places {
		p.says(sampling(fmt.Sprint(n)))
		<-a.heard
	}
	p.says(sampling("99"), changed)
	o.want(changed)
	p.reads(unapproved("99", "too many messages are waiting for an answer"))
	for range places {
		a.say <- true
		if got := o.next(); !strings.Contains(got, "sampling/createMessage") {
			t.Errorf("got %s", got)
		}
	}
}

// TestAskedUpstreamRequests checks that a request from a server at a URL is also held. The id of
// its event is sent immediately, because the client may resume from later events. If the server
// ends the stream meanwhile, the client's stream ends once the request is decided. A JSON response
// waits.
func TestAskedUpstreamRequests(t *testing.T) {
	a := newAsked()
	told, next := make(chan string, 1), make(chan struct{})
	h := &hosted{front: inFront(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch said := string(body); {
		case strings.Contains(said, `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "2b7e1516-28ae-4d2a-abf7-158809cf4f3c")
			say(w, inJSON, welcome)
		case strings.Contains(said, `"error"`):
			told <- said
		case strings.Contains(said, `"json"`):
			say(w, inJSON, "["+sampling("8")+","+answerTo("2")+"]")
		default:
			w.Header().Set("Content-Type", stream)
			_, _ = io.WriteString(w, ": begin\nevent: message\nid: 4\nretry: 10\n:note\ndata: "+sampling("7")+"\n\n")
			_ = http.NewResponseController(w).Flush()
			<-next
			_, _ = io.WriteString(w, "id: 5\ndata: "+progress("1")+"\n\n")
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.Asking = a.asking(time.Hour) })}
	for _, allowed := range []bool{true, false} {
		h.post(strings.TrimSpace(initialize(`{"elicitation":{}}`)), http.StatusOK, welcome)
		o := h.open(http.MethodPost, call("1", "t"), session)
		var raw strings.Builder
		read := func(until string) {
			for !strings.HasSuffix(raw.String(), until) {
				line, err := o.lines.ReadString('\n')
				if raw.WriteString(line); err != nil {
					t.Fatalf("%v after %s", err, raw.String())
				}
			}
		}
		const before = ": begin\nevent: message\nid: 4\nretry: 10\n:note\n\n"
		read(before)
		var answer string
		if answer = o.asks(); allowed {
			answer += yes + "}"
		} else {
			answer += no + "}"
		}
		raw.Reset()
		next <- struct{}{}
		read("id: 5\ndata: " + progress("1") + "\n\n")
		next <- struct{}{}
		h.post(answer, http.StatusAccepted, "", session)
		rest, _ := io.ReadAll(o.lines)
		want := "event: message\n:note\ndata: " + sampling("7") + "\n\n"
		if !allowed {
			if got := <-told; got != unapproved("7", "refused by the client") {
				t.Errorf("the server got %s", got)
			}
			want = ""
		}
		if string(rest) != want {
			t.Errorf("got %q, want %q", rest, want)
		}
	}
	for _, allowed := range []bool{true, false} {
		go func() { <-a.heard; a.say <- allowed }()
		want := "[" + sampling("8") + "," + answerTo("2") + "]"
		if !allowed {
			want = "[" + unapproved("2", "refused by mcpscan held") + "]"
		}
		h.post(call("2", "json"), http.StatusOK, want, session)
		if !allowed {
			if got := <-told; got != "["+unapproved("8", "refused by mcpscan held")+"]" {
				t.Errorf("the server got %s", got)
			}
		}
	}
}

// TestAskedBetweenEvents checks that the proxy sends its messages only between events, even if an
// event is too long to be read whole, or incomplete at the end of the stream.
func TestAskedBetweenEvents(t *testing.T) {
	a := newAsked()
	next := make(chan string)
	f := inFront(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", stream)
		for part := range next {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
		}
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.Asking = a.asking(time.Hour) })
	h := &hosted{front: f}
	half := strings.Repeat("x", 600<<10)
	go func() { next <- "data: " + sampling("7") + "\r\n\r\n" }()
	o := h.open(http.MethodGet, "")
	read := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(o.lines, got); string(got) != want {
			t.Fatalf("got %s (%v), want %s", strings.ReplaceAll(string(got), half, "half "), err, strings.ReplaceAll(want, half, "half "))
		}
	}
	<-a.heard
	next <- "data: " + half + half
	read("data: " + half)
	a.say <- true
	a.wantTold(t, "sampling/createMessage from the server srv true: mcpscan held")
	next <- half + "\r\n\r\n"
	read(half + half + "\r\n\r\n")
	read("data: " + sampling("7") + "\r\n\r\n")
	next <- "data: " + sampling("8") + "\r\n\r\n"
	<-a.heard
	next <- ":\r\ndata: y"
	close(next)
	read(":\r\ndata: y")
	a.say <- true
	read("\n\ndata: " + sampling("8") + "\r\n\r\n")
	if rest, err := io.ReadAll(o.lines); len(rest) > 0 || err != nil {
		t.Errorf("also got %q, %v", rest, err)
	}
}

// TestAskedAtTheEnd checks that a proxy does not wait for answers when it closes.
func TestAskedAtTheEnd(t *testing.T) {
	a := newAsked()
	h := a.host(t, time.Hour)
	p, session := h.begin("{}")
	p.says(sampling("7"))
	h.open(http.MethodGet, "", session)
	<-a.heard
	h.http.Close()
	p.End(context.Background())
	a.wantTold(t, "sampling/createMessage from the server srv false: the connection ended")
}
