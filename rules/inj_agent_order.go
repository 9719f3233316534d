package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

var injAgentOrder = scanner.Rule{
	ID:         "inj-agent-order",
	Category:   "hidden_instructions",
	Title:      "Data tells an AI to do what its user did not ask for",
	Why:        "Whoever can write a mail, an issue or a page that an agent reads can have it pay, delete, publish or grant, if the text speaks to the agent and the agent listens.",
	Fix:        "Do not let the agent act on this text. Find out who wrote it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The text speaks to an AI, or of what one must do, and the act is one that a user would want to be asked about. A guide for agents without such an act is not reported, and an AI that must do it in general, without a place, a name or a command, is medium. A definition is judged by the rules for its orders.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name:    "spoken_to",
			Expr:    `(^|[\n.!?;"'(*#>\]/:-]\s*)((hey|hi|dear|hello|attention|hint|note|message|instructions?|for|to|if\s+you\s+are|if\s+you['’]re|as)\s+)*((the|any|all|every|an?|my|your|you)\s+)?(` + machineKind + `[ -]){0,2}?` + machine + `\s*([:,—]|\s-\s|\b(reading|processing|parsing|handling)\s+this\b)`,
			Anchors: product(machines, []string{":", ",", " :", " —", " -", " reading", " processing", " parsing", " handling"}),
		},
		{
			Name:    "spoken_to_last",
			Expr:    `,\s*(dear\s+)?` + machine + `\s*([.!)\n]|$)`,
			Anchors: product([]string{", ", ", dear "}, machines),
		},
		{
			Name:    "must_act",
			Expr:    `\b` + machine + `\s+((that|which|who)\s+\w+\s+(this|the)\s+(\w+\s+)?|(reading|processing|parsing|handling|summari[sz]ing|reviewing)\s+(this|the)\s+(\w+\s+)?)?(should|must|shall|needs?\s+to|ha(s|ve)\s+to|(is|are)\s+(to|(hereby\s+)?(required|expected|asked|instructed|supposed|requested|directed|ordered)\s+to)|will\s+(now|then|please)|can\s+(now\s+)?(just|simply|fill|go)|would\s+(normally|usually))\s`,
			Anchors: product(machines, []string{" "}, []string{"should", "must", "shall", "need", "ha", "is ", "are ", "will ", "can ", "would ", "that ", "which ", "who ", "reading ", "processing ", "parsing ", "handling ", "summari", "reviewing "}),
		},
		{
			Name:    "have_it_done",
			Expr:    `\b(have|get|ask|tell|let|make)\s+(the|your|an?|any)\s+(\w+\s+)?` + machine + `\s+(to\s)?`,
			Anchors: product([]string{"have ", "get ", "ask ", "tell ", "let ", "make "}, []string{"the ", "your ", "any ", "an "}),
			Near:    machines,
		},
	},
	Text: func(p *scanner.TextPass) {
		if !result(p) {
			return
		}
		for _, m := range p.Matches {
			from, to := sentence(p.Folded, m.Start, m.End)
			start := m.End
			if m.Pattern == spokenToLast {
				start = from
			}
			act := harm.FindIndex(p.Folded[start:to])
			if act == nil || m.Pattern == mustAct && state.Match(p.Folded[start:to]) || countered(p.Folded, start+act[0], start+act[1]) || spokenOf.Match(p.Folded[from:m.Start]) {
				continue
			}
			severity := inData(p, m.Start, m.End, scanner.High)
			if m.Pattern >= mustAct && !concrete.Match(p.Folded[start:to]) {
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: min(m.Start, start+act[0]), End: max(m.End, start+act[1]), Severity: severity,
				Signals: []string{"an AI is spoken to", "an act that a user would want to be asked about"},
				Message: "the text tells an AI to do what its user did not ask for"})
		}
	},
}

// The places of patterns in the table: an AI spoken to behind the order, and the
// first of those that only speak of an AI.
const (
	spokenToLast = 1
	mustAct      = 2
)

// machine is a program that reads texts for people.
const machine = `(ais?|llms?|a\.i\.|(large\s+)?language\s+models?|models?|assistants?|agents?|chatbots?|copilots?|bots?|claude|chatgpt|gpt|gemini)`

// machineKind is what kind of machine it is.
const machineKind = `(ai|coding|autonomous|automated|virtual|helpful|computer-use|computer|browser|browsing|llm|language|large|review|reviewing|support|code|smart|personal|digital|research|screening|github|openai|generative|intelligent|connected|responsible|downstream)`

// state is what a machine must be and not what it must do.
var state = regexp.MustCompile(`^(be|have|support|know|understand|belong)\b`)

// machines are the literals of it.
var machines = []string{"ai", "ais", "llm", "llms", "a.i.", "model", "models", "assistant", "assistants", "agent", "agents", "bot", "bots", "copilot", "copilots", "claude", "gpt", "gemini"}

// concrete is what orders have and guides lack: an address, a name in quotes, a
// command, a sum, or the user at hand.
var concrete = regexp.MustCompile(address + "|[\"'`“<][^\"'`”>\n]{2,}[\"'`”>]" + `|[$€£]\s?\d|\b(\d+\s?(usd|eur|gbp|btc|eth)|the\s+user['’]s|this\s+(repo\w*|project|file|issue|ticket|page|document|account|message|conversation|workspace)|[a-z]+_[a-z_]+|[\w-]+/[\w-]+)\b`)
