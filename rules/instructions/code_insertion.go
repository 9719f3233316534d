package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var CodeInsertion = scanner.Rule{
	ID:         "inj-code-insertion",
	Category:   "hidden_instructions",
	Title:      "Data asks the model to put code into its answer",
	Why:        "When asked about code, a model answers with code, and the user may run it.",
	Fix:        "Review the code in the text before anyone runs an answer based on it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Legitimate code contains no instructions for whoever answers questions about it. Definitions often explain what to pass, so this wording is rated low there.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM05", "ATLAS:AML.T0051.001", "CWE-94"},
	Patterns: []scanner.Pattern{{
		Name: "the_following_code",
		Expr: `\b(following|subsequent|below|given|provided|next|succeeding|ensuing|accompanying|forthcoming|attached|upcoming|presented|mentioned|` +
			`specified)\s+((python|code|source|sample|shell|javascript)\s+)?(code|snippet|script|excerpt|segment|` +
			`fragment)(\s+(snippet|block|section|excerpt|segment|fragment|piece|sample|lines?))?s?\b`,
		Anchors: clause.Combine([]string{"following", "subsequent", "below", "given", "provided", "next",
			"succeeding", "ensuing", "accompanying", "forthcoming", "attached", "upcoming", "presented",
			"mentioned", "specified"},
			[]string{" "}, []string{"", "python ", "code ", "source ", "sample ", "shell ", "javascript "}, []string{"code", "snippet", "script", "excerpt", "segment", "fragment"}),
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := lineAround(p.Folded, m.Start, m.End)
			said := p.Folded[from:to]
			if !asksForCode.Match(said) || codeForbidden.Match(clause.Preamble.ReplaceAll(said, nil)) {
				continue
			}
			severity := scanner.Low
			if clause.IsResult(p) && codeFollows.Match(p.Folded[from:min(len(p.Folded), to+160)]) && !manualMarkup.Match(p.Folded) {
				severity = clause.InData(p, m.Start, m.End, scanner.High)
			}
			p.Report(scanner.Issue{Start: from, End: to, Severity: severity, Signals: []string{"an imperative", "code provided in the text", "the reader's answer or code"},
				Message: "asks the model to put code into its answer"})
		}
	},
}

// lineAround returns the line that contains [start, end), limited to lineReach bytes on either
// side.
func lineAround(t []byte, start, end int) (from, to int) {
	for from = start; from > 0 && start-from < lineReach && t[from-1] != '\n'; {
		from--
	}
	for to = end; to < len(t) && to-end < lineReach && t[to] != '\n'; {
		to++
	}
	return from, to
}

const lineReach = 110

// asksForCode matches a reference to the reader's code or answer, or an imperative such as
// "include".
var asksForCode = lazyregexp.New(`\byour\s+(\w+\s+){0,3}(code|codebase|response|answer|solution|reply|output|implementation|program|project|script|application|` +
	`result|software|logic|function|algorithm|elucidation|explanation|work|design|system)\w*\b|^\W*(please\s+|always\s+|kindly\s+|` +
	`do(n['’]t|\s+not)\s+(forget|hesitate|fail)\s+to\s+|remember\s+to\s+|make\s+sure\s+(to|you)\s+|consider\s+|\w+ly\s+){0,3}(incorporat|includ|` +
	`integrat|insert|add|blend|embed|merg|combin|append|attach|weav|ensur|guarante|us|utiliz|employ|appl|implement|infus|introduc|plac|put|fus|inject|` +
	`supplement|augment|enrich|execut|run|leverag|deploy|engag|meld|absorb|render|enlist|harmoni|let|validat|verif|confirm|check|optimi|enhanc|` +
	`refin)(e|es|ing|y|ies|ize|z)?\b`)

// codeFollows matches code that follows immediately: a code fence, or a line that ends in a colon
// before a line with programming punctuation.
var codeFollows = lazyregexp.New("(:\\s*\n?|\n)\\s*```|:\\s*\n[^\n]{0,150}[(){};=<>]")

// codeForbidden matches negations, and words that occur in warnings and reports about code.
var codeForbidden = lazyregexp.New(`\b(never|not|\w+n['’]t|warning|rejects?|typos|compiles)\b`)

// manualMarkup matches the headings and links that documentation contains.
var manualMarkup = lazyregexp.New(`(^|\n)#{1,4} \w|\]\(https?://`)
