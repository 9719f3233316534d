package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lines joins lines into a file, and fills in the sizes of its pieces.
func lines(l ...string) string {
	all := strings.SplitAfter(strings.Join(l, "\n")+"\n", "\n")
	size := 0
	for i := len(all) - 1; i >= 0; i-- {
		if isSegment([]byte(strings.TrimSpace(all[i]))) {
			all[i] = strings.Replace(all[i], " 300B ", fmt.Sprintf(" %dB ", size), 1)
			size = 0
			continue
		}
		size += len(all[i])
	}
	return strings.Join(all, "")
}

const (
	fromClient = "===== 2026-01-06T10:30:00.125Z conn=1 client->server 300B ====="
	fromServer = "===== 2026-01-06T10:30:01Z conn=1 server->client 300B ====="
	otherConn  = "===== 2026-01-06T10:30:02Z conn=2 server->client 300B ====="
	postHead   = "POST /mcp HTTP/1.1"
	okHead     = "HTTP/1.1 200 OK"
	sessionID  = "mcp-session-id: s9"
	bom        = "\uFEFF"
	pong       = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

func TestHTTPText(t *testing.T) {
	const (
		client = " frame > s9/cap/http 2026-01-06T10:30:00.125Z "
		server = " frame < s9/cap/http 2026-01-06T10:30:01Z "
		other  = " frame < cap/cap/http 2026-01-06T10:30:02Z "
	)
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{"JSON to JSON", []string{fromClient, postHead, "Mcp-Session-Id: s9", "", ping, fromServer, okHead, "", pong}, []string{"5" + client + ping, "9" + server + pong}},
		{"the answer names the session", []string{fromClient, postHead, "", ping, fromServer, okHead, sessionID, "", pong}, []string{"4" + client + ping, "9" + server + pong}},
		{"the answer cannot rename it", []string{fromClient, postHead, sessionID, "", ping, fromServer, okHead, "mcp-session-id: s10", "", pong}, []string{"5" + client + ping, "10" + server + pong}},
		{"a body cannot name it", []string{fromClient, postHead, "", ping, fromServer, okHead, "", "data: " + pong, "", sessionID}, []string{
			"4 frame > cap/cap/http 2026-01-06T10:30:00.125Z " + ping, "8 frame < cap/cap/http 2026-01-06T10:30:01Z " + pong, "10 frame < cap/cap/http 2026-01-06T10:30:01Z " + sessionID}},
		{"an event stream", []string{fromServer, okHead, sessionID, "Content-Type: text/event-stream", "", "31", "id: 1", "data: ", "", "", "822", "event: message", "data: " + pong, "", "", "0", ""}, []string{"13" + server + pong}},
		{"a stream that goes on in a later piece", []string{fromServer, okHead, sessionID, "", fromServer, "24", "data: " + pong, "", otherConn, "24", "data: " + pong}, []string{"7" + server + pong, "11" + other + pong}},
		{"a chunk size in a message", []string{fromServer, okHead, sessionID, "", "10", `{"jsonrpc":"2.0","x":"a `, "1f", ` b","id":`, "2", "12", "1", "}"}, []string{"6" + server + `{"jsonrpc":"2.0","x":"a  b","id":12}`}},
		{"a message over two pieces", []string{fromServer, okHead, sessionID, "", "data: " + pong[:20], fromServer, pong[20:]}, []string{"5" + server + pong}},
		{"a message over two pieces, another between", []string{fromServer, okHead, sessionID, "", "data: " + pong[:20], otherConn, okHead, "", pong, fromServer, pong[20:]},
			[]string{"9" + other + pong, "5" + server + pong}},
		{"the lines of one event", []string{fromServer, okHead, sessionID, "", "data: {", `data: "jsonrpc":"2.0"}`, ""}, []string{"5" + server + "{\n" + ` "jsonrpc":"2.0"}`}},
		{"a body over lines", []string{fromServer, okHead, sessionID, "", "{", `  "jsonrpc":`, ` "2.0"`, "}"}, []string{"5" + server + `{  "jsonrpc": "2.0"}`}},
		{"a body over many lines", []string{fromServer, okHead, sessionID, "", `{"jsonrpc":"2.0","x":[`, strings.Repeat("{},\n", 300) + "{}", "]}"}, []string{"5" + server + `{"jsonrpc":"2.0","x":[` + strings.Repeat("{},", 300) + "{}]}"}},
		{"a message that never ends", []string{fromServer, okHead, sessionID, "", "data: {", "data: " + pong, "data: " + pong}, []string{"5" + server + "{", "6" + server + pong, "7" + server + pong}},
		{"a message that never ends, then a head", []string{fromServer, okHead, sessionID, "", `{"a`, okHead, "", pong}, []string{"5" + server + `{"a`, "8" + server + pong}},
		{"white space behind a message", []string{fromServer, okHead, sessionID, "", "data: " + pong + " \t", "0"}, []string{"5" + server + pong}},
		{"a batch", []string{fromServer, okHead, sessionID, "", "[" + pong + "]"}, []string{"5" + server + "[" + pong + "]"}},
		{"no messages", []string{fromServer, okHead, sessionID, "", "hello"}, []string{"5" + server + "hello"}},
		{"a page", []string{fromServer, okHead, sessionID, "Content-Type: text/html", "", "<p>", "hello", ": all", "</p>", fromServer, okHead, sessionID, "", pong},
			[]string{"6" + server + "<p>\nhello\n: all\n</p>", "14" + server + pong}},
		{"nothing to say", []string{fromServer, "HTTP/1.1 202 Accepted", "", "8", "Accepted", "0", "", "===== 2026-01-06T10:30:05.25Z conn=1 closed =====", ""}, nil},
		{"an endpoint, then text", []string{fromServer, okHead, sessionID, "Content-Type: text/event-stream", "", "event: endpoint", "data: /m?id=1", "", "data: hello"}, []string{"9" + server + "hello"}},
		{"a byte order mark", []string{fromServer, okHead, sessionID, "", bom + pong, fromServer, okHead, "", bom + "data: " + bom + pong}, []string{"5" + server + pong, "9" + server + pong}},
		{"fields in a body of another type", []string{fromServer, okHead, sessionID, "Content-Type: text/plain", "", "event: endpoint", "data: hello", "retry: now", "id: 7"},
			[]string{"6" + server + "event: endpoint\nhello\nretry: now\nid: 7"}},
		{"fields in a body without a type", []string{fromServer, okHead, sessionID, "", "event: message"}, []string{"5" + server + "event: message"}},
		{"fields without a head", []string{fromServer, "event: message", "id: 1", "data: " + pong}, []string{"4 frame < cap/cap/http 2026-01-06T10:30:01Z " + pong}},
		{"a lone CR between fields", []string{fromServer, okHead, sessionID, "Content-Type: text/event-stream", "", "id: 1\rdata: " + pong + "\r\rdata: " + pong}, []string{"6" + server + pong, "6" + server + pong}},
		{"a field in the data of an event", []string{fromServer, okHead, sessionID, "content-type: Text/Event-Stream", "", "data: {", "id: 1", `data: "jsonrpc":"2.0"}`}, []string{"6" + server + "{\n" + ` "jsonrpc":"2.0"}`}},
		{"a body that looks like a head", []string{fromServer, okHead, sessionID, "", okHead, "data: " + pong, "POST /x HTTP/1.1", "data: " + pong}, []string{"6" + server + pong, "7" + server + "POST /x HTTP/1.1", "8" + server + pong}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			diff(t, read(t, "cap.txt", lines(tt.in...)), tt.want...)
			diff(t, read(t, "cap.txt", strings.ReplaceAll(lines(tt.in...), "\n", "\r\n")), tt.want...)
		})
	}
}

