package crossserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var ToxicFlow = scanner.Rule{
	ID:         "xs-toxic-flow",
	Category:   "cross_server_flow",
	Title:      "One agent combines private data, untrusted content and a way to send data out",
	Why:        "Untrusted text that the agent reads (an issue, page or e-mail) can make it fetch private data and send it away. Every tool in the chain works as described; none needs to be poisoned.",
	Fix:        "Remove one of the three from this agent: remove a server or tool, use a token that reads only public data, or require approval for calls that send.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceLow,
	Basis:      "mcpscan infers from a tool's name, parameters and hints what the tool does. The finding is medium if only the combination of servers has all three, which a review of a single server cannot show. It is low if a single server already has all three, as many mail and code hosting servers do.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "ATLAS:AML.T0086", "CWE-200"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		own, all := p.Server.Trifecta, p.Session.Trifecta
		if own.Complete() {
			return
		}
		// The definitions that complete the trifecta of this server, or of all servers.
		var alone, together *mcp.Definition
		for _, d := range witnesses(p) {
			if !own.Lack(d.Can) && !all.Lack(d.Can) {
				continue
			}
			k := p.Known(d)
			own.Add(k)
			if alone == nil && own.Complete() {
				alone = d
			}
			before := all.Complete()
			if all.Add(k); !before && all.Complete() {
				together = d
			}
		}
		switch {
		case alone != nil:
			reportFlow(p, scanner.Low, alone, &own)
		case together != nil:
			reportFlow(p, scanner.Medium, together, &all)
		}
	},
}

// witnesses returns the tools that can complete a trifecta. It sorts them by name, as a lockfile does,
// so that the finding does not depend on the order of the server's list.
func witnesses(p *scanner.JudgePass) (found []*mcp.Definition) {
	tools.EachNew(p, func(d *mcp.Definition) {
		if p.Server.Trifecta.Lack(d.Can) || p.Session.Trifecta.Lack(d.Can) {
			found = append(found, d)
		}
	})
	slices.SortStableFunc(found, func(a, b *mcp.Definition) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// witnessRoles maps each capability to a description of what a tool with that capability does.
var witnessRoles = [...]string{
	capability.PrivateData:      "returns private data",
	capability.UntrustedContent: "returns untrusted content",
	capability.ExternalSink:     "can send data out",
}

// reportFlow reports the tool that completes a trifecta, with the other tools in it.
func reportFlow(p *scanner.JudgePass, severity scanner.Severity, last *mcp.Definition, w *scanner.TrifectaTools) {
	is := scanner.JudgeIssue{Severity: severity, Subject: mcp.ToolSubject, Name: last.Name, Pointer: "/name", Evidence: last.Name, Offset: last.Offset}
	var says []string
	for a, k := range w {
		is.Key += k.Server + "\x00" + k.Definition.Name + "\x00"
		if slices.Contains(w[:a], k) {
			continue
		}
		part := witnessRoles[a]
		for b := a + 1; b < len(w); b++ { // one tool may have several roles
			if w[b] == k {
				part += " and " + witnessRoles[b]
			}
		}
		says = append(says, fmt.Sprintf("%q of server %q %s", k.Definition.Name, k.Server, part))
		if k.Definition != last {
			is.Related = append(is.Related, scanner.Related{Message: says[len(says)-1], Location: k.Location()})
		}
	}
	is.Message = strings.Join(says, "; ")
	p.Report(is)
}
