package shapes

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// otherRecordings returns recordings in other formats.
func otherRecordings() []Shape {
	answer := func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"Answer %d."}]}}`, i, i)
	}
	request := func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file"}}`, i)
	}
	entry := func(body, kind string) string {
		return fmt.Sprintf(`{"startedDateTime":"2026-01-06T10:30:00.125Z","request":{"method":"POST","url":"https://mcp.example/mcp","headers":`+
			`[{"name":"Mcp-Session-Id","value":"s"}],"postData":{"mimeType":"application/json","text":%s}},`+
			`"response":{"status":200,"headers":[],"content":{"mimeType":%q,"text":%s}}}`, strconv.Quote(request(1)), kind, strconv.Quote(body))
	}
	har := func(entries string) map[string][]byte {
		return file("in.jsonl", []byte("{\"log\": {\"version\": \"1.2\",\n\"entries\": [\n"+entries+"\n]}}\n"))
	}
	return []Shape{
		{Name: "HAR", Small: 100, Commands: inspect(), Make: func(n int) map[string][]byte {
			return har(numbered(n, ",\n", func(i int) string { return entry(answer(i), "application/json") }))
		}},
		{Name: "a stream in HAR", Small: 300, Commands: inspect(), Make: func(n int) map[string][]byte {
			return har(entry(numbered(n, "", func(i int) string { return "data: " + answer(i) + "\n\n" }), "text/event-stream"))
		}},
		{Name: "HTTP text", Small: 200, Commands: inspect(), Make: func(n int) map[string][]byte {
			return file("in.jsonl", []byte(numbered(n, "", func(i int) string {
				head := "POST /mcp HTTP/1.1\nHost: mcp.example\nContent-Type: application/json\n\n" + request(i) + "\n"
				reply := "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + answer(i) + "\n"
				return fmt.Sprintf("===== 2026-01-06T10:30:05.25Z conn=1 client->server %dB =====\n%s===== 2026-01-06T10:30:05.5Z conn=1 server->client %dB =====\n%s", len(head), head, len(reply), reply)
			})))
		}},
		{Name: "a stream in HTTP text", Small: 300, Commands: inspect(), Make: func(n int) map[string][]byte {
			return file("in.jsonl", []byte("===== 2026-01-06T10:30:01Z conn=1 server->client 300B =====\nHTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n"+numbered(n, "", func(i int) string { return "data: " + answer(i) + "\n\n" })))
		}},
		{Name: "an audit log", Small: 400, Commands: inspect(), Make: recording(func(l *lines, n int) {
			for i := range n {
				fmt.Fprintf(l, `{"type":"mcp_tool_called","timestamp":"2026-01-06T10:30:00.005Z","session_id":"s","server_id":"files","tool_name":"read_file","jsonrpc_id":%d,"input":{"path":"/srv/%d"}}`+"\n", i, i)
			}
		})},
		{Name: "a log of another tool", Small: 400, Commands: inspect(), Make: recording(func(l *lines, n int) {
			for i := range n {
				fmt.Fprintf(l, `{"ts":"2026-01-06T10:30:00Z","dir":"in","conn":"c1","raw":%q}`+"\n", answer(i))
			}
		})},
		{Name: "a log with prefixes", Small: 400, Commands: inspect(), Make: recording(func(l *lines, n int) {
			for i := range n {
				fmt.Fprintf(l, "2026-01-06T10:30:00.000Z [files] [info] Message from server: %s\n", answer(i))
			}
		})},
		{Name: "noise", Small: 1_000, Commands: inspect(), Make: recording(func(l *lines, n int) {
			l.event("s", "files", fromClient, request(1))
			for i := range n {
				fmt.Fprintf(l, "Listening on port %d\n", i)
			}
		})},
		{Name: "a transcript", Small: 300, Commands: inspect(), Make: recording(func(l *lines, n int) {
			for i := range n {
				fmt.Fprintf(l, `{"type":"user","sessionId":"s","message":{"role":"user","content":"Question %d: %s"}}`+"\n", i, order)
			}
		})},
	}
}

