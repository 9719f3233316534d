package proxy

import (
	"context"
	"io"
	"sync"
)

// maxLarge bounds the messages above largeBuffer that are held at a time: what others may take
// of the memory is small.
const maxLarge = 8

// large has a place for each message of them.
type large chan struct{}

// hold waits for a place. Whoever has one waits for no other.
func (l large) hold(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l large) release() { <-l }

// read reads what is in r up to max bytes and reports whether there is more. What was read
// then ends with the first byte of it. done says that the data is needed no more; it can be
// called again.
func (l large) read(ctx context.Context, r io.Reader, max int64) (data []byte, more bool, done func(), err error) {
	done = func() {}
	if r == nil {
		return nil, false, done, nil
	}
	data, err = io.ReadAll(io.LimitReader(r, min(max+1, largeBuffer)))
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
