package replay

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// NoMessage is the reason for JSON that is neither MCP nor in a format known below.
const NoMessage = "JSON that is not an MCP message"

// Elsewhere follows the name of a format of which only whole files are read.
const Elsewhere = ": mcpscan replay reads it in a file of its own"

// Unread says why mcpscan does not read a file of JSON, and "" for a file that is no JSON,
// or that is a recording: one document, or one value a line.
func Unread(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	var doc wire.Doc
	if doc.Parse(data) == nil {
		if isLine(&doc) && unread(&doc, 0) == NoMessage || doc.Kind(doc.Get(doc.Get(0, "log"), "entries")) == wire.Array {
			return ""
		}
		return unread(&doc, 0)
	}
	reason := ""
	for range sniffLines {
		line, rest, more := bytes.Cut(data, []byte("\n"))
		data = rest
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if !opensJSON(line) || doc.Parse(line) != nil {
				return reason
			}
			kind, _ := doc.Str(0, "type")
			if known(kind) || speaks(&doc, 0) || payload(&doc) >= 0 {
				return ""
			}
			if why := unread(&doc, 0); reason == "" || why != NoMessage {
				reason = why
			}
		}
		if !more {
			break
		}
	}
	return reason
}

// unread says why the value n, which is no MCP message, is not read.
func unread(doc *wire.Doc, n int) string {
	if format := formatOf(doc, n); format != "" {
		return format + Elsewhere
	}
	return NoMessage
}

// unreadDocument is unread for a whole file: it may be meant for another command.
func unreadDocument(doc *wire.Doc) string {
	if why := unread(doc, 0); why != NoMessage {
		return why
	}
	return NoMessage + "; to check definitions and client configurations: mcpscan scan"
}

// speaks reports whether value n says something as JSON-RPC, or has members that do.
func speaks(doc *wire.Doc, n int) bool {
	if doc.Kind(n) != wire.Array {
		return isMessage(doc, n) || asks(doc, n)
	}
	for c := doc.First(n); c >= 0; c = doc.Next(c) {
		if isMessage(doc, c) || asks(doc, c) {
			return true
		}
	}
	return false
}

// formatOf names the format of a request to a language model, of its response or of a
// transcript, by its members; "" where it is none that is known.
func formatOf(doc *wire.Doc, n int) string {
	if doc.Kind(n) < wire.Array {
		return ""
	}
	v, err := wire.Skim(doc.Raw(n), wire.MaxNodes)
	if err != nil {
		return ""
	}
	return llm.Recognise(v)
}
