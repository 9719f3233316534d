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

// wait waits for the answer until ctx is done, but no longer than timeout.
func (c *call) wait(ctx context.Context, timeout time.Duration) (reply, error) {
	p, timer := c.peer, time.NewTimer(timeout)
	defer timer.Stop()
	dropped, late := false, false
	for waiting := true; waiting; {
		select {
		case out := <-c.outcome:
			c.end(out.err == nil)
			return out.reply, out.failure()
		case <-p.oversize:
			if !dropped && timeout > afterOversize {
				timer.Reset(afterOversize)
			}
			dropped = true
		case <-timer.C:
			late, waiting = true, false
		case <-p.link.down():
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	out, ok := c.already()
	c.end(false)
	switch {
	case ok:
		return out.reply, out.failure()
	case ctx.Err() != nil:
		return reply{}, context.Cause(ctx)
	case late && dropped:
		return reply{}, &oversizeError{p.opts.MaxFrame}
	case late:
		return reply{}, p.silence(timeout)
	}
	return reply{}, &downError{p.link.reason()}
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

// failure returns the error that the outcome represents, or nil if there is a usable result.
func (o outcome) failure() error {
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
