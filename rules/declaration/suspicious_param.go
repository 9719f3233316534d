package declaration

import (
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/sensitive"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var SuspiciousParam = scanner.Rule{
	ID:         "sch-suspicious-param",
	Category:   "exfiltration",
	Title:      "A parameter collects data that the tool does not need",
	Why:        "The model fills in what a schema asks for. A parameter for the conversation, the system prompt, other tools' results, a secret or the model's name sends this data to the server with every call.",
	Fix:        "Ask the author what the parameter is for. Do not use the tool with data that the server must not see.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The name or description says what the parameter is for. A parameter for a secret is rated high. One for the conversation, the system prompt or other tools' results is rated high if it is required, and medium if it is optional or takes only the relevant parts. One for the model's name is rated medium if it is required, otherwise low. Tools that manage chats or call models need such parameters and are not reported.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM07", "ATLAS:AML.T0086", "CWE-200"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			// Variants of an input repeat their parameters, so there is one finding for each name.
			// A lockfile stores members in sorted order, so the findings must not depend on their
			// order.
			var worst map[string]collected
			jsonschema.Parameters(p.Doc, node, func(s jsonschema.Subschema, name string) {
				optional, required, message := sensitive.CollectedBy(name)
				if message == "" || p.Full() || !jsonschema.HoldsText(p.Doc, s.Node) || sensitive.AboutTalk(d.Name) || message == sensitive.SecretOrder && secrets.HandlesCredentials(d.Name) {
					return
				}
				now := collected{s.Node, optional, message, string(p.Doc.AppendPointer(nil, node, s.Node))}
				if p.Required(s.Around, name) {
					now.severity = required
				}
				if before, known := worst[name]; !known || now.severity > before.severity || now.severity == before.severity && now.pointer < before.pointer {
					if worst == nil {
						worst = map[string]collected{}
					}
					worst[name] = now
				}
			})
			if worst == nil {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(worst)) {
				found := worst[name]
				p.Report(found.node, true, found.severity, found.message)
			}
		})
	},
	Patterns: []scanner.Pattern{
		talkMatch: {
			Name: "conversation",
			Expr: `\b(everything|anything|whatever|all\s+(that\s+)?|each\s+thing)\s*(that\s+)?the\s+(user|person|human|customer)\s+(has\s+|have\s+)?(said|says|` +
				`wrote|written|typed|told|shared|mentioned)\b|` +
				`\b(full|entire|complete|whole|raw|verbatim|unabridged)\s+((text|copy|transcript|history|log|record)\s+of\s+)?(the\s+|this\s+|our\s+|` +
				`your\s+)?(conversation|chat|dialogue?|context\s+window)(\s+(history|context|transcript|log|so\s+far|until\s+now))?\b|` +
				`\b(conversation|dialogue?)\s+(so\s+far|until\s+now|up\s+to\s+(now|this\s+point|here))\b|` +
				`\b(transcript|history|log|record|copy)\s+of\s+(this|our|your)\s+(conversation|chat|session|dialogue?)\b`,
			Anchors: []string{"the user ", "the person ", "the human ", "the customer ", "conversation", "chat", "dialog", "context window", "of this session", "of our session", "of your session"},
		},
		{
			Name: "prompt",
			Expr: `\b(your|the(\s+(model|assistant|agent)['’]?s)?)\s+(\w+\s+){0,2}(system\s+(prompt|message|instructions?)|` +
				`(initial|hidden|original)\s+(prompt|instructions))\b|` +
				`\byour\s+(own\s+)?(instructions|prompt|guidelines)\s*,?\s+(verbatim|word\s+for\s+word|in\s+full|` +
				`as\s+(you\s+)?(were\s+|was\s+|have\s+been\s+)?(given|received|written)|exactly|here)\b|` +
				`\byour\s+(complete|full|entire|whole|exact)\s+(set\s+of\s+|list\s+of\s+)?(instructions|prompt|guidelines|rules)\b|` +
				`\b(instructions|prompt)\s+(that\s+)?you\s+(were|have\s+been)\s+given\b`,
			Anchors: append(clause.Combine([]string{"system ", "initial ", "hidden ", "original ", "your ",
				"your own ", "complete ", "full ", "entire ", "whole ", "exact ", "set of ", "list of "},
				[]string{"prompt", "instruction", "guidelines", "rules"}), "system message", "you were given",
				"you have been given"),
		},
		{
			Name: "results",
			Expr: `\b(results?|outputs?|responses?|returns?)\s+(of|from|by)\s+(all|any|every|each)\s+(of\s+the\s+|` +
				`the\s+)?((other|previous|earlier|prior)\s+)?(tools?(\s+calls?)?|calls)\b|` +
				`\b(results?|outputs?|responses?)\s+(of|from)\s+(the\s+)?other\s+tools\b|` +
				`\b(all|every|each|any)\s+(previous|earlier|prior|other)\s+tools?['’]?s?\s+((results?|outputs?|responses?)|(has\s+|have\s+)?(returned|said))\b`,
			Anchors: []string{"other tool", "all tool", "any tool", "every tool", "each tool", "previous tool", "earlier tool", "prior tool", "all the tool", "previous call", "earlier call", "prior call"},
		},
		fileMatch: {
			Name:    "secret_file",
			Expr:    `\b(contents?|text|body|copy|dump|values?)\s+(of|from|found\s+in)(\s+(the|a|any|every|all|user['’]?s?|your|their|local)){0,3}[\s"'` + "`" + `]*(` + secrets.Files + `)`,
			Anchors: secrets.FileAnchors,
		},
		{
			Name: "secrets",
			Expr: `\b(any|all|every|whatever)\s+(\w+\s+){0,2}` + clause.Secrets + `\s+(that\s+)?(you|the\s+(user|model|assistant))\s+(\w+\s+)?(have|has|know|knows|find|` +
				`finds|see|saw|come|hold|holds|encounter|encountered|shared|mentioned)\b|\b(any|all|every|whatever)\s+(\w+\s+){0,2}` + clause.Secrets + `\s+(mentioned|shared|given|` +
				`typed|provided|seen|found|revealed)\s+(by\s+the\s+user|(in|during)\s+(the|this)\s+(conversation|chat|session|context|environment))\b`,
			Anchors: append(clause.Combine([]string{"you", "user", "model", "assistant"}, []string{" "},
				[]string{"have", "has", "know", "find", "see", "saw", "come", "hold", "encounter", "share",
					"mention"}), clause.Combine([]string{"by the ", "in the ", "in this ", "during the ",
				"during this "}, []string{"user", "conversation", "chat", "session", "context", "environment"})...),
		},
	},
	Text: func(p *scanner.TextPass) {
		name, required := p.Argument()
		if name == "" || sensitive.AboutTalk(p.Name) {
			return
		}
		text := jsonschema.TextType(p.ArgumentType())
		for _, m := range p.Matches {
			if !text && m.Pattern < fileMatch || clause.NegatedOrQuoted(p.Folded, m.Start, m.End) || narrowerTalk.Match(p.Folded[m.End:]) ||
				m.Pattern == fileMatch &&
					(secrets.HandlesCredentials(p.Name) || secrets.PublicFile(p.Folded, m.End)) {
				continue
			}
			severity := scanner.Medium
			if m.Pattern >= fileMatch || required && !(m.Pattern == talkMatch && modestWish(p, m.Start, m.End)) {
				severity = scanner.High
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"the description says what to fill the parameter with"},
				Message: "the description of a parameter asks for " + wished[m.Pattern]})
			return // one finding per text
		}
	},
}

