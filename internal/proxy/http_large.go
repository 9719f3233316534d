package proxy

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// maxLarge is the maximum number of messages larger than largeBuffer that are in memory at a time.
// Smaller messages take little memory.
const maxLarge = 8

// large is a semaphore that limits the number of large messages in memory.
type large chan struct{}

// hold waits for a slot. To avoid deadlocks, a caller that has a slot never waits
// for another.
func (l large) hold(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l large) release() { <-l }

// read reads up to max bytes from r, whose declared size is size, or -1 if unknown. more reports
// whether r has more than max bytes; data then includes one byte beyond max. done releases the slot
// of the data; it may be called more than once.
func (l large) read(ctx context.Context, r io.Reader, size, max int64) (data []byte, more bool, done func(), err error) {
	done = func() {}
	if r == nil {
		return nil, false, done, nil
	}
	small := min(max+1, largeBuffer)
	var buf bytes.Buffer
	if size > 0 {
		buf.Grow(int(min(size, small)) + bytes.MinRead)
	}
	_, err = buf.ReadFrom(io.LimitReader(r, small))
	data = buf.Bytes()
	if err == nil && len(data) == largeBuffer && max >= largeBuffer {
		if err = l.hold(ctx); err != nil {
			return data, false, done, err
		}
		done = sync.OnceFunc(l.release)
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(r, max+1-largeBuffer))
		data = append(data, rest...)
	}
	return data, int64(len(data)) > max, done, err
}
