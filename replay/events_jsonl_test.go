package replay

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"

	"github.com/mcpscan/mcpscan/scanner"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// record returns a line of events.jsonl with the common members.
func record(members string) string {
	return `{"type":"mcp_message","timestamp":"2026-01-06T10:30:00.000000001Z","session_id":"s1","server_id":"fs","server_type":"stdio",` + members + `}`
}

func TestEventsJSONL(t *testing.T) {
	const head = " s1/fs/stdio 2026-01-06T10:30:00.000000001Z "
	tests := []struct {
		name, in string
		want     []string
	}{
		{"message", record(`"direction":"client_to_server","message":` + ping), []string{"1! frame >" + head + ping}},
		{"from the server", record(`"direction":"server_to_client","message":{"a":1}`), []string{`1! frame <` + head + `{"a":1}`}},
		{"no direction", record(`"message":` + ping), []string{"1! frame -" + head + ping}},
		{"message that is a scalar", record(`"message":null`), []string{"1! frame -" + head + "null"}},
		{"message that is a string", record(`"message":"{\"a\":\u00311}"`), []string{"1 frame -" + head + `{"a":11}`}},
		{"white space is kept inside and not around", record(`"message": {"a" : 1} `), []string{`1! frame -` + head + `{"a" : 1}`}},
		{"raw", record(`"raw":"not \"JSON\"\n{"`), []string{"1 frame -" + head + "not \"JSON\"\n{"}},
		{"raw that is empty", record(`"raw":""`), []string{"1 frame -" + head}},
		{"raw_base64", record(`"raw_base64":"` + base64.StdEncoding.EncodeToString([]byte("\xff{}")) + `"`), []string{"1 frame -" + head + "\xff{}"}},
		{"raw_base64 that is none", record(`"raw_base64":"*"`), []string{"1 skipped: raw_base64 is not base64"}},
		{"two of the three", record(`"message":{"n":1},"raw_base64":"` + base64.StdEncoding.EncodeToString([]byte(pong)) + `"`), []string{"1! frame -" + head + `{"n":1}`, "1 skipped: an mcp_message in several forms: only message was inspected"}},
		{"all three", record(`"raw":"x","message":{"n":1},"raw_base64":""`), []string{"1! frame -" + head + `{"n":1}`, "1 skipped: an mcp_message in several forms: only message was inspected"}},
		{"both others", record(`"raw_base64":"eA==","raw":"x"`), []string{"1 frame -" + head + `x`, "1 skipped: an mcp_message in several forms: only raw was inspected"}},
		{"nothing of the three", record(`"direction":"client_to_server"`), []string{"1 skipped: an mcp_message without message, raw or raw_base64"}},
		{"raw that is no string", record(`"raw":{}`), []string{"1 skipped: an mcp_message without message, raw or raw_base64"}},
		{"unknown fields", record(`"direction":"client_to_server","http":{"status":200},"x":[1],"message":` + ping + `,"integrity":{}`), []string{"1! frame >" + head + ping}},
		{"no timestamp and no session", `{"type":"mcp_message","message":` + ping + `}`, []string{"1! frame - rec/-/- - " + ping}},
		{"a timestamp that is none", `{"type":"mcp_message","timestamp":"yesterday","session_id":"s","message":` + ping + `}`, []string{"1! frame - s/-/- - " + ping, "1 skipped: " + unreadTime}},
		{"no timestamp", `{"type":"mcp_message","timestamp":"","session_id":"s","message":` + ping + `}`, []string{"1! frame - s/-/- - " + ping}},
		{"a number of milliseconds", `{"type":"mcp_message","timestamp":1767695400001,"session_id":"s","message":` + ping + `}`,
			[]string{"1! frame - s/-/- 2026-01-06T10:30:00.001Z " + ping}},
		{"small letters", `{"type":"mcp_message","timestamp":"2026-01-06t10:30:00z","session_id":"s","message":` + ping + `}`,
			[]string{"1! frame - s/-/- 2026-01-06T10:30:00Z " + ping}},
		{"a zone", `{"type":"mcp_message","timestamp":"2026-01-06T10:30:00+01:00","session_id":"s","message":` + ping + `}`,
			[]string{"1! frame - s/-/- 2026-01-06T09:30:00Z " + ping}},
		{"an escaped key", record(`"mess\u0061ge":` + ping), []string{"1! frame -" + head + ping}},
		{"a repeated key", record(`"message":{"a":1},"message":` + ping), []string{"1! frame -" + head + ping, "1 skipped: " + repeatedMember}},
		{"a repeated key in a frame log", `{"dir":"s2c","raw":{"id":1,"result":{"a":1}},"raw":` + pong + `}`, []string{"1! frame < rec/rec/- - " + pong, "1 skipped: " + repeatedMember}},
		{"unknown type", `{"type":"mcp_future","session_id":"s1","message":"hello"}`, []string{"1 ignored: unknown event type mcp_future"}},
		{"unknown type with a time only", `{"type":"mcp_future","timestamp":"2026-01-06T10:30:00Z"}`, []string{"1 skipped: unknown event type mcp_future"}},
		{"unknown type around a message", `{"type":"weird","session_id":"s1","event":` + ping + `}`, []string{"1 skipped: unknown event type weird, with a message that was not inspected"}},
		{"unknown type around a message, deeper", `{"type":"log","timestamp":"t","data":{"a":[0,{"message":` + ping + `}]}}`, []string{"1 skipped: unknown event type log, with a message that was not inspected"}},
		{"unknown type around a message in a string", `{"type":"weird","session_id":"s1","event":["{\"id\":1,\"result\":{}}"]}`, []string{"1 skipped: unknown event type weird, with a message that was not inspected"}},
		{"unknown type around a notification", `{"type":"weird","session_id":"s1","event":{"method":"x","params":{}}}`, []string{"1 skipped: unknown event type weird, with a message that was not inspected"}},
		{"unknown type around a request of HTTP", `{"type":"http","session_id":"s1","event":{"method":"GET","path":"/"}}`, []string{"1 ignored: unknown event type http"}},
		{"a notification with a type", `{"method":"x","params":{},"type":"zzz","timestamp":"t"}`, []string{`1! frame - rec/rec/- - {"method":"x","params":{},"type":"zzz","timestamp":"t"}`}},
		{"a response with a type", `{"id":1,"result":"x","type":"zzz","timestamp":"t"}`, []string{`1! frame - rec/rec/- - {"id":1,"result":"x","type":"zzz","timestamp":"t"}`}},
		{"a response with the type of a record", `{"id":1,"result":{},"type":"mcp_message","message":` + ping + `}`,
			[]string{"1! frame - rec/-/- - " + ping, "1 skipped: a record is also a message: only the record was inspected"}},
		{"a notification with the type of a report", `{"method":"x","params":{},"type":"mcp_tools_list_changed"}`,
			[]string{`1! audit=mcp_tools_list_changed < rec/-/- - {"method":"x","params":{},"type":"mcp_tools_list_changed"}`, "1 skipped: a record is also a message: only the record was inspected"}},
		{"a response with a message in it", `{"id":1,"result":{},"message":` + ping + `}`,
			[]string{"1! frame - rec/rec/- - " + ping, "1 skipped: a log line is also a response: only the message in it was inspected"}},
		{"a log of requests with the message", `{"id":1,"method":"ping","result":"ok","message":` + ping + `}`, []string{"1! frame - rec/rec/- - " + ping}},
		{"metadata with a message in it", `{"type":"meta","event":` + ping + `}`, []string{"1 skipped: a log line (meta) with a message that was not inspected"}},
		{"an llm_message with repeated keys", `{"type":"llm_message","a":0,"a":0,"a":0,"b":0,"b":0,"body":{}}`, []string{"1 skipped: " + repeatedMember, "1 skipped: llm_message: a body in an unknown format"}},
		{"llm_message", `{"type":"llm_message","session_id":"s1","body":{}}`, []string{"1 skipped: llm_message: a body in an unknown format"}},
		{"skipped", `{"type":"mcp_skipped","session_id":"s1","reason":"it was late"}`, []string{"1 skipped: it was late"}},
		{"ignored", `{"type":"mcp_ignored","session_id":"s1","reason":"it was out of scope"}`, []string{"1 ignored: it was out of scope"}},
		{"definitions", `{"type":"mcp_definitions","session_id":"s1","server_id":"fs","document":{"tools":[]}}`, []string{`1! definition < s1/fs/- - {"tools":[]}`}},
		{"definitions that are no JSON", `{"type":"mcp_definitions","session_id":"s1","raw":"{"}`, []string{`1 definition < s1/-/- - {`}},
		{"definitions without a document", `{"type":"mcp_definitions","session_id":"s1"}`, []string{"1 skipped: an mcp_definitions without document, raw or raw_base64"}},
		{"a message with the type of another record", `{"jsonrpc":"2.0","id":1,"type":"mcp_tool_seen","session_id":"s","result":{}}`,
			[]string{`1! frame - s/rec/- - {"jsonrpc":"2.0","id":1,"type":"mcp_tool_seen","session_id":"s","result":{}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "rec.jsonl", tt.in+"\n"), tt.want...) })
	}
}

func TestLinesOfAFile(t *testing.T) {
	const head = " s1/fs/stdio 2026-01-06T10:30:00.000000001Z "
	one, two := record(`"message":{"n":1}`), record(`"message":{"n":2}`)
	n1, n2 := `frame -`+head+`{"n":1}`, `frame -`+head+`{"n":2}`
	const noJSON = "skipped: a line is not JSON: the recording is damaged, or the file is not a recording"
	tests := []struct {
		name, in string
		want     []string
	}{
		{"no last line end", one + "\n" + two, []string{"1! " + n1, "2! " + n2}},
		{"CRLF", one + "\r\n" + two + "\r\n", []string{"1! " + n1, "2! " + n2}},
		{"byte order mark", "\xEF\xBB\xBF" + one + "\n" + two, []string{"1! " + n1, "2! " + n2}},
		{"blank lines", "\n\r\n" + one + "\n \t\n\n" + two + "\n\n", []string{"3! " + n1, "6! " + n2}},
		{"indented", "  " + one + "\n\t" + two, []string{"1! " + n1, "2! " + n2}},
		{"cut off at the end", one + "\n" + two[:40], []string{"1! " + n1, `2 frame - rec/-/- - ` + two[:40]}},
		{"cut off at the end, indented", one + "\n  " + two[:40], []string{"1! " + n1, `2 frame - rec/-/- -   ` + two[:40]}},
		{"cut off at the start", two[40:] + "\n" + one, []string{"1 " + noJSON, "1 frame - rec/-/- - " + two[40:], "2! " + n1}},
		{"two values in a line", one + two + "\n" + one, []string{"1 frame - rec/-/- - " + one + two, "2! " + n1}},
		{"noise", one + "\n\x00\x01\xff\xfe\n" + two, []string{"1! " + n1, "2 " + noJSON, "2 frame - rec/-/- - \x00\x01\xff\xfe", "3! " + n2}},
		{"scalars", one + "\n7\nnull\n" + two, []string{"1! " + n1, "2! frame - rec/rec/- - 7", "3! frame - rec/rec/- - null", "4! " + n2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "rec.jsonl", tt.in), tt.want...) })
	}
}

func TestLongLines(t *testing.T) {
	line := func(n int) string { return record(fmt.Sprintf(`"message":{"n":"%s"}`, strings.Repeat("x", n))) }
	max := len(line(400))
	in := line(1) + "\n" + line(401) + "\r\n" + line(400) + "\n" + line(5000) + "\n" + line(2)
	events, err := openBytes("rec", in, int64(max))
	if err != nil {
		t.Fatal(err)
	}
	reason := fmt.Sprintf(": a line exceeds the limit of %d bytes (--max-message)", max)
	if len(events) != 5 || show(&events[1]) != "2 skipped"+reason || show(&events[3]) != "4 skipped"+reason {
		t.Fatalf("got\n%s", shown(events))
	}
	for i, n := range map[int]int{0: 1, 2: 400, 4: 2} {
		if want := `{"n":"` + strings.Repeat("x", n) + `"}`; events[i].Kind != scanner.FrameEvent || string(events[i].Frame) != want || events[i].Origin.Line != i+1 {
			t.Errorf("neighbour %d: %s", i, show(&events[i]))
		}
	}
	checkPlaces(t, in, events)
}

// TestExactPlaces checks that an exact location points to the frame's bytes, whatever precedes them
// in the line.
func TestExactPlaces(t *testing.T) {
	check := func(seed uint64) bool {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		n := 1 + rnd.IntN(8)
		for range n {
			message := record(fmt.Sprintf(`"x":%s,"server_addr":%s, "message":%s,"y":%s`, value(rnd, 3), value(rnd, 0), value(rnd, 3), value(rnd, 1)))
			b.WriteString(strings.Replace(message, `"fs"`, value(rnd, 0), 1) + []string{"\n", "\r\n", "\n\n"}[rnd.IntN(3)])
		}
		events := read(t, "rec.jsonl", b.String())
		exact := 0
		for _, e := range events {
			if e.Origin.Exact {
				exact++
			} else if len(e.Frame) > 0 && e.Frame[0] == '{' {
				t.Errorf("the place of an object is not exact: %s", show(&e))
			}
		}
		return len(events) == n && !t.Failed()
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

// value returns a random JSON value with many multi-byte characters.
func value(rnd *rand.Rand, depth int) string {
	if depth == 0 || rnd.IntN(4) == 0 {
		words := []string{`"é"`, `"日本語"`, `"😀\ud83d\ude00"`, `"a\nb\"\\"`, `""`, `"\u202e"`, `"Ω-\ud800"`}
		return words[rnd.IntN(len(words))]
	}
	var parts []string
	for range rnd.IntN(4) {
		parts = append(parts, value(rnd, depth-1))
	}
	if rnd.IntN(3) == 0 {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for i := range parts {
		parts[i] = fmt.Sprintf(`"ключ%d": %s`, i, parts[i])
	}
	return "{" + strings.Join(parts, ",") + "}"
}
