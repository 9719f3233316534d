// Package shapes generates inputs of every kind that mcpscan reads, in any size, to test that the
// program's work is at most linear in the size of its input, and that its memory use and reports are
// bounded.
package shapes

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Shape is one kind of input, with the commands to run on it.
type Shape struct {
	Name  string
	Small int // initial size in a quick test
	// Make returns the input files of a given size, by name. The file names are the same for all
	// sizes.
	Make func(size int) map[string][]byte
	// Pack compresses the files; nil if they are not compressed.
	Pack func([]byte) []byte
	// Commands are run one after the other in the directory of the files.
	Commands [][]string
	// Most is the size in bytes above which mcpscan rejects the files; 0 if there is no such limit.
	Most int
}

// Sizes in bytes slightly below mcpscan's limits.
const (
	settingsBytes   = 250_000   // of a settings file, which is limited in YAML tokens
	definitionBytes = 8_000_000 // of a file of small definitions, with half a million values
	policyBytes     = 800_000   // of a policy, with ten thousand rules
	lockedBytes     = 4_000_000 // of two definition files with a lockfile of maximum size
)

// All returns all shapes.
func All() []Shape {
	return slices.Concat(texts(), recordings(), findings(), otherRecordings(), transcripts(), compressed(), definitions(), projects(), policies(), comparisons())
}

// inspect returns the command for a recording, with a JSON and a text report.
func inspect(flags ...string) [][]string {
	return [][]string{slices.Concat([]string{"replay", "-j", "1", "--fail-on", "never", "--allow-incomplete", "--format", "json=report.json", "--format", "text"}, flags, []string{"in.jsonl"})}
}

// formats contains the flags for a report in each format.
var formats = []string{"--format", "sarif=report.sarif", "--format", "markdown=report.md", "--format", "html=report.html", "--format", "github=report.github",
	"--format", "junit=report.xml", "--format", "gitlab=report.gitlab", "--events", "report.events"}

// file returns an input that consists of one file.
func file(name string, content []byte) map[string][]byte { return map[string][]byte{name: content} }

// lines writes recordings, one event per line.
type lines struct {
	bytes.Buffer
	count int
}

var start = time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)

const (
	fromClient = "client_to_server"
	fromServer = "server_to_client"
)

// event adds an event, 20 ms after the previous one.
func (l *lines) event(session, server, direction, message string) {
	l.count++
	fmt.Fprintf(l, `{"type":"mcp_message","timestamp":%q,"session_id":%q,"server_id":%q,"server_type":"stdio","direction":%q,"message":%s}`+"\n",
		start.Add(time.Duration(l.count)*20*time.Millisecond).Format(time.RFC3339Nano), session, server, direction, message)
}

// listing adds a tools/list request and its response.
func (l *lines) listing(session, server string, id int, tools ...string) {
	l.event(session, server, fromClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id))
	l.event(session, server, fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, strings.Join(tools, ",")))
}

// call adds a call with JSON arguments and its result, a JSON string.
func (l *lines) call(session, server string, id int, tool, arguments, text string) {
	l.event(session, server, fromClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
	l.event(session, server, fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, text))
}

// tool returns a tool definition.
func tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The path of the file."}}}}`, name, description)
}

// recording returns a Make function for a single recording.
func recording(write func(l *lines, size int)) func(size int) map[string][]byte {
	return func(size int) map[string][]byte {
		var l lines
		write(&l, size)
		return file("in.jsonl", l.Bytes())
	}
}

// result returns a Make function for a recording of one result, whose text is a JSON string without
// its quotes.
func result(text func(size int) string) func(size int) map[string][]byte {
	return recording(func(l *lines, size int) { l.call("s", "files", 1, "read_file", "{}", `"`+text(size)+`"`) })
}

// repeated repeats a string to at least the given number of bytes.
func repeated(text string, size int) string { return strings.Repeat(text, size/len(text)+1) }

// numbered joins the results of f for each number below size.
func numbered(size int, separator string, f func(i int) string) string {
	var b strings.Builder
	for i := range size {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(f(i))
	}
	return b.String()
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data) // writing to memory cannot fail
	w.Close()
	return b.Bytes()
}

func zstandard(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // no option can be invalid
	}
	return w.EncodeAll(data, nil)
}
