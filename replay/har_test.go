package replay

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/effort"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// exchange returns an entry of a HAR file; request and content are members of
// request and response.content.
func exchange(requestHeaders, request, responseHeaders, content string) string {
	return fmt.Sprintf(`{"startedDateTime":"2026-01-06T10:30:00.125Z","request":{"method":"POST","url":"https://mcp.example:8443/mcp?key=1","headers":[%s]%s},
"response":{"status":200,"headers":[%s],"content":{%s}}}`, requestHeaders, request, responseHeaders, content)
}

func archive(entries ...string) string {
	return "{\"log\": {\n \"version\": \"1.2\",\n\"entries\": [\n" + strings.Join(entries, ",\n") + "\n]}}\n"
}

func post(body string) string {
	return `,"postData":{"mimeType":"application/json","text":` + strconv.Quote(body) + `}`
}

func body(mime, text string) string {
	return `"mimeType":"` + mime + `","size":9,"text":` + strconv.Quote(text)
}

func TestHAR(t *testing.T) {
	const (
		where  = "/mcp.example:8443/mcp/http 2026-01-06T10:30:00.125Z "
		header = `{"name":"Mcp-Session-Id","value":"s9"}`
		pong   = `{"jsonrpc":"2.0","id":1,"result":{}}`
		none   = "ignored: an HTTP exchange without MCP messages"
	)
	sse := "id: 1\ndata:\n\nevent: message\nid: 2\ndata: " + pong + "\n\n: comment\n\ndata: {\"jsonrpc\":\ndata: \"2.0\"}\n\ndata: cut {\"jsonrpc"
	in64 := base64.StdEncoding.EncodeToString([]byte(pong))
	tests := []struct {
		name, in string
		want     []string
	}{
		{"JSON to JSON", exchange(header, post(ping), "", body("application/json", pong)), []string{"4 frame > s9" + where + ping, "5 frame < s9" + where + pong}},
		{"no session", exchange("", post(ping), "", body("application/json", pong)), []string{"4 frame > cap" + where + ping, "5 frame < cap" + where + pong}},
		{"the answer names the session", exchange("", post(ping), header, body("application/json", pong)), []string{"4 frame > s9" + where + ping, "5 frame < s9" + where + pong}},
		{"the answer cannot rename it", exchange(header, post(ping), `{"name":"mcp-session-id","value":"s10"}`, body("application/json", pong)),
			[]string{"4 frame > s9" + where + ping, "5 frame < s9" + where + pong}},
		{"an event stream", exchange(header, post(ping), "", body("text/event-stream; charset=utf-8", sse)),
			[]string{"4 frame > s9" + where + ping, "5 frame < s9" + where + pong, "5 frame < s9" + where + "{\"jsonrpc\":\n\"2.0\"}", "5 frame < s9" + where + "cut {\"jsonrpc"}},
		{"an event stream that clients split differently", exchange(header, post(ping), "", body("text/event-stream", ": \u2028data: x\n\ndata: "+pong+"\n\n")),
			[]string{"4 frame > s9" + where + ping, "5 skipped: " + wire.AmbiguousReason, "5 frame < s9" + where + pong}},
		{"a separator inside a message", exchange(header, post(ping), "", `"mimeType":"text/event-stream","text":`+strconv.Quote("data: {\"id\":1,\"result\":\"\u2028\"}\n\n")),
			[]string{"4 frame > s9" + where + ping, "5 frame < s9" + where + "{\"id\":1,\"result\":\"\u2028\"}"}},
		{"base64", exchange(header, post(ping), "", `"mimeType":"application/json","encoding":"base64","text":"`+in64+`"`), []string{"4 frame > s9" + where + ping, "5 frame < s9" + where + pong}},
		{"base64 that is none", exchange(header, post(ping), "", `"encoding":"base64","text":"*"`), []string{"4 frame > s9" + where + ping, "5 skipped: the HAR declares a response body as base64, but it is not"}},
		{"a stream that was not saved", exchange(header, post(ping), "", `"mimeType":"text/event-stream","size":512`), []string{"4 frame > s9" + where + ping, "5 skipped: the HAR lacks a response body"}},
		{"a stream that was empty", exchange(header, post(ping), "", `"mimeType":"text/event-stream","size":0`), []string{"4 frame > s9" + where + ping}},
		{"a version in other letters", exchange("", post(`{"id":1,"method":"ping"}`), "", body("application/json", `{"jsonr\u0070c":"2.0","id":1,"result":{}}`)),
			[]string{`4 frame > cap` + where + `{"id":1,"method":"ping"}`, `5 frame < cap` + where + `{"jsonr\u0070c":"2.0","id":1,"result":{}}`}},
		{"an answer like no message", exchange(header, post(ping), "", body("application/json", `{"content":[]}`)), []string{"4 frame > s9" + where + ping, `5 frame < s9` + where + `{"content":[]}`}},
		{"an answer that is a page", exchange(header, post(ping), "", body("text/html", "<p>no</p>")), []string{"4 frame > s9" + where + ping, `5 frame < s9` + where + `<p>no</p>`}},
		{"an answer that no client asked for", exchange("", "", "", body("application/json", `[{"id":1,"result":{}}]`)), []string{`5 frame < cap` + where + `[{"id":1,"result":{}}]`}},
		{"a byte order mark", exchange(header, post(bom+ping), "", body("application/json", bom+pong)), []string{"4 frame > s9" + where + ping, "5 frame < s9" + where + pong}},
		{"a byte order mark in base64", exchange("", "", "", `"encoding":"BASE64","text":"`+base64.StdEncoding.EncodeToString([]byte(bom+pong))+`"`), []string{"5 frame < cap" + where + pong}},
		{"a byte order mark in a stream", exchange(header, "", "", body("text/event-stream", bom+"data: "+bom+pong+"\n\n")), []string{"5 frame < s9" + where + pong}},
		{"a type in other letters", exchange(header, "", "", body("Text/Event-Stream", "id: 1\rdata: "+pong+"\r\r")), []string{"5 frame < s9" + where + pong}},
		{"a stream behind an endpoint", exchange("", "", "", body("text/event-stream", "event: endpoint\ndata: /m\n\ndata: {\"method\":\"x\"}\n\n")), []string{"5 frame < cap" + where + `{"method":"x"}`}},
		{"a stream of another API", exchange("", "", "", body("text/event-stream", "data: {\"delta\":\"x\"}\n\ndata: [DONE]\n\n")), []string{"4 " + none}},
		{"JSON that was not saved", exchange(header, post(ping), "", `"mimeType":"application/json","size":5000`), []string{"4 frame > s9" + where + ping, "5 skipped: the HAR lacks a response body"}},
		{"JSON saved as nothing", exchange("", "", "", `"mimeType":"Application/JSON","size":5000,"text":""`), []string{"5 skipped: the HAR lacks a response body"}},
		{"a request that was not saved, with its size", strings.Replace(exchange(header, "", "", ""), `"request":{`, `"request":{"bodySize":154,`, 1), []string{"4 skipped: the HAR lacks a request body"}},
		{"an empty text with a size", strings.Replace(exchange(header, `,"postData":{"mimeType":"application/json","text":""}`, "", ""), `"request":{`, `"request":{"bodySize":154,`, 1), []string{"4 skipped: the HAR lacks a request body"}},
		{"a request that was not saved", exchange("", `,"postData":{"mimeType":"application/json"}`, "", ""), []string{"4 skipped: the HAR lacks a request body"}},
		{"an answer without a type that was not saved", exchange(header, post(ping), "", `"size":-1`), []string{"4 frame > s9" + where + ping, "5 skipped: the HAR lacks a response body"}},
		{"a stream sent but not saved", strings.Replace(exchange(header, post(ping), "", `"mimeType":"text/event-stream","size":0`), `"status":200`, `"status":200,"bodySize":4000`, 1),
			[]string{"4 frame > s9" + where + ping, "5 skipped: the HAR lacks a response body"}},
		{"a stream that was empty, in chunks", strings.Replace(exchange(header, post(ping), "", `"mimeType":"text/event-stream","size":0`), `"status":200`, `"status":200,"bodySize":5`, 1),
			[]string{"4 frame > s9" + where + ping}},
		{"a picture that was not saved", exchange("", "", "", `"mimeType":"image/png","size":5000`), []string{"4 " + none}},
		{"a batch", exchange(header, post("["+ping+"]"), "", ""), []string{"4 frame > s9" + where + "[" + ping + "]"}},
		{"a page", exchange("", "", "", body("text/html", "<p>jsonrpc</p>")), []string{"4 " + none}},
		{"another API", exchange("", post(`{"query":"x"}`), "", body("application/json", `[1]`)), []string{"4 " + none}},
		{"an entry that is nothing", `7`, []string{"4 " + none}},
		{"no entries", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "cap.har", archive(tt.in)), tt.want...) })
	}
	t.Run("several entries on one line", func(t *testing.T) {
		in := strings.ReplaceAll(archive(exchange(header, post(ping), "", ""), exchange("", "", "", "")), "\n", "")
		diff(t, read(t, "cap.har", in), "1 frame > s9"+where+ping, "1 "+none)
	})
	t.Run("the answer in front of the request", func(t *testing.T) {
		in := archive("{\"response\":{\"content\":{" + body("application/json", pong) + "}},\n\"request\":{\"url\":\"https://a/b\"" + post(ping) + "}}")
		diff(t, read(t, "cap.har", in), "5 frame > cap/a/b/http - "+ping, "4 frame < cap/a/b/http - "+pong)
	})
}

