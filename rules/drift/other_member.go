package drift

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var OtherMember = scanner.Rule{
	ID:         "drift-other-member",
	Category:   "version_pin",
	Title:      "Another member of a definition changed after approval",
	Why:        "Icons, prompt arguments, resource types and unknown members also reach clients.",
	Fix:        "Read the diff, then run mcpscan approve.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is certain; its effect depends on the client. A new address is rated low. An address that is loaded without TLS or is not a web address, and a member under a key that some clients read as inputSchema or another standard key, are rated medium. A permission is rated as drift-meta-escalation rates it in _meta.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if c.d.Kind == mcp.ServerSubject {
				return
			}
			for _, name := range c.members(0, 0) {
				if old, now := c.member(name); !c.same(old, now) && !c.reportedElsewhere(name, old, now) {
					at := "/" + wire.EscapePointer(name)
					severity, message := c.otherMember(name, old, now)
					if m := c.grants(at, old, now); m.severity > severity && c.d.Kind == mcp.ToolSubject { // permissions count in any member
						severity, at, message = m.severity, m.pointer, message+": "+text.JoinSome(m.told)
					}
					c.report(severity, at, message, "", c.diffOf(name))
				}
			}
		})
	},
}

// reportedElsewhere reports whether another rule reports changes to a member.
func (c *change) reportedElsewhere(name string, old, now int) bool {
	switch name {
	case "inputSchema", "outputSchema", "_meta":
		return true
	case "annotations":
		return c.d.Kind == mcp.ToolSubject
	case "title", "description":
		return isText(name, &c.old, old) && isText(name, &c.now, now)
	case "name":
		return c.old.Kind(old) == wire.String && c.now.Kind(now) == wire.String
	}
	return false
}

// otherMember rates a change to a member that no other rule covers.
func (c *change) otherMember(name string, old, now int) (scanner.Severity, string) {
	message := fmt.Sprintf("the member %q changed", name)
	if schema := asSchema(name); schema != "" {
		return scanner.Medium, message + fmt.Sprintf(", which some clients read as %q", schema)
	}
	was := map[string]bool{}
	for _, a := range addresses(&c.old, old) {
		was[a] = true
	}
	for _, a := range addresses(&c.now, now) {
		if !was[a] {
			scheme, host, _ := strings.Cut(a, ":")
			if scheme != "https" && scheme != "image" {
				return scanner.Medium, message + ": it contains an address that is loaded without TLS or is not a web address"
			}
			return scanner.Low, message + fmt.Sprintf(": it points to %s", strconv.Quote(strings.Trim(host, "/")))
		}
	}
	return scanner.Note, message
}

// asSchema returns the standard member that a lenient client would read under this name, or "" if there
// is none.
func asSchema(name string) string {
	for _, known := range mcp.DefinitionParts {
		if name != known && names.FoldSeparators(name) == names.FoldSeparators(known) && known != "_meta" {
			return known
		}
	}
	return ""
}

// addresses returns the scheme and host of each address in a member's strings.
func addresses(doc *wire.Doc, i int) (all []string) {
	if i < 0 {
		return nil
	}
	for n := i; n < int(doc.Nodes[i].Next); n++ {
		if doc.Kind(n) != wire.String {
			continue
		}
		s := strings.TrimSpace(jsonschema.Text(doc, n))
		u, err := url.Parse(s[:min(len(s), 2048)])
		switch {
		case err != nil || u.Scheme == "":
		case u.Scheme == "data" && strings.HasPrefix(u.Opaque, "image/") && !strings.HasPrefix(u.Opaque, "image/svg"):
			all = append(all, "image:")
		case u.Host != "" || actingSchemes[u.Scheme]:
			all = append(all, u.Scheme+":"+u.Host)
		}
	}
	return all
}

// actingSchemes are URL schemes that have no host but run code or open something when the URL is
// used.
var actingSchemes = names.Set("javascript data file vbscript blob")

// members returns the sorted member names of two values, the old and the new one.
func (c *change) members(old, now int) (all []string) {
	for n := c.now.First(now); n >= 0; n = c.now.Next(n) {
		all = append(all, c.now.KeyString(n))
	}
	for n := c.old.First(old); n >= 0; n = c.old.Next(n) {
		all = append(all, c.old.KeyString(n))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
