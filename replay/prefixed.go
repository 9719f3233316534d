package replay

import (
	"bytes"
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

// prefixedLines decodes logs whose lines end in a message: go-sdk's
// LoggingTransport ("read: {…}", "write: {…}") and Claude Desktop's server logs
// ("2026-01-06T10:30:00.000Z [name] [info] Message from client: {…}").
type prefixedLines struct{ file string }

var (
	prefix     = regexp.MustCompile(`(?i)(?:^|[\s\]])(read|write|message from client|message from server|client|server|recv|received|send|sent|<-|->|<|>):?\s*$`)
	prefixTime = regexp.MustCompile(`^\s*\[?(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)`)
	prefixName = regexp.MustCompile(`\[([^\[\]]+)\]`)
	notAName   = regexp.MustCompile(`(?i)^(?:trace|debug|info|notice|warn|warning|error|critical|fatal|\d{4}-\d{2}-\d{2}.*)$`)
)

// logged cuts off what Claude Desktop writes behind a message.
func logged(data []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSpace(data), []byte(" { metadata: undefined }"))
}

// splitPrefix finds the message of a log line: the word ahead of it, and where
// it starts. at is 0 for a line without one.
func splitPrefix(line []byte) (word string, at int) {
	at = bytes.IndexAny(line, "{[")
	for at >= 0 && line[at] == '[' { // brackets of the prefix, such as [info]
		next := bytes.IndexAny(line[at+1:], "{[")
		if next < 0 || bytes.HasPrefix(line[at:], []byte("[{")) {
			break
		}
		at += 1 + next
	}
	if at <= 0 {
		return "", 0
	}
	m := prefix.FindSubmatch(line[:at])
	if m == nil {
		return "", 0
	}
	return string(bytes.ToLower(m[1])), at
}

func (d *prefixedLines) decode(b *lineBuffers, l line, data []byte, yield func(*scanner.Event)) {
	word, at := splitPrefix(data)
	e := b.event(d.file, l)
	if at == 0 {
		if bytes.IndexByte(data, '{') >= 0 && b.doc.Parse(data) == nil && (isMessage(&b.doc, 0) || isMessage(&b.doc, b.doc.First(0))) {
			d.lines().decode(b, l, data, yield)
			return
		}
		e.Kind, e.Reason = scanner.IgnoredEvent, "a line of a log that holds no message"
		yield(e)
		return
	}
	e.Session, e.Server = baseName(d.file), baseName(d.file)
	if m := prefixTime.FindSubmatch(data[:at]); m != nil {
		e.Time, _ = parseTime(string(m[1]))
	}
	for _, m := range prefixName.FindAllSubmatch(data[:at], -1) {
		if !notAName.Match(m[1]) {
			e.Server = b.str(m[1])
			break
		}
	}
	// read and write depend on which side logged: the engine goes by the method.
	e.Direction = directionOf(trimFrom(word))
	e.Frame = logged(data[at:])
	e.Origin.Column, e.Origin.Exact = 1+len([]rune(string(data[:at]))), true
	yield(e)
}

// lines decodes a message that stands in the log by itself.
func (d *prefixedLines) lines() *jsonLines { return &jsonLines{file: d.file} }

func trimFrom(word string) string {
	return string(bytes.TrimPrefix([]byte(word), []byte("message from ")))
}
