package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzEventFrame checks that a frame contains exactly the bytes read, and that a written frame can
// be read.
func FuzzEventFrame(f *testing.F) {
	f.Add(AppendEventFrame(nil, "event", "messageStop", []byte(`{"stopReason":"end_turn"}`)))
	f.Add(AppendEventFrame(AppendEventFrame(nil, "exception", "throttlingException", nil), "event", "x", []byte("{}"))[:40])
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for read := 0; ; {
			frame, err := ReadEventFrame(r, 0, nil)
			if !bytes.Equal(frame.Raw, data[read:read+len(frame.Raw)]) {
				t.Fatalf("read %q of %q", frame.Raw, data[read:])
			}
			if err != nil {
				if errors.Is(err, io.EOF) != (len(frame.Raw) == 0) {
					t.Fatalf("%v after %d bytes", err, len(frame.Raw))
				}
				return
			}
			read += len(frame.Raw)
			if root, err := Skim(frame.Data(), MaxNodes); err != nil || bytes.ContainsAny(frame.Data(), "\r\n") {
				t.Fatalf("%q: %v %v", frame.Data(), root, err)
			}
			if again, err := ParseEventFrame(AppendEventFrame(nil, "event", frame.Type, frame.Payload)); err != nil || again.Type != frame.Type {
				t.Fatalf("written again: %v %q", err, again.Type)
			}
		}
	})
}

// TestEventFrameLimit checks that no memory is allocated for a frame over the
// limit.
func TestEventFrameLimit(t *testing.T) {
	raw := AppendEventFrame(nil, "event", "x", bytes.Repeat([]byte(" "), 1000))
	if f, err := ReadEventFrame(bytes.NewReader(raw), 999, nil); !errors.Is(err, ErrFrameSize) || len(f.Raw) != FramePrelude {
		t.Errorf("%v after %d bytes", err, len(f.Raw))
	}
}
