package wire

import (
	"fmt"
	"strings"
	"testing"
)

// toolsList returns an answer to tools/list as real servers write it.
func toolsList(tools int) []byte {
	b := []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"name":"tool_%d","title":"Tool %d","description":"Reads the file at the given path and returns its text.\nThe path is relative to the workspace; \"..\" is refused. Use it before you edit.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Path of the file, relative to the workspace"},`+
			`"limit":{"type":"integer","minimum":1,"maximum":100000,"default":2000},"mode":{"type":"string","enum":["text","binary","auto"]}},`+
			`"required":["path"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, i, i)
	}
	return append(b, "]}}"...)
}

// prose returns a tool result whose text has the given size in bytes.
func prose(size int) []byte {
	line := "The quick brown fox jumps over the lazy dog, and nobody minds; it is a fox after all.\n"
	text := strings.Repeat(line, size/len(line)+1)[:size]
	b := AppendString([]byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":`), []byte(text))
	return append(b, "}]}}"...)
}

var smallMessages = [][]byte{
	[]byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"src/main.go","limit":200}}}`),
	[]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-1","progress":0.5,"total":1}}`),
	[]byte(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done\n"}],"isError":false}}`),
	[]byte(`{"jsonrpc":"2.0","id":"b\u0031","error":{"code":-32601,"message":"no such method \"x\""}}`),
}

func benchParse(b *testing.B, messages ...[]byte) {
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var d Doc
	for b.Loop() {
		for _, m := range messages {
			if err := d.Parse(m); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkParseTools(b *testing.B) { benchParse(b, toolsList(200)) }
func BenchmarkParseProse(b *testing.B) { benchParse(b, prose(64<<10)) }
func BenchmarkParseSmall(b *testing.B) { benchParse(b, smallMessages...) }

func BenchmarkAppendCanonical(b *testing.B) {
	d := mustParse(b, string(toolsList(200)))
	b.SetBytes(int64(len(d.Data)))
	b.ReportAllocs()
	var form []byte
	for b.Loop() {
		form = d.AppendCanonical(form[:0], 0)
	}
}

// TestParseAllocs checks that reusing a document allocates no memory.
func TestParseAllocs(t *testing.T) {
	var d Doc
	all := append(smallMessages[:len(smallMessages):len(smallMessages)], toolsList(20), prose(1<<10), []byte(`{"a\u0062":1,"AB":2,"ab":3}`))
	for _, m := range all {
		d.Parse(m)
	}
	if n := testing.AllocsPerRun(100, func() {
		for _, m := range all {
			d.Parse(m)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
