package proxy_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// refusedArgument is a policy that refuses calls with the word evil in any argument.
type refusedArgument struct{}

func (refusedArgument) Decide(r *scanner.PolicyRequest) scanner.Decision {
	for _, a := range r.Arguments {
		if strings.Contains(a.Text, "evil") {
			return scanner.Decision{Verdict: scanner.Block, Check: scanner.PolicyCheck, Rule: "no-evil", Reason: "an argument is evil"}
		}
	}
	return denying{}.Decide(r)
}

const (
	anthropicAsk = `{"model":"claude-sonnet-4-5","max_tokens":10,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"mcp__mail__denied_send","input_schema":{"type":"object"}}]}`
	chatAsk      = `{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"mcp__mail__denied_send","parameters":{"type":"object"}}}]}`

	interactionAsk   = `{"model":"m","input":"Hi","generation_config":{}}`
	interactionStart = `data: {"event_type":"interaction.created","interaction":{"id":"i","status":"in_progress"}}` + "\n\n"
	interactionCall  = `data: {"event_type":"step.start","index":0,"step":{"type":"function_call","id":"f","name":"mcp_mail_denied_send","arguments":{}}}` + "\n\n" +
		`data: {"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{}"}}` + "\n\n" +
		`data: {"event_type":"step.stop","index":0}` + "\n\n"
	interactionEnd = `data: {"event_type":"interaction.completed","interaction":{"id":"i","status":"requires_action"}}` + "\n\n" + "data: [DONE]\n\n"

	anthropicStart = `data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"usage":{}}}` + "\n\n"
	anthropicCall  = `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"mcp__mail__denied_send","input":{}}}` + "\n\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":0}` + "\n\n"
	anthropicEnd = `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
)

// chatBody returns a Chat Completions answer with calls and a finish reason.
func chatBody(reason, calls string) string {
	return `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,` + calls + `},"finish_reason":"` + reason + `"}]}`
}

func anthropicBody(reason, blocks string) string {
	return `{"id":"m","type":"message","role":"assistant","model":"x","content":[` + blocks + `],"stop_reason":"` + reason + `","usage":{}}`
}

