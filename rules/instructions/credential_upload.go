package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var CredentialUpload = scanner.Rule{
	ID:         "inj-credential-upload",
	Category:   "credential_theft",
	Title:      "Commands read credentials and send them to an external address",
	Why:        "An agent that follows a guide step by step runs the commands in it with the user's permissions. A step disguised as a check or backup can therefore send credentials to an attacker.",
	Fix:        "Do not run the commands. If someone ran them, rotate the credentials.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "One command reads a credentials file or the environment, and another, within a few lines of it, sends data to an address outside this machine. A token sent to its own service in a header is not reported.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-522"},
	Patterns: []scanner.Pattern{
		{
			Name: "read_file",
			Expr: `(\b(cat|base64|tar|zip|gzip|head|tail|find|grep|type|get-content|cp|copy|rsync|scp|read|collect|index|scan|include)\s[^\n]{0,80}?|` +
				`\b(open|readfile(sync)?|read_text|read_bytes|path|expanduser|join|glob|copyfile|load)\s?\([^\n]{0,60}?|[@<\[]\s?['"~]?[^\n]{0,60}?)(` + secrets.Files + `)`,
			Anchors: secrets.FileAnchors,
		},
		{
			Name: "read_environment",
			Expr: `\b(json\.stringify|object\.entries|dict|json\.dumps|str|repr|urlencode)\s?\(\s?(process\.env|os\.environ)\s?[,)]|\b(printenv|env)\s*(\||>)|` +
				`\$\((env|printenv)\b|` + "`(env|printenv)`" + `|\bget-childitem\s+env:`,
			Anchors: []string{"process.env", "os.environ", "printenv", "env |", "env|", "env >", "$(env", "`env`", " env:"},
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := max(0, m.Start-uploadReach), min(len(p.Folded), m.End+uploadReach)
			sent := uploads.FindIndex(p.Folded[from:to])
			if sent == nil || onThisMachine.Match(p.Folded[from+sent[0]:from+sent[1]]) ||
				ownService.Match(p.Folded[max(from, m.Start-len("authorization: bearer $(cat ")):m.End]) ||
				clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
				continue
			}
			severity := scanner.Critical
			if clause.IsResult(p) {
				severity = clause.InData(p, m.Start, m.End, scanner.High)
			}
			p.Report(scanner.Issue{Start: min(m.Start, from+sent[0]), End: max(m.End, from+sent[1]), Severity: severity,
				Signals: []string{"reads credentials", "sends something to an external address", "a few lines apart"},
				Message: "contains commands that read credentials and send something away"})
		}
	},
}

// uploadReach is the maximum distance, in bytes, between the command that reads credentials and the
// one that uploads them: about the length of a short script.
const uploadReach = 400

var (
	// uploads detects a command or call that sends something to another machine.
	uploads = text.LazyExpr(`\bcurl\b[^\n]*\s(-d|--data\S*|-f|--form|-t|--upload-file|-x\s*(post|put))\b[^\n]*https?://\S+|` +
		`\bcurl\b[^\n]*https?://\S+[^\n]*\s(-d|--data\S*|-f|--form|-t|--upload-file)\b|\bwget\b[^\n]*--post-(file|data)|` +
		`\b(requests|httpx|axios|session|client|http)\.(post|put)\(|\bfetch\([^)]{0,200}\bpost\b|\bhttps?\.request\(|\bmethod\s?[:=]\s?['"](post|put)['"]|` +
		`\burlopen\([^\n]{0,80}\bdata\b|\bnc\s+(-\w+\s+)*[\w.-]+\.[\w.-]+\s+\d{2,5}\b|/dev/tcp/|\b(nslookup|dig)\s[^\n]{0,60}\$|` +
		`\binvoke-(webrequest|restmethod)\b[^\n]*-(body|infile)|\bsendbeacon\(|\bdiscord(app)?\.com/api/webhooks|\bhooks\.slack\.com`)
	// onThisMachine matches local addresses.
	onThisMachine = lazyregexp.New(`\b(localhost|127\.0\.0\.1|host\.docker\.internal)\b`)
	// ownService matches a token sent to the service that issued it.
	ownService = lazyregexp.New(`\b(authorization|bearer|x-api-key|--header|-h\s|-i\s|identity)\b`)
)
