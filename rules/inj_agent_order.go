package rules

import (
	"bytes"
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
			Expr:    `(^|[\n!?;"'(*#<>\]=]\s*|[.:/-]\s+)(([\w.'’-]+\s+){0,5}?(to|for|of|dear|hey|hi|hello|attention)\s+)?((the|any|all|every|each|an?|my|your|this)\s+)*(` + machineKind + `[ -]){0,3}?` + machine + `((\s+(in|of|at|on|that|who|which|with|only|from|and|\w+ing)\b(\s+[\w'’-]+){0,7}?)?\s*(:|—|!!)|\s*,)`,
			Anchors: machines,
			Near:    []string{":", ",", "—", "!!"},
		},
		{
			Name:    "spoken_to_last",
			Expr:    `,\s*(dear\s+)?` + machine + `\s*([.!)\n]|$)`,
			Anchors: product([]string{", ", ", dear "}, []string{"ai", "llm", "model", "assistant", "agent", "chatbot", "bot", "copilot", "claude", "gpt", "gemini"}),
		},
		{
			Name:    "you_who_read",
			Expr:    `\byou,?\s+(who\s+are\s+)?(reading|processing|parsing|summari[sz]ing)\s+this\b|\b(should\s+you\s+be|if\s+you\s+are|if\s+you['’]re|if\s+you\s+happen\s+to\s+be)\s+(an?|the)\s+(` + machineKind + `\s+){0,3}?` + machine + `\b|\battention,?\s+(all\s+|any\s+)?(` + machineKind + `\s+){0,3}?` + machine + `\b|\bonce\s+you\s+have\s+(summari[sz]ed|translated|analy[sz]ed|processed|answered)\s+(this|the)\b|\b(before|after)\s+(you\s+)?(go\s+on|continu\w+|proceed\w*|finish\w*|going\s+on)\s+with\s+your\s+(summary|answer|analysis|reply|response|translation|review)\b|\bafter\s+reading(\s+this)?,\s+the\s+(` + machineKind + `\s+)?` + machine + `\b`,
			Anchors: []string{"reading this", "processing this", "parsing this", "summarizing this", "summarising this", "should you be a", "if you are a", "if you're a", "if you’re a", "happen to be a", "should you be the", "once you have", "with your summary", "with your answer", "with your analysis", "with your reply", "with your response", "with your translation", "with your review", "after reading", "attention"},
		},
		{
			Name:    "must_act",
			Expr:    `\b` + machine + `(\s+(reviewers?|readers?|graders?|systems?|tools?))?\s+((that|which|who)\s+[^.,:;\n]{0,60}?\s|\w+ing\s+(on\s+|at\s+)?(this|these|the)\s+(\w+\s+){0,2}?)?(should|must|shall|needs?\s+to|ha(s|ve)\s+to|(is|are)\s+(\w+ly\s+|hereby\s+)?(to|(required|expected|asked|instructed|supposed|requested|directed|ordered|obliged|bound|invited|advised|encouraged|told)\s+to)|will\s+(now|then|please)|can\s+(now\s+)?(just|simply|fill|go)|could|would\s+(normally|usually))\s|\b` + machine + `(['’]s\s+(\w+\s+){0,2}(goal|task|objective|mission)\s+is\s|\s+(that\s+(reads|sees|processes|finds|handles)|\w+ing(\s+on|\s+at)?)\s+this\b)`,
			Anchors: machines,
			Near:    []string{" should ", " must ", " shall ", " need", " has to ", " have to ", " is ", " are ", " will ", " can ", " could ", " would ", "goal is", "task is", "objective is", "mission is", "ing this", "ing on this", "ing at this", "s this"},
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
			switch m.Pattern {
			case spokenToLast:
				start, to = from, m.Start
			case spokenTo, youWhoRead: // the order may follow a reason
				if p.Folded[m.End-1] != ',' {
					to = min(len(p.Folded), m.End+orderReach)
				}
			}
			act := harm.FindIndex(p.Folded[start:to])
			if act == nil || m.Pattern == mustAct && state.Match(p.Folded[start:to]) ||
				m.Pattern <= spokenToLast && !imperative(p.Folded, start+act[0]) ||
				denied(p.Folded, start, start+act[0]) || spokenOf.Match(p.Folded[from:m.Start]) {
				continue
			}
			severity := inData(p, start+act[0], start+act[1], scanner.High)
			if m.Pattern >= mustAct && !concrete.Match(p.Folded[m.Start:to]) {
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: min(m.Start, start+act[0]), End: max(m.End, start+act[1]), Severity: severity,
				Signals: []string{"an AI is spoken to", "an act that a user would want to be asked about"},
				Message: "the text tells an AI to do what its user did not ask for"})
		}
	},
}

// The places of patterns in the table.
const (
	spokenTo = iota
	spokenToLast
	youWhoRead
	mustAct // this one and those behind it only speak of an AI
)

// orderReach is how far behind the address an order may stand, in bytes.
const orderReach = 260

// machine is a program that reads texts for people.
const machine = `(ais?|llms?|a\.i\.|(large\s+)?language[ -]models?|models?|assistants?|agents?|chatbots?|copilots?|bots?|robots|claude|chatgpt|gpt|gemini|text\s+generators?|automated\s+(readers?|systems?|tools?|reviewers?)|ai\s+(review|reviewers?|systems?|tools?|readers?)|(plagiarism|grammar|fact)\s+checker)`

// machineKind is what kind of machine it is.
const machineKind = `(ai|coding|autonomous|automated|virtual|helpful|computer-use|computer|browser|browsing|llm|language|vision|large|review|reviewing|reviewer|reader|support|code|smart|personal|digital|research|screening|grading|moderation|analytics|summari[sz]ing|summari[sz]ation|travel|e-?mail|mail|openai|generative|intelligent|connected|responsible|downstream|vision\s+and)`

// machines are literals of which one stands in every match of machine.
var machines = []string{" ai", "\nai", "(ai", "[ai", "\"ai", ":ai", "#ai", "/ai", "*ai", ">ai", "ais ", "llm", "a.i.", "model", "assistant", "agent", "bot", "copilot", "claude", "gpt", "gemini", "text generator", "automated ", "checker"}

// state is what a machine must be and not what it must do.
var state = regexp.MustCompile(`^(be|have|support|know|understand|belong)\b`)

// imperative reports a verb that gives an order by its place in the text: at the
// beginning of a sentence or a line, or behind a word that continues an order.
func imperative(t []byte, verb int) bool {
	return len(bytes.TrimSpace(t[:verb])) == 0 || ordered.Match(t[max(0, verb-orderReach):verb])
}

var ordered = regexp.MustCompile(`([\n.!?:;,("'*>/!—-]\s*|\b(and|then|also|please|now|to|must|should|you|just|first|always|immediately|instead|only|shall|kindly|do)\s+)$`)

// denied reports a negation between the address and the act.
func denied(t []byte, start, act int) bool {
	from := start
	if i := bytes.LastIndexAny(t[start:act], ".;:\n"); i >= 0 {
		from += i
	}
	return strongNegation.Match(t[from:act])
}
