package scanner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// samples are messages that together contain every field with text in the protocol
// versions 2024-11-05 to 2026-07-28, with the subject of each.
var samples = []struct {
	direction mcp.Direction
	frame     string
}{
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","instructions":"text","serverInfo":{"name":"name","title":"title","version":"version","description":"text","websiteUrl":"https://x","icons":[{"src":"https://x","mimeType":"image/png"}]},"capabilities":{"experimental":{"keyed":{"text":"text"}},"extensions":{"extension":{}}},"supportedVersions":["2026-07-28"],"_meta":{"member":"text"}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"name","title":"title","description":"text","inputSchema":{"type":"object","title":"title","description":"text","$comment":"text","$id":"https://x","properties":{"property":{"type":"string","title":"title","description":"text","default":"text","const":"text","enum":["text","other"],"examples":["text"],"pattern":"^text$","format":"format","x-mcp-header":"Header","unknown":"text"}},"required":["property"],"$defs":{"definition":{"$ref":"#/text"}}},"outputSchema":{"properties":{"output":{"description":"text"}}},"annotations":{"title":"title","custom":"text"},"icons":[{"src":"https://x"}],"execution":{"taskSupport":"optional"},"_meta":{"ui":{"resourceUri":"ui://x","csp":{"connectDomains":["x.example"]}}},"unknown":["text"]}],"nextCursor":"cursor"}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"name","title":"title","description":"text","arguments":[{"name":"argument","title":"title","description":"text"}]}],"resources":[{"uri":"file:///x","name":"name","title":"title","description":"text","mimeType":"text/plain","annotations":{"audience":["user"],"lastModified":"2025"}}],"resourceTemplates":[{"uriTemplate":"file:///{x}","name":"name","description":"text"}]}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"text"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource_link","uri":"file:///x","name":"name","title":"title","description":"text"},{"type":"resource","resource":{"uri":"file:///x","text":"text","blob":"AAAA"}},{"type":"unheard-of","body":"text"}],"structuredContent":{"member":["text"]},"isError":true,"_meta":{"member":"text","io.modelcontextprotocol/serverInfo":{"name":"name","title":"title"},"other":["text"]}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"description":"text","messages":[{"role":"user","content":{"type":"text","text":"text"}}]}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///x","mimeType":"text/plain","text":"text","blob":"AAAA"}],"completion":{"values":["text"]}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"opaque","inputRequests":{"server-chosen":{"method":"sampling/createMessage","params":{"systemPrompt":"text","messages":[{"role":"user","content":[{"type":"text","text":"text"}]}],"tools":[{"name":"name","description":"text"}],"stopSequences":["text"]}},"other-key":{"method":"elicitation/create","params":{"message":"text","url":"https://x","requestedSchema":{"properties":{"property":{"title":"title","enum":["text"],"oneOf":[{"title":"title"}]}}}}}}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"text","data":{"member":"text"}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":"identifier","method":"sampling/createMessage","params":{"systemPrompt":"text","messages":[{"role":"user","content":{"type":"text","text":"text"}}],"metadata":{"member":"text"},"modelPreferences":{"hints":[{"name":"name"}]},"includeContext":"allServers"}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"text","elicitationId":"identifier","requestedSchema":{"properties":{"property":{"description":"text","default":"text","enumNames":["text"]}}}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"logger","data":{"member":"text"}}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"token","message":"text"}}`},
	{mcp.ServerToClient, `{"jsonrpc":"2.0","method":"notifications/unheard-of","params":["text",{"member":"text"}],"sibling":"text"}`},
	{mcp.ServerToClient, `[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"text"}},{"jsonrpc":"2.0","id":1,"result":"text"}]`},
	{mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"name","arguments":{"member":{"deep":["text"]}},"_meta":{"member":"text"}}}`},
	{mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"model","content":{"type":"text","text":"text"},"action":"accept"}}`},
	{mcp.Unknown, `{"params":"text","result":["text"],"error":"text","method":"method","id":"identifier"}`},
}

const marker = "zqmarker"

// TestEveryStringIsInspected replaces every string and every key of every sample by
// a marker, one at a time, and checks that it is found once, at its location.
func TestEveryStringIsInspected(t *testing.T) {
	for n, s := range samples {
		var doc wire.Doc
		if err := doc.Parse([]byte(s.frame)); err != nil {
			t.Fatalf("sample %d: %v", n, err)
		}
		places := 0
		for i := range doc.Nodes {
			node := doc.Nodes[i]
			if node.Kind == wire.String {
				places++
				checkMarker(t, s.direction, s.frame, int(node.Start), int(node.End))
			}
			if node.KeyEnd > 0 && !structural(string(doc.Key(i, new([]byte)))) {
				places++
				checkMarker(t, s.direction, s.frame, int(node.KeyStart), int(node.KeyEnd))
			}
		}
		if places < 3 {
			t.Errorf("sample %d has only %d places", n, places)
		}
	}
}

