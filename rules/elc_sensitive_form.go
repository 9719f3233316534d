package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var elcSensitiveForm = scanner.Rule{
	ID:         "elc-sensitive-form",
	Category:   "credential_theft",
	Title:      "A form asks the user for a secret",
	Why:        "What a user types into an elicitation form goes through the client to the server, and into logs and transcripts. A server that asks for a password there collects what it should never see.",
	Fix:        "Do not fill in the form. The server should send its user to its own page, with a URL mode elicitation, or take the secret from its configuration.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification says that servers must not ask for sensitive information in a form. The last words of a name count, so a password policy is not a password; switches and choices hold no secret. User names and e-mail addresses are not reported.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-522"},
	Message: func(p *scanner.MessagePass) {
		requested(p, "elicitation/create", func(params int) {
			doc := p.Doc
			properties := doc.Get(doc.Get(params, "requestedSchema"), "properties")
			if doc.Kind(properties) != wire.Object {
				return
			}
			told, open, message := false, false, doc.Get(params, "message")
			for c := doc.First(properties); c >= 0 && !p.Full(); c = doc.Next(c) {
				if !holdsAnything(doc, c) {
					continue
				}
				open = true
				if kind := secretField(doc, c, textOf(doc, message)); kind != "" {
					told = true
					p.Report(c, true, scanner.High, "the form asks for "+kind)
				}
			}
			if kind := askedSecret(textOf(doc, message), false); message >= 0 && open && !told && kind != "" {
				p.Report(message, false, scanner.High, "the form asks for "+kind)
			}
		})
	},
}

// holdsAnything reports a property that a user can type anything into.
func holdsAnything(doc *wire.Doc, property int) bool {
	if t, _ := doc.Str(property, "type"); t == "boolean" || t == "array" || t == "object" {
		return false
	}
	return doc.Get(property, "enum") < 0 && doc.Get(property, "oneOf") < 0 && doc.Get(property, "const") < 0
}

// secretField returns which secret a form's property takes, "" for none, by its format, name,
// title and description. The message of the form says what a token is for.
func secretField(doc *wire.Doc, property int, message string) string {
	if format, _ := doc.Str(property, "format"); strings.EqualFold(format, "password") {
		return "a password"
	}
	number, name := !holdsText(doc, property), spell(keyOf(doc, property))
	title, _ := doc.Str(property, "title")
	description := schemaDescription(doc, property)
	about := description + " " + strings.ToLower(title)
	if otherField.MatchString(about) {
		return ""
	}
	if (name == "token" || spell(title) == "token") && !number && grantsAccess.MatchString(about+" "+strings.ToLower(message)) {
		return "a key or token"
	}
	for _, said := range [...]string{name, spell(title)} {
		if kind := namedSecret(said, number); kind != "" {
			return kind
		}
	}
	if kind := askedSecret(title, number); kind != "" {
		return kind
	}
	return askedSecret(description, number)
}

// namedSecret returns which secret a name means, in lower case words.
func namedSecret(name string, number bool) string {
	for _, s := range secretFields {
		if s.name.MatchString(name) && (s.figures || !number) {
			return s.kind
		}
	}
	return ""
}

// formText bounds a title, description or message, in bytes.
const formText = 4 << 10

// askedSecret returns which secret a sentence asks for, in the principal languages.
func askedSecret(said string, number bool) string {
	said = strings.ToLower(said[:min(len(said), formText)])
	if said == "" {
		return ""
	}
	for _, s := range secretFields {
		if number && !s.figures {
			continue
		}
		for _, m := range s.asked.FindAllStringSubmatchIndex(said, maxToolOrders) {
			if !besideSecret.MatchString(said[m[1]:]) && !deniedAhead.MatchString(lastClause(said[:m[2]])) {
				return s.kind
			}
		}
		if m := s.elsewhere.FindStringIndex(said); m != nil && !deniedAhead.MatchString(lastClause(said[:m[0]])) && !deniedBehind.MatchString(said[m[1]:]) {
			return s.kind
		}
	}
	return ""
}

// lastClause returns the text after the last end of a sentence.
func lastClause(s string) string {
	i := strings.LastIndexAny(s, ".!?;\n。！？")
	if i < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i+n:]
}
