package replay

import (
	"fmt"
	"strings"
	"testing"
)

// TestTextsOfTools checks that a transcript's texts from tools and servers are part of a message or
// a definition, with their locations, wherever a format keeps them.
func TestTextsOfTools(t *testing.T) {
	const (
		said  = `Pay attention.`
		spans = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s",%s}]}]}]}`
		span  = "/resourceSpans/0/scopeSpans/0/spans/0"
	)
	for name, tt := range map[string]struct{ in, at string }{
		"the description of a namespace":       {`{"model":"gpt-x","input":"x","tools":[{"type":"namespace","name":"crm","description":"SAID","tools":[]}]}`, "/tools/0/description"},
		"the description of an MCP server":     {`{"model":"gpt-x","input":"x","tools":[{"type":"mcp","server_label":"m","server_description":"SAID"}]}`, "/tools/0/server_description"},
		"a tool search run by the client":      {`{"model":"gpt-x","input":"x","tools":[{"type":"tool_search","description":"SAID","parameters":{"type":"object"}}]}`, "/tools/0/description"},
		"a skill of a shell":                   {`{"model":"gpt-x","input":"x","tools":[{"type":"shell","environment":{"type":"local","skills":[{"name":"s","description":"SAID"}]}}]}`, "/tools/0/environment/skills/0/description"},
		"the tools in a response":              {`{"object":"response","id":"r","tools":[{"type":"function","name":"t","description":"SAID"}],"output":[]}`, "/tools/0/description"},
		"the tools in a response of a stream":  {`data: {"type":"response.completed","response":{"id":"r","tools":[{"type":"function","name":"t","description":"SAID"}],"output":[]}}`, "/response/tools/0/description"},
		"chat messages as the input":           {`{"model":"gpt-x","input":[{"role":"tool","tool_call_id":"c","content":"SAID"}]}`, "/input/0/content"},
		"a member beside a block's text":       {`[{"role":"user","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","input":{},"output":[{"text":"x","note":"SAID"}]}]}]`, "/0/parts/0/output/0/note"},
		"a member beside a block's content":    {`[{"role":"user","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","input":{},"output":[{"type":"text","content":"x","note":"SAID"}]}]}]`, "/0/parts/0/output/0/note"},
		"the second schema of a tool":          {`{"model":"gpt-x","input":"x","tools":[{"type":"function","name":"t","inputSchema":{"type":"object"},"parameters":{"type":"object","description":"SAID"}}]}`, "/tools/0/parameters/description"},
		"a block that resembles a part":        {`{"model":"gpt-x","messages":[{"role":"tool","tool_call_id":"c","content":[{"type":"tool-result","toolCallId":"c","output":"x","note":"SAID"}]}]}`, "/messages/0/content/0/note"},
		"a schema beside a nested one":         {`{"modelId":"m","messages":[{"role":"user","content":[{"text":"x"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"t","inputSchema":{"json":{"type":"object"},"description":"SAID"}}}]}}`, "/toolConfig/tools/0/toolSpec/inputSchema/description"},
		"a notice of a server in goose":        {`{"type":"notification","extension_id":"m","log":{"message":"SAID"}}`, "/log/message"},
		"what a server asks in goose":          {`{"type":"message","message":{"role":"assistant","created":1,"content":[{"type":"actionRequired","data":{"actionType":"elicitation","id":"e","message":"SAID","requested_schema":{}}}]}}`, "/message/content/0/data/message"},
		"a resource in opencode":               {`{"info":{"id":"s"},"messages":[{"info":{"id":"m","role":"user"},"parts":[{"id":"p","type":"text","synthetic":true,"text":"SAID"},{"type":"file","source":{"type":"resource","clientName":"m","uri":"x://1"}}]}]}`, "/messages/0/parts/0/text"},
		"an ID that is used twice":             {`[{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","input":{},"output":"x"}]},{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","input":{},"output":"SAID"}]}]`, "/1/parts/0/output"},
		"the same in a span":                   {fmt.Sprintf(spans, `"attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"t\",\"arguments\":{\"n\":1}},{\"type\":\"tool_call_response\",\"id\":\"c\",\"response\":\"x\"},{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"t\",\"arguments\":{\"n\":2}},{\"type\":\"tool_call_response\",\"id\":\"c\",\"response\":\"SAID\"}]}]"}}]`), span + "/attributes/0/value/stringValue"},
		"a search result":                      {`{"model":"claude-x","system":"x","messages":[{"role":"user","content":[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"SAID"}]}]}]}`, "/messages/0/content/0/content/0/text"},
		"a search result in Converse":          {`{"modelId":"m","messages":[{"role":"user","content":[{"searchResult":{"source":"s","content":[{"text":"SAID"}]}}]}]}`, "/messages/0/content/0/searchResult/content/0/text"},
		"the output of Gemini's code":          {`{"contents":[{"role":"model","parts":[{"executableCode":{"code":"x"}},{"codeExecutionResult":{"output":"SAID"}}]}]}`, "/contents/0/parts/1/codeExecutionResult/output"},
		"grounding":                            {`{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"groundingMetadata":{"groundingChunks":[{"retrievedContext":{"text":"SAID"}}]}}]}`, "/candidates/0/groundingMetadata/groundingChunks/0/retrievedContext/text"},
		"calls made by Gemini's SDK":           {`{"candidates":[{"content":{"parts":[]}}],"automatic_function_calling_history":[{"role":"user","parts":[{"function_response":{"name":"t","response":{"result":"SAID"}}}]}]}`, "/automatic_function_calling_history/0/parts/0/function_response/response/result"},
		"the description of a tool in a span":  {fmt.Sprintf(spans, `"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"x"}},{"key":"gen_ai.tool.description","value":{"stringValue":"SAID"}}]`), span + "/attributes/2/value/stringValue"},
		"the error in a span":                  {fmt.Sprintf(spans, `"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}}],"status":{"code":2,"message":"SAID"}`), span + "/status/message"},
		"definitions in the span of a tool":    {fmt.Sprintf(spans, `"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.definitions","value":{"stringValue":"[{\"name\":\"t\",\"description\":\"SAID\"}]"}}]`), span + "/attributes/1/value/stringValue"},
		"a result of the provider in a span":   {fmt.Sprintf(spans, `"attributes":[{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"server_tool_call_response\",\"server_tool_call_response\":{\"output\":\"SAID\"}}]}]"}}]`), span + "/attributes/0/value/stringValue"},
		"the tools of a LiteLLM payload":       {`{"id":"1","call_type":"acompletion","model":"gpt-x","messages":[],"response":{"object":"chat.completion","choices":[]},"model_parameters":{"tools":[{"type":"function","function":{"name":"t","description":"SAID"}}]}}`, "/model_parameters/tools/0/function/description"},
		"a list as a result in a LiteLLM log":  {`{"id":"1","call_type":"call_mcp_tool","model":"m","messages":[],"response":[{"type":"text","text":"SAID"}],"metadata":{"mcp_tool_call_metadata":{"name":"t","mcp_server_name":"s"}}}`, "/response/0/text"},
		"a text as a result in a LiteLLM log":  {`{"id":"1","call_type":"call_mcp_tool","model":"m","response":"SAID","metadata":{"mcp_tool_call_metadata":{"name":"t","mcp_server_name":"s"}}}`, "/response"},
		"the request of a LiteLLM spend log":   {`{"request_id":"1","call_type":"acompletion","model":"gpt-x","messages":[],"response":{"object":"chat.completion","choices":[]},"proxy_server_request":{"model":"gpt-x","messages":[{"role":"tool","content":"SAID"}]}}`, "/proxy_server_request/messages/0/content"},
		"a Gemini tool without a list":         {`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":{"functionDeclarations":[{"name":"t","description":"SAID"}]}}`, "/tools/functionDeclarations/0/description"},
		"a result under another name":          {`{"messages":[{"role":"user","content":"x"},{"role":"user","content":[{"type":"tool_result","toolUseID":"t","run":{"result":[{"type":"text","text":"SAID"}]}}]}]}`, "/messages/1/content/0/run/result/0/text"},
		"a resource that the user mentioned":   {`{"type":"attachment","uuid":"7","sessionId":"s","attachment":{"type":"mcp_resource","server":"m","uri":"x://1","content":{"contents":[{"uri":"x://1","text":"SAID"}]}}}`, "/attachment/content/contents/0/text"},
		"the progress of a subagent":           {`{"type":"progress","uuid":"7","sessionId":"s","data":{"type":"agent_progress","agentId":"a","message":{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"SAID"}]}}}}`, "/data/message/message/content/0/content"},
		"Codex's dynamic tools":                {`{"timestamp":"x","type":"session_meta","payload":{"id":"s","dynamic_tools":[{"name":"t","description":"SAID","inputSchema":{"type":"object"}}]}}`, "/payload/dynamic_tools/0/description"},
		"a namespace of Codex's dynamic tools": {`{"timestamp":"x","type":"session_meta","payload":{"id":"s","dynamic_tools":[{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"t","description":"SAID"}]}]}}`, "/payload/dynamic_tools/0/tools/0/description"},
		"Codex's compacted history":            {`{"timestamp":"x","type":"compacted","payload":{"message":"","replacement_history":[{"type":"function_call_output","call_id":"c","output":"SAID"}]}}`, "/payload/replacement_history/0/output"},
		"a failed call in Codex":               {`{"timestamp":"x","type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c","server":"m","tool":"t","error":{"message":"SAID"}}}}`, "/payload/item/error/message"},
		"a result that codex exec prints":      {`{"type":"item.completed","item":{"id":"item_1","type":"mcp_tool_call","server":"m","tool":"t","result":{"content":[{"type":"text","text":"x"}],"structured_content":{"a":"SAID"}}}}`, "/item/result/structured_content/a"},
		"metadata that codex exec prints":      {`{"type":"item.completed","item":{"id":"item_1","type":"mcp_tool_call","server":"m","tool":"t","result":{"content":[],"_meta":{"a":"SAID"}}}}`, "/item/result/_meta/a"},
		"an error that Gemini CLI prints":      {`{"type":"tool_result","timestamp":"2026-05-04T09:00:02Z","tool_id":"t","status":"error","output":"x","error":{"message":"SAID"}}`, "/error/message"},
		"an error that opencode prints":        {`{"type":"tool_use","timestamp":1,"sessionID":"s","part":{"sessionID":"s","type":"tool","callID":"c","tool":"t","state":{"status":"error","error":"SAID"}}}`, "/part/state/error"},
		"the blocks of a result of Copilot":    {`{"type":"tool.execution_complete","id":"e","timestamp":"x","parentId":null,"data":{"toolCallId":"c","success":true,"result":{"content":"x","contents":[{"type":"terminal","text":"SAID"}]}}}`, "/data/result/contents/0/text"},
		"the description of a Gemini CLI tool": {`{"id":"m2","timestamp":"2026-05-04T09:00:02.000Z","type":"gemini","content":"","toolCalls":[{"id":"t1","name":"mcp_m_t","args":{},"description":"SAID"}]}`, "/toolCalls/0/description"},
		"a server's instructions in VS Code":   {`{"sessionId":"s","requests":[{"requestId":"r1","message":{"text":"x"},"response":[{"kind":"toolInvocationSerialized","toolId":"mcp_m_t","toolCallId":"c","source":{"type":"mcp","label":"m","instructions":"SAID"}}]}]}`, "/requests/0/response/0/source/instructions"},
		"a VS Code result without its call":    {`{"sessionId":"s","requests":[{"requestId":"r1","message":{"text":"x"},"result":{"metadata":{"toolCallRounds":[],"toolCallResults":{"c":{"content":[{"value":"SAID"}]}}}}}]}`, "/requests/0/result/metadata/toolCallResults/c/content/0/value"},
		"the error beside a result":            {`{"eval":{},"samples":[{"id":1,"epoch":1,"messages":[{"role":"tool","tool_call_id":"c","content":"late","error":{"type":"timeout","message":"SAID"}}]}]}`, "/samples/0/messages/0/error/message"},
		"the tools of an Inspect log":          {`{"eval":{},"samples":[{"id":1,"epoch":1,"messages":[],"events":[{"event":"model","tools":[{"name":"t","description":"SAID"}]}]}]}`, "/samples/0/events/0/tools/0/description"},
		"a call of an agent in an Inspect log": {`{"eval":{},"samples":[{"id":1,"epoch":1,"messages":[],"events":[{"event":"tool","id":"c","function":"t","arguments":{},"result":"SAID"}]}]}`, "/samples/0/events/0/result"},
		"an AI SDK tool":                       {`[{"id":"1","role":"assistant","parts":[{"type":"tool-track","toolCallId":"c","state":"output-available","input":{},"output":{"a":"SAID"}}]}]`, "/0/parts/0/output/a"},
		"an AI SDK error":                      {`{"id":"1","messages":[{"id":"1","role":"assistant","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","errorText":"SAID"}]}]}`, "/messages/0/parts/0/errorText"},
		"an AI SDK result of an older version": {`[{"role":"user","content":"x"},{"role":"assistant","content":"","toolInvocations":[{"state":"result","toolCallId":"c","toolName":"t","args":{},"result":"SAID"}]}]`, "/1/toolInvocations/0/result"},
		"the tools of a client of the AI SDK":  {`{"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}],"tools":{"t":{"description":"SAID","parameters":{}}}}`, "/tools/t/description"},
	} {
		found := false
		for _, e := range read(t, "f", strings.ReplaceAll(tt.in, "SAID", said)) {
			for _, p := range e.Parts {
				inner, ok := strings.CutPrefix(tt.at, p.Origin.Pointer)
				found = found || ok && (inner == "" || inner[0] == '/') && strings.Contains(string(e.Frame[p.Start:p.End]), said)
			}
		}
		if !found {
			t.Errorf("%s: %s is not read", name, tt.at)
		}
	}
}

