package requests

import (
	"encoding/base64"
	"net/netip"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"

	"golang.org/x/net/publicsuffix"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var UiAppBroadCSP = scanner.Rule{
	ID:         "ui-app-broad-csp",
	Category:   "exfiltration",
	Title:      "A server's UI page may connect to any host",
	Why:        "An MCP App page sees its tool's input and output. Only its list of allowed domains keeps the page from sending them elsewhere or running third-party code.",
	Fix:        "List the origins that the page needs, one by one, with https, and bundle its scripts.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A wildcard for all hosts, or for all hosts under a public suffix, admits hosts that an attacker can register. None of the published servers examined uses one. A value that breaks out of its directive and can add others to the content security policy is rated high. Requests for camera, microphone or location are rated low, because the client must grant them.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM05", "ATLAS:AML.T0077", "CWE-829", "CWE-942"},
	Message: func(p *scanner.MessagePass) {
		if p.Direction == mcp.ClientToServer {
			return
		}
		judgeScripts(p)
		doc, end := p.Doc, int(p.Doc.Nodes[p.Root].Next)
		var buf []byte
		for i := p.Root + 1; i < end && !p.Full(); i++ {
			if buf = buf[:0]; doc.Kind(i) == wire.Object && int(doc.Nodes[i].Parent) != p.Root && notFollowed[string(doc.Key(i, &buf))] {
				i = int(doc.Nodes[i].Next) - 1
				continue
			}
			if doc.Kind(i) != wire.Object || !doc.KeyIs(i, "ui") || !doc.KeyIs(int(doc.Nodes[i].Parent), "_meta") {
				continue
			}
			judgePage(p, i)
		}
	},
}

// judgePage inspects what the object at node ui declares about a page.
func judgePage(p *scanner.MessagePass, ui int) {
	doc := p.Doc
	for _, key := range cspMembers {
		for c := doc.First(doc.Get(doc.Get(ui, "csp"), key)); c >= 0; c = doc.Next(c) {
			if severity, message := broadSource(jsonschema.Text(doc, c), key); message != "" {
				p.Report(c, false, severity, message)
			}
		}
	}
	for c := doc.First(doc.Get(ui, "permissions")); c >= 0; c = doc.Next(c) {
		if watches[doc.KeyString(c)] {
			p.Report(c, true, scanner.Low, "the page requests access to a device sensor")
		}
	}
}

// judgeScripts inspects the script sources of the pages in a result.
func judgeScripts(p *scanner.MessagePass) {
	doc, list := p.Doc, p.Doc.Get(p.Doc.Get(p.Root, "result"), "contents")
	for c := doc.First(list); c >= 0 && !p.Full(); c = doc.Next(c) {
		if kind, _ := doc.Str(c, "mimeType"); !appPage.MatchString(kind) {
			continue
		}
		page := doc.Get(c, "text")
		said := jsonschema.Text(doc, page)
		if page < 0 {
			page = doc.Get(c, "blob")
			plain, _ := base64.StdEncoding.DecodeString(jsonschema.Text(doc, page)) // use the part that can be decoded
			said = string(plain)
		}
		for _, m := range scriptFrom.FindAllStringSubmatch(said, maxScripts) {
			if _, u := destination.ParseURL(m[1]); u != nil && destination.Of(u.Hostname()).Reach == destination.Outside {
				p.Report(page, false, scanner.Medium, "the page loads a script without encryption")
				break
			}
		}
	}
}

// maxScripts is the maximum number of scripts inspected per page.
const maxScripts = 64

// cspMembers are the arrays of origins in the extension io.modelcontextprotocol/ui, as of
// 2026-01-26.
var cspMembers = [...]string{"connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"}

// watches are the permissions for sensors, such as a camera, that can observe the user.
var watches = names.Set("camera microphone geolocation")

var (
	appPage    = lazyregexp.New(`(?i)^text/html;\s*profile="?mcp-app`)
	scriptFrom = lazyregexp.New(`(?i)<script\b[^>]{0,400}\bsrc\s*=\s*["']?(http://[^\s"'>]{1,400})`)
	anyHost    = lazyregexp.New(`(?i)^(?:(?:https?|wss?|\*):(?://)?)?\*?$`)
	cspSource  = lazyregexp.New(`(?i)^(?:([a-z][a-z0-9+.-]*)://)?(\*\.)?([^/:?#]+)(?::[\d*]+)?(?:[/?#].*)?$`)
)

// broadSource rates a source in a content security policy. The message is "" if the source is
// acceptable.
func broadSource(said, list string) (scanner.Severity, string) {
	source := strings.TrimSpace(said)
	if source == "" {
		return 0, ""
	}
	if strings.ContainsAny(source, ";, \n\t'\"") {
		return scanner.High, "the value is not a single origin and can break out of its directive in the policy"
	}
	m := cspSource.FindStringSubmatch(source)
	switch {
	case anyHost.MatchString(source):
		return scanner.Medium, "the page may use any host: " + list + " contains a wildcard for all hosts"
	case m == nil:
		return 0, ""
	case m[2] != "" && sharedByAll(strings.ToLower(m[3])):
		return scanner.Medium, "the page may use any host under a public suffix, where anyone can register a name: " + list
	case (strings.EqualFold(m[1], "http") || strings.EqualFold(m[1], "ws")) && destination.Of(m[3]).Reach == destination.Outside:
		return scanner.Medium, "the page uses an origin without encryption: " + list
	}
	return 0, ""
}

// sharedByAll reports whether a suffix is public, so that anybody can register hosts under it.
func sharedByAll(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	suffix, _ := publicsuffix.PublicSuffix(host)
	return suffix == host
}
