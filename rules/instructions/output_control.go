package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var OutputControl = scanner.Rule{
	ID:         "inj-output-control",
	Category:   "hidden_instructions",
	Title:      "Data dictates the model's answer",
	Why:        "The user asks for an assessment, a summary or a search, and gets a sentence that the data's author dictated.",
	Fix:        "Do not rely on an answer based on the text. Find out who wrote it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "There is no reason for data to dictate the answer. Definitions often describe the form of an answer, so this wording is rated low there.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "respond_with",
			Expr: `\b(simply|only|just|always|instead|exclusively|must|should)\s+(respond|reply|answer|say|report|output|print|state|write)\s+(with|that|only|` +
				`exactly|the\s+following|by\s+saying)\b|` +
				`\b(respond|reply|answer)\s+(only\s+|exclusively\s+|simply\s+)?with\s*(["'“<]|(only|just|exactly|nothing)\b)|` +
				`\bif\s+(the\s+)?user\s+asks?\b[^.\n]{0,80}\b(respond|reply|answer|say|tell|output)\b|` +
				`\bif\s+(you\s+are\s+|you['’]re\s+)?(asked|questioned|queried|prompted)\b[^.\n]{0,100}\b(respond|reply|answer|say|report|state|claim|tell|` +
				`confirm)\b`,
			Anchors: append(clause.Combine([]string{"simply", "only", "just", "always", "instead",
				"exclusively", "must", "should"}, []string{" "}, []string{"respond", "reply", "answer", "say",
				"report", "output", "print", "state", "write"}),
				"respond with", "respond only", "respond simply", "respond exclusively", "reply with", "reply only", "answer with", "answer only",
				"user ask", "if asked", "if questioned", "if queried", "if prompted", "if you are asked", "if you're asked", "if you’re asked", "if you are questioned"),
		},
		{
			Name: "print_this",
			Expr: `\b(and\s+|then\s+|please\s+|could\s+you\s+|can\s+you\s+|instead\s+)(print|output|repeat|say|display|echo|write)\s+(out\s+)?(["'“<]|` +
				`the\s+(following|phrase|words?|text|sentence)|exactly)|` +
				`\brepeat\s+(after\s+me|the\s+(following|phrase|words?))\b|(^|[\n<]\s*)print\s+["'“][^"'”\n(]{1,80}["'”]`,
			Anchors: append(clause.Combine([]string{"and", "then", "please", "could you", "can you", "instead"}, []string{" "}, []string{"print", "output", "repeat", "say", "display", "echo", "write"}),
				"repeat after me", "repeat the", "print \"", "print '", "print “"),
		},
		{
			Name: "focus_only",
			Expr: `\bfocus\s+(only|exclusively|solely|entirely)\s+on\b|\binstead\s+focus\b|\byou\s+may\s+not\s+deviate\b|` +
				`\b(do\s+not|don['’]t)\s+(evaluate|assess|analy[sz]e|summari[sz]e|review|consider|judge)\s+(the|this|any|these)\b`,
			Anchors: append(clause.Combine([]string{"not", "n't", "n’t"}, []string{" "}, []string{"evaluate", "assess", "analyze", "analyse", "summari", "review", "consider", "judge"}),
				"focus only", "focus exclusively", "focus solely", "focus entirely", "instead focus", "may not deviate"),
		},
		{
			Name:    "verdict_claimed",
			Expr:    `\bpre-?(verified|approved|screened)\s+by\b`,
			Anchors: []string{"pre-verified", "preverified", "pre-approved", "preapproved", "pre-screened"},
		},
		verdictPattern: {
			Name: "verdict_ordered",
			Expr: `\b(output|report|conclude|score|rate|rank|recommend|mark|classify)\s*(:|as|that|it\s+as|this\s+as|them\s+as)\s*(highly|` +
				`the\s+(best|candidate|most)|exceptional|approved|safe|harmless|benign|10/10|interview)`,
			Anchors: clause.Combine([]string{":", "as", "that"}, []string{"", " ", "\n"},
				clause.Wrapped("highly", "the best", "the candidate", "the most", "exceptional", "approved", "safe", "benign", "harmless", "interview", "10/10")),
		},
		{
			Name: "when_you_answer",
			Expr: `\b(when|while|if|before)\s+(you\s+)?(are\s+)?(summari[sz]\w+|review(ing)?|evaluat\w+|describ\w+|answer(ing)?|` +
				`assess\w*)\b[^.\n]{0,60}?[,:]?\s*(say|state|report|include|claim|respond|conclude|recommend|tell)\s+(that|the|this|it|only)\b|` +
				`\bin\s+your\s+(summary|answer|reply|report|review|response)\b[^.\n]{0,20}?\b(say|state|include|claim|mention|add)\b|` +
				`\bconclude\s+that\b[^.\n]{0,40}\b(benign|safe|harmless|clean)\b|` +
				`\b(must|should)\s+(return|give|assign|output)\s+(a\s+)?(perfect\s+)?(score|rating|grade|verdict)\s+of\b|\brate\s+(this|the)\s+\w+\s+as\b`,
			Anchors: append(append(clause.Combine([]string{"when ", "while ", "if ", "before "}, []string{"", "you ", "you are "}, []string{"summari", "review", "evaluat", "describ", "answer", "assess"}),
				clause.Combine([]string{"in your "}, []string{"summary", "answer", "reply", "report", "review",
					"response"})...), "conclude that", "score of", "rating of", "grade of", "verdict of",
				"rate this", "rate the"),
		},
		{
			Name: "answers_from_this",
			Expr: `\b(any|every|all|each)\s+(answers?|summar(y|ies)|repl(y|ies)|responses?|outputs?)\s+(that\s+(\w+\s+){1,3}|based\s+|drawn\s+|built\s+)?(on|from|` +
				`of|about)\s+this\b|` +
				`\b(summar(y|ies)|translations?|answers?|descriptions?)\s+of\s+this\s+\w+\s+(must|should|shall|(is|are)\s+to|ha(s|ve)\s+to|needs?\s+to)\b`,
			Anchors: []string{"on this ", "from this ", "of this ", "about this "},
		},
		{
			Name: "vouches_for_itself",
			Expr: `\b(clearly|really|extremely|absolutely|definitely|certainly|obviously|undoubtedly|100\s?%|completely|entirely|perfectly|` +
				`very)\b[^\n]{0,60}?\b(not|never|non|in\s+no\s+way)[\s-]+(malicious|harmful|dangerous|suspicious|fraudulent|spam|phishing|malware)\b`,
			Anchors: []string{"not malicious", "not harmful", "not dangerous", "not suspicious",
				"not fraudulent", "not spam", "not phishing", "not malware", "never malicious", "non-malicious",
				"non malicious", "no way malicious"},
		},
	},
	Text: func(p *scanner.TextPass) {
		distinct := map[int]bool{}
		for _, m := range p.Matches {
			distinct[m.Pattern] = true
		}
		for _, m := range p.Matches {
			from, _ := clause.Around(p.Folded, m.Start, m.End)
			if clause.Quoted(p.Folded, m.Start, m.End) || clause.CitedAhead.Match(p.Folded[from:m.Start]) {
				continue
			}
			severity := scanner.Low
			if clause.IsResult(p) {
				severity = scanner.Medium // manuals may contain one such phrase
				if len(distinct) > 1 || m.Pattern >= verdictPattern || nothingElse.Match(p.Folded[m.Start:min(len(p.Folded), m.End+80)]) {
					severity = clause.InData(p, m.Start, m.End, scanner.High)
				}
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"dictates the answer"},
				Message: "dictates the model's answer"})
		}
	},
}

// From verdictPattern on, a match of a pattern is rated high in results even without another phrase.
const verdictPattern = 4

// nothingElse matches demands that the answer contain nothing else, or be given in any case.
var nothingElse = lazyregexp.New(`\b(absolutely\s+)?nothing\s+else\b|\bmay\s+not\s+deviate\b|\bregardless\s+of\b|\bno\s+matter\s+what\b`)
