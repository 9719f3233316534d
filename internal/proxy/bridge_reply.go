package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// message is a line from a server on its way to a client.
type message struct {
	frame   []byte
	answers bool   // it answers a request
	failed  string // code of the error that it answers with
}

// outbox passes messages from a server to a response. As on stdio, the server waits until the client
// has read its messages.
type outbox struct {
	first   []message       // messages from before the outbox was opened
	lines   chan message    // unbuffered, so that no messages accumulate
	session context.Context // ends with the session

	done   chan struct{} // closed by finish: no more messages come
	gone   chan struct{} // closed by Close: nobody reads any more
	finish func()
	Close  func() error
}

// newOutbox returns an outbox that calls the function closed when nobody reads it any more.
func newOutbox(session context.Context, closed func(*outbox)) *outbox {
	o := &outbox{lines: make(chan message), session: session, done: make(chan struct{}), gone: make(chan struct{})}
	o.finish = sync.OnceFunc(func() { close(o.done) })
	o.Close = sync.OnceValue(func() error {
		close(o.gone)
		closed(o)
		return nil
	})
	return o
}

// put waits until m is read or nobody can read it any more, and reports whether it was read.
func (o *outbox) put(m message) bool {
	select {
	case o.lines <- m:
		return true
	case <-o.done:
	case <-o.gone:
	case <-o.session.Done():
	}
	return false
}

// next returns the next message, or io.EOF when there are no more. It waits for one until ctx is done.
func (o *outbox) next(ctx context.Context) (message, error) {
	if len(o.first) > 0 {
		m := o.first[0]
		o.first = o.first[1:]
		return m, nil
	}
	select {
	case m := <-o.lines:
		return m, nil
	case <-o.done:
		return message{}, io.EOF
	case <-ctx.Done():
		return message{}, context.Cause(ctx)
	case <-o.session.Done():
	}
	select {
	case <-o.done:
		return message{}, io.EOF
	default:
		return message{}, &endedError{context.Cause(o.session)}
	}
}

// endedError reports that a session ended before a response was complete.
type endedError struct{ why error }

func (e *endedError) Error() string { return e.why.Error() }
func (e *endedError) Unwrap() error { return e.why }

// reply is the response to a body with requests.
type reply struct {
	*outbox
	acceptable
	child      *child
	asked      *posted
	unanswered int // requests without an answer
}

// errSlow is the context's cause when a server takes too long to send the first message of a
// response.
var errSlow = errors.New("no message yet")

// response waits for the first message, which determines the status and the format of the response,
// and whether the response has the session ID. If the server is slow, the response begins as an
// event stream, provided that the client accepts one.
func (x *reply) response(r *http.Request) (*http.Response, error) {
	ctx, cancel := r.Context(), context.CancelFunc(func() {})
	if x.streams {
		ctx, cancel = context.WithTimeoutCause(ctx, beginWait, errSlow)
	}
	m, err := x.next(ctx)
	cancel()
	var resp *http.Response
	body := &events{box: x.outbox, ctx: r.Context()}
	switch {
	case err == errSlow, err == io.EOF && x.streams:
		resp = respondTo(r, http.StatusOK, eventStream, body, -1)
	case err == io.EOF:
		return nil, refuse(http.StatusBadRequest, "the client cancelled the request")
	case err != nil:
		return nil, x.child.ended(err)
	case x.inJSON(&m):
		x.Close()
		resp = respondTo(r, x.status(&m), plainJSON, io.NopCloser(bytes.NewReader(m.frame)), int64(len(m.frame)))
	default:
		body.out = appendMessage(nil, m.frame)
		resp = respondTo(r, http.StatusOK, eventStream, body, -1)
	}
	switch {
	case !x.asked.begins || x.child.id == "":
	case m.failed != "":
		x.child.end(errRejected)
	default:
		resp.Header.Set(headerSession, x.child.id)
	}
	return resp, nil
}

// inJSON reports whether a response that begins with m is sent as JSON. A client that lists
// text/event-stream gets a stream, as from servers built with the official SDKs, unless the status
// is an error.
func (x *reply) inJSON(m *message) bool {
	return m.answers && x.plain && len(x.asked.ids) == 1 && (!x.listed || x.status(m) != http.StatusOK)
}

// status returns the HTTP status for an answer. Protocol versions without sessions define statuses
// for some errors.
func (x *reply) status(m *message) int {
	if x.child.id == "" {
		switch m.failed {
		case "-32601": // method not found
			return http.StatusNotFound
		case "-32020", "-32021", "-32022": // header mismatch, missing capability, unsupported version
			return http.StatusBadRequest
		}
	}
	return http.StatusOK
}

// events is the body of a response that is an event stream.
type events struct {
	box *outbox
	ctx context.Context
	out []byte // ready to be read
}

func (e *events) Read(p []byte) (int, error) {
	if len(e.out) == 0 {
		m, err := e.box.next(e.ctx)
		if err != nil {
			return 0, err
		}
		e.out = appendMessage(e.out, m.frame)
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

func (e *events) Close() error { return e.box.Close() }

// appendMessage appends a message as an event. It splits the message at carriage returns, which can
// only be white space in it but end a line in an event stream.
func appendMessage(b, frame []byte) []byte {
	b = append(b, "event: message\n"...)
	for part := range bytes.SplitSeq(frame, []byte("\r")) {
		b = append(append(append(b, "data: "...), part...), '\n')
	}
	return append(b, '\n')
}