// structural reports whether a key determines the kind of message, so that the test cannot replace
// it.
func structural(key string) bool { return key == "result" || key == "params" || key == "method" }

func checkMarker(t *testing.T, d mcp.Direction, text string, start, end int) {
	t.Helper()
	for _, literal := range []string{`"` + marker + `"`, `"see zq\u006darker"`} {
		changed := text[:start] + literal + text[end:]
		s, res := run(t, []scanner.Rule{markerRule()}, frame(0, d, changed))
		if len(s.findings) != 1 || res.Coverage.Inspected != 1 {
			t.Errorf("%d findings for %s", len(s.findings), changed)
			continue
		}
		f := s.findings[0]
		if at := f.Location.Column - 1; at < start || at >= start+len(literal) {
			t.Errorf("the finding is at column %d, the marker at %d of %s", at+1, start+1, changed)
		}
		if f.Subject == mcp.NoSubject {
			t.Errorf("no subject for %s", changed)
		}
	}
}

// TestSubjectsAndPointers checks the subject and the pointer of findings.
func TestSubjectsAndPointers(t *testing.T) {
	call := frame(0, mcp.ClientToServer, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"reader","arguments":{}}}`)
	for _, tt := range []struct{ frame, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b","inputSchema":{"properties":{"x/y":{"enum":["q","zqmarker"]}}}}]}}`, "tool b /inputSchema/properties/x~1y/enum/1"},
		{`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b","zqmarker":1}]}}`, "tool b /zqmarker"},
		{`{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"p","description":"zqmarker"}]}}`, "prompt p /description"},
		{`{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"u:1","name":"zqmarker"}]}}`, "resource u:1 /name"},
		{`{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"uriTemplate":"u:{x}","title":"zqmarker"}]}}`, "template u:{x} /title"},
		{`{"jsonrpc":"2.0","id":1,"result":{"instructions":"zqmarker"}}`, "server  /instructions"},
		{`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"zqmarker"}]}}`, "result reader /content/0/text"},
		{`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"zqmarker"}}`, "error reader /error/message"},
		{`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"zqmarker"}}`, "notification  /data"},
		{`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"systemPrompt":"zqmarker"}}`, "sampling  /systemPrompt"},
		{`{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"zqmarker"}}}}}`, "elicitation  /params/message"},
		{`{"jsonrpc":"2.0","id":7,"result":{"inputRequests":{"zqmarker":{"method":"elicitation/create","params":{}}}}}`, "result reader /inputRequests/zqmarker"},
		{`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"inputRequests":{"zqmarker":{"method":"elicitation/create","params":{}}}}}`, "notification  /inputRequests/zqmarker"},
		{`{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"title":"zqmarker"}}}}`, "server  /_meta/io.modelcontextprotocol~1serverInfo/title"},
		{`{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{},"zqmarker":1}}}`, "result reader /_meta/zqmarker"},
		{`a banner with zqmarker in it`, "message  "},
	} {
		s, _ := run(t, []scanner.Rule{markerRule()}, call, frame(1, mcp.ServerToClient, tt.frame))
		if len(s.findings) != 1 {
			t.Errorf("%d findings in %s", len(s.findings), tt.frame)
			continue
		}
		f := s.findings[0]
		if got := fmt.Sprintf("%s %s %s", f.Subject, f.Name, f.Pointer); got != tt.want {
			t.Errorf("got %q, want %q for %s", got, tt.want, tt.frame)
		}
	}
}

// TestLocations checks that a finding points to the bytes as sent, despite escapes
// and line breaks.
func TestLocations(t *testing.T) {
	for _, tt := range []struct {
		text         string
		line, column int
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{"a":"zqmarker"}}`, 1, 40},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":"\u00e9\n\"zqmarker"}}`, 1, 50},
		{`{"jsonrpc":"2.0","id":1,"result":{"é":"ü zqmarker"}}`, 1, 42},
		{"{\"jsonrpc\":\"2.0\",\n \"id\":1,\n\n \"result\":{\"a\":\"zqmarker\"}}", 4, 17},
	} {
		s, _ := run(t, []scanner.Rule{markerRule()}, frame(0, mcp.ServerToClient, tt.text))
		if len(s.findings) != 1 || s.findings[0].Location != (scanner.Location{File: "f", Line: tt.line, Column: tt.column}) {
			t.Errorf("got %+v, want %d:%d in %s", s.findings, tt.line, tt.column, tt.text)
		}
	}
}

