package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var schSuspiciousParam = scanner.Rule{
	ID:         "sch-suspicious-param",
	Category:   "exfiltration",
	Title:      "A parameter collects what the tool does not need",
	Why:        "The model fills in what a schema asks for. A parameter for the conversation, the system prompt or the model's name hands them to the server with every call.",
	Fix:        "Ask the author what it is for. Do not use the tool with data that the server must not see.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "High where the name says that it is the conversation or the system prompt and the tool must be given it; medium where it is optional, or tells the server which model calls. Tools for chats and models have such parameters for a purpose and are left alone.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM07", "ATLAS:AML.T0086", "CWE-200"},
	Message: func(p *scanner.MessagePass) {
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			if d.Kind != scanner.ToolSubject || d.Foreign {
				continue
			}
			schema := p.Doc.Get(p.DefinitionNode(d), "inputSchema")
			properties := p.Doc.Get(schema, "properties")
			if p.Doc.Kind(properties) != wire.Object || talk.MatchString(d.Name) || forModels.MatchString(d.Name) {
				continue
			}
			for c := p.Doc.First(properties); c >= 0; c = p.Doc.Next(c) {
				var buf []byte
				name := p.Doc.Key(c, &buf)
				switch {
				case collects.Match(name) && required(p.Doc, schema, string(name)):
					p.Report(c, true, scanner.High, "a required parameter collects the conversation or the prompt")
				case collects.Match(name):
					p.Report(c, true, scanner.Medium, "a parameter collects the conversation or the prompt")
				case callerModel.Match(name):
					p.Report(c, true, scanner.Medium, "a parameter tells the server which model calls it")
				}
			}
		}
	},
}

var (
	// forModels is the name of a tool whose business is models.
	forModels   = regexp.MustCompile(`(?i)(agent|assistant|llm|model|complet|generat|inference|embed|think|reason)`)
	collects    = regexp.MustCompile(`(?i)^(side_?note|(full_|whole_|entire_)?(conversation|chat)_?(history|log|context|transcript)|(conversation|chat)History|system_?prompt|system_?instructions|previous_?(tool_?results|tool_?outputs|messages)|(all_?)?(prior|previous)_?messages|user_?messages|chain_?of_?thought|internal_?reasoning)$`)
	callerModel = regexp.MustCompile(`(?i)^(calling_?|your_?)?(llm|ai)_?(model_?)?(name|id|version)$|^(calling|your)_?model_?(name)?$`)
)

// required reports whether a schema requires a property.
func required(doc *wire.Doc, schema int, name string) bool {
	list := doc.Get(schema, "required")
	if doc.Kind(list) != wire.Array {
		return false
	}
	for c := doc.First(list); c >= 0; c = doc.Next(c) {
		var buf []byte
		if string(doc.Text(c, &buf)) == name {
			return true
		}
	}
	return false
}