func TestHAROversizeEvent(t *testing.T) {
	in := archive(exchange("", post(ping), "", body("text/event-stream", "data: "+strings.Repeat("x", 200)+"\n\ndata: "+ping+"\n\n")))
	events, err := openBytes("cap", in, 100)
	if err != nil || len(events) != 3 || show(&events[1]) != "5 skipped: a server-sent event exceeds the limit of 100 bytes (--max-message)" {
		t.Errorf("%v, got:\n%s", err, shown(events))
	}
}

func TestHAROversizeBody(t *testing.T) {
	in := archive(exchange("", post(ping), "", body("application/json", `{"jsonrpc":"2.0","x":"`+strings.Repeat("x", 200)+`"}`)))
	events, err := openBytes("cap", in, 100)
	if err != nil || len(events) != 2 || show(&events[1]) != "5 skipped: a body exceeds the limit of 100 bytes (--max-message)" {
		t.Errorf("%v, got:\n%s", err, shown(events))
	}
}

// TestHARSockets reads the messages of WebSockets, which browsers save in a member of their own.
func TestHARSockets(t *testing.T) {
	const (
		where  = "/mcp.example:8443/mcp/http 2026-01-06T10:30:0"
		send   = `{"type":"send","time":1767695402.5,"opcode":1,"data":`
		answer = `{"type":"receive","time":1767695403,"opcode":1,"data":`
		none   = "4 ignored: an HTTP exchange without MCP messages"
	)
	socket := func(messages ...string) string {
		entry := exchange("", "", "", `"mimeType":"","size":0`)
		return strings.TrimSuffix(entry, "}") + ",\n\"_webSocketMessages\":[\n" + strings.Join(messages, ",\n") + "]}"
	}
	message := func(head, data string) string { return head + strconv.Quote(data) + "}" }
	binary := strings.Replace(answer, `"opcode":1`, `"opcode":2`, 1)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"MCP", socket(message(send, ping), message(answer, pong), message(answer, "hello")), []string{"7 frame > cap" + where + "2.5Z " + ping, "8 frame < cap" + where + "3Z " + pong, "9 frame < cap" + where + "3Z hello"}},
		{"a message that no client asked for", socket(message(answer, pong), message(answer, "hello")), []string{"7 frame < cap" + where + "3Z " + pong}},
		{"without times", socket(`{"type":"send","opcode":1,"data":` + strconv.Quote(ping) + `}`), []string{"7 frame > cap" + where + "0.125Z " + ping}},
		{"binary", socket(message(send, ping), message(binary, base64.StdEncoding.EncodeToString([]byte(pong)))), []string{"7 frame > cap" + where + "2.5Z " + ping, "8 frame < cap" + where + "3Z " + pong}},
		{"binary that is none", socket(message(binary, "*")), []string{"7 skipped: the HAR declares a WebSocket message as binary, but it is not in base64"}},
		{"an error of the browser", socket(message(send, ping), `{"type":"error","opcode":-1,"data":"closed"}`), []string{"7 frame > cap" + where + "2.5Z " + ping}},
		{"a model", socket(message(answer, `{"type":"response.output_item.done","output_index":0,"item":{"type":"mcp_call","id":"m","server_label":"wiki","name":"read","arguments":"{}","output":"hello"}}`)),
			[]string{`7 frame > cap.har/wiki/- 2026-01-06T10:30:03Z {"jsonrpc":"2.0","id":"m","method":"tools/call","params":{"name":"read","arguments":{}}}`,
				`7 frame < cap.har/wiki/- 2026-01-06T10:30:03Z {"jsonrpc":"2.0","id":"m","result":{"content":[{"type":"text","text":"hello"}]}}`,
				"7 skipped: a stream ends early: response.completed is missing"}},
		{"another protocol", socket(message(send, "hello"), message(answer, `{"a":1}`)), []string{none}},
		{"no messages", socket(), []string{none}},
		{"not saved", strings.Replace(exchange(`{"name":"Sec-WebSocket-Protocol","value":"mcp"}`, "", "", `"size":0`), "200", "101", 1), []string{"4 skipped: the HAR lacks the messages of a WebSocket"}},
	} {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "cap.har", archive(tt.in)), tt.want...) })
	}
}

