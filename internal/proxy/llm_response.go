package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// respond inspects a response before the agent gets it.
func (r *llmRoute) respond(resp *http.Response) error {
	x, ok := resp.Request.Context().Value(llmKey{}).(*llmExchange)
	if !ok {
		return errors.New("the request has no exchange")
	}
	x.began()
	if err := forwardable(resp); err != nil {
		return err
	}
	if resp.Body == nil || resp.Body == http.NoBody || x.in.Method == http.MethodHead {
		return nil
	}
	stream, readable, err := x.gate.decode(resp, x.scope())
	if !readable {
		return err
	}
	if stream {
		x.streamed(resp, resp.Body)
		return nil
	}
	return x.whole(resp)
}

// streamed forwards a response as an event stream.
func (x *llmExchange) streamed(resp *http.Response, body io.Reader) {
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	s := &llmStream{llmExchange: x, closer: resp.Body}
	s.blocks = blockReader{r: body, max: x.gate.MaxMessage, ctx: x.in.Context(), room: room{of: x.large}}
	resp.Body = s
}

// headBytes is how many bytes of a body are enough to recognise its format.
const headBytes = 512

// whole inspects a body that is not declared as a stream.
func (x *llmExchange) whole(resp *http.Response) error {
	head := bufio.NewReaderSize(resp.Body, headBytes)
	start, err := peek(head)
	raw, _ := head.Peek(min(head.Buffered(), headBytes))
	if charset := x.wideCharset(raw); charset != "" && x.gate.refuses(x.scope(), charsetReason(charset)) {
		return errors.New(charsetReason(charset))
	}
	switch {
	case err != nil && len(start) == 0 && !errors.Is(err, io.EOF):
		return fmt.Errorf("reading its answer: %w", err)
	case wire.BeginsLikeJSON(start):
	case beginsLikeStream(start): // clients that requested a stream parse the body as a stream, whatever its content type
		x.streamed(resp, head)
		return nil
	case beginsLikeFrame(head):
		x.framed(resp, head)
		return nil
	default:
		resp.Body = &joined{head, resp.Body}
		return x.unread(resp.StatusCode, "a provider response that is not JSON")
	}
	data, more, done, err := x.large.read(x.in.Context(), head, resp.ContentLength, x.gate.MaxMessage)
	x.kept = done
	switch {
	case more:
		reason := tooLongReason(mcp.ServerToClient, x.gate.MaxMessage)
		if x.pass(reason) {
			resp.Body = &joined{io.MultiReader(bytes.NewReader(data), head), resp.Body}
			return nil
		}
		return errors.New(reason + ", and fail_closed is set")
	case err != nil:
		return fmt.Errorf("reading its answer: %w", err)
	}
	body, why := x.judged(frameOf(data))
	switch {
	case why != "":
		return errors.New(why)
	case body != nil:
		change(resp, append(body, lineEnd(data)...))
	default:
		keep(resp, data)
	}
	return nil
}

// document inspects a JSON body that is declared as a stream.
func (s *llmStream) document(b block) {
	if charset := s.wideCharset(b.raw); charset != "" && s.gate.refuses(s.scope(), charsetReason(charset)) {
		s.refuse(charsetReason(charset))
		return
	}
	s.blocks.close() // a message with a slot must not wait for another one
	body := io.MultiReader(bytes.NewReader(bytes.Clone(b.raw)), s.blocks.rest())
	data, more, done, err := s.large.read(s.in.Context(), body, -1, s.gate.MaxMessage)
	s.kept = done
	switch reason := tooLongReason(mcp.ServerToClient, s.gate.MaxMessage); {
	case more && s.pass(reason):
		s.out, s.tail = data, body
		return
	case more:
		s.refuse(reason + ", and fail_closed is set")
		return
	case err != nil:
		s.err = err
		return
	}
	s.out, s.err = data, io.EOF
	instead, why := s.judged(frameOf(data))
	switch {
	case why != "":
		s.refuse(why)
	case instead != nil:
		s.out = instead
	}
}

