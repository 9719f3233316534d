package proxy

import (
	"testing"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestLLMRewritesProviderResults replaces refused results of MCP servers that the provider called,
// and keeps the type of their members, which SDKs check.
func TestLLMRewritesProviderResults(t *testing.T) {
	const text = `"[mcpscan] Tool result blocked by policy: it is evil"`
	for item, want := range map[string]string{
		`{"type":"mcp_call","id":"a","output":"evil","error":null}`:             `{"type":"mcp_call","id":"a","output":` + text + `,"error":null}`,
		`{"type":"mcp_call","id":"a","output":null,"error":"evil"}`:             `{"type":"mcp_call","id":"a","output":null,"error":` + text + `}`,
		`{"type":"mcp_list_tools","id":"l","tools":[],"error":"evil"}`:          `{"type":"mcp_list_tools","id":"l","tools":[],"error":` + text + `}`,
		`{"type":"program_output","call_id":"p","result":"evil"}`:               `{"type":"program_output","call_id":"p","result":` + text + `}`,
		`{"type":"mcp_tool_result","tool_use_id":"u","content":[{"x":"evil"}]}`: `{"type":"mcp_tool_result","tool_use_id":"u","is_error":true,"content":[{"type":"text","text":` + text + `}]}`,
	} {
		said := []replay.Said{{Kind: replay.SaidResult, Path: "/output/0", Decision: scanner.Decision{Verdict: scanner.Block, Check: scanner.OutputCheck, Reason: "it is evil"}}}
		if got := string(rewriteLLM([]byte(`{"output":[`+item+`]}`), said)); got != `{"output":[`+want+`]}` {
			t.Errorf("%s became %s", item, got)
		}
	}
}

// TestLLMRewritesGeminiResults checks that refused results of tools that Gemini ran are replaced.
func TestLLMRewritesGeminiResults(t *testing.T) {
	const body = `{"candidates":[{"content":{"parts":[{"codeExecutionResult":{"output":"evil"}},{"toolResponse":{"response":{"a":"evil"}}}]},"groundingMetadata":{"groundingChunks":[{"web":{"title":"evil"}}]}}],"steps":[{"type":"mcp_server_tool_result","call_id":"m","result":[{"type":"text","text":"evil"}]}],"delta":{"type":"mcp_server_tool_result","result":"evil"}}`
	const want = `{"candidates":[{"content":{"parts":[{"text":"[mcpscan] Tool result blocked by policy: it is evil"},{"text":"[mcpscan] Tool result blocked by policy: it is evil"}]},"groundingMetadata":{}}],"steps":[{"type":"mcp_server_tool_result","call_id":"m","result":"[mcpscan] Tool result blocked by policy: it is evil"}],"delta":{"type":"mcp_server_tool_result","result":"[mcpscan] Tool result blocked by policy: it is evil"}}`
	var said []replay.Said
	for _, path := range []string{"/candidates/0/content/parts/0/codeExecutionResult", "/candidates/0/content/parts/1/toolResponse", "/steps/0", "/delta", "/candidates/0/groundingMetadata"} {
		said = append(said, replay.Said{Kind: replay.SaidResult, Path: path, Decision: scanner.Decision{Verdict: scanner.Block, Check: scanner.OutputCheck, Reason: "it is evil"}})
	}
	if got := string(rewriteLLM([]byte(body), said)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
