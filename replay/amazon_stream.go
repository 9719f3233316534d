package replay

import (
	"bytes"
	"errors"
	"io"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// startsFrames reports whether a file or body is an Amazon event stream, which Bedrock uses for
// streaming.
func startsFrames(head []byte) bool {
	_, err := wire.FrameSize(head)
	return err == nil
}

// framesOf invokes visit with each frame. If the rest of the stream cannot be read, it returns the
// reason.
func framesOf(r io.Reader, o Options, visit func(*wire.EventFrame)) error {
	for {
		f, err := wire.ReadEventFrame(r, o.MaxMessage, nil)
		switch {
		case err == nil:
			visit(&f)
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// openFrames reads a saved Amazon event stream.
func openFrames(name string, r io.Reader, o Options) scanner.Source {
	return pulled(func(yield func(*scanner.Event)) {
		t := newTranscript(name, o, yield)
		at := scanner.Origin{File: name, Line: 1, Column: 1} // the file has no lines
		if err := framesOf(r, o, func(f *wire.EventFrame) {
			t.data(&t.reader, llm.Quoted(at, f.Data()), at)
			t.talk.flush()
		}); err != nil {
			yield(skipped(name, 1, "%s: %v", unreadFrames, err))
		}
		t.end()
	})
}

// unreadFrames is the reason reported for the data after an unreadable frame.
const unreadFrames = "the rest of an Amazon event stream was not read"

// frames returns the frames in a body as server-sent events.
func (h *har) frames(raw []byte, at scanner.Origin) (events []byte) {
	if err := framesOf(bytes.NewReader(raw), Options{MaxMessage: h.max}, func(f *wire.EventFrame) { events = f.AppendSSE(events) }); err != nil {
		h.out = append(h.out, skipped(h.name, at.Line, "%s: %v", unreadFrames, err))
	}
	return events
}
