package proxy

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// answerWait limits how long an answer from the proxy may take to reach the server.
const answerWait = 30 * time.Second

// respond inspects a response before the client gets it. It keeps the headers, except those that
// describe a changed body.
func (h *HTTP) respond(resp *http.Response) error {
	x := exchangeOf(resp.Request)
	if x == nil {
		return nil
	}
	x.sent()
	if err := forwardable(resp); err != nil {
		return err
	}
	head := *x.at.head
	head.Field(false, headerSession, resp.Header.Get(headerSession))
	x.at.head = &head
	if x.begins && resp.StatusCode/100 == 2 {
		id := resp.Header.Get(headerSession)
		h.sessions.begun(x.in, id, x.at.session)
		client := h.sessions.askerKey(x.in)
		if id != "" {
			client = idKey(id)
		}
		h.elicits.declared(client, x.canAsk)
	}
	h.sessions.renamed(resp.Header.Values(headerSession), x.at.session)
	if resp.Body == nil || resp.Body == http.NoBody || x.in.Method == http.MethodHead {
		return nil
	}
	stream, readable, err := x.gate.decode(resp, &x.at)
	if err != nil {
		return x.unreadable(resp, err)
	}
	if !readable {
		return nil
	}
	if stream && resp.StatusCode/100 == 2 { // for another status, clients quote the body in an error
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		resp.Body = newStream(x, resp)
		return nil
	}
	return x.whole(resp)
}

// forwardable returns an error for a response that the proxy never forwards: a redirect that is not
// followed, or an answer over another protocol.
func forwardable(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return fmt.Errorf("it answers with status %d and redirects to %s, which the proxy does not follow: if you trust that URL, use it as --upstream",
			resp.StatusCode, text.Visible(bare(resp.Header.Get("Location")), reasonChars))
	case http.StatusSwitchingProtocols:
		return errors.New("it does not answer over HTTP")
	}
	return nil
}

// decode removes the content encoding from a response that can be inspected, and reports whether
// the response is an event stream. A response that cannot be inspected is refused with an error, or
// forwarded unchanged if the proxy only observes.
func (g *gate) decode(resp *http.Response, at *scope) (stream, readable bool, err error) {
	stream, why := formOf(resp.Header)
	switch {
	case why != "" && g.refuses(at, why):
		return false, false, errors.New(why)
	case why != "":
		return false, false, nil
	}
	if resp.Header.Get("Content-Encoding") != "" {
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		resp.Body = &unzipped{ReadCloser: resp.Body}
	}
	return stream, true, nil
}

// formOf reports whether a response is an event stream. why is set if the response cannot be inspected:
// a client must not interpret it differently from the proxy.
func formOf(head http.Header) (stream bool, why string) {
	types := strings.ToLower(strings.Join(head.Values("Content-Type"), ", "))
	kind, _, _ := strings.Cut(types, ";")
	if stream = strings.Contains(types, "text/event-stream"); stream && strings.TrimSpace(kind) != "text/event-stream" || strings.Contains(types, ",") && strings.Contains(types, "json") {
		return false, fmt.Sprintf("the server sends the ambiguous content type %q", text.Visible(types, 200))
	}
	if charset, ok := wire.Charset(types); !ok {
		return false, charsetReason(charset)
	}
	codings := strings.ToLower(strings.Join(head.Values("Content-Encoding"), ", "))
	if codings == "identity" {
		head.Del("Content-Encoding")
	} else if codings != "" && codings != "gzip" && codings != "x-gzip" {
		return false, fmt.Sprintf("the server sent a body with content encoding %q, which the proxy did not request and cannot decode", text.Visible(codings, 100))
	}
	return stream, ""
}

// charsetReason explains why a body in another character set is not inspected.
func charsetReason(charset string) string {
	return fmt.Sprintf("a body is in the character set %q, but the proxy reads only UTF-8", text.Visible(charset, 100))
}

// unzipped decodes a gzip body. Decoding starts at the first read, because the first bytes may take
// time to arrive.
type unzipped struct {
	io.ReadCloser
	zip *gzip.Reader
}

