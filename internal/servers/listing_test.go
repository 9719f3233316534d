package servers

import (
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestMessagesArePunctual checks that the engine judges what a server sends at once, but sorts events
// that have their own times, such as approvals.
func TestMessagesArePunctual(t *testing.T) {
	for kind, want := range map[scanner.EventKind]bool{scanner.FrameEvent: true, scanner.LockEvent: false} {
		events := make(chan *scanner.Event, 1)
		events <- &scanner.Event{Kind: kind}
		c, err := liveSource(events).Next()
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := c.(interface{ Punctual() bool }); !ok || p.Punctual() != want {
			t.Errorf("kind %v: %t, want %t", kind, !want, want)
		}
	}
}
