package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var AnswerForm = scanner.Rule{
	ID:         "inj-answer-form",
	Category:   "hidden_instructions",
	Title:      "Data asks for specific content in the model's answer",
	Why:        "An e-mail, page or table has no reason to mention the model's answer. If it asks for a sentence, a link or encoded text in the answer, it addresses the model that reads it.",
	Fix:        "Read the answer before you pass it on. Find out who wrote the text.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The text mentions the answer and tells the model to change its content or form. Exams and forms mention answers too, so the severity is medium; in a definition, such text describes the tool's output and is not reported.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name:    "changes_the_answer",
			Expr:    `\b` + vShape + `\s[^.!?\n]{0,160}?\byour\s+((next|final|own|entire|whole|full)\s+)?` + oAnswer + `\b|\b` + vShape + `\s+your\s+` + oAnswer + `\b`,
			Anchors: yourAnswer,
		},
		{
			Name:    "in_the_answer",
			Expr:    `\b(in|to|into|within)\s+your\s+((next|final|own)\s+)?` + oAnswer + `\b\W{0,3}(please\s+|also\s+|always\s+)?` + vShape + `\s`,
			Anchors: yourAnswer,
		},
		{
			Name: "form_of_the_answer",
			Expr: `\b(reply|respond|answer)\s+(only\s+|back\s+|solely\s+)?(in|using|with|as)\s+(only\s+|an?\s+|the\s+)?(\w+\s+)?(base-?\d\d|rot-?13|morse|binary|` +
				`hex(adecimal)?|ciphers?|cipher\s?text|revers\w+|backwards?|anagrams?|emojis?|rhymes?|verse|leet\w*|pig\s+latin|all\s+caps|uppercase|lower\s?case|` + answerLanguage + `)\b`,
			Anchors: append(clause.Combine([]string{"reply", "respond", "answer"}, []string{" "}, []string{"in", "using", "with", "as", "only", "back", "solely"}),
				"reply backward", "answer backward"),
		},
	},
	Text: func(p *scanner.TextPass) {
		if !clause.IsResult(p) {
			return
		}
		for _, m := range p.Matches {
			from, to := clause.Sentence(p.Folded, m.Start, m.End)
			c := p.Folded[from:to]
			if !mayOpenOrder.Match(p.Folded[from:m.Start]) || inExamination.Match(c) || clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: scanner.Medium,
				Signals: []string{"mentions the model's answer", "asks for specific content or a specific form"},
				Message: "asks for specific content in the model's answer"})
		}
	},
}

const (
	// vShape matches verbs that change the content or form of an answer.
	vShape = `(add|append|include|insert|integrate|incorporate|embed|weave|work|put|mention|tease|hint|suggest|recommend|promote|praise|advertise|state|claim|` +
		`note|emphasi[sz]e|highlight|modify|change|alter|adjust|adapt|enhance|enrich|augment|extend|start|begin|end|finish|close|preface|prefix|translate|` +
		`render|write|phrase|provide|give|deliver|present|format|express|encode|encrypt|obfuscate|reverse|invert|shift|scramble|jumble|shuffle|rearrange|` +
		`reorder|anagram|misspell|replace|substitute|swap|convert|turn|remove|strip|omit|drop|combine|merge|group|split|use|apply|introduce|keep|limit|` +
		`make|sign|display|represent|spell)`

	oAnswer = `(response|answer|reply|replies|responses|answers|output|summary|message)['’]?s?`

	// answerLanguage matches names of languages, as in a request to answer in one of them.
	answerLanguage = `(english|spanish|french|german|italian|portuguese|dutch|russian|chinese|mandarin|japanese|korean|arabic|hindi|turkish|polish|swedish|greek|latin|klingon|esperanto)`
)

// yourAnswer lists the anchors of the patterns that contain oAnswer.
var yourAnswer = clause.Combine([]string{"your "}, []string{"", "next ", "final ", "own ", "entire ", "whole ", "full "},
	[]string{"response", "answer", "reply", "replies", "output", "summary", "message"})

var (
	// mayOpenOrder matches what may come before the verb of an instruction in the same
	// sentence.
	mayOpenOrder = lazyregexp.New(`^[^a-z]*(((can|could|would|will)\s+you|please|kindly|also|and|then|now|always|just|finally|additionally|make\s+sure\s+to|` +
		`be\s+sure\s+to|remember\s+to|you\s+(must|should|need\s+to|have\s+to|will)|in\s+your\s+\w+)\W+)*$`)
	// inExamination matches words which show that a person is to give the answer, as in forms, exams and
	// letters.
	inExamination = lazyregexp.New(`\b(correct\s+to|decimals?|significant|simplest|box|below|blank|space|provided|sheet|booklet|units?|notation|fractions?|marks?|` +
		`points|exam\w*|quiz|students?|question\s+\d+|by\s+(mon|tues|wednes|thurs|fri|satur|sun)day|deadline|rsvp|reviewers?|customers?|letter|commit|` +
		`log)\b`)
)
