package declaration

import (
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var CapExec = scanner.Rule{
	ID:         "cap-exec",
	Category:   "policy",
	Title:      "A tool executes commands, queries or programs written by the model",
	Why:        "A free-form command, program or query can do whatever its interpreter can, so whoever controls the model can do the same.",
	Fix:        "Run the server in a sandbox with limited permissions, and require approval for each call.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is a note, because legitimate servers have such tools, too: one in seventy tools of the published servers examined executes such input.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM06", "CWE-94"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			executed, at, where := "", -1, "" // at most one finding per tool
			jsonschema.Parameters(p.Doc, node, func(s jsonschema.Subschema, name string) {
				if s.Depth > 2 || p.Doc.Get(s.Node, "enum") >= 0 || p.Doc.Get(s.Node, "const") >= 0 || !jsonschema.HoldsText(p.Doc, s.Node) {
					return
				}
				what := executes(p.Doc, d.Name, name, s.Node)
				if what == "" {
					return
				}
				// A lockfile stores members in sorted order, so the finding must not depend on
				// their order.
				if pointer := string(p.Doc.AppendPointer(nil, node, s.Node)); at < 0 || pointer < where {
					executed, at, where = what, s.Node, pointer
				}
			})
			if at >= 0 {
				p.Report(at, true, scanner.Note, "the tool executes "+executed+" that the caller writes")
			}
		})
	},
}

// runnable is a kind of input that tools execute. name matches names of parameters for such input. If
// a name is ambiguous, words in the tool's name or the parameter's description decide.
type runnable struct {
	what      string
	name      *lazyregexp.Regexp
	tool      *lazyregexp.Regexp
	described *lazyregexp.Regexp
}

var (
	runsCommand = &runnable{what: "a command",
		name: lazyregexp.New(`^((shell|bash|terminal|system|cli) )?(command|cmd)s?( line)?$|^(bash|powershell)$`)}
	runsStatement = &runnable{what: "a query",
		name: lazyregexp.New(`^(raw )?(sql|cypher|soql)$|^((sql|cypher|soql) )?statements?$|^(sql|cypher|soql|graphql) (query|queries)$`)}
	runsQuery = &runnable{what: "a query",
		name:      lazyregexp.New(`^(raw )?(query|queries)$`),
		tool:      lazyregexp.New(`\b(sql|soql|cypher|graphql|gql)\b`),
		described: lazyregexp.New(`\b(sql|soql|cypher|graphql|gql)\b`)}
	runsProgram = &runnable{what: "a program",
		name:      lazyregexp.New(`^((java ?|bash |shell |python )?script|((source|python|java ?script|js) )?code|js|python|function|expression|snippet|program)$`),
		tool:      lazyregexp.New(`\b(run|exec|execute|eval|evaluate|interpreter|python|java ?script|repl|console|sandbox|notebook)\b`),
		described: lazyregexp.New(`\b(java ?script|python|typescript|shell|bash|lua|ruby)\b.{0,20}\b(code|function|source|script|expression)\b|\b(code|script|expression)\s+to\s+(run|execute|evaluate)\b`)}
)

// runWords maps the last word of a parameter name to the kinds of input that such a parameter may
// take.
var runWords = map[string][]*runnable{
	"command": {runsCommand}, "commands": {runsCommand}, "cmd": {runsCommand}, "cmds": {runsCommand}, "line": {runsCommand}, "bash": {runsCommand}, "powershell": {runsCommand},
	"sql": {runsStatement}, "cypher": {runsStatement}, "soql": {runsStatement}, "statement": {runsStatement}, "statements": {runsStatement},
	"query": {runsStatement, runsQuery}, "queries": {runsStatement, runsQuery},
	"script": {runsProgram}, "code": {runsProgram}, "javascript": {runsProgram}, "js": {runsProgram}, "python": {runsProgram},
	"function": {runsProgram}, "expression": {runsProgram}, "snippet": {runsProgram}, "program": {runsProgram},
}

// executes returns the kind of input that a tool takes in a parameter and executes, or "" if there
// is none.
func executes(doc *wire.Doc, tool, parameter string, schema int) string {
	for _, r := range runWords[names.LastWord(parameter)] {
		if r.name.MatchString(names.Spell(parameter)) &&
			(r.tool == nil || r.tool.MatchString(names.Spell(tool)) || r.described.MatchString(jsonschema.Description(doc, schema))) {
			return r.what
		}
	}
	return ""
}
