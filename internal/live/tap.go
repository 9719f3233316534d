package live

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// tap emits the frames from a List call one at a time. Its counts cover all connections, because a
// second attempt opens another connection.
type tap struct {
	onFrame func(Frame)

	oversize  atomic.Int64 // frames over the size limit
	ambiguous atomic.Int64 // events that clients read differently
	undecoded atomic.Int64 // frames in another character set or content encoding

	emitting sync.Mutex
}

// sent emits a frame that we send.
func (t *tap) sent(data []byte) {
	t.emit(Frame{Direction: ClientToServer, Data: bytes.Clone(data)})
}

// received emits a copy of a server frame.
func (t *tap) received(data []byte, address bool) {
	t.emit(Frame{Direction: ServerToClient, Data: bytes.Clone(data), Address: address})
}

func (t *tap) emit(f Frame) {
	t.emitting.Lock()
	defer t.emitting.Unlock()
	if t.onFrame != nil {
		t.onFrame(f)
	}
}

// count stores in r how many frames were oversize, ambiguous or undecoded since the previous call, and
// resets the counters.
func (t *tap) count(r *Result) {
	r.Oversize, r.Ambiguous, r.Undecoded = int(t.oversize.Swap(0)), int(t.ambiguous.Swap(0)), int(t.undecoded.Swap(0))
}
