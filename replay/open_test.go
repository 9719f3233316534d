package replay

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"github.com/mcpscan/mcpscan/scanner"
)

func gzipped(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t testing.TB, data string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(data), nil))
}

// utf16Of returns text in UTF-16 with a byte order mark.
func utf16Of(t testing.TB, order unicode.Endianness, data string) string {
	t.Helper()
	s, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// samples holds one recording of each format.
var samples = map[string]string{
	"events":   record(`"message":`+ping) + "\n" + record(`"message":`+ping) + "\n",
	"audit":    `{"type":"mcp_tool_seen","session_id":"s1","server_id":"fs"}` + "\n",
	"foreign":  `{"dir":"c2s","raw":` + ping + "}\n",
	"bare":     ping + "\n" + ping + "\n",
	"prefixed": "read: " + ping + "\nwrite: " + ping + "\n",
	"message":  "{\n \"jsonrpc\": \"2.0\"\n}\n",
	"messages": "[\n " + ping + ",\n " + ping + "\n]\n",
	"HAR":      archive(exchange("", post(ping), "", body("application/json", pong))),
	"HTTP":     lines(fromClient, postHead, "", ping, fromServer, okHead, "", pong),
}

// TestFormatIsKnownByContent checks that a file name does not affect the format,
// but only appears in findings.
func TestFormatIsKnownByContent(t *testing.T) {
	for format, data := range samples {
		want := shown(read(t, "x", data))
		for _, name := range []string{"x.har", "x.jsonl", "x.json", "x.txt", "x.log", "x.gz", "x.zst", "x.events.jsonl", "/a/b.c/x.json.gz", `C:\logs\x.log`} {
			for packing, packed := range map[string]string{"plain": data, "gzip": gzipped(t, data), "zstd": zstandard(t, data),
				"UTF-16LE": utf16Of(t, unicode.LittleEndian, data), "UTF-16BE": utf16Of(t, unicode.BigEndian, data), "UTF-16 in gzip": gzipped(t, utf16Of(t, unicode.LittleEndian, data))} {
				events, err := openBytes(name, packed, limit)
				if err != nil || shown(events) != want {
					t.Errorf("%s as %s in %s: %v, got:\n%swant:\n%s", format, name, packing, err, shown(events), want)
				}
			}
		}
	}
}

func TestFormatOfLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*sniffBytes)
	for _, tt := range []struct{ name, in, want string }{
		{"HAR on one line", strings.ReplaceAll(archive(exchange(`{"name":"x","value":"`+long+`"}`, post(ping), "", "")), "\n", ""), "1 frame > x/mcp.example:8443/mcp/http 2026-01-06T10:30:00.125Z " + ping},
		{"a record", record(`"x":"` + long + `","message":` + ping), "1! frame - s1/fs/stdio 2026-01-06T10:30:00.000000001Z " + ping},
		{"behind blank lines", strings.Repeat("\r\n", 40) + ping, "41! frame - x/x/- - " + ping},
	} {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "x", tt.in), tt.want) })
	}
}

func TestTruncatedArchives(t *testing.T) {
	data, want := many(6000)
	small := strings.Repeat(ping+"\n", 500)
	for name, tt := range map[string]struct {
		packed string
		most   int
	}{
		"large gzip": {gzipped(t, data), len(want)}, "large zstd": {zstandard(t, data), len(want)}, "small gzip": {gzipped(t, small), 500},
	} {
		events, err := openBytes("rec.gz", tt.packed[:len(tt.packed)-9], limit)
		why := ""
		if n := len(events) - 1; n > 0 {
			why, events = show(&events[n]), events[:n]
		}
		if err != nil || len(events) < tt.most/2 || !strings.Contains(why, " skipped: reading rec.gz after line ") || !strings.Contains(why, "unexpected EOF") {
			t.Errorf("%s: %d events of %d, %v, %s", name, len(events), tt.most, err, why)
		}
		if tt.most == len(want) && len(events) > 0 {
			for _, e := range events[:len(events)-1] { // the last one may be truncated
				if string(e.Frame) != want[e.Origin.Line] {
					t.Fatalf("%s: line %d: got %.60q", name, e.Origin.Line, e.Frame)
				}
			}
		}
	}
	for _, packed := range []string{gzipped(t, "x")[:6], "\x1F\x8B\x08", gzipped(t, samples["HAR"])[:60], "\x28\xB5\x2F\xFD"} {
		if events, err := openBytes("rec.gz", packed, limit); err == nil || len(events) > 0 || errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "rec.gz") {
			t.Errorf("%q: %d events, %v", packed, len(events), err)
		}
	}
}

