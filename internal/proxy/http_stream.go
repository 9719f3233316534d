package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// stream forwards an event stream and inspects each event first.
type stream struct {
	*exchange
	at     scope
	blocks blockReader
	body   io.Closer
	head   http.Header // headers of the request to the server
	base   *url.URL    // URL of that request
	out    []byte      // ready to be read
	err    error       // returned after out
	long   bool        // an event that is too long is being forwarded

	holding  *holding  // events that wait for an answer; nil if there were none, except in the response to a GET
	key      string    // of the stream in openStreams, "" if it is not a stream of HTTP+SSE
	listener *listener // nil except in the response to a GET
}

func newStream(x *exchange, resp *http.Response) *stream {
	s := &stream{exchange: x, at: x.at, body: resp.Body, head: resp.Request.Header, base: resp.Request.URL,
		blocks: blockReader{r: resp.Body, max: x.gate.MaxMessage, ctx: x.in.Context(), room: room{of: x.large}}}
	if x.in.Method == http.MethodGet {
		s.holding = newHolding(s)
		s.holding.listens = true
		s.listener = &listener{server: s.at.server, send: s.holding.announce}
		s.gate.listen(s.listener, s.at.session)
	}
	return s
}

func (s *stream) Close() error {
	err := s.body.Close()
	if s.listener != nil {
		s.gate.unlisten(s.listener)
	}
	if s.holding != nil {
		s.streams.close(s.key, s.holding)
		s.holding.close(&s.blocks)
	} else {
		s.blocks.close()
	}
	return err
}

// Read returns the parts of the stream that may be forwarded.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.step()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// step reads the next block and decides what to forward.
func (s *stream) step() {
	b, part, err := s.next()
	switch {
	case err != nil:
		s.end(err)
	case part != nil:
		s.insert(part)
	case b.kind == event:
		s.event(b)
	case b.kind == nothing:
		if !wire.AmbiguousEvent(b.raw, nil) || s.unclear() {
			s.out = b.raw
		}
	default:
		if s.long || s.tooLong(&s.at, mcp.ServerToClient) {
			s.out, s.long = b.raw, !b.ends
			return
		}
		s.lost = true
		s.end(io.EOF)
	}
}

// end ends the stream. Requests whose answer may have been refused are answered with errors,
// because their sender would otherwise keep waiting.
func (s *stream) end(err error) {
	s.err = err
	why, code := "blocked by mcpscan: a message that could not be judged was refused", blockedCode
	if ended, ok := errors.AsType[*endedError](err); ok {
		s.err, why, code = io.EOF, "mcpscan: "+s.unanswerable(text.Visible(ended.Error(), reasonChars)), failedCode
	} else if !s.lost || !errors.Is(err, io.EOF) {
		return
	}
	for _, id := range s.ids {
		if s.open[id] {
			s.out = fmt.Appendf(s.out, "event: message\ndata: %s\n\n", failed([]string{id}, why, code))
		}
	}
}

// event inspects an event.
func (s *stream) event(b block) {
	e := wire.SSEEventIn(b.raw, b.begins)
	frame := frameOf(e.Data)
	endpoint := e.Type == "endpoint" && !wire.BeginsLikeJSON(frame) && e.HasData && s.in.Method == http.MethodGet && s.at.client == "" // not in Streamable HTTP
	at := s.at
	if wire.AmbiguousEvent(b.raw, frame) {
		at.ambiguous = wire.AmbiguousReason
	}
	switch {
	case at.ambiguous != "" && (endpoint || len(frame) == 0) && !s.unclear():
		return
	case endpoint:
		s.out = b.raw
		s.endpoint(b, string(frame))
		return
	case len(frame) == 0:
		s.out = b.raw
		return
	}
	s.out = b.raw
	pass, out, do := s.gate.judge(&at, mcp.ServerToClient, frame)
	switch do {
	case scanner.Forward:
		if s.gate.Asking != nil {
			s.gate.cancels(&s.at, mcp.ServerToClient, frame, out)
		}
		s.answered(out)
	case scanner.Rewrite:
		s.answered(out)
		s.out = withData(b, pass)
	case scanner.Refuse:
		if s.gate.asks(out) {
			s.hold(b, out, frame)
			return
		}
		sender, receiver := answers(out)
		s.tell(&s.at, s.head, sender)
		s.answered(out)
		s.lost = s.lost || unreadable(out)
		s.out = withData(b, receiver)
	}
}

