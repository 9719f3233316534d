package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/scanner"
)

// The men-* rules report matches of the patterns of the agentsh design for MCP tool inspection, in its
// five categories, as mentions: the text names something that an attack would need, but may be harmless.
// The inj-* rules decide whether the text is an instruction.

// mention returns the check for a men-* rule. It reports mentions in definitions with the given
// severity, and mentions in results with the next lower severity.
func mention(definition scanner.Severity, message string) func(*scanner.TextPass) {
	return func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: clause.LowerInResult(p, definition), Message: message})
		}
	}
}
