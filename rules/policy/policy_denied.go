package policy

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var PolicyDenied = scanner.Rule{
	ID:         "policy-denied",
	Category:   "policy",
	Title:      "A message violates the policy",
	Why:        "The policy states which servers and tools may be used for what; anything else may be a mistake or an attack.",
	Fix:        "Find out who made the request. If it is legitimate, allow it in the policy, as narrowly as possible.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The policy states what the user allows, so the violation is certain. The severity follows the policy's action: high if it blocks the message, medium if it prompts, low if it alerts, and a note if it logs. Without a policy, nothing is reported.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-862"},
	On:         mcp.OnCall | mcp.OnRequest | mcp.OnQuestion | mcp.OnNotification,
	Judge: func(p *scanner.JudgePass) {
		d := p.Policy
		weight, ok := verdictWeights[d.Verdict]
		if !ok || d.Verdict == scanner.Log && d.Location.File == "" { // requests logged by default are not worth a note
			return
		}
		if d.Verdict == scanner.Block {
			p.Blocks()
		}
		is := scanner.JudgeIssue{Severity: weight.severity, Message: weight.says + ": " + d.Reason, Key: d.Verdict.String() + " " + d.Rule, Offset: p.Message.Offset}
		if p.Message.Asked != nil {
			is.Offset = p.Message.Asked.Offset
		}
		is.Subject, is.Name, is.Pointer, is.Evidence = subjectOf(p)
		if d.Location.File != "" {
			is.Related = []scanner.Related{{Message: fmt.Sprintf("the rule %s of the policy", text.QuoteName(d.Rule)), Location: d.Location}}
		}
		p.Report(is)
	},
}

// verdictWeights maps verdicts other than allow to severities and messages.
var verdictWeights = map[scanner.Verdict]struct {
	severity scanner.Severity
	says     string
}{
	scanner.Block:  {scanner.High, "the policy blocks this message"},
	scanner.Prompt: {scanner.Medium, "the policy prompts for this message"},
	scanner.Alert:  {scanner.Low, "the policy raises an alert for this message"},
	scanner.Log:    {scanner.Note, "the policy logs this message"},
}

// subjectOf returns the subject of a finding about a request.
func subjectOf(p *scanner.JudgePass) (subject mcp.SubjectKind, name, pointer, evidence string) {
	m := p.Message
	method := m.Method
	if m.Asked != nil {
		method = m.Asked.Method
	}
	switch method {
	case "sampling/createMessage":
		return mcp.SamplingSubject, "", "", method
	case "elicitation/create":
		return mcp.ElicitationSubject, "", "", method
	case "resources/read", "resources/subscribe":
		return mcp.CallSubject, m.Target, "/uri", m.Target
	}
	if m.Target == "" {
		return mcp.MessageSubject, "", "", method
	}
	return mcp.CallSubject, m.Target, "/name", m.Target
}