// unclear counts lines that contain no message and that clients interpret differently, and reports
// whether they are forwarded.
func (s *stream) unclear() bool {
	refused := s.gate.refuses(&s.at, wire.AmbiguousReason)
	s.lost = s.lost || refused // some clients may interpret these lines as the answer
	return !refused
}

// answered removes the requests that a frame answers.
func (s *stream) answered(out *scanner.Outcome) {
	for i := range out.Messages {
		if m := &out.Messages[i]; m.Kind == mcp.Response {
			delete(s.open, m.ID)
		}
	}
}

// endpoint handles the endpoint event of HTTP+SSE, which names the URL for messages, and rewrites it
// to a path on the proxy. A URL on another origin, or on a path that is not inspected, is refused,
// because messages and credentials would otherwise bypass the proxy.
func (s *stream) endpoint(b block, raw string) {
	to, err := s.base.Parse(strings.TrimSpace(raw))
	why := ""
	switch {
	case err != nil:
		why = "the data of the endpoint event is not a valid URL: " + text.Visible(raw, 200)
	case !wire.SameOrigin(to, s.base) || to.Opaque != "" || strings.HasPrefix(to.EscapedPath(), "//"):
		why = fmt.Sprintf("the endpoint %s has a different origin than %s", text.Visible(bare(to.String()), 200), text.Visible(bare(s.base.String()), 200))
	case s.prefix == "" && pathOf(to) != s.path && isAuthentication(plainPath(to.EscapedPath())):
		why = fmt.Sprintf("the endpoint %s is a path for authentication, which is not inspected", text.Visible(bare(to.String()), 200))
	}
	if why != "" {
		if s.gate.Observe {
			s.gate.skip(&s.at, why+": the client bypasses the proxy", scanner.Forward)
			return
		}
		s.gate.skip(&s.at, why+": the proxy closed the connection", scanner.Refuse)
		s.out, s.err = nil, errors.New(why)
		return
	}
	s.reply = to.RequestURI()
	local := s.prefix + s.reply
	s.at.transport, s.at.session = "sse", s.sessions.stream(local, s.at.session)
	s.gate.listen(s.listener, s.at.session)
	s.takeAnswers(urlKey(local))
	if local != raw {
		s.out = withData(b, []byte(local))
	}
}

// takeAnswers makes this stream carry the proxy's answers to refused posts to a URL.
func (s *stream) takeAnswers(key string) {
	if s.holding.answers == nil {
		s.holding.answers = make(chan []byte)
	}
	s.streams.close(s.key, s.holding)
	s.key = key
	s.streams.open(key, s.holding)
}

// withData returns the lines of an event with its data replaced, or removed if data is nil. Comments and
// known fields stay, unless clients read them differently.
func withData(b block, data []byte) []byte {
	out := make([]byte, 0, len(b.raw)+len(data))
	first, written := b.begins, false
	end := []byte("\n")
	for rest := b.raw; len(rest) > 0; first = false {
		line, last, after := cutLine(rest)
		if rest = after; len(last) > 0 {
			end = last
		}
		mark := ""
		if name := line; first && bytes.HasPrefix(name, []byte(markUTF8)) {
			mark, line = markUTF8, name[len(markUTF8):]
		}
		out = append(out, mark...)
		switch name, _, _ := bytes.Cut(line, []byte(":")); string(name) {
		case "data":
		case "", "event", "id", "retry":
			if !wire.EndsElsewhere(line) {
				out = append(append(out, line...), end...)
			}
			continue
		default:
			continue
		}
		if written || data == nil {
			continue
		}
		written = true
		for part := range bytes.SplitSeq(data, []byte("\n")) {
			out = append(append(append(out, "data: "...), part...), end...)
		}
	}
	if !endsEvent(out, end) {
		out = append(out, end...)
	}
	return out
}

// cutLine splits off the first line and its line ending, if any.
func cutLine(raw []byte) (line, end, rest []byte) {
	i := bytes.IndexAny(raw, "\r\n")
	if i < 0 {
		return raw, nil, nil
	}
	n := i + 1
	if bytes.HasPrefix(raw[i:], []byte("\r\n")) {
		n++
	}
	return raw[:i], raw[i:n], raw[n:]
}

// endsEvent reports whether lines end with a blank line.
func endsEvent(lines, end []byte) bool {
	rest, ok := bytes.CutSuffix(lines, end)
	return ok && (len(rest) == 0 || bytes.HasSuffix(rest, []byte("\n")) || bytes.HasSuffix(rest, []byte("\r")))
}
