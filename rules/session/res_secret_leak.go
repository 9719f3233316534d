package session

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var SecretLeak = scanner.Rule{
	ID:         "res-secret-leak",
	Category:   "credential_theft",
	Title:      "A secret passes through the session",
	Why:        "Definitions and results reach the model, calls come from it, and transcripts and logs keep all of these, as well as notifications. A secret in any of these messages is exposed wherever the message goes, and an attacker can make the model forward it.",
	Fix:        "Rotate the secret. Make the server omit or mask it, and pass credentials to servers in environment variables or headers, not in messages.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The rule reports values in formats that are unique to secrets, and, when mcpscan runs or connects to a server, secrets that it was given, in any format, if they look generated. It ignores placeholders in documentation. A secret is rated high wherever it goes, because any reader can use it. The finding is medium for secrets that are short-lived (session tokens), partly public (Google keys) or unusable (an encrypted key), and for a database on a private network. It is also medium in text about attacks or secret scanners, because samples in such text have the same format; an example labelled as such is rated one level lower, and is not reported in a definition. The finding is low for a call whose parameter asks for the secret; sch-secret-param reports that parameter.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-200", "CWE-532"},
	Client:     true,
	Patterns: []scanner.Pattern{
		text.TokenCandidates,
		{Name: "session_token", Expr: `\beyj[0-9a-z_-]{8,120}\.`, Anchors: []string{"eyj"}},
		{Name: "private_key", Expr: `-----begin (?:[a-z0-9]+ ){0,3}private key(?: block)?-----`, Anchors: []string{"private key-----", "private key block-----"}},
		{Name: "connection", Expr: `(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse|s?ftp|ldaps?|smtps?|mqtts?|nats|` +
			`https?)(?:\+\w{1,20})?://[^\s/:@"'<>]{0,64}:[^\s/"'<>]{4,100}@[a-z0-9.-]{1,100}`,
			Anchors: []string{"@"}},
		{Name: "secret_key", Expr: `secret_?access_?key\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?[0-9a-z/+]{40}\b`, Anchors: []string{"secret_access_key", "secretaccesskey"}},
		{Name: "account_key", Expr: `\b(?:account|sharedaccess)key=[0-9a-z+/=]{43,90}`, Anchors: []string{"accountkey=", "sharedaccesskey="}},
		{Name: "connection_string", Expr: `\b(?:server|data source|host|addr)=[^;\n]{1,80};(?:[^;\n]{1,60};){0,3}\s?(?:password|pwd)=[^;\s"']{8,64}`, Anchors: []string{"password=", "pwd="}},
	},
	Definition: givenLeak,
	Result:     givenLeak,
	Text: func(p *scanner.TextPass) {
		if p.Subject == mcp.ConfigSubject || p.RevealsGiven() {
			return // see cfg-secret-literal and givenLeak
		}
		samples := sync.OnceValue(func() bool { return ofScanners(p.Whole()) })
		for _, m := range p.Matches {
			sent := p.Sent(m.Start, min(len(p.Folded), m.End+leakBehind))
			severity, message := leakChecks[m.Pattern](sent, m.End-m.Start)
			if message == "" || signedBy.Match(p.Folded[max(0, m.Start-len("x-amz-credential=")):m.Start]) {
				continue
			}
			shown := p.Subject != mcp.CallSubject && shownAs.Match(p.Folded[max(0, m.Start-shownReach):m.Start])
			switch {
			case shown && p.Subject.Definition():
				continue // the documentation of a parameter shows the format of its value
			case p.Subject == mcp.CallSubject && secrets.NamesSecret(p.Key()):
				severity = scanner.Low
			case severity == scanner.High && samples():
				severity = scanner.Medium
			case shown:
				severity--
			default:
				severity = clause.InData(p, m.Start, m.End, severity)
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Message: message + whereLeaked(p)})
		}
	},
}

// givenLeak reports a secret that the server was given, whatever its format.
func givenLeak(p *scanner.TextPass) {
	if p.RevealsGiven() {
		p.Report(scanner.Issue{End: len(p.Folded), Severity: scanner.High, Message: "a secret that the server was given" + whereLeaked(p)})
	}
}

// whereLeaked describes where the secret is.
func whereLeaked(p *scanner.TextPass) string {
	switch {
	case p.Subject == mcp.CallSubject || p.Direction == mcp.ClientToServer:
		return " goes to the server"
	case p.Subject == mcp.ResultSubject:
		return " is in a result"
	case p.Subject == mcp.NotificationSubject:
		return " is in a notification"
	case p.Subject.Definition():
		return " is in a definition"
	}
	return " is in other content from the server"
}

// leakBehind is the maximum number of bytes read after a match: the first line of a key, or the
// rest of a token.
const leakBehind = 1024

// shownReach is the maximum distance, in bytes, between a word such as "example" and a secret
// after it.
const shownReach = 120

// shownAs matches text, such as "example", before a secret that only illustrates the format.
var shownAs = lazyregexp.New(`\b(?:for example|e\.g|such as|examples?|samples?|like this|looks? like|like the following)\b[^.]{0,60}$`)

// signedBy matches text before the key ID in a signed link. The ID is not a secret.
var signedBy = lazyregexp.New(`\bx-(?:amz|goog)-credential=$`)

// onlyForTests matches words that only made-up tokens contain.
var onlyForTests = lazyregexp.New(`(?i)test|demo|mock|invalid|secret|token|foobar|deadbeef|abc123|qwerty`)
