package proxy

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestLarge checks that large messages share memory until it is full, that as many as there are slots
// get more, and that all of it is given back.
func TestLarge(t *testing.T) {
	l := newLarge()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	rooms := make([]room, 4+maxLarge+1)
	for k := range rooms {
		rooms[k].of = l
		size, ctx := int64(largeBytes/4), t.Context()
		if k == len(rooms)-1 {
			ctx = over
		}
		if err := rooms[k].grow(ctx, size); (err != nil) != (ctx == over) {
			t.Fatalf("message %d: %v", k, err)
		}
		if rooms[k].slot != (k >= 4 && ctx != over) {
			t.Errorf("message %d: slot is %v", k, rooms[k].slot)
		}
	}
	last := &rooms[len(rooms)-1]
	rooms[0].leave()
	if err := last.grow(over, largeBytes/4); err != nil || last.slot {
		t.Errorf("after memory was given back: %v, slot is %v", err, last.slot)
	}
	if err := rooms[4].grow(over, 2*largeBytes); err != nil {
		t.Errorf("a message with a slot grows: %v", err)
	}
	rooms[4].leave()
	if err := last.grow(t.Context(), largeBytes/2); err != nil || !last.slot {
		t.Errorf("a message that grows beyond the shared memory: %v, slot is %v", err, last.slot)
	}
	for k := range rooms {
		rooms[k].leave()
	}
	if l.free.Load() != largeBytes || len(l.slots) != 0 {
		t.Errorf("%d of %d bytes are free, %d slots are taken", l.free.Load(), largeBytes, len(l.slots))
	}
}

// TestLargeRead checks what is read of bodies whose size is declared, declared wrong, or unknown.
func TestLargeRead(t *testing.T) {
	const most = 300_000
	l := newLarge()
	for _, length := range []int64{0, 1, largeBuffer - 1, largeBuffer, largeBuffer + 1, 2 * largeBuffer, most - 1, most, most + 1, 2 * most} {
		body := strings.Repeat("x", int(length))
		for _, size := range []int64{-1, length, 1, 10 * most} {
			r := strings.NewReader(body)
			data, more, done, err := l.read(t.Context(), r, size, most)
			rest, _ := io.ReadAll(r)
			if want := min(length, most+1); err != nil || int64(len(data)) != want || more != (length > most) || len(data)+len(rest) != len(body) {
				t.Errorf("%d bytes, %d declared: read %d, more is %v, %v", length, size, len(data), more, err)
			}
			done()
			done()
		}
	}
	if l.free.Load() != largeBytes || len(l.slots) != 0 {
		t.Errorf("%d of %d bytes are free, %d slots are taken", l.free.Load(), largeBytes, len(l.slots))
	}
}