// unread counts a response that cannot be inspected, and returns an error if it is refused.
func (x *llmExchange) unread(status int, what string) error {
	if x.asked(); x.format == "" || status/100 != 2 || !x.mayCall() {
		x.gate.note(x.scope(), scanner.IgnoredEvent, what+", forwarded without inspection", scanner.Forward)
		return nil
	}
	if !x.pass(what + ", which was not inspected") {
		return errors.New(what + ", and fail_closed is set")
	}
	return nil
}

// mayCall reports whether the response to a request may contain calls. Responses from some other
// endpoints only look as if they contained calls.
func (x *llmExchange) mayCall() bool {
	path := strings.ToLower(x.in.URL.Path)
	others := []string{"count_tokens", "counttokens", "input_tokens", "embed", "/moderations", "/rerank", "/tokenize", "/audio/", "/images/"}
	return !slices.ContainsFunc(others, func(other string) bool { return strings.Contains(path, other) })
}

// judged inspects a JSON body. It returns a replacement, or nil to keep the body. why is set if the
// agent must receive neither.
func (x *llmExchange) judged(body []byte) (instead []byte, why string) {
	x.asked()
	if x.exceeds(body) {
		return nil, exceeding.Reason
	}
	body, format := x.recognise(body)
	switch {
	case body == nil:
		return nil, notJSON + ", and fail_closed is set"
	case format != "":
	case isError(body):
		x.gate.note(x.scope(), scanner.IgnoredEvent, "an error from the model provider", scanner.Forward)
		return nil, ""
	default:
		if err := x.unread(http.StatusOK, "a provider response in an unknown format"); err != nil {
			return nil, err.Error()
		}
		return nil, ""
	}
	said, unread := x.inspectMessage(&replay.LLMMessage{Session: x.session, Request: x.id, Dialect: replay.Dialect(format), Answer: true, Body: body}, x.given)
	if unread != "" && !x.pass("a model response was not inspected: "+unread) {
		return nil, unread + ", and fail_closed is set"
	}
	if x.gate.Observe {
		return nil, ""
	}
	return rewriteLLM(body, said), ""
}

// notJSON is the reason reported for a body that only lenient parsers accept.
const notJSON = "a message is not valid JSON, but some clients and servers accept it"

// recognise returns the format of a body, or "" if it has none, and what to inspect: the body itself, or
// the JSON that lenient parsers read in it. It returns nil if fail_closed refuses a body that only
// lenient parsers read.
func (x *llmExchange) recognise(body []byte) (readable []byte, format string) {
	if format = replay.Knows(body); format != "" {
		return body, format
	}
	readable = wire.Lenient(body)
	switch format = replay.Knows(readable); {
	case format == "":
		return body, ""
	case !x.pass(notJSON):
		return nil, ""
	}
	return readable, format
}

// peek returns enough of the beginning of a body to tell whether it is JSON or an event stream; if it
// is, without the white space before it.
func peek(r *bufio.Reader) (start []byte, err error) {
	for n := 1; n <= headBytes; n++ {
		if start, err = r.Peek(n); err != nil {
			return start, err
		}
		if start = start[:min(r.Buffered(), headBytes)]; r.Buffered() > 0 {
			start, _ = r.Peek(r.Buffered())
		}
		if text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte(markUTF8)), " \t\r\n"); len(text) >= len("retry:") || len(text) > 0 && (text[0] == '{' || text[0] == '[' || text[0] == ':') {
			return text, nil
		}
		n = max(n, len(start))
	}
	return start, nil
}

// beginsLikeStream reports whether b begins with a line of an event stream.
func beginsLikeStream(b []byte) bool {
	return slices.ContainsFunc([]string{"data:", "event:", "id:", "retry:", ":"}, func(field string) bool { return bytes.HasPrefix(b, []byte(field)) })
}

// beginsLikeFrame reports whether a body begins with a message in Amazon's event stream encoding.
func beginsLikeFrame(r *bufio.Reader) bool {
	prelude, err := r.Peek(wire.FramePrelude)
	if err == nil {
		_, err = wire.FrameSize(prelude)
	}
	return err == nil
}
