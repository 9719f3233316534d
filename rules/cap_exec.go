package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var capExec = scanner.Rule{
	ID:         "cap-exec",
	Category:   "policy",
	Title:      "A tool runs what the model writes",
	Why:        "A free-form command, program or query is as wide as what runs it: whoever steers the model steers that.",
	Fix:        "Run the server in a sandbox with rights of its own, and have each call approved.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "An inventory of what the tools can do, no accusation: one tool in seventy of published servers does.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM06", "CWE-94"},
	Message: func(p *scanner.MessagePass) {
		ownTools(p, func(d *scanner.Definition, node int) {
			tool, found := spell(d.Name), false
			parameters(p.Doc, node, func(s subschema, name string) {
				if found || s.depth > 2 || p.Doc.Get(s.node, "enum") >= 0 || p.Doc.Get(s.node, "const") >= 0 || !holdsText(p.Doc, s.node) {
					return
				}
				if what := executes(p.Doc, tool, spell(name), s.node); what != "" {
					found = true // one tool, one finding
					p.Report(s.node, true, scanner.Note, "the tool runs "+what+" that the caller writes")
				}
			})
		})
	},
}

// executes tells what a parameter is run as, "" where it is not.
func executes(doc *wire.Doc, tool, name string, schema int) string {
	switch {
	case commandParam.MatchString(name):
		return "a command"
	case statementParam.MatchString(name),
		queryParam.MatchString(name) && (querying.MatchString(tool) || querying.MatchString(description(doc, schema))):
		return "a query"
	case programParam.MatchString(name) && (running.MatchString(tool) || aProgram.MatchString(description(doc, schema))):
		return "a program"
	}
	return ""
}

var (
	commandParam   = regexp.MustCompile(`^((shell|bash|terminal|system|cli) )?(command|cmd)s?( line)?$|^(bash|powershell)( script)?$`)
	statementParam = regexp.MustCompile(`^(raw )?(sql|cypher|soql)( (query|statement|script|command))?s?$`)
	queryParam     = regexp.MustCompile(`^(query|queries|statements?)$`)
	querying       = regexp.MustCompile(`\b(sql|soql|cypher|graphql|gql)\b`)
	programParam   = regexp.MustCompile(`^(code|script|source( code)?|java ?script|js|python|function|expression|snippet|program)( code)?$`)
	running        = regexp.MustCompile(`\b(run|exec|execute|eval|evaluate|interpreter|python|java ?script|repl|console|sandbox|notebook)\b`)
	aProgram       = regexp.MustCompile(`\b(java ?script|python|typescript|shell|bash|lua|ruby)\b.{0,20}\b(code|function|source|script|expression)\b|\b(code|script|expression)\s+to\s+(run|execute|evaluate)\b`)
)
