package rules

import (
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var annReadonlyContradiction = scanner.Rule{
	ID:         "ann-readonly-contradiction",
	Category:   "policy",
	Title:      "A tool annotated as read-only says that it changes something",
	Why:        "Clients run read-only tools without asking. A false annotation removes that question for a tool that deletes or sends.",
	Fix:        "Do not let the client approve calls by this server's annotations. Ask the author to correct them.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The name or the first words of the description contain a verb of change and no verb of reading. Of 598 read-only tools of published servers it reports one, which writes a file. Tools that create a text for the model to use are the known false positive.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-807"},
	Message: func(p *scanner.MessagePass) {
		ownTools(p, func(d *scanner.Definition, node int) {
			at, readOnly := annotation(p.Doc, node, "readOnlyHint")
			if readOnly && writesItself(d) {
				p.Report(at, false, scanner.Medium, "annotated readOnlyHint: true, but its name or description says that it changes something")
			}
		})
	},
}

// asksOnly matches what a tool sends or executes only to read something.
var asksOnly = lazyregexp.New(`\b(read[- ]only|quer(y|ies)|search(es)?|requests?|select|lookup|questions?|without (changing|modifying)|dry[- ]run)\b`)

// changesByItself are verbs of change that need no object to be one, where a
// prompt is sent and a check is executed to learn something.
var (
	changesByItself = lazyregexp.New(`^(write|insert|upload|publish|rename|modify|update|edit|overwrite)$`)
	sendsMail       = lazyregexp.New(`^(send|post|pay|transfer)s?\s+((an?|the|one|some)\s+)?(\w+\s+)?(e-?mails?|messages?|sms|letters?|invitations?|payments?|money|tweets?|comments?|funds|files?)\b`)
)

// writesItself reports a tool that says of itself that it changes something: by the
// verb of its name, or by the first verb of its description where the name says
// nothing, or only perhaps. A name that may be a noun is overruled by a
// description that reads.
func writesItself(d *scanner.Definition) bool {
	name := spell(d.Name)
	verb, sentence := openingVerb(d.Description)
	switch {
	case readVerbs.MatchString(verb) || asksOnly.MatchString(sentence):
		return false
	case changesByName(name):
		return true
	case readVerbs.MatchString(name):
		return false
	case maybeVerbs.MatchString(name):
		return changing(verb)
	}
	return changesByItself.MatchString(verb) || destroyVerbs.MatchString(verb) || sendsMail.MatchString(sentence)
}
