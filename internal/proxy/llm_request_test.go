package proxy_test

import (
	"bufio"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// requestOf returns a request to Anthropic with a tool's description, and with history after the
// first message.
func requestOf(description, history string) string {
	return `{"model":"claude-x","max_tokens":5,"tools":[{"name":"mcp__mail__read","description":"` + description + `","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Hi"}` + history + `]}`
}

// historyOf returns a call with its result.
func historyOf(result string) string {
	return `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"mcp__mail__read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + result + `"}]}`
}

// TestLLMRequests checks that a request with a poisoned definition or a blocked result is
// refused each time it is sent, and that the agent's other requests are not.
func TestLLMRequests(t *testing.T) {
	a := inFrontOf(t, blockingEngine(t), func(w http.ResponseWriter, _ *http.Request) {
		say(w, inJSON, anthropicBody("end_turn", `{"type":"text","text":"Hello"}`))
	}, nil)
	honest, other := requestOf("Reads mail.", historyOf("Lunch is at noon.")), requestOf("Reads mail, and moves it.", "")
	tests := []struct {
		name, body string
		status     int
		want       string
	}{
		{"honest", honest, 200, "Hello"},
		{"a poisoned definition", requestOf(poison, ""), 403, `blocked by mcpscan: the definition of the tool \"mcp__mail__read\": `},
		{"another definition", other, 200, "Hello"},
		{"the poisoned one again", requestOf(poison, ""), 403, `blocked by mcpscan: the definition of the tool \"mcp__mail__read\": `},
		{"a poisoned result", requestOf("Reads mail.", historyOf(poison)), 403, `blocked by mcpscan: the result of the call \"t1\": `},
		{"again, with more behind it", requestOf("Reads mail.", historyOf(poison)+`,{"role":"user","content":"Go on"}`), 403, "blocked by mcpscan: the result"},
		{"a poisoned result and invalid UTF-8", requestOf("Reads mail.", historyOf(poison+"\xff")), 403, `blocked by mcpscan: the result of the call \"t1\": `},
		{"honest again", honest, 200, "Hello"},
		{"a call that was made before", requestOf("Reads mail.", strings.ReplaceAll(historyOf("Done."), "mcp__mail__read", "mcp__mail__denied_send")), 200, "Hello"},
	}
	for _, test := range tests {
		if status, _, got := a.ask("/v1/messages", test.body); status != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s: %d %s", test.name, status, got)
		}
	}
	if t.Failed() {
		t.Log(a.events())
	}
}

// TestLLMObserves checks that in observe mode everything is forwarded unchanged.
func TestLLMObserves(t *testing.T) {
	answer := anthropicStart + anthropicCall + anthropicEnd
	got := ""
	a := inFrontOf(t, blockingEngine(t), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		say(w, stream, answer)
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) {
		o.Observe, o.FailClosed = true, true
	})
	body := requestOf(poison, historyOf(poison))
	if status, _, said := a.ask("/v1/messages", body); status != 200 || said != answer || got != body {
		t.Errorf("%d %s\nthe provider got %s", status, said, got)
	}
	if events := a.events(); strings.Contains(events, "refuse") || !strings.Contains(events, "tools/call denied_send") {
		t.Errorf("the call was not judged:\n%s", events)
	}
}