// TestDocumentsThatBreakOff checks that a truncated document is read up to the point of truncation.
func TestDocumentsThatBreakOff(t *testing.T) {
	const where = "/mcp.example:8443/mcp/http 2026-01-06T10:30:00.125Z "
	two := archive(exchange("", post(ping), "", body("application/json", pong)), exchange("", post(ping), "", body("application/json", pong)))
	one := []string{"4 frame > cap" + where + ping, "5 frame < cap" + where + pong}
	list := "[\n" + ping + ",\n" + ping
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"behind an exchange", two[:strings.LastIndex(two, `{"startedDateTime"`)], append(one, "6 skipped: the document is truncated: invalid JSON: unexpected end, expected a value")},
		{"in a response", two[:strings.LastIndex(two, `"status"`)], append(one, "6 frame > cap"+where+ping, "7 skipped: the document is truncated: invalid JSON: unexpected end inside an object")},
		{"at a byte that is no UTF-8", strings.Replace(two, `"status":200,"headers":[],"content":{"mimeType":"application/json"`, "\"\xff", 1),
			[]string{"4 frame > cap" + where + ping, "5 skipped: the document is truncated: invalid JSON: invalid UTF-8 inside a string"}},
		{"behind the archive", two + "x", append(one, "6 frame > cap"+where+ping, "7 frame < cap"+where+pong, `9 skipped: the document is truncated: invalid JSON: unexpected 'x' after the value`)},
		{"in a list of messages", list[:len(list)-3], []string{"2! frame - cap/cap/- - " + ping, "3! frame - cap/cap/- - " + ping[:len(ping)-3],
			"3 skipped: the document is truncated: invalid JSON: unexpected end inside a string"}},
	} {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "cap.har", tt.in), tt.want...) })
	}
	packed := gzipped(t, archive(slices.Repeat([]string{exchange("", post(ping), "", "")}, 5000)...))
	events, err := openBytes("cap.har.gz", packed[:len(packed)-100], limit)
	if err != nil || len(events) < 1000 || events[len(events)-1].Reason != "the document is truncated: reading cap.har.gz: unexpected EOF" {
		t.Errorf("%v, %d events", err, len(events))
	}
}