// TestHTTPTextKeepsSessionsApart reuses a connection for another session, and then for a client
// without a session.
func TestHTTPTextKeepsSessionsApart(t *testing.T) {
	const at = "/cap/http 2026-01-06T10:30:0"
	events := read(t, "cap.txt", lines(
		fromClient, postHead, sessionID, "", ping, fromServer, okHead, "", pong,
		fromClient, postHead, "", ping, fromServer, okHead, "mcp-session-id: s10", "", pong,
		fromClient, postHead, "", ping, fromServer, okHead, "", pong))
	diff(t, events, "5 frame > s9"+at+"0.125Z "+ping, "9 frame < s9"+at+"1Z "+pong, "13 frame > s10"+at+"0.125Z "+ping, "18 frame < s10"+at+"1Z "+pong,
		"22 frame > cap"+at+"0.125Z "+ping, "26 frame < cap"+at+"1Z "+pong)
}

// TestHTTPTextSegmentsHaveASize checks that a line in a body that looks like the
// start of a piece does not change the direction, wherever in the body it is, and
// whether or not line endings were rewritten.
func TestHTTPTextSegmentsHaveASize(t *testing.T) {
	const (
		skip   = " skipped: a line inside a section looks like the start of another section: it was read as part of the section that contains it"
		server = " frame < cap/cap/http 2026-01-06T10:30:01Z "
		client = " frame > cap/cap/http 2026-01-06T10:30:00.125Z "
	)
	spoof := strings.Replace(fromClient, "300B", "10B", 1)
	for _, blanks := range []int{0, 1, 20, 200, 2000} {
		body := okHead + "\r\n\r\n" + strings.Repeat(":\n", blanks) + spoof + "\ndata: " + pong + "\n\n"
		in := strings.Replace(fromServer, "300B", fmt.Sprintf("%dB", len(body)), 1) + "\n" + body
		line := func(n int) string { return fmt.Sprint(4 + blanks + n) }
		want := []string{line(0) + skip}
		noise := server + strings.Repeat(":\n", blanks) + spoof
		if blanks > 0 {
			noise = "4" + noise
		} else {
			noise = line(0) + noise
		}
		want = append(want, noise, line(1)+server+pong)
		next := strings.Replace(fromClient, "300B", fmt.Sprintf("%dB", len(postHead+"\r\n\r\n"+ping)), 1) + "\n" + postHead + "\n\n" + ping + "\n"
		diff(t, read(t, "cap.txt", strings.ReplaceAll(in, "\r\n", "\n")), want...)
		diff(t, read(t, "cap.txt", strings.ReplaceAll(in, "\r\n", "\n")+next), append(want, line(6)+client+ping)...)
		diff(t, read(t, "cap.txt", in+next), append(want, line(6)+client+ping)...)
	}
}