func toolUse(id, name, input string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}`
}

func chunk(delta, reason string) string {
	if reason != "null" {
		reason = `"` + reason + `"`
	}
	return `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}` + "\n\n"
}

const deniedFunction = `"function":{"name":"mcp__mail__denied_send","arguments":"{}"}`

// TestLLMLeaks checks that no refused call gets through by evasions that defeated another project's
// proxy, or by similar ones.
func TestLLMLeaks(t *testing.T) {
	deniedCall := `"tool_calls":[{"id":"c1","type":"function",` + deniedFunction + `}]`
	deniedUse := toolUse("t1", "mcp__mail__denied_send", "{}")
	long := strings.Repeat("a long text ", 30<<10) // more than 256 KiB
	tests := map[string]struct {
		ask, kind, answer string
		gone              []string // text that the agent must not receive
		kept              []string // text that the agent must receive
	}{
		"stop_reason max_tokens":      {anthropicAsk, inJSON, anthropicBody("max_tokens", deniedUse), []string{`"tool_use"`}, []string{`"max_tokens"`, "blocked by policy"}},
		"stop_reason pause_turn":      {anthropicAsk, inJSON, anthropicBody("pause_turn", deniedUse), []string{`"tool_use"`}, []string{`"pause_turn"`}},
		"stop_reason end_turn":        {anthropicAsk, inJSON, anthropicBody("end_turn", deniedUse), []string{`"tool_use"`}, []string{`"end_turn"`}},
		"finish_reason stop":          {chatAsk, inJSON, chatBody("stop", deniedCall), []string{"tool_calls", "denied_send\",\"arg"}, []string{`"finish_reason":"stop"`}},
		"finish_reason length":        {chatAsk, inJSON, chatBody("length", deniedCall), []string{"tool_calls"}, []string{`"finish_reason":"length"`}},
		"finish_reason unknown":       {chatAsk, inJSON, chatBody("whatever", deniedCall), []string{"tool_calls"}, []string{"whatever"}},
		"legacy function_call":        {chatAsk, inJSON, chatBody("function_call", `"function_call":{"name":"mcp__mail__denied_send","arguments":"{}"}`), []string{"function_call"}, []string{`"finish_reason":"stop"`}},
		"the Responses API":           {`{"model":"m","input":"Hi"}`, inJSON, `{"id":"r","object":"response","status":"completed","output":[{"type":"function_call","id":"f","call_id":"c","name":"mcp__mail__denied_send","arguments":"{}"}]}`, []string{"function_call"}, []string{"output_text"}},
		"Gemini":                      {`{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`, inJSON, `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"mcp_mail_denied_send","args":{}}}]},"finishReason":"STOP"}]}`, []string{"functionCall"}, nil},
		"Gemini in snake case":        {`{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`, inJSON, `{"candidates":[{"content":{"role":"model","parts":[{"function_call":{"name":"denied_send","args":{}}}]},"finishReason":"STOP"}]}`, []string{"function_call"}, nil},
		"a list of Gemini's answers":  {`{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`, inJSON, `[{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]},{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"denied_send","args":{}}}]}}]}]`, []string{"functionCall"}, nil},
		"a Gemini interaction":        {`{"model":"m","input":"Hi","generation_config":{}}`, inJSON, `{"id":"i","status":"requires_action","steps":[{"type":"function_call","id":"f","name":"mcp_mail_denied_send","arguments":{}}]}`, []string{"function_call"}, []string{"model_output", `"status":"completed"`}},
		"Gemini's older interactions": {`{"model":"m","input":"Hi","generation_config":{}}`, inJSON, `{"id":"i","object":"interaction","status":"requires_action","outputs":[{"type":"function_call","id":"f","name":"mcp_mail_denied_send","arguments":{}}]}`, []string{"function_call"}, []string{`"type":"text"`, `"status":"completed"`}},
		"a stream of an interaction":  {interactionAsk, stream, interactionStart + interactionCall + interactionEnd, []string{"function_call", "arguments_delta", "requires_action"}, []string{`"step":{"type":"model_output"}`, "blocked by policy", `"index":0}`, `"status":"completed"`, "[DONE]"}},
		"Gemini's older streams":      {interactionAsk, stream, strings.NewReplacer("step.", "content.", `"step"`, `"content"`).Replace(interactionStart+interactionCall) + interactionEnd, []string{"function_call", "arguments_delta", "requires_action"}, []string{`"content":{"type":"text"`, "blocked by policy", `"status":"completed"`}},
		"two steps, one refused": {interactionAsk, stream, interactionStart + strings.ReplaceAll(strings.ReplaceAll(interactionCall, `"index":0`, `"index":1`), "denied_send", "post") + interactionCall + interactionEnd,
			[]string{"denied_send\""}, []string{`"name":"mcp_mail_post"`, "blocked by policy", `"requires_action"`}},
		"an interaction's last event":  {interactionAsk, stream, interactionStart + strings.Replace(interactionEnd, `"status"`, `"steps":[{"type":"function_call","id":"f","name":"denied_send","arguments":{}}],"status"`, 1), []string{"function_call", "requires_action"}, []string{"model_output", "blocked by policy"}},
		"steps that break off":         {interactionAsk, stream, interactionStart + interactionCall[:strings.Index(interactionCall, `data: {"event_type":"step.stop"`)], []string{"function_call"}, []string{"model_output"}},
		"arguments without a step":     {interactionAsk, stream, interactionStart + strings.ReplaceAll(interactionCall, "step.start", "step.begin") + interactionEnd, []string{"arguments_delta"}, nil},
		"an index that is used again":  {interactionAsk, stream, interactionStart + interactionCall + strings.ReplaceAll(interactionCall, "denied_send", "post") + interactionEnd, []string{"denied_send\""}, []string{`"name":"mcp_mail_post"`, "blocked by policy", `"requires_action"`}},
		"Ollama":                       {`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`, inJSON, `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"mcp__mail__denied_send","arguments":{}}}]},"done":true}`, []string{"tool_calls"}, []string{"blocked by policy"}},
		"a name without a server":      {anthropicAsk, inJSON, anthropicBody("tool_use", toolUse("t", "denied_send", "{}")), []string{`"tool_use"`}, nil},
		"an escaped name":              {anthropicAsk, inJSON, anthropicBody("tool_use", toolUse("t", `mcp__mail__\u0064enied_send`, "{}")), []string{`"type":"tool_use"`}, nil},
		"a member twice":               {anthropicAsk, inJSON, strings.Replace(anthropicBody("tool_use", deniedUse), `"content":`, `"content":[],"content":`, 1), []string{`"type":"tool_use"`}, nil},
		"one of two of one name":       {anthropicAsk, inJSON, anthropicBody("tool_use", toolUse("t1", "post", `{"to":"bob"}`)+","+toolUse("t2", "post", `{"to":"evil"}`)), []string{`"to":"evil"`}, []string{`"bob"`, `"tool_use"`}},
		"two calls of one id":          {anthropicAsk, inJSON, anthropicBody("tool_use", toolUse("t1", "post", `{"to":"bob"}`)+","+toolUse("t1", "post", `{"to":"evil"}`)), []string{`"to":"evil"`}, []string{`"bob"`}},
		"one call twice":               {anthropicAsk, inJSON, anthropicBody("tool_use", deniedUse+","+deniedUse), []string{`"tool_use"`}, []string{"end_turn"}},
		"a call without an id":         {chatAsk, inJSON, chatBody("tool_calls", `"tool_calls":[{"type":"function",`+deniedFunction+`}]`), []string{"tool_calls"}, nil},
		"arguments that are no JSON":   {chatAsk, inJSON, chatBody("tool_calls", `"tool_calls":[{"id":"c","type":"function","function":{"name":"post","arguments":"to: evil"}}]`), []string{"tool_calls"}, nil},
		"a custom tool":                {chatAsk, inJSON, chatBody("tool_calls", `"tool_calls":[{"id":"c","type":"custom","custom":{"name":"denied_run","input":"x"}}]`), []string{"custom"}, nil},
		"text beside a refused call":   {chatAsk, inJSON, strings.Replace(chatBody("tool_calls", deniedCall), `"content":null`, `"content":"Wait <b>&"`, 1), []string{"tool_calls"}, []string{`"content":"Wait <b>&\n\n[mcpscan]`}},
		"another content type":         {anthropicAsk, "text/plain", anthropicBody("tool_use", deniedUse), []string{`"tool_use"`}, nil},
		"JSON that says it streams":    {anthropicAsk, stream, anthropicBody("tool_use", deniedUse), []string{`"tool_use"`}, []string{"blocked by policy"}},
		"a number that is not JSON":    {anthropicAsk, inJSON, strings.Replace(anthropicBody("tool_use", deniedUse), `"usage":{}`, `"usage":NaN`, 1), []string{`"tool_use"`}, []string{"blocked by policy"}},
		"invalid UTF-8":                {anthropicAsk, inJSON, strings.Replace(anthropicBody("tool_use", deniedUse), `"x"`, "\"x\xff\"", 1), []string{`"tool_use"`}, []string{"blocked by policy"}},
		"text after the answer":        {anthropicAsk, inJSON, anthropicBody("tool_use", deniedUse) + "x", []string{`"tool_use"`}, []string{"blocked by policy"}},
		"a stream with invalid UTF-8":  {anthropicAsk, stream, strings.ReplaceAll(anthropicStart+anthropicCall+anthropicEnd, `{"type":`, "{\"x\":\"\xff\",\"type\":"), []string{`"tool_use"`}, []string{"end_turn"}},
		"a stream with text after it":  {anthropicAsk, stream, strings.ReplaceAll(anthropicStart+anthropicCall+anthropicEnd, "}\n\n", "} x\n\n"), []string{`"tool_use"`}, []string{"end_turn"}},
		"chunks with odd numbers":      {chatAsk, stream, strings.ReplaceAll(chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"function",`+deniedFunction+`}]}`, "tool_calls"), `"index":0,`, `"index":0,"logprob":-Infinity,`) + "data: [DONE]\n\n", []string{`"tool_calls"`}, []string{`"finish_reason":"stop"`, "[DONE]"}},
		"Gemini with odd numbers":      {`{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`, stream, `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"denied_send","args":{}}}]},"avgLogprobs":NaN}]}` + "\n\n", []string{"functionCall"}, []string{"blocked by policy"}},
		"lines of data":                {anthropicAsk, stream, anthropicStart + strings.ReplaceAll(anthropicCall, "\n\n", "\n") + "\n" + anthropicEnd, []string{`"tool_use"`}, []string{"clients read different events"}},
		"a stream that says it is not": {anthropicAsk, inJSON, anthropicStart + anthropicCall + anthropicEnd, []string{`"tool_use"`}, []string{"blocked by policy"}},
		"a stream":                     {anthropicAsk, stream, anthropicStart + anthropicCall + anthropicEnd, []string{`"tool_use"`}, []string{"end_turn"}},
		"a byte order mark":            {anthropicAsk, stream, "\xEF\xBB\xBF" + anthropicStart + anthropicCall + anthropicEnd, []string{`"tool_use"`}, []string{"blocked by policy"}},
		"CR ends lines":                {anthropicAsk, stream, strings.ReplaceAll(anthropicStart+anthropicCall+anthropicEnd, "\n", "\r"), []string{`"tool_use"`}, []string{"blocked by policy"}},
		"CRLF ends lines":              {anthropicAsk, stream, strings.ReplaceAll(anthropicStart+anthropicCall+anthropicEnd, "\n", "\r\n"), []string{`"tool_use"`}, []string{"blocked by policy"}},
		"data of several lines":        {anthropicAsk, stream, anthropicStart + strings.ReplaceAll(anthropicCall, `,"`, ",\ndata: \"") + anthropicEnd, []string{`"tool_use"`}, []string{"blocked by policy"}},
		"a line of more than 256 KiB":  {anthropicAsk, stream, anthropicStart + `data: {"type":"content_block_start","index":7,"content_block":{"type":"text","text":"` + long + `"}}` + "\n\n" + anthropicCall + anthropicEnd, []string{`"tool_use"`}, []string{long, "blocked by policy", "end_turn"}},
		"unknown events":               {anthropicAsk, stream, anthropicStart + "event: new\ndata: {\"type\":\"new\"}\n\n" + anthropicCall + anthropicEnd, []string{`"tool_use"`}, []string{`{"type":"new"}`}},
		"a call that breaks off":       {anthropicAsk, stream, anthropicStart + anthropicCall[:strings.Index(anthropicCall, `data: {"type":"content_block_stop"`)], []string{`"tool_use"`}, nil},
		"an event that breaks off":     {anthropicAsk, stream, anthropicStart + strings.TrimSuffix(anthropicCall, "\n\n"), []string{`"tool_use"`}, []string{"blocked by policy"}},
		"blocks that interleave": {anthropicAsk, stream, anthropicStart + `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"post","input":{}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"post","input":{}}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"to\":\"bob\"}"}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"to\":\"evil\"}"}}` + "\n\n" +
			`data: {"type":"content_block_stop","index":1}` + "\n\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" + anthropicEnd,
			[]string{`evil\"`}, []string{`bob`, `"stop_reason":"tool_use"`}},
		"a call in message_start":     {anthropicAsk, stream, strings.Replace(anthropicStart, `"content":[]`, `"content":[`+deniedUse+`]`, 1) + anthropicEnd, []string{`"type":"tool_use"`}, []string{"blocked by policy"}},
		"calls and reason in a chunk": {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"function",`+deniedFunction+`}]}`, "tool_calls") + "data: [DONE]\n\n", []string{`"tool_calls"`}, []string{`"finish_reason":"stop"`, "[DONE]", `"created":1,"model":"m"`}},
		"a chunk without an id":       {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"type":"function",`+deniedFunction+`}]}`, "null") + chunk(`{}`, "stop") + "data: [DONE]\n\n", []string{`"tool_calls"`}, nil},
		"a name over several chunks": {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp__mail__den","arguments":""}}]}`, "null") +
			chunk(`{"tool_calls":[{"index":0,"function":{"name":"ied_send","arguments":"{}"}}]}`, "null") + chunk(`{}`, "tool_calls") + "data: [DONE]\n\n", []string{`"tool_calls"`, `"name"`}, nil},
		"no finish_reason":           {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"id":"c1",`+deniedFunction+`}]}`, "null") + "data: [DONE]\n\n", []string{`"tool_calls"`}, []string{"[DONE]"}},
		"no end":                     {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"id":"c1",`+deniedFunction+`}]}`, "null"), []string{`"tool_calls"`}, []string{"[mcpscan]"}},
		"numbers without gaps":       {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"id":"c1",`+deniedFunction+`},{"index":1,"id":"c2","function":{"name":"post","arguments":"{}"}}]}`, "null") + chunk(`{}`, "tool_calls"), []string{`"index":1`}, []string{`[{"index":0,"id":"c2"`, `"finish_reason":"tool_calls"`}},
		"two calls of one number":    {chatAsk, stream, chunk(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"post","arguments":"{}"}}]}`, "null") + chunk(`{"tool_calls":[{"index":0,"id":"c2",`+deniedFunction+`}]}`, "null") + chunk(`{}`, "tool_calls"), []string{"c2"}, []string{"c1", `"finish_reason":"tool_calls"`}},
		"a legacy call in a stream":  {chatAsk, stream, chunk(`{"function_call":{"name":"denied_x","arguments":""}}`, "null") + chunk(`{"function_call":{"arguments":"{}"}}`, "null") + chunk(`{}`, "function_call"), []string{"function_call"}, []string{`"finish_reason":"stop"`}},
		"Responses without an item":  {`{"model":"m","input":"Hi"}`, stream, "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"output\":[{\"type\":\"function_call\",\"id\":\"f\",\"call_id\":\"c\",\"name\":\"denied_x\",\"arguments\":\"{}\"}]}}\n\n", []string{"function_call"}, []string{"output_text"}},
		"Responses that break off":   {`{"model":"m","input":"Hi"}`, stream, "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"f\",\"call_id\":\"c\",\"name\":\"denied_x\",\"arguments\":\"\"}}\n\ndata: {\"type\":\"response.function_call_arguments.done\",\"output_index\":0,\"item_id\":\"f\",\"name\":\"denied_x\",\"arguments\":\"{}\"}\n\n", []string{"function_call"}, nil},
		"a content of several parts": {chatAsk, inJSON, strings.Replace(chatBody("tool_calls", deniedCall), `"content":null`, `"content":[{"type":"text","text":"Hi"}]`, 1), []string{"tool_calls"}, []string{`{"type":"text","text":"Hi"},{"type":"text","text":"[mcpscan]`}},
		"a message of calls alone":   {chatAsk, inJSON, strings.Replace(chatBody("tool_calls", deniedCall), `"role":"assistant","content":null,`, ``, 1), []string{"tool_calls"}, []string{`"message":{"content":"[mcpscan]`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := inFrontOf(t, engineOf(t, scanner.Options{Policy: refusedArgument{}}), func(w http.ResponseWriter, _ *http.Request) { say(w, test.kind, test.answer) }, nil)
			status, _, got := a.ask("/v1/any", test.ask)
			if status != 200 {
				t.Errorf("status %d", status)
			}
			for _, s := range test.gone {
				if strings.Contains(got, s) {
					t.Errorf("the agent got %s", s)
				}
			}
			for _, s := range test.kept {
				if !strings.Contains(got, s) {
					t.Errorf("the agent did not get %.200s", s)
				}
			}
			if t.Failed() {
				t.Logf("%.3000s\n%s", got, a.events())
			}
		})
	}
}

