package requests

import (
	"bytes"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var UrlSSRFTarget = scanner.Rule{
	ID:         "url-ssrf-target",
	Category:   "exfiltration",
	Title:      "An address points to this machine or a private network",
	Why:        "A request to such an address comes from inside the network: a cloud metadata service answers it with credentials, and routers and databases often trust requests from their own network.",
	Fix:        "Do not fetch the address. Clients and tools should resolve a host first and refuse non-public addresses.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A server has no reason to host an icon or a login page on a metadata service, and rarely hosts them on a private network. Two kinds of undisguised addresses are rated low: addresses of this machine, because local servers serve their pages there, and addresses on a private network that an elicitation asks the user to open. An address in the arguments of a call may be what the user asked for. In arguments, metadata services and disguised addresses are rated medium, private networks are rated low, and this machine is not reported.",
	Refs:       []string{"OWASP-MCP:MCP05", "ATLAS:AML.T0098", "CWE-918"},
	Message: func(p *scanner.MessagePass) {
		followed(p, func(node int, place addressPlace) {
			scheme, u := destination.ParseURL(jsonschema.Text(p.Doc, node))
			if u == nil || !destination.WebScheme[scheme] {
				return
			}
			to := destination.Of(u.Hostname())
			severity := scanner.High
			if to.Reach == destination.ThisMachine && !to.Disguised || to.Reach == destination.Neighbour && !to.Disguised && place == elicitationPlace {
				severity = scanner.Low // served by a local server, or opened by the user
			}
			if to.Reach != destination.Outside {
				p.Report(node, false, severity, place.String()+" leads to "+to.Describe())
			}
		})
		calledWith(p)
	},
}

// calledWith inspects the addresses in the arguments of a tool call, including those in commands.
func calledWith(p *scanner.MessagePass) {
	if p.Message.Method != "tools/call" || p.Direction == mcp.ServerToClient {
		return
	}
	doc, arguments := p.Doc, p.Doc.Get(p.Doc.Get(p.Root, "params"), "arguments")
	if arguments < 0 {
		return
	}
	var buf []byte
	for i, end := arguments, int(doc.Nodes[arguments].Next); i < end && !p.Full(); i++ {
		if n := &doc.Nodes[i]; n.Kind != wire.String || n.End-n.Start > maxAddressText {
			continue
		}
		text := doc.Text(i, &buf)
		if buf = buf[:0]; !bytes.Contains(text, []byte("://")) {
			continue
		}
		said := string(text)
		found := []string{said}
		if commandName.MatchString(nameAround(doc, i)) {
			found = webAddress.FindAllString(said, maxAddresses)
		} else if !onlyAddress.MatchString(said) {
			continue
		}
		if worst, to := worstOf(found); worst > scanner.Note {
			p.Report(i, false, worst, "a tool call contains an address that leads to "+to.Describe())
		}
	}
}

// The limits for one argument: its length in bytes, and the number of addresses read from a command.
// Addresses are short, and a command contains only a few of them.
const (
	maxAddressText = 8 << 10
	maxAddresses   = 16
)

var (
	webAddress  = lazyregexp.New(`(?i)\b(?:https?|wss?|ftp|gopher)://[^\s"'<>|;` + "`" + `]+`)
	onlyAddress = lazyregexp.New(`(?i)^\s*(?:https?|wss?|ftp|gopher)://\S+\s*$`)
	commandName = lazyregexp.New(`(?i)^(?:command|cmd|script|code|args?|expression|commands)$`)
)

// worstOf returns the severity and the destination of the worst address in one argument.
func worstOf(found []string) (worst scanner.Severity, where destination.Destination) {
	for _, said := range found {
		scheme, u := destination.ParseURL(said)
		if u == nil || scheme == "" {
			continue
		}
		to, severity := destination.Of(u.Hostname()), scanner.Note
		switch {
		case to.Reach >= destination.LinkLocal, to.Reach != destination.Outside && to.Disguised:
			severity = scanner.Medium
		case to.Reach == destination.Neighbour:
			severity = scanner.Low
		}
		if severity > worst {
			worst, where = severity, to
		}
	}
	return worst, where
}

// nameAround returns the name of the member that contains node i, directly or in an array.
func nameAround(doc *wire.Doc, i int) string {
	if doc.Nodes[i].KeyEnd == 0 && doc.Nodes[i].Parent >= 0 {
		i = int(doc.Nodes[i].Parent)
	}
	return doc.KeyString(i)
}
