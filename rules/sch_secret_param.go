package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var schSecretParam = scanner.Rule{
	ID:         "sch-secret-param",
	Category:   "credential_theft",
	Title:      "A tool takes a secret as an argument",
	Why:        "Arguments pass through the model, the transcript and every log. A tool that asks for a seed phrase or a card code there gets it unnoticed.",
	Fix:        "Give servers their credentials in their configuration. Do not let a model handle its user's secrets.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Medium if the secret is a person's own (a seed phrase, a private key, a card code, the user's password); low for the password or key of a service, which one published server in seventeen takes. The worst parameter of a tool counts.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-522"},
	Message: func(p *scanner.MessagePass) {
		ownTools(p, func(d *scanner.Definition, node int) {
			worst, at := noSecret, -1
			parameters(p.Doc, node, func(s subschema, name string) {
				if kind := secretParameter(p.Doc, d.Name, s.node, name); kind > worst {
					worst, at = kind, s.node
				}
			})
			switch worst {
			case personalSecret:
				p.Report(at, true, scanner.Medium, "the tool takes a secret of its user as an argument")
			case serviceSecret:
				p.Report(at, true, scanner.Low, "the tool takes a credential as an argument")
			}
		})
	},
}

type secretKind uint8

const (
	noSecret secretKind = iota
	serviceSecret
	personalSecret
)

// secretParameter returns which kind of secret a parameter takes.
func secretParameter(doc *wire.Doc, tool string, schema int, name string) secretKind {
	if !secretWords[lastWord(name)] || !holdsText(doc, schema) {
		return noSecret
	}
	said := spell(name)
	switch {
	case personalName.MatchString(said), keyOfOne.MatchString(said) && !certificate.MatchString(tool):
		return personalSecret
	case ownPassword.MatchString(said) && ofThePerson.MatchString(schemaDescription(doc, schema)),
		credentialName.MatchString(said) && ofTheMachine.MatchString(schemaDescription(doc, schema)):
		return personalSecret
	case credentialName.MatchString(said), strings.HasSuffix(said, "token") && grantsAccess.MatchString(schemaDescription(doc, schema)):
		return serviceSecret
	}
	return noSecret
}

// schemaDescription returns the description of a schema in lower case.
func schemaDescription(doc *wire.Doc, schema int) string {
	d, _ := doc.Str(schema, "description")
	return strings.ToLower(d)
}

// secretWords are the last words of all names that the expressions below match.
var secretWords = wordSet(`phrase words mnemonic ssn number no cvv cvc code value pin password passphrase passwd passcode pwd cookies
	key pem content hex keys token tokens secret secrets apikey credential credentials card otp`)

// Names are matched by words, to their end: password_policy and credential_id are not secrets.
var (
	personalName   = lazyregexp.New(`\b((seed|recovery|backup|mnemonic|secret) (phrase|words)|mnemonic|ssn|social security( number| no)?|cvv2?|cvc2?|(card|cc) (security code|verification (code|value)|pin)|(credit|debit|payment) card( number| no)?|(bank|atm|sim) pin|(master|sudo|root|wallet|keystore|vault|keychain|os|computer|windows|mac) pass(word|phrase)|(browser|session) cookies?)$`)
	keyOfOne       = lazyregexp.New(`\b(private|ssh|wallet|signing) key( pem| content| hex| value)?$`)
	certificate    = lazyregexp.New(`(?i)(cert|tls|ssl|domain|deploy_?key)`)
	credentialName = lazyregexp.New(`\b(pass(word|phrase|wd|code)|pwd|api ?(key|token|secret)s?|apikey|(access|auth|oauth|bearer|refresh|session|bot|personal access|webhook|jwt) ?token|(client|app|webhook|shared|consumer|code) secret|secret( access)? key|secret|credentials?)( value)?$`)
	ownPassword    = lazyregexp.New(`\b(pass(word|phrase|wd|code)|pwd|pin|otp)( value)?$`)
	ofThePerson    = lazyregexp.New(`\b((current|this|logged[- ]in|signed[- ]in) user['’]s|(the|their) user['’]s (own|current|existing|real|login|system|local)|your (own|current|login|system|computer|laptop|local|real|account))\b`)
	ofTheMachine   = lazyregexp.New(`\b(of|from|on) (this|the user['’]s|your) (machine|computer|laptop|device|browser|wallet|keychain|system)\b`)
	grantsAccess   = lazyregexp.New(`\b(bearer|auth\w*|api token|access token|bot token|secret|personal token|log ?in|sign ?in)\b`)
)
