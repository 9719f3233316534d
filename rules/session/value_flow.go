package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ValueFlow = scanner.Rule{
	ID:         "value-flow",
	Category:   "cross_server_flow",
	Title:      "Data from one server was passed to another",
	Why:        "One server's secret leaves through another, or an address planted in a result becomes the recipient. No single message reveals the flow.",
	Fix:        "Check both ends. Rotate any secret that was passed on. Ask the user before a call sends something to an address from a result.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The value was seen at both ends, so the flow is certain; whether it was intended is not. A secret is rated critical wherever it goes. An e-mail address, link or account number is rated medium if it is the whole value of an argument and the call does more than read, because a user can ask for that. If the result that contained it gives instructions to an AI, the value is rated critical, even as part of a command, but high if it is a link that a call only reads, and medium within any other text, such as the body of a message. Agents often pass on other values, so these are rated as a note, or low if the tool sends data. They are rated medium if the call encodes the value in base64, base32 or hexadecimal, or puts a sentence into a link. mcpscan recognises a value in base64, base32, hexadecimal, percent encoding or escapes, and with different case or white space. The values that a message contains from one server produce one finding, about the most severe value; different secrets produce findings with different fingerprints. The rule does not report a value that the client sent before, that is in a definition, or that the receiving server returned before.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM02", "ATLAS:AML.T0086", "CWE-200"},
	Flows:      true,
	On:         mcp.OnValues,
	Judge: func(p *scanner.JudgePass) {
		category := capability.Read // for a message that is not a tool call
		if c := p.Call(); c != nil {
			if category = c.Category; c.Refused {
				return
			}
		}
		var all []carried
		for f := range p.Flows() {
			all = gather(all, f, category)
		}
		refuse(p, all)
		for i := range all {
			all[i].report(p)
		}
	},
}

// maxCarried is the maximum number of locations listed as related to one finding.
const maxCarried = 16

// carried describes the values from one server that a message contains.
type carried struct {
	worst    scanner.Flow
	severity scanner.Severity
	values   int // number of distinct values
	ends     []scanner.Related
}

// gather adds a flow to the entry of the server from which the value came.
func gather(all []carried, f *scanner.Flow, category capability.Category) []carried {
	i := slices.IndexFunc(all, func(c carried) bool { return c.worst.From.Server == f.From.Server })
	severity := weighFlow(f, category)
	if i < 0 {
		i = len(all)
		all = append(all, carried{worst: *f, severity: severity})
	}
	c := &all[i]
	c.values++
	if severity > c.severity {
		c.worst, c.severity = *f, severity
	}
	if len(c.ends) < maxCarried {
		c.ends = append(c.ends, scanner.Related{Location: f.At, Message: fmt.Sprintf("%s of server %s previously returned %s%s here",
			text.QuoteName(f.From.Tool), text.QuoteName(f.From.Server), f.Kind, encoded(f.Via))})
	}
	return all
}

// weighFlow rates the flow of a value into a message.
func weighFlow(f *scanner.Flow, category capability.Category) scanner.Severity {
	address, ordered := f.Kind >= text.EmailValue && f.Kind <= text.AccountValue, f.From.Orders != ""
	addressed := address && f.Value.Whole
	switch {
	case f.Kind == text.SecretValue:
		return scanner.Critical
	case addressed && category != capability.Read:
		if ordered {
			return scanner.Critical
		}
		return scanner.Medium
	case addressed && f.Kind == text.LinkValue && ordered:
		return scanner.High
	case address && ordered && category == capability.Compute: // the address is part of a command or script
		return scanner.Critical
	case address && ordered && category != capability.Read:
		return scanner.Medium
	case f.Value.Via != f.Via && (f.Value.Via == "base64" || f.Value.Via == "base32" || f.Value.Via == "hexadecimal"):
		return scanner.Medium
	case f.Kind == text.PassageValue && f.Value.InLink: // the host of the link receives the value
		return scanner.Medium
	case category == capability.Send:
		return scanner.Low
	}
	return scanner.Note
}

// refuse decides on a message according to the highest severity among the values in it.
func refuse(p *scanner.JudgePass, all []carried) {
	worst, reason := scanner.Note, "the call contains data that another server returned"
	if p.Message.Kind == mcp.Response {
		reason = "the answer contains data that another server returned"
	}
	for i := range all {
		worst = max(worst, all[i].severity)
	}
	switch {
	case worst == scanner.Critical:
		p.Refuse(scanner.CrossServerCheck, scanner.Block, reason)
	case worst >= scanner.Medium:
		p.Refuse(scanner.CrossServerCheck, scanner.Alert, reason)
	}
}

// encoded describes the encoding of a value.
func encoded(via string) string {
	if via == "" {
		return ""
	}
	return " in " + via
}

// report adds a finding about the data from one server in a message.
func (c *carried) report(p *scanner.JudgePass) {
	f := &c.worst
	is := scanner.JudgeIssue{Severity: c.severity, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: f.Value.Pointer,
		Evidence: f.Shown(), Offset: f.Value.Offset, Related: c.ends, Key: f.From.Server + "\x00" + f.Key()}
	is.Message = fmt.Sprintf("%s %s%s that %s of server %s returned%s", takes(p), f.Kind, encoded(f.Value.Via), text.QuoteName(f.From.Tool), text.QuoteName(f.From.Server), encoded(f.Via))
	if c.values > 1 {
		is.Message += fmt.Sprintf(", the most severe of %d values", c.values)
	}
	if f.From.Orders != "" && c.severity >= scanner.High {
		is.Message += "; that result gives instructions to an AI (" + f.From.Orders + ")"
	}
	p.Report(is)
}

// takes describes the message that contains the values. It names the tool, resource or prompt that
// receives them, or the method if there is none; for an answer, it names the server's request.
func takes(p *scanner.JudgePass) string {
	m, form := p.Message, "%s of server %s receives"
	if m.Kind == mcp.Response {
		form = "the answer to %s of server %s contains"
	}
	return fmt.Sprintf(form, text.QuoteName(cmp.Or(m.Target, m.Answers, m.Method)), text.QuoteName(p.Server.ID))
}
