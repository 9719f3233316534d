package replay

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// TestForeignLines covers frame logs of other tools, with one line of each form.
func TestForeignLines(t *testing.T) {
	quoted := strconv.Quote(ping)
	in64 := base64.StdEncoding.EncodeToString([]byte(ping))
	const batch = `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`
	tests := []struct{ name, in, want string }{
		{"raw as a value", `{"ts":"2026-01-06T10:30:00Z","dir":"c2s","conn":"c1","raw":` + ping + `}`, "1! frame > c1/log/- 2026-01-06T10:30:00Z " + ping},
		{"raw as a string", `{"ts":"2026-01-06T10:30:00Z","dir":"s2c","conn":7,"raw":` + quoted + `}`, "1 frame < 7/log/- 2026-01-06T10:30:00Z " + ping},
		{"raw in base64", `{"ts":1767695400,"dir":"s2c","raw":"` + in64 + `"}`, "1 frame < log/log/- 2026-01-06T10:30:00Z " + ping},
		{"stderr in base64 is no message", `{"dir":"stderr","raw":"aGVsbG8="}`, "1 ignored: a log line without a message (stderr)"},
		{"mcpsnoop client", `{"session_id":"s","server_label":"fs","seq":1,"ts":"2026-01-06T10:30:00.123456789Z","direction":"c2s","transport":"stdio","raw":` + ping + `}`,
			"1! frame > s/fs/stdio 2026-01-06T10:30:00.123456789Z " + ping},
		{"mcpsnoop server", `{"session_id":"s","server_label":"fs","seq":2,"ts":"2026-01-06T10:30:00Z","direction":"s2c","transport":"http","raw":` + ping + `}`,
			"1! frame < s/fs/http 2026-01-06T10:30:00Z " + ping},
		{"mcpsnoop stderr", `{"session_id":"s","server_label":"fs","seq":3,"direction":"stderr","text":"starting"}`, "1 ignored: a log line without a message (stderr)"},
		{"mcpsnoop meta", `{"session_id":"s","server_label":"fs","seq":4,"direction":"meta","text":"exit 0"}`, "1 ignored: a log line without a message (meta)"},
		{"mcpsnoop text that is no message", `{"session_id":"s","server_label":"fs","seq":5,"direction":"s2c","text":"hello"}`,
			`1! frame < s/log/- - {"session_id":"s","server_label":"fs","seq":5,"direction":"s2c","text":"hello"}`},
		{"an arrow says nothing", `{"direction":"→","message":` + ping + `}`, "1! frame - log/log/- - " + ping},
		{"an arrow between names", `{"direction":"client → server","message":` + ping + `}`, "1! frame > log/log/- - " + ping},
		{"an arrow without spaces", `{"direction":"server→client","message":` + ping + `}`, "1! frame < log/log/- - " + ping},
		{"an arrow in ASCII", `{"dir":"server->client","message":` + ping + `}`, "1! frame < log/log/- - " + ping},
		{"upper case and dashes", `{"dir":"CLIENT-TO-SERVER","message":` + ping + `}`, "1! frame > log/log/- - " + ping},
		{"from", `{"from":"server","data":` + ping + `}`, "1! frame < log/log/- - " + ping},
		{"in and out depend on the writer", `{"dir":"out","data":` + ping + `}`, "1! frame - log/log/- - " + ping},
		{"the second name says it", `{"dir":"out","type":"response","data":` + ping + `}`, "1! frame < log/log/- - " + ping},
		{"a batch", `{"dir":"c2s","payload":` + batch + `}`, "1! frame > log/log/- - " + batch},
		{"a batch as a string", `{"dir":"c2s","payload":` + strconv.Quote(batch) + `}`, "1 frame > log/log/- - " + batch},
		{"a string that hides its version", `{"dir":"s2c","raw":"{\"\\u006asonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}`, `1 frame < log/log/- - {"\u006asonrpc":"2.0","id":1,"result":{}}`},
		{"a string that is cut off", `{"dir":"s2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,"}`, `1 frame < log/log/- - {"jsonrpc":"2.0","id":1,`},
		{"a message without version", `{"dir":"s2c","raw":{"id":1,"result":{}}}`, `1! frame < log/log/- - {"id":1,"result":{}}`},
		{"a bare message that calls itself a log line", `{"id":1,"result":{},"dir":"stderr"}`, `1! frame - log/log/- - {"id":1,"result":{},"dir":"stderr"}`},
		{"a bare message", ping, "1! frame - log/log/- - " + ping},
		{"a bare batch", batch, "1! frame - log/log/- - " + batch},
		{"a bare message with surroundings", "  " + ping + " ", "1! frame - log/log/- - " + ping},
	}
	for _, tt := range tests {
		// A message follows, because the first line alone must not determine the format.
		t.Run(tt.name, func(t *testing.T) {
			events := read(t, "log.log", tt.in+"\n"+ping+"\n")
			diff(t, events, tt.want, "2! frame - log/log/- - "+ping)
		})
	}
}

