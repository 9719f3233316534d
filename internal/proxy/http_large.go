package proxy

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
)

// The limits on the memory for messages larger than largeBuffer. Smaller ones take little.
const (
	largeBytes = 32 << 20 // memory that all of them share
	maxLarge   = 8        // messages held at a time outside the shared memory
)

// large limits the memory for large messages.
type large struct {
	free  atomic.Int64 // bytes of largeBytes
	slots chan struct{}
}

func newLarge() *large {
	l := &large{slots: make(chan struct{}, maxLarge)}
	l.free.Store(largeBytes)
	return l
}

// room is the memory of one message.
type room struct {
	of    *large
	bytes int64 // taken from the shared memory
	slot  bool
}

// grow makes room for a message of the given size. If the shared memory is full, it waits for a slot,
// which has room for any message. To avoid deadlocks, a message with a slot never waits again.
func (r *room) grow(ctx context.Context, size int64) error {
	if r.slot || size <= max(r.bytes, largeBuffer) {
		return nil
	}
	if r.of.free.Add(r.bytes-size) >= 0 {
		r.bytes = size
		return nil
	}
	r.of.free.Add(size - r.bytes)
	select {
	case r.of.slots <- struct{}{}:
		r.of.free.Add(r.bytes)
		r.bytes, r.slot = 0, true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives the room back.
func (r *room) leave() {
	r.of.free.Add(r.bytes)
	if r.slot {
		<-r.of.slots
	}
	r.bytes, r.slot = 0, false
}

// read reads up to max bytes from r. size is the declared size of r, or -1 if unknown. more reports
// whether r has more than max bytes; data then includes one byte beyond max. done gives back the room
// of the data; it may be called more than once.
func (l *large) read(ctx context.Context, r io.Reader, size, max int64) (data []byte, more bool, done func(), err error) {
	room := &room{of: l}
	done = sync.OnceFunc(room.leave)
	if r == nil {
		return nil, false, done, nil
	}
	var buf bytes.Buffer
	limit := min(max+1, largeBuffer)
	if size > 0 {
		buf.Grow(int(min(size, limit)) + bytes.MinRead)
	}
	for {
		if _, err = buf.ReadFrom(io.LimitReader(r, limit-int64(buf.Len()))); err != nil || int64(buf.Len()) < limit || limit > max {
			break
		}
		if limit *= 2; size >= limit {
			limit = size + 1 // one more byte shows whether the data ends as declared
		}
		limit = min(limit, max+1)
		if err = room.grow(ctx, limit); err != nil {
			break
		}
	}
	return buf.Bytes(), int64(buf.Len()) > max, done, err
}
