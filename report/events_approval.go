package report

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Approval is the answer to a question about a message for which the policy prompts.
type Approval struct {
	Method, Target string
	ID             string // JSON-RPC ID of the message, as JSON; "" if it has none
	Allowed        bool
	By             string // who answered, or why nobody did
}

// Approval writes the current event, then an answer. e has the time and the session of the answer.
func (v *Events) Approval(e *scanner.Event, a Approval) {
	v.flush()
	r := v.head(e, "mcp_approval")
	r.Action, r.Reason, r.Description = "block", foreign(a.By, textLimit), foreign(a.Method, nameLimit)
	if a.Allowed {
		r.Action = "allow"
	}
	if a.Target != "" {
		r.Description += fmt.Sprintf(" %q", foreign(a.Target, nameLimit))
	}
	if a.Method == "tools/call" {
		r.Tool = foreign(a.Target, nameLimit)
	}
	var doc wire.Doc
	if a.ID != "" && doc.Parse([]byte(`{"id":`+a.ID+`}`)) == nil {
		r.ID = (&cleaner{doc: &doc}).member(0, "id")
	}
	v.write(r)
}
