package replay

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/scanner"
)

var update = flag.Bool("update", false, "write the wanted events instead of comparing them")

// locked contains the servers in a lockfile, which are known in all test cases.
var locked = map[string][]string{"orders": {"get_order", "list__orders"}, "mail_room": {"send_letter"}, "mail": nil}

// openKnown reads a transcript with these servers.
func openKnown(name string, data []byte) ([]scanner.Event, error) {
	src, err := Open(name, bytes.NewReader(data), Options{MaxMessage: limit, Servers: locked})
	if err != nil {
		return nil, err
	}
	return drain(src)
}

// told formats events, including the request to the model and the location in the file.
func told(events []scanner.Event) string {
	var b strings.Builder
	for i := range events {
		e := &events[i]
		fmt.Fprint(&b, show(e))
		if e.Request != "" {
			fmt.Fprintf(&b, " @%s", e.Request)
		}
		fmt.Fprintf(&b, " %d:%d%s\n", e.Origin.Line, e.Origin.Column, e.Origin.Pointer)
	}
	return b.String()
}

// TestTranscripts runs cases that consist of a description, a file as written by an agent or a
// provider, and the expected events.
func TestTranscripts(t *testing.T) {
	paths, _ := filepath.Glob("testdata/transcripts/*.txtar")
	if len(paths) < 20 {
		t.Fatalf("%d cases", len(paths))
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil || len(a.Files) == 0 {
				t.Fatalf("%v, %d files", err, len(a.Files))
			}
			events, err := openKnown(a.Files[0].Name, a.Files[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			checkParts(t, a.Files[0].Data, events)
			got := told(events)
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(a.Files[1].Data); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// checkParts compares the parts of frames with the bytes in the file.
func checkParts(t testing.TB, data []byte, events []scanner.Event) {
	t.Helper()
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	lines := bytes.SplitAfter(data, []byte("\n"))
	for _, e := range events {
		end := 0
		for _, part := range e.Parts {
			if part.Start < end || part.End < part.Start || part.End > len(e.Frame) {
				t.Fatalf("the part %+v of %q", part, e.Frame)
			}
			end = part.End
			if !part.Origin.Exact {
				continue
			}
			if part.Origin.Line < 1 || part.Origin.Line > len(lines) {
				t.Fatalf("a part in line %d of %d", part.Origin.Line, len(lines))
			}
			rest := bytes.Join(lines[part.Origin.Line-1:], nil)
			for range part.Origin.Column - 1 {
				_, n := utf8.DecodeRune(rest)
				rest = rest[n:]
			}
			if !bytes.HasPrefix(rest, e.Frame[part.Start:part.End]) {
				t.Errorf("%d:%d of the file begins %.60q, the part %.60q", part.Origin.Line, part.Origin.Column, rest, e.Frame[part.Start:part.End])
			}
		}
	}
}

// readNext reads a file with the memory of those read before it.
func readNext(t *testing.T, memory *Memory, name, data string) []scanner.Event {
	t.Helper()
	src, err := Open(name, strings.NewReader(data), Options{MaxMessage: limit, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	events, err := drain(src)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestLongConversations checks that conversations of which only the beginning identifies the format are read.
func TestLongConversations(t *testing.T) {
	long := strings.Repeat("x", 2*sniffBytes)
	for name, in := range map[string]string{
		"Kiro CLI":  `{"conversation_id":"k","history":[{"user":{"content":{"ToolUseResults":{"tool_use_results":[{"tool_use_id":"t","content":[{"Text":"` + long + `"}],"status":"Success"}]}}},"assistant":{"Response":{"content":"x"}}}],"transcript":[],"tools":{}}`,
		"LangChain": `[{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"tool_call_id":"t","content":"` + long + `"}}]`,
		"Gemini":    `{"id":"i","status":"completed","steps":[{"type":"function_result","call_id":"t","result":"` + long + `"}]}`,
	} {
		if got := told(read(t, "f", in)); !strings.Contains(got, `"result":{"content":[{"type":"text","text":"xxx`) {
			t.Errorf("%s: %.300s", name, got)
		}
	}
}

// TestResumedThread checks that a run of Codex that resumes a thread does not repeat the calls of the
// runs before, although their items have the same IDs.
func TestResumedThread(t *testing.T) {
	const run = `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" +
		`{"type":"item.completed","item":{"id":"item_0","type":"mcp_tool_call","server":"orders","tool":"get_order","arguments":{},"result":{"content":[{"type":"text","text":"%s"}]}}}` + "\n"
	memory := NewMemory()
	for _, state := range []string{"open", "paid"} {
		events := readNext(t, memory, state, fmt.Sprintf(run, state))
		got := told(events)
		for _, want := range []string{"3 frame > t/orders/-", "3 frame < t/orders/-"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", state, want, got)
			}
		}
	}
}

// TestTurnsOfContinuedSessions checks that calls in two files that continue one session do not belong to the same
// turn.
func TestTurnsOfContinuedSessions(t *testing.T) {
	const at = `"timestamp":"2026-05-04T09:00:00.000Z"`
	for format, run := range map[string]string{
		"Gemini CLI": `{"type":"init",` + at + `,"session_id":"s","model":"m"}` + "\n" +
			`{"type":"tool_use",` + at + `,"tool_name":"mcp_a_b","tool_id":"%s","parameters":{}}` + "\n",
		"Copilot CLI": `{"type":"session.resume","data":{"sessionId":"s"},"id":"e","parentId":null,` + at + `}` + "\n" +
			`{"type":"assistant.turn_start","data":{},"id":"e","parentId":null,` + at + `}` + "\n" +
			`{"type":"tool.execution_start","data":{"toolCallId":"%s","toolName":"b","mcpServerName":"a","arguments":{}},"id":"e","parentId":null,` + at + `}` + "\n",
	} {
		memory, turns := NewMemory(), map[string]string{}
		for _, name := range []string{"first", "second"} {
			events := readNext(t, memory, name, fmt.Sprintf(run, name))
			for _, e := range events {
				if e.Kind == scanner.FrameEvent {
					turns[e.Request] = e.Session
				}
			}
		}
		if len(turns) != 2 || turns["first/answer-1"] != "s" || turns["second/answer-1"] != "s" {
			t.Errorf("%s: the turns and their sessions are %v", format, turns)
		}
	}
}

// TestConversationsBeyondTheLimit checks that a conversation that continues after it
// was evicted is reported, and that one that was not evicted is not.
func TestConversationsBeyondTheLimit(t *testing.T) {
	request := func(i int) string {
		return fmt.Sprintf(`{"model":"claude-x","system":"x","messages":[{"role":"user","content":"Question %d"},{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"a","input":{}}]}]}`+"\n", i, i)
	}
	var b strings.Builder
	for i := range maxConversations + 1 {
		b.WriteString(request(i))
	}
	for name, tt := range map[string]struct{ in, want string }{
		"again":      {b.String() + request(0), "a conversation continued after it was closed"},
		"at once":    {request(0) + b.String(), ""},
		"another":    {b.String() + request(-1), ""},
		"of one key": {b.String() + strings.Replace(request(0), `"t0"`, `"t-1"`, 1), ""},
	} {
		var skips []string
		for _, e := range read(t, "f", tt.in) {
			if e.Kind == scanner.SkippedEvent {
				skips = append(skips, e.Reason)
			}
		}
		if got := strings.Join(skips, "; "); len(skips) > 1 || !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestLineEndsOfStreams checks that a recorded stream is read with any line endings, and with data
// on several lines.
func TestLineEndsOfStreams(t *testing.T) {
	call := `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"a","arguments":"{}"}}`
	done := `{"type":"response.completed","response":{"id":"r","object":"response","output":[]}}`
	split := strings.Replace(call, `,"item"`, ",\n"+`data: "item"`, 1)
	for name, in := range map[string]string{
		"LF":           "data: " + call + "\n\ndata: " + done + "\n\n",
		"CRLF":         "\xEF\xBB\xBFevent: x\r\ndata: " + call + "\r\n\r\ndata:" + done + "\r\n\r\n",
		"CR":           "data: " + call + "\r\rid: 7\rdata: " + done + "\r\r",
		"a comment":    "data: " + call + "\n: keep alive\n\ndata: " + done,
		"several data": "data: " + split + "\n\nretry: 10\ndata: " + done + "\n\n",
	} {
		calls := 0
		for _, e := range read(t, "f", in) {
			switch e.Kind {
			case scanner.FrameEvent:
				calls++
			case scanner.SkippedEvent:
				t.Errorf("%s: %s", name, e.Reason)
			}
		}
		if calls != 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
	}
}

// TestArgumentsOverTheLimit checks that no fragment of a call's arguments is read after one that exceeds
// the limit, so that the arguments are cut off and have no gap.
func TestArgumentsOverTheLimit(t *testing.T) {
	delta := func(json string) string {
		return `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` + json + `"}}` + "\n\n"
	}
	events, err := openBytes("stream.txt", `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}`+"\n\n"+
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"mcp_tool_use","id":"m1","name":"pay","server_name":"bank","input":{}}}`+"\n\n"+
		delta(strings.Repeat("a", 500))+delta(strings.Repeat("b", 600))+delta("the end")+
		`data: {"type":"content_block_stop","index":0}`+"\n\n"+`data: {"type":"message_stop"}`+"\n\n", 1000)
	if err != nil {
		t.Fatal(err)
	}
	got := told(events)
	if !strings.Contains(got, "the rest was not inspected") || !strings.Contains(got, `{"input":"`+strings.Repeat("a", 500)+`"}`) {
		t.Error(got)
	}
}
