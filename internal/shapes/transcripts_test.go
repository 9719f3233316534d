package shapes

import (
	"fmt"
	"strconv"
)

// transcripts returns agent transcripts and provider logs.
func transcripts() []Shape {
	call := func(i int) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"mcp__files__read_file","input":{"path":"/srv/%d"}}]}`, i, i)
	}
	answer := func(i int, text string) string {
		return fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s %d"}]}`, i, text, i)
	}
	messages := func(n int, text string) string {
		return numbered(n, ",", func(i int) string { return call(i) + "," + answer(i, text) })
	}
	request := func(tools, messages string) string {
		return `{"model":"claude-x","system":"x","tools":[` + tools + `],"messages":[` + messages + "]}"
	}
	agent := func(i int, message string) string {
		return fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s","timestamp":"2026-01-06T10:30:00Z","message":%s}`+"\n", i, message)
	}
	event := func(data string) string { return "data: " + data + "\n\n" }
	in := func(text string) map[string][]byte { return file("in.jsonl", []byte(text)) }
	block := `{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"t%d","name":"a","input":{}}}`
	piece := `{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":"x"}}`
	return []Shape{
		{Name: "lines of a transcript", Small: 200, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(numbered(n, "", func(i int) string { return agent(i, call(i)) + agent(i, answer(i, "ok")) }))
		}},
		{Name: "a request to a model", Small: 200, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(request("", messages(n, "ok")))
		}},
		{Name: "a poisoned request to a model", Small: 40, Commands: inspect(formats...), Make: func(n int) map[string][]byte {
			return in(request("", messages(n, order)))
		}},
		{Name: "tools of a request to a model", Small: 40, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(request(numbered(n, ",", func(i int) string {
				return fmt.Sprintf(`{"name":"mcp__a_%d__b__c_%d","description":%q,"input_schema":{"type":"object"}}`, i, i, order)
			}), call(1)))
		}},
		{Name: "a long result in a transcript", Small: 16_000, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(agent(1, answer(1, repeated(order, n))))
		}},
		{Name: "requests that repeat their history", Small: 20, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(numbered(n, "", func(i int) string { return request("", messages(20, "ok")) + "\n" }))
		}},
		{Name: "many conversations", Small: 100, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(numbered(n, "", func(i int) string {
				return request("", fmt.Sprintf(`{"role":"user","content":"Question %d"},`, i)+call(i)+","+answer(i, "ok")) + "\n"
			}))
		}},
		{Name: "calls under way in a stream", Small: 200, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(numbered(n, "", func(i int) string {
				return event(fmt.Sprintf(block, i, i)) + event(fmt.Sprintf(piece, i)) + event(fmt.Sprintf(piece, i/2))
			}))
		}},
		{Name: "pieces of one call", Small: 400, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(event(fmt.Sprintf(block, 0, 0)) + numbered(n, "", func(i int) string { return event(fmt.Sprintf(piece, 0)) }))
		}},
		{Name: "lines of one event", Small: 1_000, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in("event: message\n" + numbered(n, "", func(i int) string { return "data: [1,2,\n" }))
		}},
		{Name: "members of a body", Small: 400, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in(`{"model":"gpt-x","messages":[{"role":"tool","content":"x"}]` + numbered(n, "", func(i int) string { return `,"m` + strconv.Itoa(i%7) + `":[{}]` }) + "}")
		}},
		{Name: "bodies in HAR", Small: 40, Commands: inspect(), Make: func(n int) map[string][]byte {
			return in("{\"log\": {\"entries\": [\n" + numbered(n, ",\n", func(i int) string {
				return `{"request":{"url":"https://api.example/v1","postData":{"text":` + strconv.Quote(request("", call(i)+","+answer(i, "ok"))) + `}},"response":{"content":{"mimeType":"text/event-stream","text":` +
					strconv.Quote(event(fmt.Sprintf(block, 0, i))+event(`{"type":"message_stop"}`)) + `}}}`
			}) + "\n]}}\n")
		}},
	}
}
