package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// asked answers for the user if the client cannot ask.
type asked struct {
	mu    sync.Mutex
	told  []string
	heard chan *proxy.Question
	say   chan bool
}

func newAsked() *asked { return &asked{heard: make(chan *proxy.Question, 100), say: make(chan bool)} }

func (a *asked) asking(timeout time.Duration) *proxy.Asking {
	return &proxy.Asking{
		Timeout: timeout,
		Elsewhere: func(ctx context.Context, q *proxy.Question) (allowed, answered bool) {
			a.heard <- q
			select {
			case yes := <-a.say:
				return yes, true
			case <-ctx.Done():
				return false, false
			}
		},
		Decided: func(q *proxy.Question, allowed bool, by string) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.told = append(a.told, fmt.Sprintf("%v %t: %s", q, allowed, by))
		},
	}
}

// wantTold compares the reported decisions with the expected ones, in any order.
func (a *asked) wantTold(t *testing.T, want ...string) {
	t.Helper()
	for n := 0; len(a.said()) < len(want) && n < 3000; n++ {
		time.Sleep(10 * time.Millisecond)
	}
	slices.Sort(want)
	if got := a.said(); !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
}

// said returns the reported decisions.
func (a *asked) said() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(slices.Values(a.told))
}

// prompting is a policy that also prompts for sampling.
type prompting struct{}

func (prompting) Decide(r *scanner.PolicyRequest) scanner.Decision {
	if r.Method == "sampling/createMessage" {
		return scanner.Decision{Verdict: scanner.Prompt, Check: scanner.PolicyCheck, Rule: "ask", Reason: "somebody has to agree"}
	}
	return denying{}.Decide(r)
}

// soon is when the proxy stops waiting for an answer. On a busy machine, a shorter time might be over
// before the proxy asks.
const soon = 500 * time.Millisecond

const ping = `{"jsonrpc":"2.0","id":0,"method":"ping"}` + "\n"

// initialize returns the first message of a client with the given capabilities.
func initialize(capabilities string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"c","version":"1"}}}` + "\n"
}

// line reads one line.
func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	s, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", s, err)
	}
	return s
}

// TestHeldAmbiguous checks that nobody is asked about a line in which another message may hide.
func TestHeldAmbiguous(t *testing.T) {
	a := newAsked()
	c := connect(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(o *proxy.Options) { o.Asking = a.asking(time.Hour) })
	for id, message := range map[string]string{
		"1": call("1", "asked") + "\r" + call("2", "denied"),
		"3": `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"asked","arguments":{"x": ` + "\r" + call("2", "denied") + "}}}",
	} {
		c.say(c.toProxy, message+"\n")
		c.expect(c.fromProxy, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32001,"message":"blocked by mcpscan: some receivers read this message as several messages","data":{"rule":"ambiguous-message","action":"block"}}}`+"\n")
	}
	c.close()
	a.wantTold(t)
}