func (u *unzipped) Read(p []byte) (n int, err error) {
	if u.zip == nil {
		if u.zip, err = gzip.NewReader(u.ReadCloser); err != nil {
			return 0, err
		}
	}
	return u.zip.Read(p)
}

// whole inspects a body that is not an event stream.
func (x *exchange) whole(resp *http.Response) error {
	data, more, done, err := x.large.read(x.in.Context(), resp.Body, resp.ContentLength, x.gate.MaxMessage)
	x.kept = done
	frame := frameOf(data)
	if charset := wire.WideCharset(data); charset != "" {
		if why := charsetReason(charset); x.gate.refuses(&x.at, why) {
			return x.unreadable(resp, errors.New(why))
		}
		resp.Body = &joined{io.MultiReader(bytes.NewReader(data), resp.Body), resp.Body}
		return nil
	}
	switch {
	case more && x.tooLong(&x.at, mcp.ServerToClient):
		resp.Body = &joined{io.MultiReader(bytes.NewReader(data), resp.Body), resp.Body}
		return nil
	case more:
		replace(resp, failed(x.ids, "blocked by mcpscan: "+tooLongReason(mcp.ServerToClient, x.gate.MaxMessage)+", and fail_closed is set", blockedCode))
		return nil
	case err != nil && (len(frame) == 0 || x.in.Context().Err() != nil):
		return fmt.Errorf("reading its answer: %w", err)
	case x.in.Method == http.MethodGet && resp.StatusCode/100 == 2 && holdsEvents(data): // the TypeScript SDK ignores the type
		if why := fmt.Sprintf("the server sends an event stream with content type %q, which only some clients read", text.Visible(resp.Header.Get("Content-Type"), 100)); x.gate.refuses(&x.at, why) {
			return errors.New(why)
		}
		keep(resp, data)
		return nil
	case len(frame) == 0, resp.StatusCode/100 == 2 && !x.awaits(resp) && !wire.BeginsLikeJSON(frame):
		keep(resp, data)
		return nil
	}
	if refused := x.judgeType(resp); refused != nil {
		replace(resp, x.unanswered(refused))
		return nil
	}
	at := x.at
	at.page = resp.StatusCode >= http.StatusBadRequest && !wire.BeginsLikeJSON(frame) || resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
	pass, out, do := x.gate.judge(&at, mcp.ServerToClient, frame)
	switch do {
	case scanner.Forward:
		if keep(resp, data); err != nil { // so that the client sees that the body is incomplete
			resp.ContentLength = -1
			resp.Header.Del("Content-Length")
			resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data), broken{err}))
		}
	case scanner.Rewrite:
		change(resp, append(pass, lineEnd(data)...))
	case scanner.Refuse:
		waits := true
		if x.gate.asks(out) {
			var allowed bool // the user is asked outside the client, because nothing can reach the client before the response
			if allowed, waits = x.gate.wait(x.in.Context(), questionOf(&at, mcp.ServerToClient, frame, len(frame), out), nil); allowed {
				keep(resp, data)
				return nil
			}
		}
		sender, receiver := answers(out)
		if waits {
			x.tell(&at, resp.Request.Header, sender)
		}
		if receiver == nil {
			receiver = x.unanswered(out)
		}
		replace(resp, receiver)
	}
	return nil
}

// judgeType inspects the content type of a response in which the client awaits a message. A client that
// does not support the type may quote it in an error. judgeType returns the outcome if the type is
// refused.
func (x *exchange) judgeType(resp *http.Response) *scanner.Outcome {
	types := strings.Join(resp.Header.Values("Content-Type"), ", ")
	kind, _, _ := strings.Cut(types, ";")
	if types == "" || resp.StatusCode/100 != 2 || !x.awaits(resp) || strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return nil
	}
	at := x.at
	at.page = true
	_, out, do := x.gate.judge(&at, mcp.ServerToClient, []byte("Content-Type: "+types)) // with the header's name, the text cannot be read as a message
	if do != scanner.Refuse {
		return nil
	}
	return out
}

// holdsEvents reports whether a body contains an event with data if it is read as an event stream.
func holdsEvents(body []byte) bool {
	events := wire.NewSSEReader(bytes.NewReader(body), 0)
	for {
		if e, err := events.Next(); err != nil || e.HasData {
			return err == nil
		}
	}
}

