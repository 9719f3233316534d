package declaration

import (
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var RemoteRef = scanner.Rule{
	ID:         "sch-remote-ref",
	Category:   "schema",
	Title:      "A schema refers to an external document",
	Why:        "A client that resolves the reference fetches an address that the server chose, possibly inside the network, or reads a file. The content can change after the review.",
	Fix:        "Move the referenced parts into $defs. Do not let a client resolve references to other documents.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification (2026-07-28) forbids clients from fetching references to network addresses by default, and no published server examined uses such a reference. A $schema dialect that is an external document is rated medium; a dialect or reference without an address is rated low. An $id only names a schema, and a reference to a name within the schema fetches nothing.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0110", "CWE-829", "CWE-918"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(_ *mcp.Definition, node int) {
			for _, key := range [...]string{"inputSchema", "outputSchema"} {
				if root := p.Doc.Get(node, key); root >= 0 {
					remoteRefs(p, root)
				}
			}
		})
	},
}

// remoteRefs checks every reference in a schema, even at locations where no schema is expected,
// because some programs resolve references at any location.
func remoteRefs(p *scanner.MessagePass, root int) {
	doc := p.Doc
	var own *schemaNames
	for i, end := root, int(doc.Nodes[root].Next); i < end && !p.Full(); i++ {
		if doc.Kind(i) != wire.String {
			continue
		}
		dialect := doc.KeyIs(i, "$schema")
		if !dialect && !doc.KeyIs(i, "$ref") && !doc.KeyIs(i, "$dynamicRef") && !doc.KeyIs(i, "$recursiveRef") {
			continue
		}
		target, _, _ := strings.Cut(doc.TextString(i), "#")
		if target == "" || standardDialect.MatchString(target) {
			continue
		}
		if own == nil {
			own = namesIn(doc, root)
		}
		severity, message := own.weigh(target, dialect)
		if message != "" {
			p.Report(i, false, severity, message)
		}
	}
}

var (
	// standardDialect matches the addresses of dialects that are built into validators.
	standardDialect = lazyregexp.New(`^https?://(json-schema\.org|spec\.openapis\.org)/`)
	remoteRef       = lazyregexp.New(`(?i)^([a-z][a-z0-9+.-]*:)?//|^(https?|ftp):`)
	onDisk          = lazyregexp.New(`(?i)^file:|^[/\\][^/]|^[a-z]:[/\\]|^\.\.?[/\\]`)
)

// weigh rates the target of a reference, or the name of a dialect, without its fragment. The message
// is "" for a reference to a name within the schema, which is harmless.
func (n *schemaNames) weigh(target string, dialect bool) (scanner.Severity, string) {
	switch {
	case !dialect && (n.names[target] || n.names[n.resolve(target)]):
		return scanner.Note, ""
	case onDisk.MatchString(target):
		return scanner.High, "the schema refers to a file"
	case !remoteRef.MatchString(target) && dialect:
		return scanner.Low, "the schema names a dialect that few validators support"
	case !remoteRef.MatchString(target):
		return scanner.Low, "the schema refers to a part that it does not contain"
	case dialect:
		return scanner.Medium, "the schema's dialect is an external document"
	}
	return scanner.High, "the schema refers to an external document"
}

// schemaNames are the $id values in a schema.
type schemaNames struct {
	base  *url.URL
	names map[string]bool
}

func namesIn(doc *wire.Doc, root int) *schemaNames {
	n := &schemaNames{base: &url.URL{}, names: map[string]bool{}}
	if id, ok := doc.Str(root, "$id"); ok {
		if u, err := url.Parse(id); err == nil {
			n.base = u
		}
	}
	for i, end := root, int(doc.Nodes[root].Next); i < end; i++ {
		if doc.Kind(i) == wire.String && doc.KeyIs(i, "$id") {
			id := strings.TrimSuffix(doc.TextString(i), "#")
			n.names[id], n.names[n.resolve(id)] = true, true
		}
	}
	return n
}

// resolve returns the absolute form of a reference, relative to the schema's $id.
func (n *schemaNames) resolve(ref string) string {
	u, err := n.base.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}
