package rules

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

// secretFiles are places where credentials lie by convention, in folded form.
const secretFiles = `((~|\$home|/root|/home/[^/\s]+|/users/[^/\s]+|%userprofile%)[/\\]|(^|[\s"'(=:<>` + "`" + `]))\.(ssh|aws|kube|gnupg|docker|netrc|npmrc|pypirc|git-credentials|cursor/mcp\.json|config/gcloud|config/gh/hosts|pgpass|bash_history|vault-token)\b[^\s"'` + "`" + `<>,;]*|\bid_(rsa|ed25519|ecdsa|dsa)\b|/etc/(passwd|shadow)\b|(^|[\s"'<>` + "`" + `/])\.env\b|\bclaude_desktop_config\.json|\bkeychain\b|\bwallet\.dat\b`

// secretFileAnchors are the literals of secretFiles.
var secretFileAnchors = []string{".ssh", ".aws", ".kube", ".gnupg", ".docker", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
	".cursor/mcp", ".config/gcloud", ".config/gh/", ".pgpass", ".bash_history", ".vault-token", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "/etc/passwd", "/etc/shadow", ".env",
	"claude_desktop_config", "keychain", "wallet.dat"}

var secretVerb = lazyregexp.New(`\b(read|open|cat|load|access|fetch|retrieve|cop(y|ie)|include|extract|grab|get|list|send|upload|pass|attach|append|prepend|embed|provide|paste|put|print|output|dump|steal|exfiltrate|harvest|return|collect|quote|supply|grab|gather|index|scan|insert|forward)(e?s)?\b`)

var injSecretFileRead = scanner.Rule{
	ID:         "inj-secret-file-read",
	Category:   "credential_theft",
	Title:      "Text tells the model to read credentials",
	Why:        "A model with a file or shell tool can read keys that the server cannot reach, and pass them to it in the next call.",
	Fix:        "Remove the server, and rotate the credentials if the tool was ever used.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A verb of access and a credentials file, in one clause and not negated. A tool whose purpose is that file is the known false positive.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-200"},
	Patterns: []scanner.Pattern{{
		Name:    "secret_file",
		Expr:    secretFiles,
		Anchors: secretFileAnchors,
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if bytes.Contains(p.Folded[m.Start:min(len(p.Folded), m.End+len(".pub"))], []byte(".pub")) {
				continue // a public key is there to be shown
			}
			from, to := clause(p.Folded, m.Start, m.End)
			verb := secretVerb.FindIndex(p.Folded[from:m.Start])
			if verb == nil && (fileNamedFirst.Match(p.Folded[m.End:to]) || result(p) && sentToAddress.Match(p.Folded[from:to])) {
				verb = []int{m.Start - from, m.Start - from}
			}
			if verb == nil || countered(p.Folded, m.Start, m.End) {
				continue
			}
			told := addressed(p.Folded[from:to]) || opens(p.Folded[from:], verb) && !p.FirstSentence(from+verb[0])
			severity, signals := scanner.Critical, []string{"a verb of access", "a credentials file", "the model is addressed"}
			switch {
			case result(p) && addressed(p.Folded[from:to]):
				severity = inData(p, m.Start, m.End, scanner.High)
			case result(p) && opens(p.Folded[from:], verb) && contentHandedOver.Match(p.Folded[from:to]):
				severity, signals = inData(p, m.Start, m.End, scanner.High), []string{"a verb of access", "a credentials file", "its content goes into the answer"}
			case result(p) && sentToAddress.Match(p.Folded[from:to]):
				severity, signals = inData(p, m.Start, m.End, scanner.High), []string{"a credentials file", "an address that receives it"}
			case result(p):
				continue // a command in a listing or a manual
			case !told && (p.FirstSentence(from) && verb[0] == 0 || handlesCredentials(p.Name)):
				severity, signals = scanner.Low, []string{"a credentials file", "within the tool's stated purpose"}
			case !told:
				severity, signals = scanner.High, []string{"a verb of access", "a credentials file", "beyond the tool's purpose"}
			}
			p.Report(scanner.Issue{Start: from + verb[0], End: m.End, Severity: severity, Signals: signals,
				Message: "tells the model to read a credentials file"})
		}
	},
}

// fileNamedFirst is an order that names the file first.
var fileNamedFirst = lazyregexp.New(`^[^,]{0,20}\b(must|should|shall|has\s+to|needs?\s+to)\s+(\w+\s+)?be\s+(read|copied|sent|uploaded|included|attached|passed|opened|loaded|posted)\b`)

// contentHandedOver matches an order to put the content that was read into an answer or call.
var contentHandedOver = lazyregexp.New(`\b(reply|respond|answer|response|send|pass|paste|give\s+me|tell\s+me|include|attach|forward|argument|parameter|call\s+the\s+tool|with\s+(its|the)\s+contents?|pastebin|gist|put\s+(it|the\s+(output|result|contents?)))\b`)

// sentToAddress is an address that something is sent to.
var sentToAddress = lazyregexp.New(`\b(post|send|upload|curl|exfiltrat)\w*\b[^\n]{0,80}https?://|https?://[^\n]{0,80}\b(post|send|upload|exfiltrat)`)

// handlesCredentials reports a name that says that the tool deals with such files.
func handlesCredentials(name string) bool {
	return credentialTool.MatchString(name)
}

var credentialTool = lazyregexp.New(`(?i)(ssh|aws|kube|gpg|gnupg|docker|netrc|npmrc|pypirc|dotenv|env|secret|credential|key|token|vault|passwd|password|wallet|config)`)
