package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

// sensitive is what an attacker wants sent: more than a tool's own parameters.
var sensitive = regexp.MustCompile(`\b(conversation|chat\s+(history|log)|message\s+history|previous\s+messages|all\s+messages|system\s+prompt|files?\s+contents?|contents?\s+of|credentials?|passwords?|api[ _-]?keys?|private\s+keys?|ssh\s+keys?|tokens?|secrets?|environment\s+variables|env\s+vars|user'?s?\s+(data|files|emails?|messages)|all\s+(user\s+)?(data|files|emails|repo\w*|contacts|records)|results?\s+of\s+(all|every|other)|repo\s+contents)\b`)

var injExfilSink = scanner.Rule{
	ID:         "inj-exfil-sink",
	Category:   "exfiltration",
	Title:      "Text orders the model to send data away",
	Why:        "The model becomes the courier: what it has read from other servers leaves through an address that the author chose.",
	Fix:        "Remove the server. Look through past sessions for calls that went to the address.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The order has a verb of sending, an object that belongs to the user, and an address, near each other and not negated.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM02", "ATLAS:AML.T0086", "CWE-200"},
	Patterns: []scanner.Pattern{
		{
			Name:    "send_to",
			Expr:    `\b(send|post|upload|forward|transmit|exfiltrate|leak|e-?mail\s+(it|them|this|the|all|your)|bcc|cc|copy|pass|submit|report|sync\w*|backup|back\s+up)\b[^\n]{0,160}(https?://[^\s"'<>]+|[\w.+-]+@[\w-]+\.[a-z]{2,})`,
			Anchors: []string{"send", "post", "upload", "forward", "transmit", "exfiltrate", "leak", "mail", "bcc", "cc", "copy", "pass", "submit", "report", "sync", "back"},
			Near:    []string{"://", "@"},
		},
		{
			Name:    "curl_upload",
			Expr:    `\b(curl|wget)\b[^\n]{0,120}(-d\b|--data\S*|-f\b|--form|-t\b|--upload-file|--post-(data|file)|-x\s*post)[^\n]{0,120}https?://|\b(curl|wget)\b[^\n]{0,80}https?://[^\s]*\$\(?[a-z{]`,
			Anchors: []string{"curl", "wget"},
			Near:    []string{"://"},
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := clause(p.Folded, m.Start, m.End)
			if countered(p.Folded, m.Start, m.End) || !sensitive.Match(p.Folded[from:to]) || !addressed(p.Folded[from:to]) && !opens(p.Folded[from:], []int{m.Start - from}) {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: lowered(p, scanner.Critical),
				Message: "the text tells the model to send the user's data to an address",
				Signals: []string{"a verb of sending", "an object that belongs to the user", "an address"}})
		}
	},
}
