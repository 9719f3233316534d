package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Fields are the parts of messages that a custom pattern can be restricted to.
var Fields = []string{"name", "description", "parameters", "definition", "server", "result", "message", "call"}

// Custom makes a rule from a custom pattern in file. Like any other rule, it can be selected,
// suppressed and given a different severity.
func Custom(c scanner.CustomPattern, file string) scanner.Rule {
	said := text.Visible(text.Mask(c.Description), 400)
	place := text.Visible(text.Mask(fmt.Sprintf("%s:%d", file, c.Pos.Line)), 400)
	return scanner.Rule{
		ID: c.ID, Category: c.Category, Title: said, Why: said,
		Fix:      "Ask the author of the pattern at " + place + ".",
		Severity: c.Severity, Confidence: scanner.ConfidenceMedium, Basis: "As declared by the pattern at " + place + ".",
		Client:   slices.Contains(c.Fields, "call"),
		Patterns: []scanner.Pattern{c.Pattern},
		Text: func(p *scanner.TextPass) {
			if !wanted(c.Fields, p) {
				return
			}
			for _, m := range p.Matches {
				p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: c.Severity, Message: said})
			}
		},
	}
}

// wanted reports whether a text is in one of the fields. Without fields, every text is wanted.
func wanted(fields []string, p *scanner.TextPass) bool {
	if len(fields) == 0 {
		return true
	}
	return slices.ContainsFunc(fieldsOf(p), func(f string) bool { return slices.Contains(fields, f) })
}

// fieldsOf returns the elements of Fields that apply to a text.
func fieldsOf(p *scanner.TextPass) []string {
	if p.Subject == mcp.CallSubject || p.Direction == mcp.ClientToServer {
		return []string{"call"}
	}
	switch p.Subject {
	case mcp.ServerSubject:
		return []string{"server"}
	case mcp.ResultSubject, mcp.ErrorSubject:
		return []string{"result"}
	case mcp.ToolSubject, mcp.PromptSubject, mcp.ResourceSubject, mcp.TemplateSubject:
		switch member := p.Member(); {
		case member == "description":
			return []string{"definition", "description"}
		case slices.Contains([]string{"name", "title", "uri", "uriTemplate"}, member):
			return []string{"definition", "name"}
		case strings.EqualFold(member, "inputSchema"), member == "arguments":
			return []string{"definition", "parameters"}
		}
		return []string{"definition"}
	}
	return []string{"message"}
}
