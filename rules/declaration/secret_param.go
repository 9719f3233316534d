package declaration

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/sensitive"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var SecretParam = scanner.Rule{
	ID:         "sch-secret-param",
	Category:   "credential_theft",
	Title:      "A tool takes a secret as an argument",
	Why:        "Arguments pass through the model, the transcript and often logs. A seed phrase or card security code passed as an argument is exposed in all of them.",
	Fix:        "Give the server its credentials in its configuration. Do not let a model handle the user's secrets.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding is medium if the secret is a person's own (a seed phrase, a private key, a card security code, the user's password), and low for a service's password or key, because one in seventeen of the published servers examined has such a parameter. The tool's most sensitive parameter determines the severity.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-522"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			worst, at, where := noSecret, -1, ""
			jsonschema.Parameters(p.Doc, node, func(s jsonschema.Subschema, name string) {
				kind := secretParameter(p.Doc, d.Name, s.Node, name)
				if kind == noSecret || kind < worst {
					return
				}
				// A lockfile stores members in sorted order, so the finding must not depend on
				// their order.
				pointer := string(p.Doc.AppendPointer(nil, node, s.Node))
				if kind > worst || pointer < where {
					worst, at, where = kind, s.Node, pointer
				}
			})
			switch worst {
			case personalSecret:
				p.Report(at, true, scanner.Medium, "the tool takes a personal secret of the user as an argument")
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

// secretParameter returns the kind of secret that a parameter takes.
func secretParameter(doc *wire.Doc, tool string, schema int, name string) secretKind {
	if !secretWords[names.LastWord(name)] || !jsonschema.HoldsText(doc, schema) || location.MatchString(jsonschema.Description(doc, schema)) {
		return noSecret
	}
	said := names.Spell(name)
	switch {
	case sensitive.PersonalName.MatchString(said), sensitive.KeyOfOne.MatchString(said) && !certificate.MatchString(tool):
		return personalSecret
	case ownPassword.MatchString(said) && ofThePerson.MatchString(jsonschema.Description(doc, schema)),
		sensitive.CredentialName.MatchString(said) && ofTheMachine.MatchString(jsonschema.Description(doc, schema)):
		return personalSecret
	case sensitive.CredentialName.MatchString(said), strings.HasSuffix(said, "token") && sensitive.GrantsAccess.MatchString(jsonschema.Description(doc, schema)):
		return serviceSecret
	}
	return noSecret
}

// secretWords are the last words of all names that the expressions in secretParameter match.
var secretWords = names.Set(`phrase words mnemonic ssn number no cvv cvc code value pin password passphrase passwd passcode pwd cookies
	key pem content hex keys token tokens secret secrets apikey credential credentials card otp`)

// location matches descriptions of values that only say where a secret is.
var location = lazyregexp.New(`^\W*((the|an?|absolute|full|local|optional)\s+)*((file\s+)?path|file\s?name|location)\s+(to|of|for)\b`)

// Like the expressions in internal/sensitive, ownPassword must match a name's last word, because
// password_policy and credential_id are not secrets.
var (
	certificate = lazyregexp.New(`(?i)(cert|tls|ssl|domain|deploy_?key)`)

	ownPassword = lazyregexp.New(`\b(pass(word|phrase|wd|code)|pwd|pin|otp)( value)?$`)
	ofThePerson = lazyregexp.New(`\b((current|this|logged[- ]in|signed[- ]in) user['’]s|(the|their) user['’]s (own|current|existing|real|login|system|local)|` +
		`your (own|current|login|system|computer|laptop|local|real|account))\b`)
	ofTheMachine = lazyregexp.New(`\b(of|from|on) (this|the user['’]s|your) (machine|computer|laptop|device|browser|wallet|keychain|system)\b`)
)