// TestFingerprints checks which data affects a fingerprint and which does not.
func TestFingerprints(t *testing.T) {
	base := func(change func(*scanner.Event), text string) string {
		e := frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b","description":"`+text+`"}]}}`)
		change(e)
		s, _ := run(t, []scanner.Rule{markerRule()}, e)
		if len(s.findings) != 1 {
			t.Fatal(len(s.findings))
		}
		return s.findings[0].Fingerprint()
	}
	same := base(func(*scanner.Event) {}, "say zqmarker")
	if !strings.HasPrefix(same, "f1:") || len(same) != 3+32 {
		t.Errorf("fingerprint %q", same)
	}
	for name, got := range map[string]string{
		"line":    base(func(e *scanner.Event) { e.Origin.Line = 9 }, "say zqmarker"),
		"file":    base(func(e *scanner.Event) { e.Origin.File = "g" }, "say zqmarker"),
		"session": base(func(e *scanner.Event) { e.Session = "s9" }, "say zqmarker"),
		"time":    base(func(e *scanner.Event) { e.Time = e.Time.Add(5) }, "say zqmarker"),
		"around":  base(func(*scanner.Event) {}, "now we say zqmarker again"),
	} {
		if got != same {
			t.Errorf("the %s is part of the fingerprint", name)
		}
	}
	if base(func(e *scanner.Event) { e.Server = "other" }, "say zqmarker") == same {
		t.Error("the server is not part of the fingerprint")
	}
}

// TestParamsOfUnknownDirection checks that text of an unknown sender is inspected even by rules
// that do not inspect text from clients.
func TestParamsOfUnknownDirection(t *testing.T) {
	rule := markerRule()
	rule.Client = false
	for _, tt := range []struct {
		direction mcp.Direction
		text      string
		want      int
	}{
		{mcp.Unknown, `{"jsonrpc":"2.0","id":1,"method":"custom/ask","params":{"message":"zqmarker"}}`, 1},
		{mcp.Unknown, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"message":"zqmarker"}}`, 1},
		{mcp.Unknown, `{"jsonrpc":"2.0","method":"custom","params":{"message":"zqmarker"}}`, 1},
		{mcp.Unknown, `{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"params":{"message":"zqmarker"}}`, 1},
		{mcp.Unknown, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zqmarker"}}`, 0},
		{mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"method":"custom/ask","params":{"message":"zqmarker"}}`, 1},
		{mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"custom/ask","params":{"message":"zqmarker"}}`, 0},
	} {
		if s, _ := run(t, []scanner.Rule{rule}, frame(0, tt.direction, tt.text)); len(s.findings) != tt.want {
			t.Errorf("%d findings, want %d, from %s in %s", len(s.findings), tt.want, tt.direction, tt.text)
		}
	}
}

// TestSubjectOfNode checks that findings in a message's JSON have the same subject as those in its text,
// however the members of the message are spelled.
func TestSubjectOfNode(t *testing.T) {
	node := markerRule()
	node.ID, node.Text, node.Patterns = "tst-node", nil, nil
	node.Message = func(p *scanner.MessagePass) {
		for i := range p.Doc.Nodes {
			if p.Doc.KeyIs(i, "x") {
				p.Report(i, false, scanner.High, "found")
			}
		}
	}
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"x":"zqmarker"}}`:                                                "result  /x",
		`{"jsonrpc":"2.0","id":1,"Result":{"x":"zqmarker"}}`:                                                "result  /x",
		`{"jsonrpc":"2.0","id":1,"re\u200bsult":{"x":"zqmarker"}}`:                                          "result  /x",
		`{"jsonrpc":"2.0","id":1,"ERROR":{"code":1,"x":"zqmarker"}}`:                                        "error  /ERROR/x",
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","Params":{"x":"zqmarker"}}`:              "sampling  /x",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"t","arguments":{"x":"zqmarker"}}}`: "call t /arguments/x",
	} {
		direction := mcp.ServerToClient
		if strings.Contains(message, "tools/call") {
			direction = mcp.ClientToServer
		}
		s, _ := run(t, []scanner.Rule{node, markerRule()}, frame(0, direction, message))
		for _, f := range s.findings {
			if got := fmt.Sprintf("%s %s %s", f.Subject, f.Name, f.Pointer); got != want {
				t.Errorf("%s: %s: %s, want %s", message, f.Rule.ID, got, want)
			}
		}
		if len(s.findings) != 2 {
			t.Errorf("%s: %d findings", message, len(s.findings))
		}
	}
}
