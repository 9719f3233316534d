package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/paths"
	"github.com/mcpscan/mcpscan/scanner"
)

// vWrite matches verbs that change a file's content.
const vWrite = `\b(write|create|edit|add|append|modify|save|put|update|insert|set|change|overwrite|enable|store)s?\b`

var AgentConfigWrite = scanner.Rule{
	ID:         "inj-agent-config-write",
	Category:   "hidden_instructions",
	Title:      "Text tells the agent to change its own configuration",
	Why:        "After such a change, the agent obeys the new configuration and rules, which can add servers, skip approvals, and give instructions that outlast the session.",
	Fix:        "Before you restart the agent, check the files that the finding names. Remove the server.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Installation guides tell people to do the same, so text in data is rated high only if it addresses an agent or disables approvals. A finding in a tool whose purpose is to write such files, or that has an option for this, is rated low.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM06", "ATLAS:AML.T0081", "CWE-15"},
	Patterns: []scanner.Pattern{{
		Name: "write_agent_file",
		Expr: vWrite + `[^\n]{0,100}?` + paths.AgentFiles,
		Anchors: []string{"mcp.json", "claude_desktop_config", ".cursor", ".vscode", ".claude", ".gemini",
			".windsurf", ".codex", "claude.md", "agents.md", "gemini.md", "copilot-instructions", "autoapprove",
			"auto_approve", "auto-approve", "approval_mode", ".bashrc", ".zshrc", ".bash_profile", ".clinerules",
			".goosehints"},
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			m.Start = nearestVerb(p.Folded, m.Start, m.End)
			from, to := clause.Around(p.Folded, m.Start, m.End)
			c := p.Folded[from:to]
			if clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
				continue
			}
			severity, signals := scanner.Critical, []string{"a verb of writing", "a file that agents obey"}
			switch told := clause.AddressesReader(c) || clause.OpensClause(p.Folded[from:], []int{m.Start - from}) && !p.FirstSentence(m.Start); {
			case clause.IsResult(p) && (agentTold.Match(c) || unasked.Match(p.Folded[from:min(len(p.Folded), to+len(`": true,`))])):
				severity, signals = clause.InData(p, m.Start, m.End, scanner.High), append(signals, "addresses an agent, or disables approvals")
			case clause.IsResult(p):
				severity = scanner.Low
			case p.FirstSentence(m.Start) || configures.MatchString(p.Name) || clause.DescribesSwitch(p, m.Start, m.End):
				severity = scanner.Low
			case !told:
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: signals,
				Message: "tells the model to write to an agent's configuration"})
		}
	},
}

// nearestVerb returns the position of the first verb in the clause that names the file, or start if
// there is none.
func nearestVerb(t []byte, start, end int) int {
	for i := end - 1; i > start; i-- {
		if clause.ClauseEnd(t, i) {
			if verb := writes.FindIndex(t[i:end]); verb != nil {
				return i + verb[0]
			}
			break
		}
	}
	return start
}

var (
	writes = lazyregexp.New(vWrite)
	// agentTold matches text that tells an agent to act, as opposed to a guide for people.
	agentTold = lazyregexp.New(`\b(ai|assistant|agent|llm|model)s?\s*([:,]|must|should|shall|please|has\s+to|needs?\s+to)`)
	// unasked detects wording for acting without consent, once or from now on.
	unasked = lazyregexp.New(`\bwithout\s+(asking|telling|confirm|approv|informing|mention)|\bsilently\b|\bauto_?-?approve\W{1,3}(to\s+)?(true|on)\b|\bfor\s+(all|every)\s+future\b`)
	// configures detects names of tools whose purpose is to manage agents' configuration.
	configures = lazyregexp.New(`(?i)(config|setup|install|init|rules?|memory|settings)`)
)
