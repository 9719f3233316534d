package replay

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// LLMMessage is a request to an LLM API or its response, as in an llm_message of events.jsonl. A
// streamed response consists of several messages, each with a part of the stream.
type LLMMessage struct {
	Time    time.Time
	Session string
	Request string // identifies the exchange
	Dialect string
	Answer  bool   // the message is a response
	Body    []byte // JSON; nil if there is none
	SSE     []byte // complete events of a stream; nil if there is a body
	More    bool   // the stream continues

	Servers map[string][]string // newly known servers with their tools; nil for none
}

// Line returns the message as a line of a recording, without a line feed.
func (m *LLMMessage) Line() []byte {
	b := make([]byte, 0, len(m.Body)+len(m.SSE)+len(m.SSE)/4+512)
	b = append(b, `{"type":"`+typeLLM+`","timestamp":"`...)
	b = m.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	role := "request"
	if m.Answer {
		role = "response"
	}
	member := func(key, value string) {
		b = append(b, `,"`+key+`":`...)
		b = wire.AppendString(b, []byte(valid(value)))
	}
	b = append(b, '"')
	member("session_id", m.Session)
	if m.Request != "" {
		member("request_id", m.Request)
	}
	if m.Dialect != "" {
		member("dialect", m.Dialect)
	}
	if m.Body != nil || m.SSE != nil {
		member("role", role)
	}
	if m.Servers != nil {
		b = append(b, `,"servers":{`...)
		for i, server := range slices.Sorted(maps.Keys(m.Servers)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(wire.AppendString(b, []byte(valid(server))), ':', '[')
			for k, tool := range m.Servers[server] {
				if k > 0 {
					b = append(b, ',')
				}
				b = wire.AppendString(b, []byte(valid(tool)))
			}
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	if m.More {
		b = append(b, `,"more":true`...)
	}
	switch {
	case m.Body != nil:
		b = append(append(b, `,"body":`...), inOneLine(m.Body)...)
	case m.SSE != nil:
		b = append(b, `,"sse":`...)
		b = wire.AppendString(b, m.SSE)
	}
	return append(b, '}')
}

// Decisions maps the refused parts of an event to the decisions about them. The key is the index in
// the list of definitions, or 0 for a call or a result.
type Decisions map[int]scanner.Decision

// Said is a call that the model made, or a definition or result that was refused.
type Said struct {
	Kind     SaidKind
	Name     string // name of the tool as given in the body
	ID       string
	Event    int              // index of the event in the current part of a stream, from 0
	Path     string           // JSON Pointer in the body, or in the data of its event
	Slot     string           // identifies, within a stream, a call that was assembled from its events
	History  bool             // repeated in a request, so it happened before
	Decision scanner.Decision // the zero value means that it was allowed
}

// SaidKind is the kind of item that a Said describes.
type SaidKind uint8

// The values of SaidKind.
const (
	SaidCall SaidKind = iota
	SaidResult
	SaidDefinition
)

// Talk turns messages to and from LLM APIs into events, one after another. It does so exactly
// as Open does for a recording, so that live inspection and replay give the same findings. It
// must be used by one goroutine at a time.
type Talk struct {
	t    *transcript
	said []Said
}

// NewTalk returns a Talk. name is the name of the recording in locations; judge decides on each
// event, including events that only report skipped input.
func NewTalk(name string, o Options, judge func(*scanner.Event) Decisions) *Talk {
	t := &Talk{}
	t.t = newTranscript(name, o, func(e *scanner.Event) { judge(e) })
	t.t.talk.judge = judge
	t.t.talk.said = func(s *Said) {
		s.Event = t.t.nth
		t.said = append(t.said, *s)
	}
	return t
}

// ErrUnreadable reports a message that cannot be recorded and read again.
var ErrUnreadable = errors.New("it is not JSON, or exceeds the limit on values or nesting")

// Exceeds reports whether a body exceeds a limit of the parser. A Talk cannot read the record of
// such a body.
func Exceeds(body []byte) bool {
	const around = 16 // upper bound on the number of values that Line adds to a body
	if len(body) <= wire.MaxNodes && bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) < wire.MaxDepth {
		return false // a value takes at least one byte
	}
	_, err := wire.Skim(slices.Concat([]byte("["), wire.Lenient(body), []byte("]")), wire.MaxNodes-around) // one level deeper, like a body in its record
	return wire.ExceedsLimit(err)
}

// ErrUnknown reports a message in a format that no reader knows.
var ErrUnknown = errors.New("it is in an unknown format")

// Read reads a line written by LLMMessage.Line; place records the line and returns its location. It
// returns the calls in the line, and the results and definitions that were refused.
func (t *Talk) Read(line []byte, place func() scanner.Origin) (said []Said, err error) {
	t.said = nil
	root, err := wire.Skim(line, wire.MaxNodes)
	if err != nil {
		return nil, ErrUnreadable
	}
	if !t.t.record(place(), line, root, false) {
		err = ErrUnknown
	}
	t.t.talk.flush()
	for i := range t.said {
		t.said[i].Path = strings.TrimPrefix(t.said[i].Path, "/body")
	}
	return t.said, err
}

// Dialect returns the name that recordings use for a format's API, or "" if the format belongs to
// no API, such as that of a transcript.
func Dialect(format string) string {
	for _, d := range dialects {
		if strings.Contains(format, d[0]) {
			return d[1]
		}
	}
	return ""
}

// dialects maps substrings of format names to APIs.
var dialects = [][2]string{
	{"Gemini CLI", ""}, {"Anthropic", "anthropic"}, {"Chat Completions", "openai"}, {"OpenAI Responses", "openai-responses"}, {"Gemini", "gemini"},
	{"Bedrock", "bedrock"}, {"an LLM", "openai"},
}

// Knows returns the format of a body, or "" if a Talk cannot read it.
func Knows(body []byte) (format string) {
	root, err := wire.Skim(body, archiveValues)
	if err != nil || root.Kind() < wire.Array {
		return ""
	}
	return llm.Recognise(root)
}

// record reads an llm_message of events.jsonl.
func (t *transcript) record(at scanner.Origin, data []byte, root wire.Value, broken bool) bool {
	members, repeated := map[string]wire.Value{}, false // in a single pass, because a body is long
	for c := root.Children(); c.Next(); {
		key := c.Value.Key()
		_, twice := members[key]
		members[key], repeated = c.Value, repeated || twice
	}
	if repeated {
		t.yield(skipped(t.name, at.Line, repeatedMember))
	}
	text := func(key string) string {
		if members[key].Kind() != wire.String {
			return ""
		}
		return string(members[key].Text())
	}
	when, _ := parseTime(text("timestamp"))
	request, answer := text("request_id"), text("role") == "response"
	servers := members["servers"]
	t.talk.servers.learnAll(servers)
	more := members["more"].Kind() != wire.Invalid
	reader := t.readers[request]
	switch {
	case request == "":
		reader = &t.reader
	case reader == nil:
		reader = &llm.Reader{Max: t.o.MaxMessage, Emit: t.talk.take}
		if more && len(t.readers) < maxConversations {
			t.readers[request] = reader
		}
	}
	reader.Within(llm.Record{Session: text("session_id"), Turn: request, Time: when, Answer: answer})
	read := servers.Kind() == wire.Object
	if body := members["body"]; body.Kind() >= wire.Array {
		read = reader.ReadValue(llm.NewText(at, data), body, "/body", broken)
	} else if sse := members["sse"]; sse.Kind() == wire.String {
		inside := at
		inside.Pointer = "/sse"
		t.events(reader, inside, bytes.Clone(sse.Text()))
		read = true
	}
	if !more && (answer || members["sse"].Kind() == wire.String) {
		reader.End()
		delete(t.readers, request)
		t.talk.flush()
	}
	t.reader.Within(llm.Record{})
	return read
}

// learnAll adds servers and their tools to the registry.
func (g *registry) learnAll(servers wire.Value) {
	if servers.Kind() != wire.Object {
		return
	}
	for s := servers.Children(); s.Next(); {
		server := s.Value.Key()
		g.add(server)
		for tools := s.Value.Children(); tools.Next(); {
			if tools.Value.Kind() == wire.String {
				g.learn(server, string(tools.Value.Text()))
			}
		}
	}
}

// saidOf converts a call, result or definition in a body to a Said.
func saidOf(i *llm.Item) *Said {
	s := &Said{Name: i.Name, ID: i.ID, Slot: i.Slot, History: i.History}
	switch i.Kind {
	case llm.Result:
		s.Kind, s.Path = SaidResult, i.At.Path()
	case llm.Declared:
		s.Kind, s.Path = SaidDefinition, i.Tool.Path()
	default:
		s.Path = i.At.Path()
	}
	return s
}

// decided records and reports the decision about a new call, result or definition.
func (c *conversations) decided(s *conversation, m mark, what *Said, d scanner.Decision) {
	delete(s.refused, m)
	if d.Verdict >= scanner.Prompt {
		s.refused[m] = d
	}
	c.reportSaid(s, m, what)
}

// reportSaid sets the decision of an item, and calls said if the item is a call or was refused.
func (c *conversations) reportSaid(s *conversation, m mark, item *Said) {
	if c.said == nil {
		return
	}
	if item.Decision = s.refused[m]; item.Decision.Made() || item.Kind == SaidCall {
		c.said(item)
	}
}

// ClientRuns reports whether items of this type are calls of OpenAI's own tools that the agent runs.
func ClientRuns(kind string) bool { return llm.ClientRuns(kind) }
