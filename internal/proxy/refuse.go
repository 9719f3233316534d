package proxy

import (
	"cmp"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// blockedCode is the JSON-RPC error code for blocked messages. It is in the range that JSON-RPC leaves
// to implementations.
const blockedCode = -32001

// reasonChars is the maximum length, in characters, of the reason in an error.
const reasonChars = 400

// answers returns what the two sides get instead of a refused frame: errors to the sender for its
// requests, and errors to the receiver for the responses that it waits for. Each is nil if that
// side awaits no answer.
func answers(out *scanner.Outcome) (sender, receiver []byte) {
	batch := false
	for i := range out.Messages {
		m := &out.Messages[i]
		batch = batch || m.Batch > 0
		switch {
		case m.Kind == mcp.Request, m.Kind == mcp.Response && m.Method != "" && m.Answers == "": // its sender may wait for an answer
			sender = appendError(sender, m, out)
		case m.Kind == mcp.Response && m.ID != "": // without an ID, it answers no request
			receiver = appendError(receiver, m, out)
		}
	}
	return inArray(sender, batch), inArray(receiver, batch)
}

// withoutRequest returns the error for a frame that contains no requests.
func withoutRequest(out *scanner.Outcome) []byte {
	return appendError(nil, &scanner.Judged{Message: &scanner.Message{}}, out)
}

// inArray returns errors, if any, in an array if they answer a batch, otherwise unchanged.
func inArray(errors []byte, batch bool) []byte {
	if errors != nil && batch {
		errors = append(append([]byte{'['}, errors...), ']')
	}
	return errors
}

// appendFailure appends a JSON-RPC error without its end, after a comma if b is not empty. The id is
// copied verbatim.
func appendFailure(b []byte, id string, code int, why string) []byte {
	if b != nil {
		b = append(b, ',')
	}
	b = fmt.Appendf(b, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":`, cmp.Or(id, "null"), code)
	return wire.AppendString(b, []byte(why))
}

// appendError appends the JSON-RPC error that replaces a message.
func appendError(b []byte, m *scanner.Judged, out *scanner.Outcome) []byte {
	d := m.Decision
	if d.Verdict < scanner.Prompt { // another message of the batch caused the refusal
		d = out.Decision
	}
	b = appendFailure(b, m.ID, blockedCode, "blocked by mcpscan: "+Reason(&d))
	b = append(b, `,"data":{"rule":`...)
	b = wire.AppendString(b, []byte(text.Visible(rule(&d), reasonChars)))
	b = append(b, `,"action":`...)
	b = wire.AppendString(b, []byte(action(&d)))
	return append(b, "}}}"...)
}

// Reason returns why a message is refused, for readers who do not see the report.
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

// rule returns the rule that made the decision or, if there is none, the check or fail_closed.
func rule(d *scanner.Decision) string {
	switch {
	case d.Rule != "":
		return d.Rule
	case d.Check != scanner.NoCheck:
		return d.Check.String()
	}
	return "fail_closed"
}

// action returns the verdict for an error: a message that is refused without a verdict counts as
// blocked.
func action(d *scanner.Decision) string {
	if d.Verdict < scanner.Prompt {
		return scanner.Block.String()
	}
	return d.Verdict.String()
}