// TestLLMFailsClosed checks that requests and answers that cannot be judged are refused if
// fail_closed is set.
func TestLLMFailsClosed(t *testing.T) {
	for name, test := range map[string]struct{ ask, kind, answer, want string }{
		"an answer of no format":  {anthropicAsk, inJSON, `{"something":"else"}`, "in an unknown format"},
		"an answer that is none":  {anthropicAsk, "text/html", `<html>`, "that is not JSON"},
		"an answer that is long":  {anthropicAsk, inJSON, anthropicBody("end_turn", `{"type":"text","text":"`+strings.Repeat("long ", 1<<18)+`"}`), "exceeds the limit"},
		"a document as a stream":  {anthropicAsk, stream, "{\n" + anthropicBody("end_turn", `{"type":"text","text":"`+strings.Repeat("long ", 1<<18)+`"}`)[1:], "exceeds the limit"},
		"an event that is long":   {anthropicAsk, stream, anthropicStart + `data: {"type":"x","text":"` + strings.Repeat("long ", 1<<20) + "\"}\n\n", "exceeds the limit"},
		"a stream of no format":   {anthropicAsk, stream, "data: {\"calls\":[\"denied_send\"]}\n\ndata: 1\n\n", "in an unknown format"},
		"a request that is long":  {requestOf(strings.Repeat("long ", 1<<18), ""), inJSON, "{}", "exceeds the limit"},
		"an answer with NaN":      {anthropicAsk, inJSON, strings.Replace(anthropicBody("end_turn", ""), `"usage":{}`, `"usage":NaN`, 1), "not valid JSON"},
		"an event with NaN":       {anthropicAsk, stream, anthropicStart + strings.Replace(anthropicEnd, `"usage":{}`, `"usage":NaN`, 1), "not valid JSON"},
		"a request with NaN":      {strings.Replace(anthropicAsk, `:10,`, `:NaN,`, 1), inJSON, anthropicBody("end_turn", ""), "not valid JSON"},
		"an error of the request": {anthropicAsk, inJSON, `{"type":"error","error":{"type":"x","message":"y"}}`, `{"type":"x","message":"y"}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, closed := range []bool{true, false} {
				a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					say(w, test.kind, test.answer)
				}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) { o.FailClosed = closed })
				status, _, got := a.ask("/v1/messages", test.ask)
				switch {
				case closed && (!strings.Contains(got, test.want) || !strings.Contains(got, `"type":"error"`)):
					t.Errorf("%d %.300s", status, got)
				case !closed && got != test.answer:
					t.Errorf("passed on as %d %.300s", status, got)
				case !closed && !strings.Contains(name, "error") && !strings.Contains(a.events(), "forward"):
					t.Errorf("it was not counted: %s", a.events())
				}
			}
		})
	}
}

// TestLLMUnrecorded checks what happens to a part of a stream that cannot be recorded, and thus not judged:
// text replaces its calls, and the whole part is withheld if fail_closed is set.
func TestLLMUnrecorded(t *testing.T) {
	call := `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read","args":{}}}]}}]}` + "\n\n"
	hello := `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]}}]}` + "\n\n"
	end := `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"End"}]},"finishReason":"STOP"}]}` + "\n\n"
	instead := `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"[mcpscan] Tool 'read' blocked by policy: the call is incomplete or could not be inspected"}]}}]}` + "\n\n"
	for name, answer := range map[string]string{"a call": hello + call + end, "the last call": hello + call} {
		for _, closed := range []bool{true, false} {
			a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				say(w, stream, answer)
			}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, u *proxy.Upstream) {
				o.FailClosed = closed
				u.Given = func(http.Header) text.Secrets { return text.NewSecrets([]string{":true,"}, nil) } // masks a part of the line itself
			})
			_, _, got := a.ask("/v1beta/models/m:streamGenerateContent", `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`)
			events := a.events()
			switch {
			case !closed && (got != strings.Replace(answer, call, instead, 1) || !strings.Contains(events, "forward llm a model response was not inspected") || strings.Contains(events, "refuse")):
				t.Errorf("%s: %s\n%s", name, got, events)
			case closed && (!strings.HasPrefix(got, hello) || strings.Contains(got, "functionCall") || strings.Contains(got, "End") || strings.Count(got, "fail_closed") != 1 ||
				strings.Count(events, "refuse llm a model response was not inspected") != 1):
				t.Errorf("fail_closed: %s: %s\n%s", name, got, events)
			}
		}
	}
}