// TestExcerpt checks that a user who approves a long message sees both ends of it, and how much is missing.
func TestExcerpt(t *testing.T) {
	for s, want := range map[string]string{
		"0123456789":    "0123456789",
		"0123456789ab":  "01234 … [2 characters left out] … 789ab",
		"äöüß\u202eäöü": "äöüß< … [5 characters left out] … E>äöü",
	} {
		if got := proxy.Excerpt(s, 10); got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
}

// TestHeldMessages checks that a message for which the policy prompts waits for an answer, that it
// is forwarded or refused accordingly, and that later messages do not wait.
func TestHeldMessages(t *testing.T) {
	a := newAsked()
	c := connect(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(o *proxy.Options) { o.Asking = a.asking(time.Hour) })
	held := ` {"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"asked","arguments":{"token":"ghp_0123456789abcdefghijABCDEFGHIJ456789","line":"a\nb"}}} ` + "\r\n"
	c.say(c.toProxy, held+ping)
	c.expect(c.serverIn, ping)
	q := <-a.heard
	if q.Server != "srv" || q.Asks != "client" || len(q.Messages) != 1 || q.Messages[0].Method != "tools/call" || q.Messages[0].Target != "asked" || q.Reason != "somebody has to agree" ||
		!strings.Contains(q.Messages[0].Arguments, `"line":"a\nb"`) || strings.Contains(q.Messages[0].Arguments, "abcdefghij") {
		t.Errorf("%+v", q)
	}
	a.say <- true
	c.expect(c.serverIn, held)
	c.say(c.serverOut, `{"jsonrpc":"2.0","id":1.0,"result":{}}`+"\n")
	c.expect(c.fromProxy, `{"jsonrpc":"2.0","id":1.0,"result":{}}`+"\n")

	c.say(c.toProxy, call(`"b"`, "asked")+"\n")
	<-a.heard
	a.say <- false
	c.expect(c.fromProxy, refused(`"b"`, "needs approval: refused by mcpscan held: somebody has to agree", "ask", "prompt")+"\n")

	// A message cancelled by its sender is no longer held, and gets no answer.
	c.say(c.toProxy, call("3", "asked")+"\n")
	<-a.heard
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}` + "\n"
	c.say(c.toProxy, cancelled+ping)
	c.expect(c.serverIn, cancelled+ping)

	// A batch is held as a whole, and server requests are held as well.
	batch := `[` + call("4", "asked") + `,` + call("5", "other") + `]` + "\n"
	c.say(c.toProxy, batch)
	if q := <-a.heard; q.Asks != "client" || q.More != 1 {
		t.Errorf("%+v", q)
	}
	a.say <- true
	c.expect(c.serverIn, batch)
	sampling := `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}` + "\n"
	c.say(c.serverOut, sampling)
	if q := <-a.heard; q.Asks != "server" || q.Messages[0].Method != "sampling/createMessage" {
		t.Errorf("%+v", q)
	}
	a.say <- true
	c.expect(c.fromProxy, sampling)

	// So are the results that contain such requests.
	c.say(c.toProxy, call("6", "other")+"\n")
	c.expect(c.serverIn, call("6", "other")+"\n")
	required := `{"jsonrpc":"2.0","id":6,"result":{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"},"s":{"method":"sampling/createMessage","params":{"maxTokens":1}}}}}` + "\n"
	c.say(c.serverOut, required)
	if q := <-a.heard; q.Asks != "server" || !slices.Equal(q.Messages, []proxy.QuestionMessage{{Method: "sampling/createMessage", Arguments: `{"maxTokens":1}`, ID: "6"}}) {
		t.Errorf("%+v", q)
	}
	a.say <- true
	c.expect(c.fromProxy, required)
	if err := c.close(); err != nil {
		t.Error(err)
	}
	a.wantTold(t, `tools/call "asked" for the server srv true: mcpscan held`, `tools/call "asked" for the server srv false: mcpscan held`,
		`tools/call "asked" for the server srv false: the sender cancelled it`, `tools/call "asked" for the server srv, with 1 more in the same batch true: mcpscan held`,
		`sampling/createMessage from the server srv true: mcpscan held`, `sampling/createMessage from the server srv true: mcpscan held`)
}

// TestHeldBatch checks that the question shows every message that needs approval, with all that it contains, and
// that a batch is refused if its messages do not fit into a question.
func TestHeldBatch(t *testing.T) {
	a := newAsked()
	c := connect(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(o *proxy.Options) { o.Asking = a.asking(time.Hour) })
	batch := `[` + call("1", "asked-a") + `,` + call("2", "other") + `,{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"x":1},"name":"asked-b","arguments":{"x":2},"_meta":{"k":"v"},"task":{"ttl":1}},"more":[]}]` + "\n"
	c.say(c.toProxy, batch)
	q := <-a.heard
	want := []proxy.QuestionMessage{{Method: "tools/call", Target: "asked-a", Arguments: `{}`, ID: "1"},
		{Method: "tools/call", Target: "asked-b", Arguments: `{"x":2}`, Other: `"more":[], "arguments":{"x":1}, "_meta":{"k":"v"}, "task":{"ttl":1}`, ID: "3"}}
	if !slices.Equal(q.Messages, want) || q.More != 1 {
		t.Errorf("%+v", q)
	}
	a.say <- true
	c.expect(c.serverIn, batch)

	// All requests in a result are shown.
	c.say(c.toProxy, call("4", "other")+"\n")
	c.expect(c.serverIn, call("4", "other")+"\n")
	required := `{"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"maxTokens":1}},"b":{"method":"sampling/createMessage","params":{"maxTokens":2}}}}}` + "\n"
	c.say(c.serverOut, required)
	if q := <-a.heard; len(q.Messages) != 2 || q.Messages[1].Arguments != `{"maxTokens":2}` {
		t.Errorf("%+v", q)
	}
	a.say <- true
	c.expect(c.fromProxy, required)

	const room = 16
	var calls, errors []string
	for n := range room + 1 {
		calls = append(calls, strings.ReplaceAll(call(fmt.Sprint(n), "asked"), "tools/call", "prompts/get"))
		errors = append(errors, refused(fmt.Sprint(n), "needs approval: it contains too many messages to show: somebody has to agree", "ask", "prompt"))
	}
	c.say(c.toProxy, "["+strings.Join(calls, ",")+"]\n")
	c.expect(c.fromProxy, "["+strings.Join(errors, ",")+"]\n")
	c.close()
	names := strings.Repeat(`prompts/get "asked", `, room-2) + `prompts/get "asked" and prompts/get "asked"`
	a.wantTold(t, `tools/call "asked-a" and tools/call "asked-b" for the server srv, with 1 more in the same batch true: mcpscan held`,
		`sampling/createMessage and sampling/createMessage from the server srv true: mcpscan held`,
		names+` for the server srv, with 1 more in the same batch false: it contains too many messages to show`)
}

// TestHeldTooLong checks that a message is refused if no answer comes in time, or if too many
// messages are held already.
func TestHeldTooLong(t *testing.T) {
	a := newAsked()
	c := connect(t, engineOf(t, scanner.Options{Policy: denying{}}), func(o *proxy.Options) { o.Asking, o.MaxMessage = a.asking(time.Millisecond), 1<<20 })
	c.say(c.toProxy, call("1", "asked")+"\n")
	c.expect(c.fromProxy, refused("1", "needs approval: nobody answered in time: somebody has to agree", "ask", "prompt")+"\n")
	c.close()
	a.wantTold(t, `tools/call "asked" for the server srv false: nobody answered in time`)

	b := newAsked()
	c = connect(t, engineOf(t, scanner.Options{Policy: denying{}}), func(o *proxy.Options) { o.Asking = b.asking(time.Hour) })
	const places = 32
	for n := range places {
		c.say(c.toProxy, strings.ReplaceAll(call(fmt.Sprint(n), "asked"), "tools/call", "prompts/get")+"\n")
		<-b.heard
	}
	c.say(c.toProxy, strings.ReplaceAll(call("99", "asked"), "tools/call", "prompts/get")+"\n")
	c.expect(c.fromProxy, refused("99", "needs approval: too many messages are waiting for an answer: somebody has to agree", "ask", "prompt")+"\n")
	b.wantTold(t, `prompts/get "asked" for the server srv false: too many messages are waiting for an answer`)
	go func() { // the connection ends with its server, and held messages get an answer
		_, _ = io.Copy(io.Discard, c.fromProxy)
	}()
	c.server.exit()
	c.serverOut.Close()
	c.toProxy.Close()
	<-c.done
}

// TestElicitation checks that a client that supports elicitation is asked, with an id that no
// server uses, that its answer does not reach a server, and that only an explicit yes allows the
// message.
func TestElicitation(t *testing.T) {
	for _, test := range []struct {
		capabilities, answer string
		allowed, elsewhere   bool
	}{
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"allow":true}}`, true, false},
		{`{"elicitation":{"form":{},"url":{}}}`, `"result":{"action":"accept","content":{"allow":true,"x":1}}`, true, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"allow":true,"x":"` + "\xff" + `","y":NaN}}`, true, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"allow":false}}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"allow":"true"}}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept","content":{"Allow":true}}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"accept"}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"decline","content":{"allow":true}}`, false, false},
		{`{"elicitation":{}}`, `"result":{"action":"cancel"}`, false, false},
		{`{"elicitation":{}}`, `"error":{"code":-32601,"message":"no"}`, true, true},
		{`{"elicitation":{"url":{}}}`, "", true, true},
		{`{"elicitation":true}`, "", true, true},
		{`{}`, "", true, true},
	} {
		a := newAsked()
		c := connect(t, engineOf(t, scanner.Options{Policy: denying{}}), func(o *proxy.Options) { o.Asking = a.asking(time.Hour) })
		c.say(c.toProxy, initialize(test.capabilities))
		c.expect(c.serverIn, initialize(test.capabilities))
		c.say(c.toProxy, call("1", "asked")+"\n")
		client := bufio.NewReader(c.fromProxy)
		if test.answer != "" {
			got := line(t, client)
			id := got[strings.Index(got, `"mcpscan-`):strings.Index(got, `,"method":"elicitation/create"`)]
			if !strings.Contains(got, `"message":"mcpscan is holding tools/call \"asked\" for the server srv, because the policy requires approval: somebody has to agree. Arguments: {}"`) {
				t.Errorf("asked %s", got)
			}
			c.say(c.toProxy, `{"jsonrpc":"2.0","id":`+id+`,`+test.answer+"}\n"+`{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"allow":true}}}`+"\n")
		}
		if test.elsewhere {
			<-a.heard
			a.say <- true
		}
		if test.allowed {
			c.expect(c.serverIn, call("1", "asked")+"\n")
		} else if got, want := line(t, client), refused("1", "needs approval: refused by the client: somebody has to agree", "ask", "prompt")+"\n"; got != want {
			t.Errorf("%s: got %q, want %q", test.answer, got, want)
		}
		c.say(c.toProxy, ping)
		c.expect(c.serverIn, ping)
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestElicitationWithoutAnswer checks that an unanswered question is cancelled, and that a server
// cannot answer for the client.
func TestElicitationWithoutAnswer(t *testing.T) {
	a := newAsked()
	c := connect(t, engineOf(t, scanner.Options{Policy: denying{}}), func(o *proxy.Options) { o.Asking = a.asking(soon) })
	c.say(c.toProxy, initialize(`{"elicitation":{}}`))
	c.expect(c.serverIn, initialize(`{"elicitation":{}}`))
	c.say(c.toProxy, call("1", "asked")+"\n")
	client := bufio.NewReader(c.fromProxy)
	got := line(t, client)
	id := got[strings.Index(got, `"mcpscan-`):strings.Index(got, `,"method":"elicitation/create"`)]
	forged := `{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"allow":true}}}` + "\n"
	c.say(c.serverOut, forged)
	want := map[string]bool{forged: true,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"an answer is no longer needed"}}` + "\n": true,
		refused("1", "needs approval: nobody answered in time: somebody has to agree", "ask", "prompt") + "\n":                                   true}
	for range len(want) {
		got := line(t, client)
		if !want[got] {
			t.Errorf("got %q", got)
		}
		delete(want, got)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// TestHeldOverHTTP checks that requests for which the policy prompts wait, that other requests do
// not, and that disconnecting cancels a waiting request.
func TestHeldOverHTTP(t *testing.T) {
	a := newAsked()
	f := inFront(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		say(w, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"got":`+string(body)+`}}`)
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) { o.Asking = a.asking(time.Hour) })
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		f.post(call("1", "asked"), http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{"got":`+call("1", "asked")+`}}`)
	}()
	<-a.heard
	f.post(call("1", "other"), http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{"got":`+call("1", "other")+`}}`)
	a.say <- true
	<-answered
	go func() { <-a.heard; a.say <- false }()
	f.post(call("1", "asked"), http.StatusOK, refused("1", "needs approval: refused by mcpscan held: somebody has to agree", "ask", "prompt"))

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-a.heard; cancel() }()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, f.url, strings.NewReader(call("1", "asked")))
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("a request that was given up has a response")
	}
}
