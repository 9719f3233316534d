package replay

import "github.com/mcpscan/mcpscan/scanner"

// bareCalls records whether a file contains calls of several tools, none of them attributed to a server.
type bareCalls struct {
	tool    string // of the first call without a server
	at      scanner.Origin
	several bool // a later call without a server is to a different tool
	named   bool // a call is attributed to a server
}

// add records a call.
func (b *bareCalls) add(server, tool string, at scanner.Origin) {
	switch {
	case server != unattributed:
		b.named = true
	case b.tool == "":
		b.tool, b.at = tool, at
	case b.tool != tool:
		b.several = true
	}
}

// oneServer is the reason reported for a file whose calls name no server.
const oneServer = "no call names a server, so all tools count as tools of one server, and rules that compare servers could not apply; to name the servers, record them in an mcpscan.lock in the working directory"

// report yields an ignored event if rules that compare servers could not apply to the calls.
func (b *bareCalls) report(yield func(*scanner.Event)) {
	if b.several && !b.named {
		yield(&scanner.Event{Kind: scanner.IgnoredEvent, Reason: oneServer, Origin: b.at})
	}
}
