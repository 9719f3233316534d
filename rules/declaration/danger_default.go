package declaration

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var DangerDefault = scanner.Rule{
	ID:         "sch-danger-default",
	Category:   "exfiltration",
	Title:      "A parameter has a harmful default",
	Why:        "A model tends to use the default values in a schema. A default recipient, command or secret file then applies to every call that does not override it.",
	Fix:        "Remove the default from the server. Set the value in the client.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "None of the published servers examined has one of these as a default: an external address for a recipient or webhook, a chain of commands, or a key file in a tool that is not about keys. A default address for reports or callbacks may be the vendor's own, and is rated medium. A value given only as an example is not reported, unless it has the format of a credential other than a JSON Web Token.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM02", "ATLAS:AML.T0086", "CWE-1188"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			jsonschema.Subschemas(p.Doc, p.Doc.Get(node, "inputSchema"), func(s jsonschema.Subschema) bool {
				offered(p.Doc, s.Node, func(value int, said string, given bool) {
					name := ""
					if s.Named >= 0 {
						name = p.Doc.KeyString(s.Named)
					}
					severity, message := weighOffered(d.Name, name, said, given)
					if message != "" && !p.Full() {
						p.Report(value, false, severity, message)
					}
				})
				return !p.Full()
			})
		})
	},
}

// offered invokes visit for each string that a schema suggests to the model. given is true for a
// default and for the only permitted value, and false for an example.
func offered(doc *wire.Doc, schema int, visit func(value int, said string, given bool)) {
	for c := doc.First(schema); c >= 0; c = doc.Next(c) {
		given := doc.KeyIs(c, "default") || doc.KeyIs(c, "const") || doc.KeyIs(c, "enum") && doc.Nodes[c].Len == 1
		if !given && !doc.KeyIs(c, "examples") && !doc.KeyIs(c, "example") {
			continue
		}
		for i, end := c, int(doc.Nodes[c].Next); i < end; i++ {
			if doc.Kind(i) == wire.String {
				visit(i, doc.TextString(i), given)
			}
		}
	}
}

// weighOffered rates a value offered for a parameter. The message is "" if the value is
// harmless.
func weighOffered(tool, parameter, said string, given bool) (scanner.Severity, string) {
	name, low := names.Spell(parameter), strings.ToLower(said)
	token := text.Token(said) != ""
	switch {
	case token && given:
		return scanner.High, "a credential is the default of a parameter"
	case token && !strings.HasPrefix(said, "eyJ"): // documentation often contains sample JSON Web Tokens
		return scanner.Medium, "a credential is given as an example for a parameter"
	case !given:
	case sinkName.MatchString(name) && outsideAddress(low):
		return scanner.High, "an external address is the default recipient"
	case reportsTo.MatchString(name) && strings.Contains(low, "://") && outsideAddress(low):
		return scanner.Medium, "an external address is the default destination of reports"
	case chainedCommand.MatchString(low):
		return scanner.High, "a chain of commands is the default of a parameter"
	case destroysData.MatchString(low):
		return scanner.High, "a command that destroys data is the default of a parameter"
	case fileOfKeys.MatchString(low) && !secrets.HandlesCredentials(tool) && !secrets.HandlesCredentials(parameter) && !strings.Contains(name, "ident"):
		return scanner.High, "a credentials file is the default of a parameter"
	}
	return scanner.Note, ""
}

var (
	// sinkName matches parameter names, split into words, for the recipient of the tool's own
	// output; reportsTo matches those for the recipient of reports, logs or copies.
	sinkName = lazyregexp.New(`^(bcc|cc|to|recipients?|(bcc|cc|to|reply to|forward(ing)?( to)?|send to|copy to|share with|notify|recipient|notification|` +
		`alert) (e ?mails?|address(es)?|recipients?|list|number|phone|account|` +
		`wallet)|forward to|send to|copy to|reply to|share with|(\w+ )?web ?hook( url| uri| address| endpoint)?)$`)
	reportsTo = lazyregexp.New(`^(\w+ )?(callback|telemetry|analytics|tracking|audit|report(ing)?|logs?|logging|backup|mirror|forward|sync|collector|ingest|beacon|` +
		`exfil\w*|upload) ?(url|uri|endpoint|address|server|host|target|destination|to)$`)

	chainedCommand = lazyregexp.New("(;|&&|\\|\\|?|`|\\$\\()\\s*(sudo\\s+)?(curl|wget|nc|ncat|socat|(ba|z|da)?sh|powershell|iex|python[0-9.]*|perl|base64)(\\s+-|\\s+[^\\s]*https?:|\\s*[`)]|\\s*$)")
	destroysData   = lazyregexp.New(`\b(drop\s+(table|database|schema)|truncate\s+table)\s+\w|\bdelete\s+from\s+\w+\s*(;|--|$)|\brm\s+-\w*(rf|fr)\w*\s+(/|~|\$home|\*)`)
	fileOfKeys     = lazyregexp.New(`(^|[/\\])\.(ssh/(id_\w+$|$)|aws/credentials|gnupg|netrc|npmrc|pypirc|git-credentials|pgpass|vault-token)|` +
		`\bid_(rsa|ed25519|ecdsa|dsa)$|/etc/shadow\b|\bclaude_desktop_config\.json|\bwallet\.dat\b|\.cursor/mcp\.json|(^|[/\\])login data$`)

	offeredAddress = lazyregexp.New(`(?i)(?:[a-z][a-z0-9+.-]*://|[\w.+-]+@)([\w.-]+|\[[0-9a-f:]+\])`)
)

// outsideAddress reports whether said contains an address that is outside this machine and its
// network and not reserved for examples.
func outsideAddress(said string) bool {
	for _, m := range offeredAddress.FindAllStringSubmatch(said, 8) {
		host := strings.Trim(m[1], "[].")
		if strings.ContainsAny(host, ".:") && destination.Of(host).Reach == destination.Outside && !destination.ReservedHost.MatchString(host) {
			return true
		}
	}
	return false
}
