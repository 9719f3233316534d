package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var ImpersonateAuthority = scanner.Rule{
	ID:         "inj-impersonate-authority",
	Category:   "hidden_instructions",
	Title:      "Text impersonates an authority that the model obeys",
	Why:        "A model may obey text that claims to come from the user, the system or the developers, without checking the claim.",
	Fix:        "Treat the text as data, whatever it claims to be. Find out who wrote it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Users and systems do not address a model through a tool's documentation or result.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0073", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "message_from",
			Expr: `\b(important|urgent|official|critical|priority)\s+(message|notice|instructions?|request|announcement|note)\s+(from|by|on\s+behalf\s+of)\s+(me\b|` +
				`us\b|the\s+)?(user|system|admin\w*|developers?|anthropic|openai|google|microsoft|your\s+(user|owner|creator|developer)|` +
				`[\w\s]{0,30},?\s+to\s+you\b)`,
			Anchors: []string{"message from", "notice from", "instruction from", "instructions from", "request from", "note from", "message by", "announcement from", "behalf of"},
		},
		{
			Name: "note_to_reader",
			Expr: `\b(note|notice|message|instructions?|attention|reminder|directive|hint|memo)\s*(to|for)\s+(the\s+|any\s+|all\s+)?(\w+ing\s+)?(ai|a\.i\.|` +
				`assistants?|llms?|language\s+models?|models?|agents?|bots?|chatbots?|automated\s+\w+|(screening|analysis)\s+\w+|gpt|claude|` +
				`copilot)\b(\s+\w+){0,3}(\s+follows?[^.\n]{0,60}?)?\s*[:\]—-]|` +
				`\b(this|the\s+following)\s+(is|part\s+is)\s+(meant\s+|intended\s+)?(only\s+)?for\s+(the\s+)?(\w+\s+)?(ai|agents?|assistants?|models?|` +
				`llms?)\b\s*[:.,]|` +
				`\b(ai|assistant|llm|agent)\s+(instructions?|directives?)\s*:|\bhidden\s+(\w+\s+){0,2}(for|to)\s+(ai|llm|automated|the\s+model|assistants?)\b|` +
				`\binvisible\s+to\s+(humans?|the\s+user|people)\b|\bvisible\s+(only\s+)?to\s+(llms?|ai|the\s+model)\b`,
			Anchors: append(clause.Combine([]string{"note", "notice", "message", "instruction", "instructions", "attention", "reminder", "directive", "hint", "memo"}, []string{" "}, []string{"to ", "for "}),
				"ai instruction", "assistant instruction", "llm instruction", "agent instruction", "ai directive", "assistant directive", "llm directive", "agent directive",
				"hidden", "invisible to", "visible to", "visible only"),
		},
		{
			Name: "spoken_to",
			Expr: `\bif\s+you\s+are\s+(an?\s+)?(ai|llm|(large\s+)?language\s+model|coding\s+(agent|assistant)|agent|assistant|chatbot)\b|` +
				`\b(dear|hi|hello|hey)\s+(ai|assistant|copilot|claude|chatgpt|gemini|chatbot|agent)\b|` +
				`\b(ais?|llms?|language\s+models?|assistants|ai\s+(agents?|models?|assistants?|reviewers?|systems?)|` +
				`coding\s+(agents?|assistants?))\s+(that\s+)?(reading|processing|evaluating|reviewing|summari[sz]ing|read|process|evaluate|review|` +
				`summari[sz]e)\s+(this|the)\b|` +
				`\bto\s+whichever\s+(agent|assistant|model)\b`,
			Anchors: []string{"if you are a", "dear a", "hi a", "hello a", "hey a", "hi copilot",
				"dear copilot", "hey copilot", "hi claude", "hey claude", "dear claude", "chatgpt", "gemini",
				"reading th", "processing th", "evaluating th", "reviewing th", "summarizing th", "summarising th",
				"read th", "process th", "evaluate th", "review th", "summarize th", "summarise th",
				"to whichever"},
		},
		{
			Name: "from_the_team",
			Expr: `\b(message|notice|note|directive)\s+(from|by)\s+(the\s+)?(\w+\s+){0,3}?(team|developers?|administrators?|anthropic|openai|google|microsoft|` +
				`operators?)\s*[:(]|` +
				`\b(developer|administrator|admin|operator)\s+(directive|message|notice)\s*[#:(]|` +
				`\bpolicy\s+update\b[^\n]{0,40}?\b(from|by)\s+(anthropic|openai|google|microsoft)\b`,
			Anchors: []string{"message from", "message by", "notice from", "notice by", "note from", "note by",
				"directive", "developer message", "administrator message", "admin message", "operator message",
				"policy update", "developer notice", "administrator notice", "admin notice", "operator notice"},
		},
		{
			Name: "i_am_the_user",
			Expr: `\bi\s+am\s+(the\s+|your\s+)(user|owner|developer|administrator|admin|creator)\b|` +
				`\b(this\s+is|it['’]s)\s+your\s+(developer|user|owner|administrator|admin|creator|operator|principal)\b|` +
				`\b(the\s+|your\s+)?(user|developer|owner|operator)\s+here(\s+again)?\s*[:,]|\badmin(istrator)?\s+of\s+this\s+(assistant|agent|bot|model|ai)\b|` +
				`\bnew\s+user\s+(query|request|message|instructions?|prompt)\s*:|\bsigned,?\s+(the\s+)?user\s*([.!\n]|$)|` +
				`\b(admin|administrator|developer|operator)\s+(request|command|instruction|order)\s*:`,
			Anchors: append(clause.Wrapped("i am the", "i am your", "is your ", "it's your ", "it’s your ",
				"user here", "developer here", "owner here", "operator here", "admin of", "administrator of",
				"new user", "signed"),
				clause.Wrapped(clause.Combine([]string{"admin", "administrator", "developer", "operator"}, []string{" request", " command", " instruction", " order"})...)...),
		},
		{
			Name:    "hidden_directive",
			Expr:    `\bhidden\s+(directive|instruction|command|task)s?\b\s*:`,
			Anchors: []string{"hidden"},
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: authorityMessage, Signals: authoritySignals, Unless: delivers},
		clause.Order{Severity: scanner.Low, Data: scanner.High,
			Message: "addresses the model and bypasses its user", Signals: []string{"the model is addressed",
				"the user is not addressed"}, Unless: headsFile},
		clause.Order{Severity: scanner.Low, Data: scanner.High, Message: "addresses the model and bypasses its user", Signals: []string{"the model is addressed", "the user is not addressed"}, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: authorityMessage, Signals: authoritySignals, Unless: delivers},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: authorityMessage, Signals: authoritySignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "contains a directive labelled as hidden", Signals: []string{"a directive", "labelled as hidden"}, Unless: nil},
	),
}

// headsFile reports whether the text starts with a heading addressed to agents, as AGENTS.md does.
func headsFile(t []byte, start, end int) bool { return fileHeading.Match(t[:end]) }

var fileHeading = lazyregexp.New(`^\s*#{1,2} (?:\w+ ){0,3}(?:instructions?|notes?|hints?) for (?:the |all |any )?(?:\w+ )?(?:agents?|assistants?|models?|claude|copilot)\s*\W?$`)

// delivers reports whether the match is part of a description of what a messaging tool does.
func delivers(t []byte, start, end int) bool {
	from, _ := clause.Around(t, start, end)
	return deliveryVerb.Match(t[from:start])
}

var deliveryVerb = lazyregexp.New(`^\W*(sends?|forwards?|returns?|lists?|gets?|posts?|creates?|reads?|fetch(es)?|stores?|shows?|delivers?)\b`)

const authorityMessage = "impersonates an authority that the model obeys"

var authoritySignals = []string{"a claim of authority"}
