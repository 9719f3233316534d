package protocol

import (
	"slices"
	"sort"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var JSONKeyConfusion = scanner.Rule{
	ID:         "prt-json-key-confusion",
	Category:   "protocol",
	Title:      "A message can be parsed in two ways",
	Why:        "Parsers differ on a duplicate key, a key in a different case, or one with an invisible character. Such a message can show a scanner one text and the client another (CVE-2026-27896, GHSA-q382-vc8q-7jhj).",
	Fix:        "Treat the server as hostile: JSON libraries do not normally write such a message.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "If the protocol defines the keys, there is no benign explanation. In free-form data (arguments, structured results, property names), keys that differ only in case are legitimate and not reported; duplicates, and keys with an invisible character, are rated medium.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436", "CWE-178"},
	Message: func(p *scanner.MessagePass) {
		end := p.Doc.Nodes[p.Root].Next
		first := sort.Search(len(p.Doc.Anomalies), func(i int) bool { return int(p.Doc.Anomalies[i].Node) > p.Root })
		for _, a := range p.Doc.Anomalies[first:] {
			if a.Node >= end || p.Full() {
				break
			}
			object := int(p.Doc.Nodes[a.Node].Parent)
			defined := protocolObject(p, object) || protocolPart(p, object)
			switch {
			case a.Kind == wire.DuplicateKey && defined:
				p.Report(int(a.Node), true, scanner.Critical, "a duplicate member: one parser uses the first, another the last")
			case a.Kind == wire.DuplicateKey:
				p.Report(int(a.Node), true, scanner.Medium, "a duplicate member in free-form data: one parser uses the first, another the last")
			case a.Kind == wire.OddKey && defined:
				p.Report(int(a.Node), true, scanner.Critical, "a key contains a NUL or an invisible character")
			case a.Kind == wire.OddKey:
				p.Report(int(a.Node), true, scanner.Medium, "a key in free-form data contains a NUL or an invisible character")
			case defined:
				p.Report(int(a.Node), true, scanner.Critical, "two members differ only in case or appearance: a lenient parser confuses them")
			}
		}
		reportVariants(p)
	},
}

// protocolKeys are the keys of protocol objects for which a variant could change a message's
// meaning.
var protocolKeys = []string{"jsonrpc", "id", "method", "params", "result", "error", "name", "title", "description",
	"inputSchema", "outputSchema", "annotations", "tools", "prompts", "resources", "resourceTemplates", "content",
	"structuredContent", "isError", "arguments", "uri", "uriTemplate", "text", "blob", "type", "instructions",
	"serverInfo", "messages", "contents", "nextCursor", "inputRequests"}

// foldedKeys maps the folded form of each protocol key to the key itself.
var foldedKeys = func() map[string]string {
	t := map[string]string{}
	for _, k := range protocolKeys {
		folded, _ := wire.FoldKey(nil, []byte(k))
		t[string(folded)] = k
	}
	return t
}()

// reportVariants reports protocol keys spelt in a different case if the object lacks the proper
// key. A strict parser ignores such a member; a lenient one accepts it.
func reportVariants(p *scanner.MessagePass) {
	doc := p.Doc
	var key []byte
	folded := make([]byte, 0, 64)
	for i := p.Root + 1; i < int(doc.Nodes[p.Root].Next); i++ {
		if p.Full() {
			return
		}
		if doc.Nodes[i].KeyEnd == 0 || !protocolObject(p, int(doc.Nodes[i].Parent)) {
			continue
		}
		key = key[:0]
		k := doc.Key(i, &key)
		var odd bool
		folded, odd = wire.FoldKey(folded[:0], k)
		known, ok := foldedKeys[string(folded)]
		if ok && !odd && string(k) != known && doc.Get(int(doc.Nodes[i].Parent), known) < 0 {
			p.Report(i, true, scanner.High, "a protocol key in a different case: only a lenient parser sees it")
		}
	}
}

// protocolObject reports whether the protocol defines the keys of an object: the message, its
// params, result and error, a definition, or a content item.
func protocolObject(p *scanner.MessagePass, object int) bool {
	doc := p.Doc
	if object == p.Root || object < 0 {
		return true
	}
	parent := int(doc.Nodes[object].Parent)
	if parent == p.Root {
		// In an audit event, the member input contains call arguments.
		return !keyIn(doc, object, "_meta") && !(p.Message.Kind == mcp.Audit && keyIn(doc, object, "input"))
	}
	// Elements of arrays that the protocol defines.
	if doc.Kind(parent) != wire.Array || !keyIn(doc, parent, "tools", "prompts", "resources", "resourceTemplates", "content", "contents", "messages") {
		return false
	}
	owner := int(doc.Nodes[parent].Parent)
	return owner == p.Root || owner >= 0 && int(doc.Nodes[owner].Parent) == p.Root && keyIn(doc, owner, "result")
}

// protocolPart reports whether an object is part of a larger protocol object, so that the protocol
// defines its keys. Examples are annotations, the content of a prompt message, an embedded
// resource, a prompt argument and serverInfo.
func protocolPart(p *scanner.MessagePass, object int) bool {
	doc := p.Doc
	if object < 0 || object == p.Root {
		return false
	}
	parent := int(doc.Nodes[object].Parent)
	if keyIn(doc, object, "serverInfo", "clientInfo", "capabilities") {
		return int(doc.Nodes[parent].Parent) == p.Root
	}
	if doc.Kind(parent) == wire.Array && keyIn(doc, parent, "arguments") {
		parent = int(doc.Nodes[parent].Parent) // the prompt
	} else if !keyIn(doc, object, "annotations", "resource", "content") {
		return false
	}
	return doc.Nodes[parent].KeyEnd == 0 && protocolObject(p, parent)
}

func keyIn(doc *wire.Doc, i int, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return doc.KeyIs(i, k) })
}
