package replay

import (
	"bytes"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// prefixedLines decodes logs whose lines end in a message: go-sdk's
// LoggingTransport ("read: {…}", "write: {…}") and Claude Desktop's server logs
// ("2026-01-06T10:30:00.000Z [name] [info] Message from client: {…}").
type prefixedLines struct{ file, session string }

var (
	prefix      = lazyregexp.New(`(?i)(?:^|[\s\]])(read|write|message from client|message from server|client|server|recv|(?:received|receiving|sent|sending)(?: message)?|send|<-|->|<{1,3}|>{1,3}):?\s*$`)
	prefixArrow = lazyregexp.New(`([^\s\[\]]+ ?(?:->|→) ?[^\s\[\]:]+)\]?:?\s*$`)
	prefixTime  = lazyregexp.New(`^\s*\[?(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)`)
	prefixName  = lazyregexp.New(`\[([^\[\]]+)\]`)
	notAName    = lazyregexp.New(`(?i)^(?:trace|debug|info|notice|warn|warning|error|critical|fatal|\d{4}-\d{2}-\d{2}.*)$`)
)

// trimMetadata removes the text that Claude Desktop appends to a message.
func trimMetadata(data []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSpace(data), []byte(" { metadata: undefined }"))
}

// prefixBytes exceeds the length of any prefix word, and of most pairs of names around an arrow.
const prefixBytes = 80

// splitPrefix finds the message in a log line. It returns the word before the message and the
// message's offset, which is 0 if there is none.
func splitPrefix(line []byte) (word string, at int) {
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("{")) {
		return "", 0
	}
	for at = nextBracket(line, 0); at >= 0; at = nextBracket(line, at+1) {
		head := bytes.TrimRight(line[:at], " \t")
		m := prefix.FindSubmatch(head[max(0, len(head)-prefixBytes):])
		if m != nil && (opensMessage(line[at:]) || bytes.HasSuffix(head, []byte(":"))) {
			return string(bytes.ToLower(m[1])), at
		}
	}
	return "", 0
}

func nextBracket(line []byte, from int) int {
	if i := bytes.IndexAny(line[from:], "{["); i >= 0 {
		return from + i
	}
	return -1
}

// opensMessage distinguishes an object or an array of objects from brackets of the prefix, such as
// [info].
func opensMessage(text []byte) bool {
	if text[0] == '{' {
		return true
	}
	next := bytes.TrimLeft(text[1:], " \t")
	return len(next) > 0 && (next[0] == '{' || next[0] == '[' || next[0] == ']')
}

// maxBrackets is the maximum number of positions tried in a line without a known prefix.
const maxBrackets = 32

// unprefixed returns the offset of a message without a known prefix that starts before limit, or
// -1. A text with "jsonrpc" counts as a message, complete or not.
func unprefixed(line []byte, limit int) int {
	says := bytes.Contains(line, []byte(`"jsonrpc"`))
	at := nextBracket(line, 0)
	for range maxBrackets {
		if at < 0 || at >= limit {
			break
		}
		if text := line[at:]; opensMember(text) && (says || messageText(trimMetadata(text)) || unparsable(text) && len(bytes.TrimSpace(line[:at])) == 0) {
			return at
		}
		at = nextBracket(line, at+1)
	}
	if says && limit == len(line) {
		return nextBracket(line, 0)
	}
	return -1
}

// opensMember reports whether a text begins like an object, or an array of objects, in JSON.
func opensMember(text []byte) bool {
	inner := bytes.TrimLeft(text, "[ \t")
	return len(inner) > 1 && inner[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(inner[1:], " \t"), []byte(`"`))
}

func unparsable(text []byte) bool {
	var doc wire.Doc
	return doc.Parse(text) != nil
}

func (d *prefixedLines) decode(b *lineBuffers, l line, data []byte, yield func(*scanner.Event)) {
	word, at := splitPrefix(data)
	if at == 0 {
		at = unprefixed(data, len(data))
		if at >= 0 && len(bytes.TrimSpace(data[:at])) == 0 {
			(&jsonLines{d.file, d.session}).decode(b, l, data, yield) // the whole line is a message
			return
		}
	} else if ahead := unprefixed(data, at); ahead >= 0 {
		word, at = "", ahead // the prefix is part of a JSON value
	}
	e := b.event(d.file, l)
	if at < 0 {
		e.Kind, e.Reason = scanner.IgnoredEvent, "a log line without a message"
		yield(e)
		return
	}
	if m := prefixArrow.FindSubmatch(data[max(0, at-prefixBytes):at]); m != nil {
		word = string(m[1])
	}
	word = strings.TrimSuffix(strings.TrimPrefix(word, "message from "), " message")
	e.Session, e.Server = d.session, baseName(d.file)
	if m := prefixTime.FindSubmatch(data[:at]); m != nil {
		e.Time, _ = parseTime(string(m[1]))
	}
	for _, m := range prefixName.FindAllSubmatch(data[:at], -1) {
		if !notAName.Match(m[1]) && sideOf(string(m[1])) == mcp.NoSide {
			e.Server = b.str(m[1])
			break
		}
	}
	e.Direction, e.Side = directionOf(word), sideOf(word)
	e.Frame = trimMetadata(data[at:])
	e.Origin.Column, e.Origin.Exact = 1+len([]rune(string(data[:at]))), true
	yield(e)
}
