package live

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// tap timestamps the frames from a List call and emits them one at a time. Its counts cover all
// connections, because a second attempt opens another connection.
type tap struct {
	now     func() time.Time
	onFrame func(Frame)

	mu        sync.Mutex
	noise     int
	oversize  int
	ambiguous int
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
	f := Frame{
		Direction: ServerToClient, Data: bytes.Clone(data),
		Event: from.event, Address: from.address, Status: from.status, Header: from.header,
	}
	f.Noise = isNoise(data, from)
	t.emit(f)
}

// isNoise reports whether a frame cannot be a message.
func isNoise(data []byte, from origin) bool { return !wire.BeginsLikeJSON(data) || from.address }

func (t *tap) emit(f Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.Time = t.now()
	if f.Noise && !f.Address && f.Status < 400 {
		t.noise++
	}
	if t.onFrame != nil {
		t.onFrame(f)
	}
}

// dropped counts a frame over the size limit.
func (t *tap) dropped() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.oversize++
}

// differs counts an event that clients read differently.
func (t *tap) differs() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ambiguous++
}

// count sets the counts of a result to those since its last call.
func (t *tap) count(r *Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Noise, r.Oversize, r.Ambiguous = t.noise, t.oversize, t.ambiguous
	t.noise, t.oversize, t.ambiguous = 0, 0, 0
}
