package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

var injCodeInsertion = scanner.Rule{
	ID:         "inj-code-insertion",
	Category:   "hidden_instructions",
	Title:      "Data asks its reader to put code into an answer",
	Why:        "A model that is asked about some code answers with more of it, and the user runs what it writes.",
	Fix:        "Read the code that the text carries before anybody runs an answer that was made with it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Code does not talk to whoever will answer a question about it. In definitions, where tools explain what to pass, the wording is low.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM05", "ATLAS:AML.T0051.001", "CWE-94"},
	Patterns: []scanner.Pattern{{
		Name:    "insert_code",
		Expr:    `\b(incorporat|includ|integrat|insert|add|blend|embed|merg|combin|append|attach|weav|mix|validat|ensur|verif|confirm|check|guarante|see|make\s+sure|remember|forget|us|utiliz|utilis|employ|adopt|appl|implement|assimilat|infus|introduc|plac|position|put|fus|consolidat|encapsulat|inject|graft|interweav|intertwin|supplement|complement|enhanc|augment|enrich|execut|run)(e|es|ing|ion|ation|y|ies|s|te|ting|d|se|t|n)?\b[^\n]{0,120}?\b(following|subsequent|below|given|provided|next|succeeding|ensuing|accompanying|forthcoming|attached|upcoming|presented|mentioned|specified)\b[^\n]{0,40}?\b(code|snippet|script|excerpt|block|segment|fragment|lines|sample|function)s?\b`,
		Anchors: product([]string{"following", "subsequent", "below", "given", "provided", "next", "succeeding", "ensuing", "accompanying", "forthcoming", "attached", "upcoming", "presented", "mentioned", "specified"}, []string{" "}, []string{"code", "snippet", "script", "excerpt", "block", "segment", "fragment", "lines", "sample", "python", "programming", "piece", "section", "portion", "function", "software", "source"}),
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := m.Start, min(len(p.Folded), m.End+80)
			severity := scanner.Low
			if result(p) && opensLine(p.Folded, m.Start) && answers.Match(p.Folded[from:to]) && follows.Match(p.Folded[m.End:to]) {
				severity = scanner.High
				if manual.Match(p.Folded) {
					severity = scanner.Low
				}
			}
			if countered(p.Folded, m.Start, m.End) && severity < scanner.High {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"an imperative", "code of the text's own", "the answer or the code of the reader"},
				Message: "the text asks its reader to put code into an answer"})
		}
	},
}

// answers is what a model is about to write, or code that follows at once.
var answers = regexp.MustCompile(`\b(your|the|this|an?)\s+(\w+\s+){0,3}(code|response|answer|solution|reply|output|implementation|program|project|work|script|application|result|software|development|logic|function)\w*\b|:\s*(\n|` + "```" + `)`)

// follows is code right behind.
var follows = regexp.MustCompile("^[^\n]{0,70}\n?\\s*```|^[^\n]{0,70}:\\s*\n")

// manual are the headings and links of a document that explains things.
var manual = regexp.MustCompile(`(^|\n)#{1,4} \w|\]\(https?://`)

// opensLine reports whether [start …) is at the beginning of a line, or close to it.
func opensLine(t []byte, start int) bool {
	line := start
	for line > 0 && t[line-1] != '\n' && start-line < 60 {
		line--
	}
	return line == 0 || t[line-1] == '\n'
}
