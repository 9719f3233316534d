package drift

import (
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var Unseen = scanner.Rule{
	ID:         "drift-unseen",
	Category:   "version_pin",
	Title:      "A definition changed in a way that its texts and schemas do not show",
	Why:        "Clients read JSON differently: a member that is empty is not one that is absent, and half of a surrogate pair is a character to one and nothing to another. A change that only one of them sees can carry what the others were not shown.",
	Fix:        "Compare the definitions with mcpscan pins show, then run mcpscan approve.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The digests differ, and no other rule about changes reported the definition. What such a change can do depends on the client; in itself it says nothing to a model.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353", "CWE-436"},
	On:         scanner.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if p.ToldOf(c.d) {
				return
			}
			pointer := c.firstDifference()
			c.report(scanner.Low, pointer, "the definition is not the one that was approved; texts and schemas read the same, but a value is empty where it was absent, or differs in how it is escaped", "", "")
		})
	},
}

// firstDifference is the pointer to the first member that differs, the whole definition
// where that is none.
func (c *change) firstDifference() string {
	if c.d.Kind == scanner.ServerSubject {
		return "/instructions"
	}
	for _, name := range c.members() {
		if old, now := c.member(name); !c.same(old, now) {
			return "/" + wire.EscapePointer(name)
		}
	}
	return ""
}
