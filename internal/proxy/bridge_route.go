package proxy

import (
	"net/http"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// expect registers the requests in a body.
func (c *child) expect(m *posted, forms acceptable) (*reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// first, because the search for equal ids takes quadratic time
	if len(c.open)+len(m.ids) > maxOpen {
		return nil, refuse(http.StatusServiceUnavailable, "the session has %d requests without an answer; wait for answers", len(c.open))
	}
	for i, key := range m.keys {
		if c.open[key] != nil || slices.Contains(m.keys[:i], key) {
			return nil, refuse(http.StatusBadRequest, "a request with the same id is still open; use each id once in a session")
		}
	}
	x := &reply{child: c, asked: m, unanswered: len(m.ids), acceptable: forms}
	x.outbox = newOutbox(c.ctx, func(*outbox) { c.abandon(x) })
	for i, key := range m.keys {
		c.open[key] = x
		delete(c.late, key)
		if t := m.tokens[i]; t != "" {
			c.tokens[t] = x
		}
	}
	if x.streams {
		c.replies = append(c.replies, x)
		if c.listener == nil {
			x.first = c.takeWaiting()
		}
	}
	c.readers++
	c.idle.Stop()
	return x, nil
}

// takeWaiting removes and returns the messages that are waiting for a stream. The caller holds the
// lock.
func (c *child) takeWaiting() []message {
	list := c.waiting
	c.waiting, c.waited = nil, 0
	return list
}

// listen begins the stream for messages that belong to no request, and ends any earlier one,
// because the client has lost it.
func (c *child) listen() *outbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listener != nil {
		c.listener.finish()
	}
	box := newOutbox(c.ctx, func(box *outbox) {
		c.mu.Lock()
		if c.listener == box {
			c.listener = nil
		}
		c.mu.Unlock()
		c.leave()
	})
	box.first = c.takeWaiting()
	c.listener = box
	c.readers++
	c.idle.Stop()
	return box
}

// take passes a line from the server to the response that it belongs to.
func (c *child) take(frame []byte) {
	s, ok := parseOutput(frame)
	if !ok {
		c.gate.judge(&c.at, mcp.ServerToClient, frame) // counted, but not forwarded: clients could not parse it
		return
	}
	if c.answersSeveral(s.answers) {
		if batch, err := skimAny(frame); err == nil {
			for m := range messagesOf(batch) {
				c.take(m.Raw())
			}
			return
		}
	}
	m := message{frame, len(s.answers) > 0, s.failed}
	if replies := c.answered(s.answers, false); len(replies) > 0 {
		replies[0].put(m)
		c.complete(replies)
		return
	}
	if len(s.asks) == 0 && c.tooLate(s.answers) {
		c.gate.note(&c.at, scanner.IgnoredEvent, "an answer to a cancelled request", scanner.Refuse)
		return
	}
	for {
		box, why := c.route(&s, m)
		switch {
		case why != "":
			c.refuseRequests(&s, why)
		case box != nil && !box.put(m) && c.ctx.Err() == nil:
			continue // the client stopped reading this stream: try another one
		}
		return
	}
}

// answersSeveral reports whether the requests with these keys belong to more than one response.
func (c *child) answersSeveral(keys []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *reply
	for _, key := range keys {
		switch x := c.open[key]; {
		case x == nil:
		case first == nil:
			first = x
		case x != first:
			return true
		}
	}
	return false
}

// route returns the stream for a line that answers no open request. box is nil if the line has to
// wait for a stream; why is set if no client gets the line.
func (c *child) route(s *output, m message) (box *outbox, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(s.answers) > 0 && len(s.asks) == 0 {
		return nil, "it answers no open request"
	}
	for _, x := range []*reply{c.tokens[s.token], c.open[s.subscription]} {
		if x != nil && x.streams && slices.Contains(c.replies, x) {
			return x.outbox, ""
		}
	}
	switch last := len(c.replies) - 1; {
	case last == 0, last > 0 && c.listener == nil:
		return c.replies[last].outbox, ""
	case c.listener != nil:
		return c.listener, ""
	case len(c.waiting) >= maxWaiting || c.waited+len(m.frame) > maxWaited:
		return nil, "its client is not reading a stream"
	}
	c.waiting = append(c.waiting, m)
	c.waited += len(m.frame)
	return nil, ""
}

// answered closes the requests that a line answers or cancels, and returns their responses. It does so
// before the client gets the line, because the client may then reuse the ids.
func (c *child) answered(keys []string, cancelled bool) (replies []*reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		x := c.close(key, cancelled)
		if x != nil && !slices.Contains(replies, x) {
			replies = append(replies, x)
		}
	}
	return replies
}

// tooLate reports whether a line answers only requests that were cancelled.
func (c *child) tooLate(keys []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		if !c.late[key] {
			return false
		}
	}
	for _, key := range keys {
		delete(c.late, key)
	}
	return len(keys) > 0
}

// complete ends the responses that have no more open requests.
func (c *child) complete(replies []*reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range replies {
		if x.unanswered == 0 {
			c.unlist(x)
			x.finish()
		}
	}
}

// close closes a request and returns its response, or nil if the request is not open. The caller
// holds the lock.
func (c *child) close(key string, cancelled bool) *reply {
	x := c.open[key]
	if x == nil {
		return nil
	}
	delete(c.open, key)
	if cancelled && len(c.late) < maxOpen {
		c.late[key] = true
	}
	if x.unanswered--; x.unanswered == 0 {
		for _, t := range x.asked.tokens {
			if c.tokens[t] == x {
				delete(c.tokens, t)
			}
		}
	}
	return x
}

// abandon is called when nobody reads a response any more: it was read to its end, or the client is
// gone, which cancels its requests in protocol versions without sessions.
func (c *child) abandon(x *reply) {
	c.mu.Lock()
	c.unlist(x)
	for i, key := range x.asked.keys {
		if c.id == "" && c.open[key] == x {
			c.in.answer([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + x.asked.ids[i] + `,"reason":"the client disconnected"}}`))
			c.close(key, true)
		}
	}
	c.mu.Unlock()
	c.leave()
}

// unlist removes a response from the list of responses being read. The caller holds the lock.
func (c *child) unlist(x *reply) {
	c.replies = slices.DeleteFunc(c.replies, func(other *reply) bool { return other == x })
}