// unreadable refuses a response that cannot be inspected, for the reason in err. An error response keeps
// its status, which tells clients what to do: authenticate, begin a new session or use another
// transport.
func (x *exchange) unreadable(resp *http.Response, err error) error {
	if resp.StatusCode < http.StatusBadRequest {
		return err
	}
	resp.Header.Del("Content-Encoding")
	replace(resp, failed(x.ids, "mcpscan: "+x.HTTP.unanswerable(x.quotable(err.Error())), failedCode))
	return nil
}

// awaits reports whether the client expects a message in a response. It does not if it sent no request,
// or if the answer follows in the stream of HTTP+SSE: servers built with the SDKs then respond with the
// word Accepted.
func (x *exchange) awaits(resp *http.Response) bool {
	return len(x.ids) > 0 && (x.at.transport != "sse" || resp.StatusCode != http.StatusAccepted)
}

// unanswered returns errors for the requests that a refused frame may have answered.
func (x *exchange) unanswered(out *scanner.Outcome) []byte {
	open := slices.DeleteFunc(slices.Clone(x.ids), func(id string) bool { return !x.open[id] })
	if len(open) == 0 {
		return withoutRequest(out)
	}
	return failed(open, "blocked by mcpscan: "+Reason(&out.Decision), blockedCode)
}

// joined is a body from which the part already read can be read again.
type joined struct {
	io.Reader
	io.Closer
}

// broken is a reader that returns the error that interrupted a body.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// keep sets the response body to data that was read.
func keep(resp *http.Response, body []byte) {
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if resp.ContentLength != int64(len(body)) {
		resp.ContentLength = int64(len(body))
		resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
}

// change sets the response body to one that the server did not send, and removes the headers that
// describe the server's body.
func change(resp *http.Response, body []byte) {
	for _, name := range [...]string{"Etag", "Last-Modified", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest"} {
		resp.Header.Del(name)
	}
	keep(resp, body)
}

// replace sets the response body to an error.
func replace(resp *http.Response, body []byte) {
	resp.Header.Set("Content-Type", "application/json")
	change(resp, body)
}

// tell sends the server a replacement for a refused message, without waiting for the response. head
// contains the headers of a request to the server.
func (x *exchange) tell(at *scope, head http.Header, answer []byte) {
	if answer == nil {
		return
	}
	h, lost := x.HTTP, *at
	tellLost := func(why string) {
		h.gate.skip(&lost, "an answer from the proxy did not reach the server: "+why, scanner.Refuse)
	}
	if h.waiting.Add(1) > maxAnswers {
		h.waiting.Add(-1)
		tellLost("too many answers are already waiting")
		return
	}
	req, err := x.answer(at.head.Session, head, answer)
	if err != nil {
		h.waiting.Add(-1)
		tellLost(err.Error())
		return
	}
	h.answers.Go(func() {
		defer h.waiting.Add(-1)
		if err := h.send(req); err != nil && h.ctx.Err() == nil {
			_, why := failure(err)
			tellLost(why)
		}
	})
}

// answer builds the request that sends an answer, as the client would.
func (x *exchange) answer(session string, head http.Header, answer []byte) (*http.Request, error) {
	to, err := x.upstream.URL.Parse(x.reply)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, to.String(), bytes.NewReader(answer))
	if err != nil {
		return nil, err
	}
	for name, values := range head {
		switch name {
		case "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Content-Length", "Content-Encoding", "Last-Event-Id",
			"Mcp-Method", "Mcp-Name", "Accept-Encoding", "Expect":
		default:
			req.Header[name] = values
		}
	}
	x.access.strip(req.Header)
	x.upstream.complete(req)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" && req.Header.Get(headerSession) == "" {
		req.Header.Set(headerSession, session)
	}
	return req, nil
}

// send sends a request and ignores its response, except for the status.
func (h *HTTP) send(req *http.Request) error {
	ctx, cancel := context.WithTimeout(h.ctx, answerWait)
	defer cancel()
	resp, err := h.upstream.Transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 4096)
	if resp.StatusCode/100 != 2 {
		return errors.New("it answers with status " + strconv.Itoa(resp.StatusCode))
	}
	return nil
}