// TestSeveralMessagesInLine checks that a second message in a line is reported as not inspected, unless it is the
// same message in another notation.
func TestSeveralMessagesInLine(t *testing.T) {
	const skip = "1 skipped: a log line contains several messages: only the first was inspected"
	answer := `{"jsonrpc":"2.0","id":1,"result":{}}`
	diff(t, read(t, "log.log", `{"message":`+ping+`,"data":`+answer+"}\n"), "1! frame - log/log/- - "+ping, skip)
	diff(t, read(t, "log.log", `{"raw":`+strconv.Quote(ping)+`,"text":`+strconv.Quote(answer)+"}\n"), "1 frame - log/log/- - "+ping, skip)
	diff(t, read(t, "log.log", `{"message":`+ping+`,"raw":`+strconv.Quote(" "+ping)+"}\n"), "1! frame - log/log/- - "+ping)
	diff(t, read(t, "log.log", `{"message":`+ping+`,"data":{"id":1},"text":"ping"}`+"\n"), "1! frame - log/log/- - "+ping)
}

func TestForeignTimes(t *testing.T) {
	const day = "2026-01-06T10:30:00"
	tests := []struct{ ts, want string }{
		{`1767695400`, day + "Z"}, {`"1767695400"`, day + "Z"}, {`" 1767695400 "`, day + "Z"},
		{`1767695400.25`, day + ".25Z"}, {`1767695400.123456789`, day + ".123456789Z"}, {`1.7676954e9`, day + "Z"},
		{`1767695400001`, day + ".001Z"}, {`1767695400001.5`, day + ".0015Z"},
		{`1767695400000001`, day + ".000001Z"},
		{`1767695400000000001`, day + ".000000001Z"},
		{`"2026-01-06T10:30:00.000000001Z"`, day + ".000000001Z"},
		{`"2026-01-06T10:30:00.5"`, day + ".5Z"}, {`"2026-01-06 10:30:00,123"`, day + ".123Z"}, {`"2026-01-06 10:30:00.5Z"`, day + ".5Z"},
		{`"2026-01-06T11:30:00+0100"`, day + "Z"}, {`"2026-01-06 11:30:00.25+01:00"`, day + ".25Z"},
		{`0`, "-"}, {`-5`, "-"}, {`1e300`, "-"}, {`1e-300`, "-"}, {`1e999999999`, "-"}, {`1e-999999999`, "-"},
		{`99999999999`, "-"}, {`9999999999999999999`, "-"}, {`"NaN"`, "-"}, {`"Inf"`, "-"}, {`""`, "-"}, {`true`, "-"}, {`"today"`, "-"},
	}
	none := []string{`0`, `""`, `true`}
	for _, tt := range tests {
		want := []string{"1! frame > log/log/- " + tt.want + " " + ping}
		if tt.want == "-" && !slices.Contains(none, tt.ts) {
			want = append(want, "1 skipped: "+unreadTime)
		}
		diff(t, read(t, "log", `{"ts":`+tt.ts+`,"dir":"c2s","raw":`+ping+`}`), want...)
	}
}

