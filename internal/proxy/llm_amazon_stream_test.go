package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

const (
	converseAsk   = `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"denied_send","inputSchema":{"json":{"type":"object"}}}}]}}`
	converseStart = `messageStart {"role":"assistant"}` + "\n" + `contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"Hello"}}` + "\n"
	converseCall  = `contentBlockStart {"contentBlockIndex":1,"start":{"toolUse":{"name":"denied_send","toolUseId":"t"}}}` + "\n"
	converseArgs  = `contentBlockDelta {"contentBlockIndex":1,"delta":{"toolUse":{"input":"{}"}}}` + "\n"
	converseStop  = `contentBlockStop {"contentBlockIndex":1}` + "\n"
	converseEnd   = `messageStop {"stopReason":"tool_use"}` + "\n"
)

// TestLLMFrames checks that a truncated, forged or unusual Bedrock stream lets neither unjudged
// calls nor incomplete frames pass.
func TestLLMFrames(t *testing.T) {
	whole := amazonFrames(t, converseStart+converseCall+converseArgs+converseStop+converseEnd)
	begin := len(amazonFrames(t, converseStart))
	forged := []byte(whole)
	forged[len(forged)-1] ^= 1
	twice := strings.ReplaceAll(amazonFrames(t, converseCall), ":content-type", ":message-type")
	tests := map[string]struct{ answer, gone, kept string }{
		"a call":                     {whole, "toolUse", "end_turn"},
		"a call that breaks off":     {amazonFrames(t, converseStart+converseCall+converseArgs), "toolUse", "Hello"},
		"a frame that breaks off":    {whole[:begin+20], "toolUse", "Hello"},
		"a block without an end":     {amazonFrames(t, converseStart+converseCall+converseArgs+converseEnd), "toolUse", "blocked by policy"},
		"a delta without its block":  {amazonFrames(t, converseStart+converseArgs+converseStop+converseEnd), "toolUse", "blocked by policy"},
		"no index":                   {amazonFrames(t, strings.ReplaceAll(converseStart+converseCall+converseArgs+converseStop+converseEnd, `"contentBlockIndex":1`, `"other":1`)), "toolUse", "blocked by policy"},
		"a checksum that is wrong":   {string(forged), "toolUse", "modelStreamErrorException"},
		"a header that stands twice": {whole[:begin] + twice, "toolUse", "modelStreamErrorException"},
		"a payload of two values":    {whole[:begin] + amazonFrames(t, `metadata {"usage":{}},"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"name":"denied_send"}}}`), "toolUse", "modelStreamErrorException"},
		"text behind the frames":     {whole + `{"output":{"message":{"content":[{"toolUse":{"name":"denied_send"}}]}}}`, "toolUse", "end_turn"},
		"an exception":               {amazonFrames(t, converseStart) + amazonFrames(t, `throttlingException {"message":"Too many tokens"}`), "toolUse", "Too many tokens"},
		"an unknown event":           {amazonFrames(t, converseStart+`somethingNew {"a":1}`+"\n"+converseCall+converseArgs+converseStop+converseEnd), "toolUse", "somethingNew"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := inFrontOf(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, _ *http.Request) { say(w, amazonStream, test.answer) }, nil)
			_, _, got := a.ask("/model/m/converse-stream", converseAsk)
			got, broken, _ := strings.Cut(got, "\nbroken: ") // as added by front
			if (broken != "") != (name == "a frame that breaks off") {
				t.Errorf("the connection broke off: %q", broken)
			}
			if lines := amazonLines(t, got); strings.Contains(lines, test.gone) || !strings.Contains(lines, test.kept) {
				t.Errorf("the agent got\n%s\n%s", lines, a.events())
			}
		})
	}
	for _, closed := range []bool{true, false} { // events of another operation, and a frame over the limit
		other := amazonFrames(t, `chunk {"bytes":"eyJ0eXBlIjoidG9vbF91c2UifQ=="}`)
		b := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, _ *http.Request) { say(w, amazonStream, other) },
			func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) { o.FailClosed = closed })
		if _, _, got := b.ask("/model/m/converse-stream", converseAsk); closed != strings.Contains(got, "an unknown format") || closed == strings.Contains(got, "bytes") {
			t.Errorf("fail_closed %v: %.300s", closed, got)
		}
		long := amazonFrames(t, converseStart+`contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"`+strings.Repeat("long ", 1<<18)+`"}}`)
		a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, _ *http.Request) { say(w, amazonStream, long) },
			func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) { o.FailClosed = closed })
		if _, _, got := a.ask("/model/m/converse-stream", converseAsk); closed != strings.Contains(got, "exceeds the limit") || !closed && got != long {
			t.Errorf("fail_closed %v: %.300s", closed, got)
		}
		if !strings.Contains(a.events(), "exceeds the limit") {
			t.Errorf("it was not counted: %s", a.events())
		}
	}
}
