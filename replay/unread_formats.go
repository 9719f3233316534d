package replay

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// NoMessage is the reason for not reading JSON that is neither MCP nor in a known format.
const NoMessage = "JSON that is not an MCP message"

// Elsewhere is appended to the name of a format that can only be read from a separate file.
const Elsewhere = ": mcpscan replay can read it in a separate file"

// Unread returns the reason why mcpscan does not read a JSON file (one document, or one value per
// line), or "" if the file is not JSON or is a recording.
func Unread(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	var doc wire.Doc
	if doc.Parse(data) == nil {
		if isLine(&doc) && unread(&doc) == NoMessage || doc.Kind(doc.Get(doc.Get(0, "log"), "entries")) == wire.Array {
			return ""
		}
		return unread(&doc)
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
			if why := unread(&doc); reason == "" || why != NoMessage {
				reason = why
			}
		}
		if !more {
			break
		}
	}
	return reason
}

// unread returns the reason for not reading a document that is not an MCP message.
func unread(doc *wire.Doc) string {
	if format := formatOf(doc); format != "" {
		return format + Elsewhere
	}
	return NoMessage
}

// unreadDocument is like unread, but for a whole file, which may be meant for a different command.
func unreadDocument(doc *wire.Doc) string {
	if why := unread(doc); why != NoMessage {
		return why
	}
	return NoMessage + "; to check definitions and client configurations, run: mcpscan scan"
}

// speaks reports whether value n is a JSON-RPC message, or an array that contains one.
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

// formatOf returns the format of an LLM API request or response or of a transcript, recognised by
// its members, or "" for an unknown format.
func formatOf(doc *wire.Doc) string {
	if doc.Kind(0) < wire.Array {
		return ""
	}
	v, err := wire.Skim(doc.Raw(0), wire.MaxNodes)
	if err != nil {
		return ""
	}
	return llm.Recognise(v)
}