func TestPrefixedLines(t *testing.T) {
	const NoMessage = "ignored: a log line without a message"
	tests := []struct {
		name, in string
		want     []string
	}{
		{"go-sdk", "read: " + ping + "\nwrite: {\"a\":[1]}\nread error: EOF\n",
			[]string{"1! frame - log/log/- - " + ping, `2! frame - log/log/- - {"a":[1]}`, "3 " + NoMessage}},
		{"Claude Desktop", "2026-01-06T10:29:59.000Z [fs] [info] Server started\n2026-01-06T10:30:00.000Z [fs] [info] Message from client: " + ping +
			"\n2026-01-06T10:30:00.250Z [fs] [info] Message from server: {\"jsonrpc\":\"2.0\"}\n",
			[]string{"1 " + NoMessage, "2! frame > log/fs/- 2026-01-06T10:30:00Z " + ping, `3! frame < log/fs/- 2026-01-06T10:30:00.25Z {"jsonrpc":"2.0"}`}},
		{"Claude Desktop, level first", "2026-01-06T10:30:00.000Z [info] [fs] Message from client: " + ping, []string{"1! frame > log/fs/- 2026-01-06T10:30:00Z " + ping}},
		{"Claude Desktop, no name", "2026-01-06T10:30:00.000Z [info] Message from client: " + ping, []string{"1! frame > log/log/- 2026-01-06T10:30:00Z " + ping}},
		{"Claude Desktop, a name of two words", "2026-01-06T10:30:00.000Z [my fs] [info] Message from client: " + ping, []string{"1! frame > log/my fs/- 2026-01-06T10:30:00Z " + ping}},
		{"Claude Desktop, metadata", "2026-01-06T10:30:00.000Z [fs] [info] Message from client: " + ping + " { metadata: undefined }\r\n",
			[]string{"1! frame > log/fs/- 2026-01-06T10:30:00Z " + ping}},
		{"a time in brackets", "[2026-01-06 11:30:00,5+0100] server: " + ping, []string{"1! frame < log/log/- 2026-01-06T10:30:00.5Z " + ping}},
		{"a batch", "read: [" + ping + "]", []string{"1! frame - log/log/- - [" + ping + "]"}},
		{"arrows", "-> " + ping + "\n<- " + ping, []string{"1! frame - log/log/- - " + ping, "2! frame - log/log/- - " + ping}},
		{"text before the place in other letters", "2026-01-06 日本 client: " + ping, []string{"1! frame > log/log/- - " + ping}},
		{"a damaged message among whole ones", "read: " + ping + "\nread: {\"jsonrpc\":\n", []string{"1! frame - log/log/- - " + ping, `2! frame - log/log/- - {"jsonrpc":`}},
		{"a message by itself", "read: " + ping + "\n" + ping + "\n{\"level\":\"info\"}\n", []string{"1! frame - log/log/- - " + ping, "2! frame - log/log/- - " + ping, "3 " + NoMessage}},
		{"a batch with blanks", "read: [ " + ping + "]\nread: [\t[" + ping + "]]\nread: [[" + ping + "]]\nread: []",
			[]string{"1! frame - log/log/- - [ " + ping + "]", "2! frame - log/log/- - [\t[" + ping + "]]", "3! frame - log/log/- - [[" + ping + "]]", "4! frame - log/log/- - []"}},
		{"brackets in a name", "read: " + ping + "\n2026-01-06T10:30:00.000Z [a {b}] [info] Message from server: [ " + ping, []string{"1! frame - log/log/- - " + ping, "2! frame < log/a {b}/- 2026-01-06T10:30:00Z [ " + ping}},
		{"a list that is none", "read: " + ping + "\nread: [1, {\"jsonrpc\"", []string{"1! frame - log/log/- - " + ping, `2! frame - log/log/- - [1, {"jsonrpc"`}},
		{"words that are not known", "read: " + ping + "\nreceived from peer: " + ping + "\nreceived from peer: {\"id\":1,\"result\":\"a client: {\"}\ngot {\"jsonrpc\":\ngot [ {\"jsonr\\u0070c\":\"2.0\"}]\n[jsonrpc] \"jsonrpc\" [on]",
			[]string{"1! frame - log/log/- - " + ping, "2! frame - log/log/- - " + ping, `3! frame - log/log/- - {"id":1,"result":"a client: {"}`, `4! frame - log/log/- - {"jsonrpc":`,
				`5! frame - log/log/- - [ {"jsonr\u0070c":"2.0"}]`, `6 frame - log/-/- - [jsonrpc] "jsonrpc" [on]`}},
		{"a message by itself that is cut off", "read: " + ping + "\n{\"jsonrpc\":\"2.0\",\"id\n  {\"id\":1,\"resu\n{ metadata: undefined }\n", []string{"1! frame - log/log/- - " + ping, `2 frame - log/-/- - {"jsonrpc":"2.0","id`, `3 frame - log/-/- -   {"id":1,"resu`, "4 " + NoMessage}},
		{"a level", "INFO " + ping, []string{"1! frame - log/log/- - " + ping}},
		{"an arrow between names in brackets", "2026-01-06 10:30:00.123 [trace] [editor -> server] " + ping + "\n2026-01-06 10:30:01.123 [trace] [server -> editor] " + ping,
			[]string{"1! frame > log/log/- 2026-01-06T10:30:00.123Z " + ping, "2! frame < log/log/- 2026-01-06T10:30:01.123Z " + ping}},
		{"an arrow between names", "[fs] client -> server: " + ping, []string{"1! frame > log/fs/- - " + ping}},
		{"three arrows and a name", "2026-01-06T10:30:00Z [fs] >>> " + ping, []string{"1! frame - log/fs/- 2026-01-06T10:30:00Z " + ping}},
		{"a logger in Python", "2026-01-06 10:30:00,123 - mcp.server - DEBUG - Received message: " + ping, []string{"1! frame - log/log/- 2026-01-06T10:30:00.123Z " + ping}},
		{"a banner in front", "my server 1.0\n\nclient: " + ping, []string{"1 " + NoMessage, "3! frame > log/log/- - " + ping}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "dir/log.log", tt.in), tt.want...) })
	}
}

