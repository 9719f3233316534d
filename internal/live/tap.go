package live

import (
	"bytes"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// tap timestamps the frames from a List call and emits them one at a time. Its counts cover all
// connections, because a second attempt opens another connection.
type tap struct {
	now     func() time.Time
	onFrame func(Frame)

	noise     atomic.Int64
	oversize  atomic.Int64 // frames over the size limit
	ambiguous atomic.Int64 // events that clients read differently

	emitting sync.Mutex
}

// origin is the HTTP source of a server frame; zero on stdio.
type origin struct {
	status int
	header http.Header
	event  string

	address bool // the event names the endpoint
}

// sent emits a frame that we send.
func (t *tap) sent(data []byte) {
	t.emit(Frame{Direction: ClientToServer, Data: bytes.Clone(data)})
}

// received emits a copy of a server frame.
func (t *tap) received(data []byte, from origin) {
	t.emit(Frame{
		Direction: ServerToClient, Data: bytes.Clone(data), Noise: isNoise(data, from),
		Event: from.event, Address: from.address, Status: from.status, Header: from.header,
	})
}

// isNoise reports whether a frame cannot be a message.
func isNoise(data []byte, from origin) bool { return !wire.BeginsLikeJSON(data) || from.address }

func (t *tap) emit(f Frame) {
	t.emitting.Lock()
	defer t.emitting.Unlock()
	f.Time = t.now()
	if f.Noise && !f.Address && f.Status < 400 {
		t.noise.Add(1)
	}
	if t.onFrame != nil {
		t.onFrame(f)
	}
}

// count sets the counts of a result to those since its last call.
func (t *tap) count(r *Result) {
	r.Noise, r.Oversize, r.Ambiguous = int(t.noise.Swap(0)), int(t.oversize.Swap(0)), int(t.ambiguous.Swap(0))
}