// TestJoinGoesOnBehindDamage checks that the inputs after a damaged one are read, and that the
// undamaged beginning of an HTTP text is read.
func TestJoinGoesOnBehindDamage(t *testing.T) {
	open := func(name, data string) scanner.Source {
		src, err := Open(name, strings.NewReader(data), Options{MaxMessage: limit})
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	packed := gzipped(t, strings.Repeat(ping+"\n", 3000))
	http := gzipped(t, lines(fromClient, postHead, "", ping)+strings.Repeat("x", 1000))
	events, err := drain(Join(open("a.gz", packed[:len(packed)-9]), open("b.gz", http[:len(http)-9]), open("c", ping+"\n")))
	if err != nil || len(events) < 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	var skips []string
	for _, e := range events {
		if e.Kind == scanner.SkippedEvent || e.Kind == scanner.FrameEvent && e.Reason != "" {
			skips = append(skips, e.Origin.File)
		}
	}
	if last := events[len(events)-1]; last.Origin.File != "c" || strings.Join(skips, " ") != "a.gz b.gz" {
		t.Errorf("skipped %q, last %s", skips, show(&last))
	}
}

func TestNoRecording(t *testing.T) {
	const (
		expected = ": not a recording: expected events.jsonl"
		scan     = "f: not a recording: a JSON document without messages; to check definitions and client configurations, run: mcpscan scan f"
	)
	tests := []struct{ name, in, want string }{
		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00", expected}, {"gzip of PNG", gzipped(t, "\x89PNG\r\n\x1a\n"), expected},
		{"prose", "Dear reader,\n\nthis is no recording.\n", expected}, {"prose in brackets", "[sic] is what editors write.\n", expected},
		{"UTF-16 without a mark", "{\x00}\x00", "f:1:2: not a recording: invalid JSON: "}, {"a scalar", "42\n", expected},
		{"long prose", strings.Repeat("word ", 40000), expected}, {"blanks beyond the head", strings.Repeat(" ", 2*sniffBytes) + ping, expected},
		{"tools/list", "{\n  \"tools\": [{\"name\": \"a\", \"inputSchema\": {}}]\n}\n", scan}, {"tools/list on one line", `{"tools":[{"name":"a","inputSchema":{}}]}` + "\n", scan},
		{"tools on one line", `[{"name":"a","inputSchema":{}}]`, scan}, {"a result on one line", `{"result":{"tools":[]}}`, scan},
		{"a client configuration", "{\n \"mcpServers\": {}\n}", scan}, {"a client configuration on one line", `{"mcpServers":{}}`, scan},
		{"a document that breaks off", "{\n  \"jsonrpc\": \"2.0\",\n", "f:3:1: not a recording: invalid JSON: expected a member name in double quotes"},
		{"a trailing comma", "{\n  \"jsonrpc\": \"2.0\",\n}", "f:3:1: not a recording: invalid JSON: "},
		{"an error behind other letters", "\xEF\xBB\xBF{\n\"日本\": 1, x}", "f:2:10: not a recording: invalid JSON: "},
		{"a line that breaks off", `{"type":"mcp_message","mess`, "f:1:28: not a recording: invalid JSON: "},
		{"two documents", "{\n\"jsonrpc\":\"2.0\"\n}\n{\n}", "f:4:1: not a recording: invalid JSON: unexpected '{' after the value; a recording has each value on one line; to convert the file, run: jq -c . f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openBytes("f", tt.in, limit)
			if err == nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f") {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestRecordingOfNothing(t *testing.T) {
	for _, in := range []string{"", " \r\n\t\n", "\xEF\xBB\xBF", gzipped(t, ""), zstandard(t, "")} {
		if events, err := openBytes("f", in, limit); err != nil || len(events) != 0 {
			t.Errorf("%q: %d events, %v", in, len(events), err)
		}
	}
}

// TestDeepLineIsNoDocument checks that a line that nests too deeply is counted as a
// frame, even if it is the only line.
func TestDeepLineIsNoDocument(t *testing.T) {
	deep := `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}"
	for _, line := range []string{deep, "[" + deep + "]"} {
		diff(t, read(t, "f", line+"\n"), "1 frame - f/-/- - "+line)
	}
}

func TestNamesOfRecordings(t *testing.T) {
	for name, want := range map[string]string{
		"events.jsonl": "events", "/a/b/run.events.jsonl.gz": "run", `C:\x\y.har`: "y", "a.json.zst": "a", "a.b.c": "a.b.c",
		".jsonl": ".jsonl", "": "", "stdin": "stdin", "dir/": "", "x.log.json": "x",
	} {
		if got := baseName(name); got != want {
			t.Errorf("%q is named %q, want %q", name, got, want)
		}
	}
}

// TestSessions checks that files with the same base name have different sessions.
func TestSessions(t *testing.T) {
	for _, files := range [][2]string{
		{"h1/a.log h2/a.log b.log", "h1/a.log h2/a.log b"},
		{"a.log a.jsonl", "a.log a.jsonl"},
		{"/x/h1/logs/a.log /x/h2/logs/a.log", "h1/logs/a.log h2/logs/a.log"},
		{"a.log h/a.log", "a.log h/a.log"},
		{"a.log a.log", "a a"},
		{"a.log a.log h/a.log", "a.log a.log h/a.log"},
		{`C:\h1\a.log C:\h2\a.log`, "h1/a.log h2/a.log"},
		{"a.log ./a.log", "a.log ./a.log"},
		{"stdin a.log", "stdin a"},
	} {
		if got := strings.Join(Sessions(strings.Fields(files[0])), " "); got != files[1] {
			t.Errorf("%s: %s, want %s", files[0], got, files[1])
		}
	}
}

// TestUnreadJSON checks that JSON that no command can read becomes an event that says so, both as a
// document and as a line among messages.
func TestUnreadJSON(t *testing.T) {
	formats := []struct{ name, in string }{
		{"an Anthropic Messages request", `{"model":"claude-x","max_tokens":9,"tools":[{"name":"a","input_schema":{}}],"messages":[{"role":"user","content":"x"}]}`},
		{"an Anthropic Messages request", `{"model":"m","system":"x","messages":[{"role":"user","content":"x"}]}`},
		{"an Anthropic Messages response", `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`},
		{"an event of an Anthropic Messages stream", `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"a","input":{}}}`},
		{"an OpenAI Chat Completions request", `{"model":"m","messages":[{"role":"system","content":"x"}]}`},
		{"an OpenAI Chat Completions request", `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a","parameters":{}}}]}`},
		{"an OpenAI Chat Completions response", `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"x"}}]}`},
		{"an Ollama response", `{"model":"m","created_at":"2026-01-06T10:30:00Z","message":{"role":"assistant","content":"x"},"done":true}`},
		{"an OpenAI Responses request", `{"model":"m","input":"x","tools":[{"type":"mcp","server_label":"a","server_url":"https://a.example"}]}`},
		{"an OpenAI Responses response", `{"id":"resp_1","object":"response","error":null,"output":[{"type":"mcp_call","name":"a"}]}`},
		{"an event of an OpenAI Responses stream", `{"type":"response.output_item.done","output_index":0,"item":{}}`},
		{"a request to an LLM", `{"model":"m","messages":[{"role":"user","content":"x"}]}`},
		{"a Gemini request", `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[]}]}`},
		{"a Gemini response", `{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]}}]}`},
		{"an Amazon Bedrock Converse request", `{"messages":[{"role":"user","content":[{"text":"x"}]}],"toolConfig":{"tools":[]}}`},
		{"an Amazon Bedrock Converse response", `{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"end_turn"}`},
		{"a Claude Code transcript", `{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-01-06T10:30:00Z","message":{"role":"user","content":"x"}}`},
		{"a Claude Code transcript", `{"type":"summary","summary":"x","leafUuid":"u"}`},
		{"a Codex transcript", `{"timestamp":"2026-01-06T10:30:00Z","type":"response_item","payload":{"type":"function_call","name":"mcp__a__b"}}`},
		{"a Qwen Code chat", `{"uuid":"u","sessionId":"s","type":"user","timestamp":"2026-01-06T10:30:00Z","message":{"role":"user","parts":[{"text":"x"}]}}`},
		{"a Gemini CLI transcript", `{"sessionId":"s","projectHash":"h","startTime":"2026-01-06T10:30:00Z","kind":"main"}`},
		{"the output of codex exec", `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"x"}}`},
		{"the output of Cursor CLI", `{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{"readToolCall":{"args":{}}},"session_id":"s"}`},
		{"the output of Gemini CLI", `{"type":"init","timestamp":"2026-01-06T10:30:00Z","session_id":"s","model":"m"}`},
		{"the output of opencode", `{"type":"text","timestamp":1,"sessionID":"s","part":{"id":"p","sessionID":"s","messageID":"m","type":"text","text":"x"}}`},
		{"an opencode session", `{"info":{"id":"s"},"messages":[{"info":{"id":"m"},"parts":[]}]}`},
		{"a goose session", `{"role":"user","created":1,"content":[{"type":"text","text":"x"}]}`},
		{"a Copilot CLI session", `{"type":"user.message","data":{"content":"x"},"id":"e","timestamp":"2026-01-06T10:30:00Z","parentId":null}`},
		{"a Kiro CLI conversation", `{"conversation_id":"c","history":[],"transcript":[],"tools":{}}`},
		{"a Kiro CLI session", `{"version":"v1","kind":"Prompt","data":{"message_id":"m","content":[{"kind":"text","data":"x"}]}}`},
		{"a LangChain message", `{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"x","additional_kwargs":{}}}`},
		{"a list of LangChain messages", `[{"type":"human","data":{"content":"x","type":"human"}}]`},
		{"a LangGraph state", `{"messages":[{"content":"x","type":"human"}]}`},
		{"a LangGraph update", `{"agent":{"messages":[{"content":"x","type":"ai"}]}}`},
		{"a trace of the OpenAI Agents SDK", `{"object":"trace.span","id":"s","trace_id":"t","span_data":{"type":"function","name":"a","input":"{}","output":"x"}}`},
		{"a list of traces of the OpenAI Agents SDK", `{"data":[{"object":"trace","id":"t","workflow_name":"w"}]}`},
		{"a LangSmith run", `{"id":"r","name":"a","run_type":"tool","inputs":{"input":"x"},"outputs":{"output":"y"}}`},
		{"a list of LangSmith runs", `{"runs":[{"id":"r","run_type":"chain","inputs":{},"outputs":null}],"cursors":{}}`},
		{"a Gemini interaction", `{"id":"i","status":"completed","steps":[{"type":"model_output","content":[]}]}`},
		{"an event of a Gemini interaction stream", `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c","name":"a"}}`},
		{"a request for a Gemini interaction", `{"model":"m","input":[{"type":"user_input","content":[{"type":"text","text":"x"}]}]}`},
		{"an event of Claude Managed Agents", `{"id":"e","type":"agent.mcp_tool_use","processed_at":"2026-01-06T10:30:00Z","mcp_server_name":"a","name":"b","input":{}}`},
		{"a list of events of Claude Managed Agents", `{"data":[{"id":"e","type":"session.status_idle","processed_at":"2026-01-06T10:30:00Z"}],"next_page":null}`},
		{"an agent of Claude Managed Agents", `{"name":"x","model":"claude-x","tools":[{"type":"agent_toolset_20260401"}]}`},
		{"a VS Code chat session", `{"version":3,"sessionId":"s","requests":[]}`},
		{"an AgentDojo run", `{"suite_name":"s","user_task_id":"u","messages":[]}`},
		{"an Inspect log", `{"version":2,"status":"success","eval":{},"samples":[]}`},
		{"an OpenTelemetry export", `{"resourceSpans":[]}`},
		{"a list of messages for an LLM", `[{"role":"user","content":"x"}]`},
	}
	for _, tt := range formats {
		want := tt.name + Elsewhere
		alone, err := openBytes("f", tt.in, limit)
		if err != nil || len(alone) == 0 || alone[0].Reason == want {
			t.Errorf("%s alone: %v, %s", tt.name, err, shown(alone))
		}
		beside, err := openBytes("f", ping+"\n"+tt.in+"\n"+ping, limit)
		if err != nil || len(beside) != 3 || beside[1].Reason != want {
			t.Errorf("beside messages: %v, %v; want %s", beside, err, want)
		}
		if got := Unread([]byte(tt.in)); got != want {
			t.Errorf("Unread: %q, want %q", got, want)
		}
		if got := Unread([]byte(tt.in + "\n" + tt.in + "\n")); got != want {
			t.Errorf("Unread of two lines: %q, want %q", got, want)
		}
	}
	for _, in := range []string{`[]`, `{ }`, `{"a":1}`, "{\n\"a\": 1}", `[1,2]`} {
		events, err := openBytes("f", in, limit)
		if err != nil || len(events) != 1 || events[0].Kind != scanner.SkippedEvent || !strings.HasPrefix(events[0].Reason, NoMessage) {
			t.Errorf("%s: %v, %v", in, events, err)
		}
	}
	diff(t, read(t, "f", "[\n"+ping+",\n{\"name\":\"a\"}\n]"), "2! frame - f/f/- - "+ping, "3 skipped: "+NoMessage)
	for _, in := range []string{ping, ping + "\n" + `{"a":1}`, `{"a":1}` + "\n" + ping, "prose", `{"type":"mcp_tool_seen","server_id":"a"}`, samples["HAR"]} {
		if got := Unread([]byte(in)); got != "" {
			t.Errorf("Unread(%q) = %q, want nothing", in, got)
		}
	}
}