// TestLLMEncodings checks that a gzip body is inspected, and that a body in another encoding is
// refused with an error in the provider's format.
func TestLLMEncodings(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(anthropicStart + anthropicCall + anthropicEnd))
	_ = w.Close()
	coding := "gzip"
	a := inFrontOf(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("the proxy asks for %s", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", coding)
		say(w, stream, zipped.String())
	}, nil)
	if status, head, got := a.ask("/v1/messages", anthropicAsk); status != 200 || head.Get("Content-Encoding") != "" || strings.Contains(got, `"tool_use"`) || !strings.Contains(got, "blocked by policy") {
		t.Errorf("gzip: %d %v %s", status, head, got)
	}
	coding = "br"
	if status, _, got := a.ask("/v1/messages", anthropicAsk); status != 502 || !strings.HasPrefix(got, `{"type":"error","error":{"type":"api_error","message":"mcpscan: the provider at`) {
		t.Errorf("br: %d %s", status, got)
	}
	if status, _, got := a.ask("/v1/chat/completions", chatAsk); status != 502 || !strings.HasPrefix(got, `{"error":{"message":"mcpscan: the provider at`) {
		t.Errorf("br: %d %s", status, got)
	}
}

// TestLLMErrorsAreKept checks that provider errors reach the agent unchanged.
func TestLLMErrorsAreKept(t *testing.T) {
	const body = `{"error":{"message":"Overloaded","type":"server_error","code":null}}` + "\n"
	a := inFrontOf(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", inJSON)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(529)
		_, _ = w.Write([]byte(body))
	}, nil)
	if status, head, got := a.ask("/v1/messages", anthropicAsk); status != 529 || got != body || head.Get("Retry-After") != "7" {
		t.Errorf("%d %v %s", status, head, got)
	}
	if events := a.events(); strings.Contains(events, "not inspected") || strings.Contains(events, "no format") {
		t.Errorf("an error counts as not inspected: %s", events)
	}
}
