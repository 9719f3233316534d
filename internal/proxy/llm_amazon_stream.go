package proxy

import (
	"errors"
	"io"
	"net/http"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// nextFrame reads the next frame. A large frame waits for room.
func (s *llmStream) nextFrame() (wire.EventFrame, error) {
	room := room{of: s.large}
	defer room.leave()
	return wire.ReadEventFrame(s.frames, s.gate.MaxMessage, func(size int64) error { return room.grow(s.in.Context(), size) })
}

// framed forwards a response as an Amazon event stream.
func (x *llmExchange) framed(resp *http.Response, body io.Reader) {
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Body = &llmStream{llmExchange: x, closer: resp.Body, frames: body}
}

// frame reads the next frame and decides what to forward. Unless the proxy only observes, an
// invalid frame ends the stream, because the agent might be able to read it, and a frame that is
// too long ends the stream if fail_closed is set.
func (s *llmStream) frame() {
	f, err := s.nextFrame()
	switch {
	case err == nil:
		s.inspect(block{raw: f.Raw, kind: event}, f.Data(), f.AppendSSE(nil))
	case !errors.Is(err, wire.ErrFrameSize) && !errors.Is(err, wire.ErrFrame): // the end, or a broken connection that left an incomplete frame
		s.out = nil
		s.finish()
		s.err = err
	case s.gate.Observe, errors.Is(err, wire.ErrFrameSize) && !s.gate.FailClosed:
		s.pass(s.unreadable(err))
		s.out, s.tail = append(s.release(nil, false), f.Raw...), s.frames
	default:
		why := s.unreadable(err)
		s.gate.skip(s.scope(), why, scanner.Refuse)
		s.refuse(why)
	}
}

func (s *llmStream) unreadable(err error) string {
	if errors.Is(err, wire.ErrFrameSize) {
		return tooLongReason(mcp.ServerToClient, s.gate.MaxMessage)
	}
	return "a provider stream: " + err.Error()
}
