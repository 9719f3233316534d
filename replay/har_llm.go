package replay

import (
	"bytes"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// responseText is the JSON Pointer of the response body in an entry.
const responseText = "/response/content/text"

// pointer returns the JSON Pointer of a part of the current entry.
func (h *har) pointer(part string) string { return "/log/entries/" + strconv.Itoa(h.entryAt) + part }

// llm reads a body if it is from an LLM API, and reports whether it is.
func (h *har) llm(base scanner.Event, body []byte, at scanner.Origin, part string) bool {
	if h.mcp[base.Server] || !opensJSON(body) {
		return false
	}
	root, err := wire.Skim(body, archiveValues)
	if root.Kind() == wire.Invalid || !isTranscript(root) {
		return false
	}
	at.Pointer = h.pointer(part)
	read := h.talk.reader.ReadValue(llm.Quoted(at, body), root, "", err != nil)
	h.talk.talk.flush()
	if read && err != nil {
		e := skipped(h.name, at.Line, "the body of an LLM API message is truncated or not JSON")
		e.Origin = at
		h.out = append(h.out, e)
	}
	return read
}

// streamsLLM reports whether one of the first events in a stream is from an LLM API.
func (h *har) streamsLLM(body []byte) bool {
	events := wire.NewSSEReader(bytes.NewReader(body), h.max)
	for range sniffLines {
		ev, err := events.Next()
		if err != nil {
			return false
		}
		if root, err := wire.Skim(plainBody(ev.Data), archiveValues); err == nil && root.Kind() >= wire.Array && isTranscript(root) {
			return true
		}
	}
	return false
}

// unread counts a response to an LLM API request if its format is unknown. Errors from the provider
// are counted as ignored.
func (h *har) unread(body []byte, at scanner.Origin) {
	if !h.asks {
		return
	}
	at.Pointer = h.pointer(responseText)
	e := &scanner.Event{Kind: scanner.SkippedEvent, Reason: "the response to an LLM request is in an unknown format", Origin: at}
	if root, err := wire.Skim(body, wire.MaxNodes); err == nil && root.Get("error").Kind() > wire.Null {
		e.Kind, e.Reason = scanner.IgnoredEvent, "an error from the model provider"
	}
	h.out = append(h.out, e)
}
