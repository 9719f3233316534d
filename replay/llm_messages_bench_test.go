package replay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// BenchmarkTalk measures the inspection of a request with a history and of a streamed answer, as
// in the proxy for LLM APIs.
func BenchmarkTalk(b *testing.B) {
	engine, err := scanner.New(slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.OptIn }), scanner.Options{})
	if err != nil {
		b.Fatal(err)
	}
	history := strings.Repeat(`,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"mcp__mail__read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"`+
		strings.Repeat("The report of the third quarter lists what was sold. ", 10)+`"}]}`, 25)
	request := `{"model":"claude-x","max_tokens":5,"tools":[{"name":"mcp__mail__read","description":"Reads the mail of a folder.","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Hi"}` + history + `]}`
	event := func(s string) string { return "data: " + s + "\n\n" }
	answer := event(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"usage":{}}}`) +
		strings.Repeat(event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words "}}`), 50) +
		event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}`) + event(`{"type":"message_stop"}`)
	for _, m := range []*replay.LLMMessage{{Body: []byte(request)}, {Answer: true, SSE: []byte(answer)}} {
		b.Run(fmt.Sprintf("answer=%v", m.Answer), func(b *testing.B) {
			live, now := engine.Live(), time.Now()
			talk := replay.NewTalk("mcp://llm", replay.Options{MaxMessage: 8 << 20}, func(e *scanner.Event) replay.Decisions {
				live.Step(e)
				return nil
			})
			m.Session, m.Request, m.Dialect = "proxy", "request-1", "anthropic"
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Second)
				m.Time = now
				if _, err := talk.Read(m.Line(), func() scanner.Origin { return scanner.Origin{File: "mcp://llm", Line: 1, Column: 1} }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
