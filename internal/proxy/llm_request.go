package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// request inspects the body of a request, and returns the request for the provider. It returns nil
// if the agent has already been answered.
func (x *llmExchange) request(w http.ResponseWriter) *http.Request {
	r := x.in
	shape := shapeOf("", r.URL.Path)
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		shape.write(w, http.StatusUnsupportedMediaType, "mcpscan: the proxy does not read encoded requests: send the body without Content-Encoding")
		return nil
	}
	if !readableType(r) {
		shape.write(w, http.StatusUnsupportedMediaType, "mcpscan: "+onlyUTF8)
		return nil
	}
	body, more, done, err := x.large.read(r.Context(), r.Body, r.ContentLength, x.gate.MaxMessage)
	x.began = done
	if err != nil {
		shape.write(w, http.StatusBadRequest, "mcpscan: the request ended early")
		return nil
	}
	if charset := x.wideCharset(body); charset != "" && x.gate.refuses(x.scope(), charsetReason(charset)) {
		shape.write(w, http.StatusUnsupportedMediaType, "blocked by mcpscan: "+charsetReason(charset))
		return nil
	}
	json := wire.BeginsLikeJSON(frameOf(body))
	switch {
	case more && json:
		reason := tooLongReason(mcp.ClientToServer, x.gate.MaxMessage)
		if !x.pass(reason) {
			shape.write(w, http.StatusRequestEntityTooLarge, "blocked by mcpscan: "+reason+", and fail_closed is set")
			return nil
		}
	case json && x.exceeds(frameOf(body)):
		shape.write(w, http.StatusForbidden, "blocked by mcpscan: "+exceeding.Reason)
		return nil
	case json:
		x.asked = sync.OnceValue(func() string { return x.judgeRequest(body) })
		if !x.mayRefuse() {
			answered := make(chan struct{})
			x.began = sync.OnceFunc(func() { close(answered) })
			time.AfterFunc(headStart, func() { x.ask(answered, done) })
		} else if why := x.asked(); why != "" {
			shape.of(x.format).write(w, http.StatusForbidden, "blocked by mcpscan: "+why)
			return nil
		}
	}
	out := r.WithContext(context.WithValue(r.Context(), llmKey{}, x))
	switch {
	case more:
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	case len(body) > 0 || r.ContentLength != 0:
		out.ContentLength = int64(len(body))
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	return out
}

// exceeds counts a body that exceeds a limit of the parser, and reports whether it is refused: its
// receiver may be able to read it.
func (x *llmExchange) exceeds(body []byte) bool {
	return x.mayCall() && replay.Exceeds(body) && x.gate.refuses(x.scope(), exceeding.Reason)
}

// wideCharset returns the character set of a JSON text in UTF-16 or UTF-32, or "" for any other body.
// Other data, such as a video, may begin with the same bytes.
func (x *llmExchange) wideCharset(body []byte) string {
	charset := wire.WideCharset(body)
	if charset == "" || !x.mayCall() {
		return ""
	}
	ascii := bytes.ReplaceAll(body[:min(len(body), headBytes)], []byte{0}, nil)
	for _, mark := range [...]string{"\xFF\xFE", "\xFE\xFF"} {
		ascii = bytes.TrimPrefix(ascii, []byte(mark))
	}
	if !wire.BeginsLikeJSON(ascii) {
		return ""
	}
	return charset
}

// headStart is how long the proxy waits between sending a request that cannot be refused and
// inspecting it, unless the answer needs the result sooner. This keeps the inspection from slowing
// down a provider that answers at once; other providers take longer than the wait and the
// inspection together.
const headStart = 2 * time.Millisecond

// mayRefuse reports whether a request can be refused; if so, it is sent only after its inspection.
// Any other request is inspected while the provider works on it; the answer is judged afterwards.
func (l *LLM) mayRefuse() bool {
	return !l.gate.Observe && (l.gate.FailClosed || l.gate.Engine.Withholds())
}

// ask inspects the request, and calls done once the request has been both inspected and answered. A
// panic does not end the program: it is passed on to whoever waits for the inspection.
func (x *llmExchange) ask(answered <-chan struct{}, done func()) {
	defer func() {
		_ = recover()
		<-answered
		done()
	}()
	x.asked()
}

// judgeRequest returns why a request is refused, or "" if it is not.
func (x *llmExchange) judgeRequest(body []byte) (why string) {
	if body, x.format = x.recognise(frameOf(body)); body == nil {
		return notJSON + ", and fail_closed is set"
	}
	if x.format == "" {
		x.gate.note(x.scope(), scanner.IgnoredEvent, "a provider request that does not call a model, forwarded without inspection", scanner.Forward)
		return ""
	}
	x.given = x.given.With(givenIn(body))
	said, unread := x.inspectMessage(&replay.LLMMessage{Session: x.session, Request: x.id, Dialect: replay.Dialect(x.format), Body: body}, x.given)
	if unread != "" && !x.pass("a request to a model was not inspected: "+unread) {
		return "the request could not be judged, and fail_closed is set"
	}
	if x.gate.Observe {
		return ""
	}
	for i := range said {
		s := &said[i]
		switch {
		case s.Decision.Verdict < scanner.Prompt:
		case s.Kind == replay.SaidDefinition:
			return fmt.Sprintf("the definition of the tool %q: %s", text.Visible(s.Name, nameChars), Reason(&s.Decision))
		case s.Kind == replay.SaidResult:
			return fmt.Sprintf("the result of the call %q: %s", text.Visible(s.ID, nameChars), Reason(&s.Decision))
		}
	}
	return ""
}

// givenIn returns the credentials of MCP servers in a request to a provider.
func givenIn(body []byte) (given text.Secrets) {
	if !bytes.Contains(body, []byte("uthorization")) && !bytes.Contains(body, []byte(`"headers"`)) {
		return given
	}
	root, err := wire.Skim(body, wire.MaxNodes)
	if err != nil {
		return given
	}
	var values []string
	take := func(v wire.Value, token bool) {
		if v.Kind() != wire.String {
			return
		}
		value := string(v.Text())
		bare := value[strings.IndexByte(value, ' ')+1:]                  // also mask the value without its scheme
		if token && (strings.Contains(bare, " ") || text.IsWord(bare)) { // otherwise, a server could choose a token that masks words in its texts
			return
		}
		values = append(values, value, bare)
	}
	for _, list := range [...]string{"mcp_servers", "tools"} {
		for c := root.Get(list).Children(); root.Get(list).Kind() == wire.Array && c.Next(); {
			take(c.Value.Get("authorization_token"), true)
			take(c.Value.Get("authorization"), true)
			for h := c.Value.Get("headers").Children(); h.Next(); {
				take(h.Value, false)
			}
		}
	}
	return text.NewSecrets(values, nil)
}
