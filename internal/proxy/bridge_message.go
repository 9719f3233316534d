package proxy

import (
	"errors"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// posted contains the data that the bridge needs from a request's body.
type posted struct {
	spoken
	line    []byte   // for the server, without a line ending
	keys    []string // of the requests
	tokens  []string // keys of the progress tokens of these requests, "" for a request without one
	cancels []string // keys of requests that notifications cancel
}

// parsePosted reads a body. Line endings between the values of a message become spaces, because a
// message on stdio is one line; nothing else changes.
func parsePosted(body []byte) (*posted, error) {
	m := &posted{line: frameOf(body)}
	read := wire.Lenient(m.line)
	v, err := wire.Skim(read, wire.MaxNodes)
	switch {
	case wire.ExceedsLimit(err): // such a message gets here only in observe mode
		for _, o := range outline(read) {
			m.outlined(o.Message)
		}
	case err != nil:
		return nil, err
	case v.Kind() < wire.Array:
		return nil, errors.New("expected an object")
	default:
		for message := range messagesOf(v) {
			m.add(message)
		}
	}
	for i, c := range m.line {
		switch {
		case c != '\n' && c != '\r':
		case read[i] != c:
			return nil, errors.New("a line break inside a string")
		default:
			m.line[i] = ' '
		}
	}
	return m, nil
}

// skimAny parses a message even if only lenient parsers accept it: the engine and the receiver decide
// what to do with it.
func skimAny(frame []byte) (wire.Value, error) {
	v, err := wire.Skim(frame, wire.MaxNodes)
	if err != nil && !wire.ExceedsLimit(err) {
		return wire.Skim(wire.Lenient(frame), wire.MaxNodes)
	}
	return v, err
}

func (m *posted) add(v wire.Value) {
	params := v.Get("params")
	if m.spoken.add(v) {
		m.keys = append(m.keys, keyOfID(v.Get("id")))
		m.tokens = append(m.tokens, keyOfID(params.Get("_meta").Get("progressToken")))
	} else if method, _ := v.Str("method"); method == "notifications/cancelled" {
		m.cancels = append(m.cancels, keyOfID(params.Get("requestId")))
	}
}

// outlined adds a message that exceeds a limit of the parser.
func (m *posted) outlined(o *scanner.Message) {
	if o.Kind != mcp.Request {
		return
	}
	m.ids = append(m.ids, o.ID)
	m.keys = append(m.keys, keyOfRaw(o.ID))
	m.tokens = append(m.tokens, "")
	m.begins = m.begins || o.Method == "initialize"
}

// keyOfRaw returns the key of a raw id.
func keyOfRaw(id string) string {
	v, err := wire.Skim([]byte(id), 1)
	if err != nil {
		return ""
	}
	return keyOfID(v)
}

// keyOfID returns the same key for all spellings of an id or token: a server may write 1 for 1.0.
// It is "" for anything but a string or a number.
func keyOfID(v wire.Value) string {
	switch v.Kind() {
	case wire.String:
		return "s" + string(v.Text())
	case wire.Number:
		raw := string(v.Raw())
		if f, err := strconv.ParseFloat(raw, 64); err == nil {
			raw = strconv.FormatFloat(f, 'g', -1, 64)
		}
		return "n" + raw
	}
	return ""
}

// output contains the data that the bridge needs from a line that the server wrote.
type output struct {
	answers      []string // keys of the requests that it answers
	asks         []string // raw ids of its requests
	token        string   // key of the progress token
	subscription string   // key of the request that subscribed to it
	failed       string   // code of the error, if it answers one request with an error
}

// parseOutput parses a line from the server, and reports whether it has the form of a message or batch.
func parseOutput(frame []byte) (s output, ok bool) {
	v, err := skimAny(frame)
	switch {
	case wire.ExceedsLimit(err):
		for _, m := range outline(frame) {
			s.outlined(m.Message)
		}
		return s, true
	case err != nil || v.Kind() < wire.Array:
		return s, false
	}
	for message := range messagesOf(v) {
		s.add(message)
	}
	return s, true
}

// outlined adds a message that exceeds a limit of the parser. The message is refused, or only
// observed, after the bridge has routed it, so the bridge needs only its kind and id.
func (s *output) outlined(m *scanner.Message) {
	switch m.Kind {
	case mcp.Request:
		s.asks = append(s.asks, m.ID)
	case mcp.Response:
		if key := keyOfRaw(m.ID); key != "" {
			s.answers = append(s.answers, key)
		}
	}
}

func (s *output) add(v wire.Value) {
	key := keyOfID(v.Get("id"))
	if v.Get("method").Kind() == wire.Invalid {
		if key != "" {
			s.answers = append(s.answers, key)
		}
		s.failed = string(v.Get("error").Get("code").Raw())
		return
	}
	if key != "" {
		s.asks = append(s.asks, string(v.Get("id").Raw()))
		return
	}
	params := v.Get("params")
	if method, _ := v.Str("method"); method == "notifications/progress" {
		s.token = keyOfID(params.Get("progressToken"))
	}
	s.subscription = keyOfID(params.Get("_meta").Get("io.modelcontextprotocol/subscriptionId"))
}