// TestLLMTextFlows checks that text reaches the agent while a later call is incomplete, and that
// the call reaches it only once it is complete.
func TestLLMTextFlows(t *testing.T) {
	for name, parts := range map[string][4]string{
		"/v1/messages": {anthropicStart, `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}}` + "\n\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n",
			strings.ReplaceAll(anthropicCall, "denied_send", "read"), anthropicEnd},
		"/v1/chat/completions": {chunk(`{"role":"assistant","content":""}`, "null"), chunk(`{"content":"Hello"}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":""}}]}`, "null"), chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`, "null") + chunk("{}", "tool_calls") + "data: [DONE]\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			next := make(chan bool)
			a := inFrontOf(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", stream)
				half := len(parts[2]) / 2
				for _, part := range []string{parts[0], parts[1], parts[2][:half] + "", parts[2][half:] + parts[3]} {
					_, _ = io.WriteString(w, part)
					w.(http.Flusher).Flush()
					<-next
				}
			}, nil)
			resp, err := http.Post(a.url+name, inJSON, strings.NewReader(anthropicAsk))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			read := bufio.NewReader(resp.Body)
			for _, want := range parts[:2] {
				got := make([]byte, len(want))
				if _, err := io.ReadFull(read, got); err != nil || string(got) != want {
					t.Fatalf("%q %v, want %q", got, err, want)
				}
				next <- true
			}
			go func() { next <- true; next <- true }()
			rest, err := io.ReadAll(read)
			if want := parts[2] + parts[3]; err != nil || string(rest) != want {
				t.Errorf("%q %v, want %q", rest, err, want)
			}
		})
	}
}

// TestLLMInspectsAlongside checks that a request that cannot be refused is inspected while the
// provider works on it, and that a call in the answer waits for the inspection, but text does not.
// A request that can be refused must not be sent before its inspection.
func TestLLMInspectsAlongside(t *testing.T) {
	text := anthropicStart + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}}` + "\n\n"
	for name, engine := range map[string]*scanner.Engine{"alongside": engineOf(t, scanner.Options{Policy: denying{}, Pinning: &scanner.Pinning{OnChange: scanner.Allow}}), "before": blockingEngine(t)} {
		t.Run(name, func(t *testing.T) {
			inspect, inspects, asked := make(chan bool), make(chan bool, 9), make(chan bool, 1)
			a := inFrontOf(t, engine, func(w http.ResponseWriter, r *http.Request) {
				asked <- true
				say(w, stream, text+anthropicCall+anthropicEnd)
			}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) {
				o.Record = func(*scanner.Event) { inspects <- true; <-inspect }
			})
			got := make(chan string)
			go func() {
				resp, err := http.Post(a.url+"/v1/messages", inJSON, strings.NewReader(requestOf("Reads mail.", "")))
				if err != nil {
					got <- err.Error()
					return
				}
				defer resp.Body.Close()
				head := make([]byte, len(text))
				_, _ = io.ReadFull(resp.Body, head)
				got <- string(head)
				rest, _ := io.ReadAll(resp.Body)
				got <- string(rest)
			}()
			if name == "alongside" {
				if head := <-got; head != text {
					t.Errorf("the agent got %s", head)
				}
				close(inspect)
			} else {
				<-inspects
				if len(asked) > 0 {
					t.Error("the provider was asked before")
				}
				close(inspect)
				<-got
			}
			if rest := <-got; !strings.Contains(rest, "blocked by policy") || strings.Contains(rest, "tool_use\",") {
				t.Errorf("the agent got %s", rest)
			}
		})
	}
}

// TestLLMPanics checks that a panic in an inspection that nobody is waiting for ends only
// the exchange that is inspected.
func TestLLMPanics(t *testing.T) {
	a := inFrontOf(t, engineOf(t, scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Allow}}), func(w http.ResponseWriter, r *http.Request) {
		say(w, stream, anthropicStart+anthropicCall+anthropicEnd)
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) {
		o.Record = func(*scanner.Event) { panic("a bug") }
	})
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	resp, err := http.Post(a.url+"/v1/messages", inJSON, strings.NewReader(requestOf("Reads mail.", "")))
	if err == nil {
		defer resp.Body.Close()
		var got []byte
		if got, err = io.ReadAll(resp.Body); err == nil || strings.Contains(string(got), "tool_use") {
			t.Errorf("the agent got %s", got)
		}
	}
}
