package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// shellDenied is a policy that refuses calls to OpenAI's shell tools.
type shellDenied struct{}

func (shellDenied) Decide(r *scanner.PolicyRequest) scanner.Decision {
	if strings.HasSuffix(r.Target, "shell") {
		return scanner.Decision{Verdict: scanner.Block, Check: scanner.PolicyCheck, Rule: "no-shell", Reason: "no shell"}
	}
	return scanner.Decision{}
}

// TestLLMBuiltInTools checks that calls to OpenAI's own tools that the agent runs are judged before it
// gets them, and that those that the provider runs are forwarded.
func TestLLMBuiltInTools(t *testing.T) {
	request := `{"model":"g","input":"x","tools":[{"type":"local_shell"},{"type":"shell"},{"type":"apply_patch"},{"type":"web_search"}]}`
	items := map[string]struct {
		item    string
		blocked bool
	}{
		"local_shell": {`{"type":"local_shell_call","id":"i1","call_id":"c1","status":"completed","action":{"type":"exec","command":["rm","-rf","/"],"env":{}}}`, true},
		"shell":       {`{"type":"shell_call","id":"i1","call_id":"c1","status":"completed","action":{"commands":["rm -rf /"]}}`, true},
		"container":   {`{"type":"shell_call","id":"i1","call_id":"c1","status":"completed","action":{"commands":["ls"]},"environment":{"type":"container_reference","container_id":"c"}}`, false},
		"apply_patch": {`{"type":"apply_patch_call","id":"i1","call_id":"c1","status":"completed","operation":{"type":"update_file","path":"a.go","diff":"x"}}`, false},
		"web_search":  {`{"type":"web_search_call","id":"i1","status":"completed","action":{"type":"search","query":"x"}}`, false},
	}
	for name, c := range items {
		for kind, answer := range map[string]string{
			inJSON: `{"id":"r","object":"response","status":"completed","output":[` + c.item + `]}`,
			stream: "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]},\"sequence_number\":0}\n\n" +
				"event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":" + c.item + ",\"sequence_number\":1}\n\n" +
				"event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":" + c.item + ",\"sequence_number\":2}\n\n" +
				"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[" + c.item + "]},\"sequence_number\":3}\n\n",
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				a := inFrontOf(t, engineOf(t, scanner.Options{Policy: shellDenied{}}), func(w http.ResponseWriter, _ *http.Request) { say(w, kind, answer) }, nil)
				body := request
				if kind == stream {
					body = strings.Replace(request, `"model"`, `"stream":true,"model"`, 1)
				}
				_, _, got := a.ask("/v1/responses", body)
				if !c.blocked && got != answer {
					t.Errorf("the answer was changed: %s", got)
				}
				if c.blocked && (strings.Contains(got, "_call") || !strings.Contains(got, "no shell")) {
					t.Errorf("the call was not blocked: %s\n%s", got, a.events())
				}
			})
		}
	}
}