// TestDocumentsAreReadInPieces checks that memory holds little more than a document's bytes and, if
// it contains an event stream, the text of that stream.
func TestDocumentsAreReadInPieces(t *testing.T) {
	event := "data: " + pong + "\n\n"
	for _, tt := range []struct {
		name, in string
		most     float64 // multiple of the size
	}{
		{"HAR", archive(slices.Repeat([]string{exchange("", post(ping), "", body("application/json", pong))}, 20_000)...), 1.5},
		{"a stream", archive(exchange("", post(ping), "", body("text/event-stream", strings.Repeat(event, 150_000)))), 2.5},
		{"messages", "[\n" + strings.Repeat(ping+",\n", 150_000) + ping + "]", 1.5},
	} {
		before := heap()
		src, err := Open("doc", strings.NewReader(tt.in), Options{MaxMessage: limit})
		if err != nil {
			t.Fatal(err)
		}
		c, err := src.Next()
		if held := float64(heap()-before) / float64(len(tt.in)); err != nil || held > tt.most {
			t.Errorf("%s: %.2f times its bytes are held, %v", tt.name, held, err)
		}
		runtime.KeepAlive(c)
		runtime.KeepAlive(src)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLargeDocumentsAreLinear checks that locations in a large document are found
// in one pass.
func TestLargeDocumentsAreLinear(t *testing.T) {
	entry := exchange("", post(ping), "", body("application/json", `{"jsonrpc":"2.0","x":"`+strings.Repeat("x", 900)+`"}`))
	har := func(size int) string { return archive(slices.Repeat([]string{entry}, size)...) }
	for name, document := range map[string]func(size int) string{
		"HAR":         har,
		"HAR, 1 line": func(size int) string { return strings.ReplaceAll(har(size), "\n", "") },
		"messages":    func(size int) string { return "[\n" + strings.Repeat(ping+",\n", 3*size) + ping + "]" },
	} {
		effort.Linear(t, name, 19_200, func(size int) func() {
			in := document(size)
			return func() {
				if events, err := openBytes("doc", in, limit); err != nil || len(events) < 2*size {
					t.Errorf("%s: %d events of %d entries, %v", name, len(events), size, err)
				}
			}
		})
	}
}

// TestHARDurations checks that only the response to a POST of plausible duration is dated at the end of
// its exchange.
func TestHARDurations(t *testing.T) {
	const start, end = "2026-01-06T10:30:00.125Z", "2026-01-06T10:30:00.375Z"
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	entry := exchange("", post(ping), "", body("application/json", pong))
	stream := exchange("", post(ping), "", body("text/event-stream", "data: "+progress+"\n\ndata: "+pong+"\n\n"))
	for _, tt := range []struct {
		name, entry, time string
		want              []string
	}{
		{"JSON", entry, "250", []string{start, end}}, {"a stream", stream, "250", []string{start, start, end}},
		{"a GET", strings.Replace(stream, `"POST"`, `"GET"`, 1), "250", []string{start, start, start}},
		{"too long", entry, "30000.5", []string{start, start}}, {"huge", entry, "1e300", []string{start, start}}, {"negative", entry, "-1", []string{start, start}},
	} {
		timed := strings.Replace(tt.entry, `"startedDateTime"`, `"time":`+tt.time+`,"startedDateTime"`, 1)
		var got []string
		for _, e := range read(t, "cap.har", archive(timed)) {
			got = append(got, e.Time.Format(time.RFC3339Nano))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