// TestWhatIsNoListIsCounted checks that a member that should be a list is reported as not read if it is not one.
func TestWhatIsNoListIsCounted(t *testing.T) {
	for in, want := range map[string]string{
		`{"model":"claude-x","system":"x","messages":[{"role":"user","content":"x"}],"tools":{"a":{"description":"x"}}}`: `"tools" is not a list`,
		`{"model":"gpt-x","input":"x","tools":"[{\"type\":\"function\"}]"}`:                                              `"tools" is not a list`,
		`{"model":"gpt-x","input":"x","tools":"{}"}`:                                                                     "",
		`{"model":"gpt-x","input":"x","tools":null}`:                                                                     "",
	} {
		if got := told(read(t, "f", in)); strings.Contains(got, "is not a list") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// TestOtherTelemetryIsCounted checks that spans in the forms of other conventions are reported as
// not read, also if the span of a call lacks only its result.
func TestOtherTelemetryIsCounted(t *testing.T) {
	for _, key := range []string{"retrieval.documents.0.document.content", "ai.toolCall.result", "ai.prompt.messages", "mlflow.spanOutputs",
		"gcp.vertex.agent.tool_response", "pydantic_ai.all_messages", "tool.description"} {
		in := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":%q,"value":{"stringValue":"x"}}]}]}]}]}`, key)
		for _, in := range []string{in, strings.Replace(in, "execute_tool", "chat", 1)} {
			if got := told(read(t, "f", in)); !strings.Contains(got, "in an unsupported form") {
				t.Errorf("%s: %s", key, got)
			}
		}
	}
}
