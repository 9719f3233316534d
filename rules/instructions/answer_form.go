package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var AnswerForm = scanner.Rule{
	ID:         "inj-answer-form",
	Category:   "hidden_instructions",
	Title:      "Data asks for something in the model's answer",
	Why:        "A mail, a page or a table knows of no answer. One that has a sentence, a link or a cipher put into it speaks to the model that was asked to read it.",
	Fix:        "Do not pass on an answer that was made with this text without reading it. Find out who wrote the text.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The answer is spoken of, and its content or form is changed. Examinations and forms speak of answers, too, so it is medium; what stands in a definition describes a tool's output and is not reported.",
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
			Expr: `\b(reply|respond|answer)\s+(only\s+|back\s+|solely\s+)?(in|using|with|as)\s+(only\s+|an?\s+|the\s+)?(\w+\s+)?(base-?\d\d|rot-?13|morse|binary|hex(adecimal)?|ciphers?|cipher\s?text|revers\w+|backwards?|anagrams?|emojis?|rhymes?|verse|leet\w*|pig\s+latin|all\s+caps|uppercase|lower\s?case|` + answerLanguage + `)\b`,
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
				Signals: []string{"the answer to come is spoken of", "its content or form is asked for"},
				Message: "the text asks for something in the model's answer"})
		}
	},
}

const (
	// vShape is to change what an answer says or how it looks.
	vShape = `(add|append|include|insert|integrate|incorporate|embed|weave|work|put|mention|tease|hint|suggest|recommend|promote|praise|advertise|state|claim|note|emphasi[sz]e|highlight|modify|change|alter|adjust|adapt|enhance|enrich|augment|extend|start|begin|end|finish|close|preface|prefix|translate|render|write|phrase|provide|give|deliver|present|format|express|encode|encrypt|obfuscate|reverse|invert|shift|scramble|jumble|shuffle|rearrange|reorder|anagram|misspell|replace|substitute|swap|convert|turn|remove|strip|omit|drop|combine|merge|group|split|use|apply|introduce|keep|limit|make|sign|display|represent|spell)`

	oAnswer = `(response|answer|reply|replies|responses|answers|output|summary|message)['’]?s?`

	// answerLanguage is a language that an answer may be asked in.
	answerLanguage = `(english|spanish|french|german|italian|portuguese|dutch|russian|chinese|mandarin|japanese|korean|arabic|hindi|turkish|polish|swedish|greek|latin|klingon|esperanto)`
)

// yourAnswer are the literals of oAnswer.
var yourAnswer = append(clause.Combine([]string{"your "}, []string{"response", "answer", "reply", "replies", "output", "summary", "message"}),
	clause.Combine([]string{"your "}, []string{"next ", "final ", "own ", "entire ", "whole ", "full "}, []string{"response", "answer", "reply", "output", "summary", "message"})...)

var (
	// mayOpenOrder is what may stand ahead of an order in its sentence.
	mayOpenOrder = lazyregexp.New(`^[^a-z]*(((can|could|would|will)\s+you|please|kindly|also|and|then|now|always|just|finally|additionally|make\s+sure\s+to|be\s+sure\s+to|remember\s+to|you\s+(must|should|need\s+to|have\s+to|will)|in\s+your\s+\w+)\W+)*$`)
	// inExamination is how forms, examinations and letters speak of an answer that
	// a person gives.
	inExamination = lazyregexp.New(`\b(correct\s+to|decimals?|significant|simplest|box|below|blank|space|provided|sheet|booklet|units?|notation|fractions?|marks?|points|exam\w*|quiz|students?|question\s+\d+|by\s+(mon|tues|wednes|thurs|fri|satur|sun)day|deadline|rsvp|reviewers?|customers?|letter|commit|log)\b`)
)
