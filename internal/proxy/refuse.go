package proxy

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// blockedCode is the JSON-RPC error code of a message that was blocked: the first of those
// that are free for implementations.
const blockedCode = -32001

// reasonChars bounds the reason in an error, in characters.
const reasonChars = 400

// answers are what the two sides are told in place of a frame that is refused: the sender
// about its requests, the receiver about the responses that it waits for. Both are nil
// where nobody waits.
func answers(out *scanner.Outcome) (sender, receiver []byte) {
	batch := false
	for i := range out.Messages {
		m := &out.Messages[i]
		batch = batch || m.Batch > 0
		switch m.Kind {
		case mcp.Request:
			sender = appendError(sender, m, out)
		case mcp.Response:
			receiver = appendError(receiver, m, out)
		}
	}
	return closed(sender, batch), closed(receiver, batch)
}

// nobody is the error for a frame in which nobody asked anything.
func nobody(out *scanner.Outcome) []byte {
	return appendError(nil, &scanner.Judged{Message: &scanner.Message{}}, out)
}

// closed makes a frame of errors.
func closed(errors []byte, batch bool) []byte {
	switch {
	case errors == nil:
		return nil
	case batch:
		errors = append(append([]byte{'['}, errors...), ']')
	}
	return errors
}

// appendError appends the JSON-RPC error that stands for a message, behind a comma where
// there is one already. The id is the token of the message.
func appendError(b []byte, m *scanner.Judged, out *scanner.Outcome) []byte {
	if b != nil {
		b = append(b, ',')
	}
	id := m.ID
	if id == "" {
		id = "null"
	}
	d := m.Decision
	if d.Verdict < scanner.Prompt { // another message of the batch is the reason
		d = out.Decision
	}
	b = append(b, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`...)
	b = fmt.Appendf(b, `%d,"message":`, blockedCode)
	b = wire.AppendString(b, []byte("blocked by mcpscan: "+Reason(&d)))
	b = append(b, `,"data":{"rule":`...)
	b = wire.AppendString(b, []byte(text.Visible(rule(&d), reasonChars)))
	b = append(b, `,"action":`...)
	b = wire.AppendString(b, []byte(action(&d)))
	return append(b, "}}}"...)
}

// Reason says why a message is refused, for a reader who has no report.
func Reason(d *scanner.Decision) string {
	switch {
	case d.Verdict < scanner.Prompt:
		return "the message could not be judged, and fail_closed is set"
	case d.Reason == "":
		return text.Visible(rule(d), reasonChars)
	case d.Verdict == scanner.Prompt:
		return "needs approval: " + text.Visible(d.Reason, reasonChars)
	}
	return text.Visible(d.Reason, reasonChars)
}

// rule is what decided: a rule, or else the step of the chain.
func rule(d *scanner.Decision) string {
	switch {
	case d.Rule != "":
		return d.Rule
	case d.Check != scanner.NoCheck:
		return d.Check.String()
	}
	return "fail_closed"
}

// action is the verdict in an error: what is refused without a verdict is blocked.
func action(d *scanner.Decision) string {
	if d.Verdict < scanner.Prompt {
		return scanner.Block.String()
	}
	return d.Verdict.String()
}