func TestDocumentsOfMessages(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"one message", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1\n}\n", []string{"1! frame - m/m/- - {\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1\n}"}},
		{"one message behind a mark and blanks", "\xEF\xBB\xBF\r\n {\r\n \"jsonrpc\": \"2.0\"}", []string{"2! frame - m/m/- - {\r\n \"jsonrpc\": \"2.0\"}"}},
		{"a list", "[\n  {\"jsonrpc\":\"2.0\"},  {\"id\":1,\n \"result\":\"é\"},\n{\"jsonrpc\":\"2.0\",\"id\":3}\n]",
			[]string{`2! frame - m/m/- - {"jsonrpc":"2.0"}`, "2! frame - m/m/- - {\"id\":1,\n \"result\":\"é\"}", `4! frame - m/m/- - {"jsonrpc":"2.0","id":3}`}},
		{"a list of log lines", "[{\"dir\":\"c2s\",\"msg\":" + ping + "},\n {\n\"é\":1,\n\"dir\":\"s2c\",\n \"è\": \"é\", \"msg\":{\"id\":1,\n\"result\":{}}},{\"x\":1}, " + ping + "]",
			[]string{"1! frame > m/m/- - " + ping, "5! frame < m/m/- - {\"id\":1,\n\"result\":{}}", "6 skipped: " + NoMessage, "6! frame - m/m/- - " + ping}},
		{"a list of records", "[\n" + record(`"message":`+ping) + ",\n" + record(`"raw":`+strconv.Quote(ping)) + "\n]",
			[]string{"2! frame - s1/fs/stdio 2026-01-06T10:30:00.000000001Z " + ping, "3 frame - s1/fs/stdio 2026-01-06T10:30:00.000000001Z " + ping}},
		{"a list of records on a long line", "[" + record(`"message":`+ping) + strings.Repeat(","+record(`"message":`+ping), 600) + "]", nil},
		{"a message with a log in it", `{"jsonrpc":"2.0","id":1,"log":{"version":"1.2"}}` + "\n" + ping,
			[]string{`1! frame - m/m/- - {"jsonrpc":"2.0","id":1,"log":{"version":"1.2"}}`, "2! frame - m/m/- - " + ping}},
		{"a tools/list response on one line", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, []string{`1! frame - m/m/- - {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := read(t, "m.json", tt.in)
			if tt.want == nil {
				if n := len(events); n != 601 || show(&events[600]) != "1! frame - s1/fs/stdio 2026-01-06T10:30:00.000000001Z "+ping {
					t.Errorf("%d events", n)
				}
				return
			}
			diff(t, events, tt.want...)
		})
	}
}

func TestSides(t *testing.T) {
	for side, words := range map[mcp.Side][]string{
		mcp.Sent:     {"write", "send", "SENT", "out", "outgoing", "->", ">>", "→", "editor -> fs"},
		mcp.Received: {"read", "recv", "received", "in", "incoming", "<-", "<<", "←", "fs→editor"},
		mcp.NoSide:   {"client", "c2s", "stdin", "message", ""},
	} {
		for _, word := range words {
			events := read(t, "log", `{"dir":"`+word+`","raw":`+ping+"}\n")
			if got := events[0].Side; got != side {
				t.Errorf("%q: got side %d, want %d", word, got, side)
			}
		}
	}
	events := read(t, "log", "write: "+ping+"\nReceived message: "+ping+"\nINFO "+ping+"\n[x] >>> "+ping+"\n[fs -> editor] "+ping)
	got := make([]mcp.Side, len(events))
	for i := range events {
		got[i] = events[i].Side
	}
	if !slices.Equal(got, []mcp.Side{mcp.Sent, mcp.Received, mcp.NoSide, mcp.Sent, mcp.Received}) {
		t.Errorf("sides of lines with prefixes: %v", got)
	}
}