// compressed returns recordings that compress well.
func compressed() []Shape {
	hexes := result(func(n int) string { return hex.EncodeToString([]byte(repeated(order, n/2))) })
	pings := recording(func(l *lines, n int) {
		for range n {
			l.event("s", "files", fromServer, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}`)
		}
	})
	servers := recording(func(l *lines, n int) {
		for i := range n {
			l.listing("s", fmt.Sprintf("server%d", i), 1, tool("read_file", order))
		}
	})
	return []Shape{
		{Name: "zstd of hex", Small: 16_000, Commands: inspect(), Make: hexes, Pack: zstandard},
		{Name: "gzip of hex", Small: 16_000, Commands: inspect(), Make: hexes, Pack: gzipped},
		{Name: "zstd of messages", Small: 500, Commands: inspect(), Make: pings, Pack: zstandard},
		{Name: "gzip of messages", Small: 500, Commands: inspect(), Make: pings, Pack: gzipped},
		{Name: "many empty gzip members", Small: 500, Commands: inspect(), Make: func(n int) map[string][]byte {
			var body bytes.Buffer
			body.Write(gzipped([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)))
			for range n {
				body.Write(gzipped(nil))
			}
			body.WriteString(strings.Repeat(" ", 20*n))
			return file("in.jsonl", []byte("{\"log\": {\"version\": \"1.2\",\n\"entries\": [\n"+`{"startedDateTime":"2026-01-06T10:30:00.125Z","request":{"method":"POST","url":"https://mcp.example/mcp",`+
				`"headers":[{"name":"Mcp-Session-Id","value":"s"}]},"response":{"status":200,"headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"mimeType":"application/json",`+
				`"encoding":"base64","text":"`+base64.StdEncoding.EncodeToString(body.Bytes())+"\"}}}\n]}}\n"))
		}},
		{Name: "zstd of servers", Small: 40, Commands: inspect(formats...), Make: servers, Pack: zstandard},
		{Name: "zstd of nothing", Small: 200_000, Commands: inspect(), Pack: zstandard, Make: func(n int) map[string][]byte {
			return file("in.jsonl", append([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), make([]byte, n)...))
		}},
	}
}

// definitions returns definition files for scan.
func definitions() []Shape {
	scan := func(name string) [][]string {
		return [][]string{{"scan", "--no-run", "--fail-on", "never", "--allow-incomplete", "--format", "json=report.json", "--format", "text", name}}
	}
	tools := func(n int) []byte {
		return []byte(`{"tools":[` + numbered(n, ",\n", func(i int) string { return tool(fmt.Sprintf("tool_%d", i), fmt.Sprintf("Reads file %d.", i)) }) + `]}`)
	}
	schema := func(members string) map[string][]byte {
		return file("tools.json", []byte(`{"tools":[{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object",`+members+`}}]}`))
	}
	return []Shape{
		{Name: "definitions", Small: 300, Most: definitionBytes, Commands: scan("tools.json"), Make: func(n int) map[string][]byte { return file("tools.json", tools(n)) }},
		{Name: "a schema of many properties", Small: 500, Most: definitionBytes, Commands: scan("tools.json"), Make: func(n int) map[string][]byte {
			return schema(`"properties":{` + numbered(n, ",", func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string","description":"Value %d."}`, i, i) }) + `}`)
		}},
		{Name: "a schema of references", Small: 300, Most: definitionBytes / 2, Commands: scan("tools.json"), Make: func(n int) map[string][]byte {
			return schema(`"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + numbered(n, ",", func(i int) string {
				return fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+2)
			}) + `}`)
		}},
		{Name: "a schema of many values", Small: 2_000, Most: definitionBytes * 3 / 4, Commands: scan("tools.json"), Make: func(n int) map[string][]byte {
			return schema(`"properties":{"a":{"enum":[` + numbered(n, ",", func(i int) string { return fmt.Sprintf(`"value %d"`, i) }) + `]}}`)
		}},
		{Name: "a bundle", Small: 300, Commands: scan("server.mcpb"), Make: func(n int) map[string][]byte {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			manifest, _ := w.Create("manifest.json") // writing to memory cannot fail
			fmt.Fprintf(manifest, `{"manifest_version":"0.3","name":"files","version":"1.0.0","description":"Files.","author":{"name":"A"},"server":{"type":"node","entry_point":"index.js","mcp_config":{"command":"node","args":`+
				`["index.js"]}},"tools":[%s]}`,
				numbered(n, ",", func(i int) string { return fmt.Sprintf(`{"name":"tool_%d","description":"Reads file %d."}`, i, i) }))
			w.Close()
			return file("server.mcpb", b.Bytes())
		}},
	}
}
