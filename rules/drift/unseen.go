package drift

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var Unseen = scanner.Rule{
	ID:         "drift-unseen",
	Category:   "version_pin",
	Title:      "A definition changed, but its text and schemas did not",
	Why:        "Clients read JSON differently: some distinguish an empty member from a missing one, and some keep a lone surrogate that others drop. A change visible to only one client can carry content that other clients never see.",
	Fix:        "Compare the definitions with mcpscan pins show, then run mcpscan approve.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The digests differ, and no other drift rule reported the definition. The effect of such a change depends on the client; text and schemas are unchanged, so the model usually sees nothing new.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353", "CWE-436"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if p.ReportedDefinition(c.d) {
				return
			}
			pointer := c.firstDifference()
			c.report(scanner.Low, pointer, "the definition differs from the approved one; text and schemas are unchanged, but a value is empty instead of missing, or escaped differently", "", "")
		})
	},
}

// firstDifference returns a pointer to the first member that differs, or to the whole definition.
func (c *change) firstDifference() string {
	if c.d.Kind == mcp.ServerSubject {
		return "/instructions"
	}
	for _, name := range c.members(0, 0) {
		if old, now := c.member(name); !c.same(old, now) {
			return "/" + wire.EscapePointer(name)
		}
	}
	return ""
}