func TestHTTPTextOfCurl(t *testing.T) {
	events := read(t, "cap.txt", lines("### curl -X POST -d {}", okHead, sessionID, "Content-Type: application/json", "", pong,
		"### curl -X DELETE", "HTTP/2 404", "", "<p>no</p>", "### curl -X GET", okHead, "", "data: "+pong))
	diff(t, events, "6 frame < s9/cap/http - "+pong, "10 frame < cap/cap/http - <p>no</p>", "14 frame < cap/cap/http - "+pong)
}

func TestHTTPTextBounds(t *testing.T) {
	endless := fromServer + "\n" + okHead + "\n\n{\n" + strings.Repeat(`"a": {"b":[]}`+"\n", 400000)
	events := read(t, "cap.txt", endless+"data: "+pong+"\n")
	if n := len(events); n < 2 || string(events[n-1].Frame) != pong || len(events[0].Frame) > 2*maxPartial || events[0].Frame[0] != '{' {
		t.Errorf("%d events", n)
	}
	long := lines(fromServer, okHead, "", `{"a":"`+strings.Repeat("x", 200)+`"}`, pong)
	events, err := openBytes("cap.txt", long, 100)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, events, "4 skipped: a line exceeds the limit of 100 bytes (--max-message)", "5 frame < cap/cap/http 2026-01-06T10:30:01Z "+pong)
	events, err = openBytes("cap.txt", lines(fromServer, okHead, "", "{", `"jsonrpc":"2.0","x":"`+strings.Repeat("x", 60), `y":"`+strings.Repeat("x", 60)+`"}`, "data: "+pong), 100)
	if err != nil || len(events) < 2 || show(&events[0]) != "4 skipped: a message exceeds the limit of 100 bytes (--max-message)" || string(events[len(events)-1].Frame) != pong {
		t.Errorf("%v, got:\n%s", err, shown(events))
	}
}

// TestHTTPTextHoldsWhatWaits checks that a request waits for the response that
// names its session, but not for ever.
func TestHTTPTextHoldsWhatWaits(t *testing.T) {
	const pieces = 20
	fill := []string{}
	for range pieces {
		fill = append(fill, otherConn, okHead, "", `{"jsonrpc":"2.0","id":2,"result":{"x":"`+strings.Repeat("x", maxHeld/pieces)+`"}}`)
	}
	waits := []string{fromClient, postHead, "", ping}
	answer := []string{fromServer, okHead, sessionID, "", pong}
	for _, tt := range []struct {
		between []string
		want    string
	}{{fill[:2*4], "s9"}, {fill, "cap"}} {
		events := read(t, "cap.txt", lines(slices.Concat(waits, tt.between, answer)...))
		if events[0].Session != tt.want || events[len(events)-1].Session != "s9" {
			t.Errorf("%d pieces between: the request is in session %s, the answer in %s", len(tt.between)/4, events[0].Session, events[len(events)-1].Session)
		}
	}
}
