package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestLLMTruncated checks that a call is not forwarded if the stream ends before the call does, between
// events or within one, and that the events before it are.
func TestLLMTruncated(t *testing.T) {
	const (
		begun    = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}\n\n"
		block    = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"good\",\"input\":{}}}\n\n"
		input    = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n"
		stop     = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
		hello    = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},\"finish_reason\":null}]}\n\n"
		piece    = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":\"good\",\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}\n\n"
		finished = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
		done     = "data: [DONE]\n\n"
	)
	anthropic := `{"model":"c","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"good","description":"g","input_schema":{"type":"object"}}]}`
	chat := `{"model":"g","stream":true,"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"good","description":"g","parameters":{"type":"object"}}}]}`
	for name, c := range map[string]struct {
		path, request, before, call, end string // the call is complete with end
		called                           string
	}{
		"anthropic":             {"/v1/messages", anthropic, begun, block + input, stop, `"tool_use"`},
		"chat":                  {"/v1/chat/completions", chat, hello, piece, finished, `"tool_calls":`},
		"chat without a reason": {"/v1/chat/completions", chat, hello, piece, done, `"tool_calls":`},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ""
			a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, _ *http.Request) { say(w, stream, answer) }, nil)
			ask := func(text string) string {
				answer = text
				_, _, got := a.ask(c.path, c.request)
				return got
			}
			if whole := c.before + c.call + c.end; ask(whole) != whole {
				t.Errorf("a complete call was changed: %s", a.events())
			}
			for _, part := range []string{c.call, c.call + c.end[:len(c.end)/2], c.call[:len(c.call)-5]} {
				got := ask(c.before + part)
				last := part[strings.LastIndex(part, "\n\n")+1:] // what is cut off within an event is forwarded last
				if !strings.HasPrefix(got, c.before) || strings.Contains(strings.TrimSuffix(got, strings.TrimLeft(last, "\n")), c.called) || !strings.HasSuffix(got, strings.TrimLeft(last, "\n")) {
					t.Errorf("%q:\n%s", part, got)
				}
			}
		})
	}
}
