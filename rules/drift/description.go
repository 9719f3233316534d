package drift

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var Description = scanner.Rule{
	ID:         "drift-description",
	Category:   "version_pin",
	Title:      "The text of a definition changed after approval",
	Why:        "The model follows the description. A description that was harmless when it was approved can contain a harmful instruction today: a rug pull.",
	Fix:        "Read the diff. If the change is legitimate, run mcpscan approve; otherwise stay on the approved version.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is certain, and its severity depends on the text that was added or removed. Reworded or moved text is a note. New actions, addresses and data are rated medium, as are added text in another language and the removal of a word such as never or sandbox. The removal of a sentence that required consent or ruled out damage is rated high, unless the tool only reads. Added sentences about actions on data, people or tools outside the tool's purpose are rated high, even if their wording would not be reported in a new definition. Anything in added sentences that another rule finds suspicious is rated high, too. An attack is rated critical. Two definitions that swap names are rated high.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP03", "ATLAS:AML.T0109", "CWE-494"},
	On:         mcp.OnList,
	Compare:    compareTexts,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if c.d.Kind != mcp.ServerSubject {
				reportTexts(c)
			}
		})
	},
}

// reportTexts reports all text changes in a definition as one finding, with the highest severity
// and the pointer of the text that has it.
func reportTexts(c *change) {
	all := c.changedTexts()
	if len(all) == 0 {
		return
	}
	found := c.p.Found(c.d)
	worst, severity, why := 0, scanner.Note, ""
	approval := c.p.ApprovedInChange(c.d)
	for i, r := range all {
		s, w, detected := c.weighText(r, found)
		if i == 0 || s > severity {
			worst, severity, why = i, s, w
		}
		if detected {
			approval = nil
		}
	}
	if name := c.swapped(); name != "" && severity < scanner.High {
		severity, why = scanner.High, fmt.Sprintf("the definition was approved as %q, but is now listed under the name of another approved definition", name)
	}
	r := all[worst]
	what := "the " + c.d.Kind.String() + "'s text"
	if c.d.Kind == mcp.ServerSubject {
		what = "the server's instructions"
	}
	message := fmt.Sprintf("%s changed at %s: %s", what, r.pointer, why)
	if len(all) > 1 {
		message = fmt.Sprintf("%s changed in %d locations, at %s: %s", what, len(all), r.pointer, why)
	}
	c.reportUnless(approval, severity, r.pointer, message, strings.Join(r.added, " "), textDiff(r))
}

// swapped returns the name of another definition that was approved with this definition's current
// text and schema, or "" if there is none. Approvals apply only to the name for which they were
// given.
func (c *change) swapped() string {
	if c.was.Parts[0] == c.d.Parts[0] {
		return ""
	}
	return c.p.Approved().NameOf(c.d)
}

// textDiff returns the diff of a text, sentence by sentence.
func textDiff(r changedText) string {
	lines := func(s string) string {
		if s == "" {
			return ""
		}
		var b strings.Builder
		for part := range split(s) {
			b.WriteString(strings.TrimRight(part, " ") + "\n")
		}
		return b.String()
	}
	name := strings.TrimPrefix(r.pointer, "/")
	diff, ok := text.LineDiff("approved/"+name, "now/"+name, lines(r.before), lines(r.now))
	if !ok { // show at least the added text
		diff += "\n+" + strings.Join(r.added, "\n+")
	}
	return diff
}
