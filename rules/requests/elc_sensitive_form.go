package requests

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/sensitive"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var ElcSensitiveForm = scanner.Rule{
	ID:         "elc-sensitive-form",
	Category:   "credential_theft",
	Title:      "A form asks the user for a secret",
	Why:        "Whatever a user types into an elicitation form goes through the client to the server, and into logs and transcripts. A server that asks for a password in a form collects what it should never see.",
	Fix:        "Do not fill in the form. The server should send the user to its own page with a URL-mode elicitation, or take the secret from its configuration.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification forbids servers from asking for sensitive information in a form. In a field's name, the last words decide, so a field named \"password policy\" is not reported; nor are fields with a fixed choice of values. User names and e-mail addresses are not reported.",
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
				if kind := secretField(doc, c, jsonschema.Text(doc, message)); kind != "" {
					told = true
					p.Report(c, true, scanner.High, "the form asks for "+kind)
				}
			}
			if kind := askedSecret(jsonschema.Text(doc, message), false); message >= 0 && open && !told && kind != "" {
				p.Report(message, false, scanner.High, "the form asks for "+kind)
			}
		})
	},
}

// holdsAnything reports whether the user can type any value into a property's field.
func holdsAnything(doc *wire.Doc, property int) bool {
	if t, _ := doc.Str(property, "type"); t == "boolean" || t == "array" || t == "object" {
		return false
	}
	return doc.Get(property, "enum") < 0 && doc.Get(property, "oneOf") < 0 && doc.Get(property, "const") < 0
}

// secretField returns the kind of secret that a form field asks for, according to its format, name,
// title and description, or "" if it asks for none. Whether a field named "token" asks for a secret
// also depends on the form's message.
func secretField(doc *wire.Doc, property int, message string) string {
	if format, _ := doc.Str(property, "format"); strings.EqualFold(format, "password") {
		return "a password"
	}
	number, name := !jsonschema.HoldsText(doc, property), names.Spell(doc.KeyString(property))
	title, _ := doc.Str(property, "title")
	description := jsonschema.Description(doc, property)
	about := description + " " + strings.ToLower(title)
	if otherField.MatchString(about) {
		return ""
	}
	if (name == "token" || names.Spell(title) == "token") && !number && sensitive.GrantsAccess.MatchString(about+" "+strings.ToLower(message)) {
		return "a key or token"
	}
	for _, said := range [...]string{name, names.Spell(title)} {
		if kind := namedSecret(said, number); kind != "" {
			return kind
		}
	}
	if kind := askedSecret(title, number); kind != "" {
		return kind
	}
	return askedSecret(description, number)
}

// namedSecret returns the kind of secret that a name in lower-case words denotes, or
// "".
func namedSecret(name string, number bool) string {
	for _, s := range secretFields {
		if s.name.MatchString(name) && (s.numeric || !number) {
			return s.kind
		}
	}
	return ""
}

// formText is the maximum number of bytes read from a title, description or message.
const formText = 4 << 10

// askedSecret returns the kind of secret that a text asks for, in any language of secretFields, or
// "".
func askedSecret(said string, number bool) string {
	said = strings.ToLower(said[:min(len(said), formText)])
	if said == "" {
		return ""
	}
	for _, s := range secretFields {
		if number && !s.numeric {
			continue
		}
		for _, m := range s.sentence.FindAllStringSubmatchIndex(said, maxPromptMatches) {
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

// lastClause returns the text after the last mark that ends a sentence or clause.
func lastClause(s string) string {
	i := strings.LastIndexAny(s, ".!?;\n。！？")
	if i < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i+n:]
}
