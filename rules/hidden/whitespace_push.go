package hidden

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var WhitespacePush = scanner.Rule{
	ID:         "hid-whitespace-push",
	Category:   "hidden_instructions",
	Title:      "White space pushes text out of sight",
	Why:        "An approver sees the first screen of a description; the model also reads the text that follows forty empty lines.",
	Fix:        "Scroll down and read the text after the gap. Remove the server if the text is an instruction to the model.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "No layout needs 40 empty lines or 400 spaces before text, but generated documentation sometimes contains such gaps by mistake. The finding is high if an instruction to a model follows. Web pages and program output have such gaps too, so the severity of findings in data is one level lower.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-451"},
	Unusual: func(p *scanner.TextPass) {
		_, end, ok := text.Gap(p.Source)
		if !ok {
			return
		}
		tail := p.Source[end:]
		shown := len(tail)
		if eol := bytes.IndexByte(tail, '\n'); eol >= 0 {
			shown = eol
		}
		issue := scanner.Issue{Start: end, End: end + shown, Severity: scanner.Medium, Signals: []string{"a screenful of white space"},
			Message: "the text continues after a screenful of white space"}
		var f text.Folder
		if pushedOrder.Match(f.Fold(tail[:min(len(tail), pushedTail)]).Text) {
			issue.Severity, issue.Signals = scanner.High, append(issue.Signals, "an instruction to a model after the gap")
			issue.Message = "an instruction follows a screenful of white space"
		}
		issue.Severity = clause.LowerInResult(p, issue.Severity)
		p.ReportSource(issue)
	},
}

// pushedTail is the maximum number of bytes read after a gap. An attacker puts the instruction
// right after it.
const pushedTail = 4096

var pushedOrder = lazyregexp.New(toModel)
