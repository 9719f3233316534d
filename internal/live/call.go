package live

import (
	"context"
	"errors"
	"time"
)

// call is a message that we sent and whose exchange is in progress.
type call struct {
	peer   *peer
	id     string
	cancel context.CancelFunc
	// outcome has room for the answer and for an error from sending, so that neither sender blocks.
	outcome chan outcome
}

// outcome is an answer, or the reason why there will be none. Both fields are zero for a
// notification that was sent.
type outcome struct {
	reply reply
	err   error
}

// end removes the call. A stream that has delivered its answer gets a moment to close on its own,
// so that its connection can be reused.
func (c *call) end(answered bool) {
	c.peer.mu.Lock()
	delete(c.peer.pending, c.id)
	c.peer.mu.Unlock()
	if answered {
		time.AfterFunc(linger, c.cancel)
	} else {
		c.cancel()
	}
}

// wait waits for the answer until ctx ends.
func (c *call) wait(ctx context.Context) (reply, error) {
	select {
	case out := <-c.outcome:
		c.end(out.err == nil)
		return out.reply, out.verdict()
	case <-c.peer.link.down():
	case <-ctx.Done():
	}
	out, ok := c.already()
	c.end(false)
	switch {
	case ok:
		return out.reply, out.verdict()
	case ctx.Err() != nil:
		return reply{}, context.Cause(ctx)
	}
	return reply{}, &downError{c.peer.link.reason()}
}

// already returns the outcome if it has arrived: a connection may end right after delivering the
// answer.
func (c *call) already() (outcome, bool) {
	select {
	case out := <-c.outcome:
		return out, true
	default:
		return outcome{}, false
	}
}

// verdict returns the error that the outcome represents.
func (o outcome) verdict() error {
	switch {
	case o.err != nil:
		return o.err
	case o.reply.broken != nil:
		return o.reply.broken
	case o.reply.object:
		return nil // use the result even if there is also an error
	case o.reply.err != nil:
		return o.reply.err
	}
	return errors.New("the result is not an object")
}
