package proxy_test

import (
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// in16 encodes a text in UTF-16.
func in16(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// TestLLMUnreadable checks that what the agent or the provider may read, but the proxy cannot, is
// refused whatever the configuration, with the reason in the answer and in the report.
func TestLLMUnreadable(t *testing.T) {
	const limit, lines, charset = "cannot be judged, because it is nested deeper", "clients read different events", `character set "utf-16"`
	hidden := toolUse("t1", "hidden_send", "{}")
	answer := anthropicBody("tool_use", hidden)
	deepUse := toolUse("t1", "hidden_send", `{"a":`+deep+`}`)
	deepArguments := `"tool_calls":[{"id":"c1","type":"function","function":{"name":"hidden_send","arguments":"{\"a\":` + deep + `}"}}]`
	brink := strings.Repeat("[", wire.MaxDepth-3) + strings.Repeat("]", wire.MaxDepth-3) // in a schema, a body is as deep as it may be
	tool := func(schema string) string {
		return strings.Replace(anthropicAsk, `{"type":"object"}`, schema, 1)
	}
	amazon := amazonFrames(t, `contentBlockStart {"contentBlockIndex":0,"a":`+deep[1:len(deep)-1]+"}\n")
	for name, test := range map[string]struct {
		ask, kind, answer, why string
		status                 int
	}{
		"a deep request":           {tool(deep), inJSON, answer, limit, 403},
		"a request at the limit":   {tool(brink), inJSON, answer, limit, 403},
		"a request of many values": {tool(many), inJSON, answer, limit, 403},
		"a request in UTF-16":      {in16(anthropicAsk, binary.LittleEndian), inJSON, answer, charset, 415},
		"a deep answer":            {anthropicAsk, inJSON, anthropicBody("tool_use", deepUse), limit, 502},
		"a deep answer and NaN":    {anthropicAsk, inJSON, strings.Replace(anthropicBody("tool_use", deepUse), "{", `{"x":NaN,`, 1), limit, 502},
		"a deep event and NaN":     {anthropicAsk, stream, anthropicStart + `data: {"x":NaN,"type":"content_block_start","index":0,"content_block":` + deepUse + "}\n\n", limit, 200},
		"an answer of many values": {anthropicAsk, inJSON, anthropicBody("tool_use", toolUse("t1", "hidden_send", `{"a":`+many+`}`)), limit, 502},
		"UTF-16":                   {anthropicAsk, inJSON, in16(answer, binary.LittleEndian), charset, 502},
		"UTF-16 with a mark":       {anthropicAsk, inJSON, in16("\uFEFF"+answer, binary.LittleEndian), charset, 502},
		"big-endian UTF-16":        {anthropicAsk, inJSON, in16("\r\n"+answer, binary.BigEndian), charset, 502},
		"a declared charset":       {anthropicAsk, inJSON + "; charset=utf-16", answer, charset, 502},
		"UTF-16 and not a stream":  {anthropicAsk, stream, in16("\uFEFF"+answer, binary.BigEndian), charset, 200},
		"a deep body, no stream":   {anthropicAsk, stream, anthropicBody("tool_use", deepUse), limit, 200},
		"a deep event":             {anthropicAsk, stream, anthropicStart + `data: {"type":"content_block_start","index":0,"content_block":` + deepUse + "}\n\n", limit, 200},
		"a deep frame":             {anthropicAsk, amazonStream, amazon, limit, 200},
		"deep arguments":           {chatAsk, inJSON, chatBody("tool_calls", deepArguments), limit, 200},
		"deep partial arguments": {anthropicAsk, stream, anthropicStart + `data: {"type":"content_block_start","index":0,"content_block":` + hidden + "}\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":` + deep + "}\"}}\n\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" + anthropicEnd, limit, 200},
		"a call in a type":    {anthropicAsk, stream, "event: x\x1cdata: " + hidden + "\n\n" + anthropicStart, lines, 200},
		"a call in an id":     {anthropicAsk, stream, anthropicStart + "id: 1\u2029data: " + hidden + "\u2029\ndata: {}\n\n", lines, 200},
		"a call in a comment": {anthropicAsk, stream, anthropicStart + ": ping\u2028data: " + hidden + "\u2028\u2028\n\n" + anthropicEnd, lines, 200},
		"a call in data":      {anthropicAsk, stream, anthropicStart + "data: x\vdata: " + hidden + "\v\v\n\n", lines, 200},
	} {
		t.Run(name, func(t *testing.T) {
			for _, observe := range []bool{false, true} {
				asked := ""
				a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					asked = string(body)
					say(w, test.kind, test.answer)
				}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.LLMOptions, _ *proxy.Upstream) { o.Observe = observe })
				status, _, got := a.ask("/v1/messages", test.ask)
				events := a.events()
				if observe {
					if asked != test.ask || got != test.answer || !strings.Contains(events, test.why) && !strings.Contains(name, "arguments") {
						t.Errorf("observing: %d %.300q\n%.1000s", status, got, events)
					}
					continue
				}
				told := strings.Contains(strings.ReplaceAll(got, `\"`, `"`), test.why) || name == "a call in a comment" // which is dropped
				if status != test.status || !told || strings.Contains(strings.ReplaceAll(got, "\x00", ""), `"name":"hidden_send"`) {
					t.Errorf("%d %.600q", status, got)
				}
				if (status == 403 || status == 415) && asked != "" {
					t.Errorf("the provider got %.300q", asked)
				}
				if !strings.Contains(events, "refuse") || !strings.Contains(events, test.why) && !strings.Contains(name, "arguments") { // those are refused with their call
					t.Errorf("%.1000s", events)
				}
			}
		})
	}
}

// TestLLMOtherData checks that data other than a model's answer is forwarded, whatever its size and
// its first bytes.
func TestLLMOtherData(t *testing.T) {
	for path, answer := range map[string]string{
		"/v1/embeddings":           `{"object":"list","data":[{"embedding":` + many + `}]}`,
		"/v1/files/1/content":      "\x00\x00\x00\x18ftypmp42",
		"/v1/audio/speech":         "{\x00}\x00",
		"/v1beta/files/1:download": "\xFF\xFE\x00\x00\x01\x00",
	} {
		a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, _ *http.Request) { say(w, inJSON, answer) }, nil)
		if status, _, got := a.ask(path, `{"input":"x"}`); status != 200 || got != answer {
			t.Errorf("%s: %d %.300q\n%s", path, status, got, a.events())
		}
		if status, _, got := a.ask(path, answer); status != 200 || got != answer {
			t.Errorf("%s: uploaded: %d %.300q\n%s", path, status, got, a.events())
		}
	}
	a := inFrontOf(t, engineOf(t, scanner.Options{}), func(w http.ResponseWriter, _ *http.Request) { say(w, inJSON, "{}") }, nil)
	resp, err := http.Post(a.url+"/v1/messages", "application/json; charset=utf-16", strings.NewReader(anthropicAsk))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a declared character set: %s", resp.Status)
	}
}
