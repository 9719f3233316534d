package scanner

import (
	"errors"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// parse sets the parse tree of the event's frame. A frame that is not JSON is noise or counts as not
// inspected. If lenient parsers accept the frame, it is parsed as they would parse it, because its
// receiver may use one; otherwise, its text is searched.
func (in *Inspector) parse() bool {
	e := in.event
	if e.tree != nil {
		in.tree = e.tree
		in.stray()
		return true
	}
	in.tree, e.root = &in.own, 0
	err := in.own.Parse(e.Frame)
	if err == nil {
		in.stray()
		return true
	}
	message := e.Kind == FrameEvent && !noise(e.Frame)
	in.facts.Noise = e.Kind == FrameEvent && !message
	var syntax *wire.SyntaxError
	if in.stray(); e.Reason == "" && !in.facts.Noise && errors.As(err, &syntax) {
		in.skip("unparsable frame: " + syntax.Msg) // its receiver may parse more of it than we do
	}
	if message {
		err = in.own.Parse(wire.Lenient(e.Frame))
	}
	if in.facts.Exceeds = wire.ExceedsLimit(err); err == nil {
		in.facts.Invalid = true
		return true
	}
	in.plain()
	return false
}

// stray adds a skip if the event's source reports that the frame is not a message.
func (in *Inspector) stray() {
	if in.event.Reason != "" {
		in.skip(in.event.Reason)
	}
}

// plain inspects a frame that is not JSON as a single string node, so that findings get a
// position as usual.
func (in *Inspector) plain() {
	in.own.SetText(in.event.Frame)
	in.tree, in.event.root = &in.own, 0
	in.begin(Message{Kind: mcp.Malformed})
	in.unread = true
	in.region(mcp.MessageSubject, "", 0, 0)
	in.unread = false
}