// collected is a parameter that collects data.
type collected struct {
	node     int
	severity scanner.Severity
	message  string
	pointer  string
}

// wished describes what a parameter asks for, by index of the pattern. The patterns from fileMatch
// on are about secrets.
var wished = [...]string{"the conversation", "the prompt", "the results of other tools", "a credentials file", "secrets"}

const (
	talkMatch = 0
	fileMatch = 3
)

// modestWish reports whether a parameter has a reason to ask for the conversation: it asks only for
// the relevant parts, or the tool is for handovers, tracing or reports.
func modestWish(p *scanner.TextPass, start, end int) bool {
	from, to := clause.Sentence(p.Folded, start, end)
	return hasReason.MatchString(names.Spell(p.Name)) || relevantOnly.Match(p.Folded[from:to])
}

var (
	// narrowerTalk matches the words after a match if they show that the text is not about the
	// whole conversation, as in "conversation title".
	narrowerTalk = lazyregexp.New(`^\s+(to\s+be\s+\w|messages?\b|room|channel|name|id\b|title|model|complet|window|widget|bot)`)
	hasReason    = lazyregexp.New(`\b(hand ?off|hand ?over|escalate|support|case|ticket|feedback|report|bug|trace|tracing|telemetry|observability|log|audit|` +
		`summari[sz]e|summary|note|notes|remember|recall)\b`)
	relevantOnly = lazyregexp.New(`\b(relevant|helps?|helpful|needed|useful|important|necessary|related|pertinent|matters?)\b`)
)
