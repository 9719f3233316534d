// Package shapes makes inputs of every kind that mcpscan reads, each of any size: what a
// test gives the program to show that its work grows with its input and no faster, and
// that its memory and its reports have a bound.
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

// Shape is one kind of input, and what mcpscan is asked to do with it.
type Shape struct {
	Name  string
	Small int // the size that a quick test begins with
	// Make returns the files of an input of a size, by name. All sizes have the same files.
	Make func(size int) map[string][]byte
	// Pack is how the files are packed; nil where they are not.
	Pack func([]byte) []byte
	// Commands are run one after the other beside the files.
	Commands [][]string
	// Most is the size in bytes beyond which mcpscan refuses the files; 0 where it does not.
	Most int
}

// Sizes in bytes that are a little less than what mcpscan reads.
const (
	settingsBytes   = 250_000   // of a file of settings, whose limit is in tokens of YAML
	definitionBytes = 8_000_000 // of a file of small definitions, which has half a million values then
	policyBytes     = 800_000   // of a policy, which has ten thousand rules then
	lockedBytes     = 4_000_000 // of two such files whose lockfile is as long as one may be
)

// All returns all shapes.
func All() []Shape {
	return slices.Concat(texts(), recordings(), findings(), otherRecordings(), transcripts(), compressed(), definitions(), projects(), policies(), comparisons())
}

// inspect are the commands for a recording, with a report for machines and one for people.
func inspect(flags ...string) [][]string {
	return [][]string{slices.Concat([]string{"replay", "-j", "1", "--fail-on", "never", "--allow-incomplete", "--format", "json=report.json", "--format", "text"}, flags, []string{"in.jsonl"})}
}

// formats are the flags for a report in each format.
var formats = []string{"--format", "sarif=report.sarif", "--format", "markdown=report.md", "--format", "html=report.html", "--format", "github=report.github",
	"--format", "junit=report.xml", "--format", "gitlab=report.gitlab", "--events", "report.events"}

// file is an input of one file.
func file(name string, content []byte) map[string][]byte { return map[string][]byte{name: content} }

// lines writes recordings, an event a line.
type lines struct {
	bytes.Buffer
	count int
}

var start = time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)

const (
	fromClient = "client_to_server"
	fromServer = "server_to_client"
)

// event adds an event, 20 ms after the one before it.
func (l *lines) event(session, server, direction, message string) {
	l.count++
	fmt.Fprintf(l, `{"type":"mcp_message","timestamp":%q,"session_id":%q,"server_id":%q,"server_type":"stdio","direction":%q,"message":%s}`+"\n",
		start.Add(time.Duration(l.count)*20*time.Millisecond).Format(time.RFC3339Nano), session, server, direction, message)
}

// listing adds a list of tools as it was answered.
func (l *lines) listing(session, server string, id int, tools ...string) {
	l.event(session, server, fromClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id))
	l.event(session, server, fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, strings.Join(tools, ",")))
}

// call adds a call and its result, which are JSON.
func (l *lines) call(session, server string, id int, tool, arguments, text string) {
	l.event(session, server, fromClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
	l.event(session, server, fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, text))
}

// tool is the definition of a tool.
func tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The path of the file."}}}}`, name, description)
}

// recording makes an input of one recording.
func recording(write func(l *lines, size int)) func(size int) map[string][]byte {
	return func(size int) map[string][]byte {
		var l lines
		write(&l, size)
		return file("in.jsonl", l.Bytes())
	}
}

// result makes a recording of one result, whose text is a JSON string without its quotes.
func result(text func(size int) string) func(size int) map[string][]byte {
	return recording(func(l *lines, size int) { l.call("s", "files", 1, "read_file", "{}", `"`+text(size)+`"`) })
}

// repeated repeats a text up to a number of bytes.
func repeated(text string, size int) string { return strings.Repeat(text, size/len(text)+1) }

// numbered joins what is made for each number below size.
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
	w.Write(data) // into memory: it does not fail
	w.Close()
	return b.Bytes()
}

func zstandard(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // there are no options that could be wrong
	}
	return w.EncodeAll(data, nil)
}
