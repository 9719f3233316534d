package hidden

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/scanner"
)

var MarkupComment = scanner.Rule{
	ID:         "hid-markup-comment",
	Category:   "hidden_instructions",
	Title:      "Markup hides an instruction from people",
	Why:        "Comments and invisible elements are not rendered. People do not see them, but the model reads them.",
	Fix:        "Remove the server, or find out who wrote the text. Check the source of the text, not the rendered page.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Pages contain many comments, so the rule reports only those that instruct a model or, in a definition, the reader.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Markup:     true,
	Patterns: []scanner.Pattern{
		{
			Name:    "comment",
			Expr:    `<!--[^<]{0,300}?` + toModel + `[^<\n]{0,200}`,
			Anchors: []string{"<!--"},
		},
		{
			Name: "invisible_element",
			Expr: `((^|[^\w-])(display\s*:\s*none|visibility\s*:\s*hidden|(font-size|opacity)\s*:\s*0(\.0+)?(px|em|rem|pt|%)?\s*[;"']|` +
				`color\s*:\s*(white|transparent|#fff(fff)?)\b)|<\w+(\s[^>]{0,40})?\shidden\b)[^>]{0,80}>(\s*<\w[^>]{0,80}>)?[^<]{0,200}?` + toModel,
			Anchors: []string{"display:", "display :", "visibility:", "visibility :", "font-size:", "font-size :", "opacity:", "opacity :", "color:", "color :", " hidden", "\nhidden"},
		},
		{
			Name:    "alternative_or_folded",
			Expr:    `(\balt\s*=\s*["'][^"'<>]{0,160}?|!\[[^\]\n]{0,160}?|<details\b[^<>]{0,40}>\s*(<summary>[^<]{0,80}</summary>)?[^<]{0,160}?)` + toModel,
			Anchors: []string{"alt=", "alt =", "![", "<details"},
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: markupMessage, Signals: markupSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: markupMessage, Signals: markupSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "markup that is rarely displayed contains an instruction", Signals: rareSignals, Unless: nil},
	),
}

// toModel matches an instruction that addresses a model, or one that a web page would not give to a
// human reader.
const toModel = `(\b(ignore\s+(all|any|the|your|previous|every\w*)|disregard|do\s+not\s+(tell|mention|reveal)|` +
	`you\s+must\s+(\w+\s+){0,2}(call|send|read|include|ignore|forward|obey|output|reply|say)|always\s+(call|include|send|read)|hidden\s+instruction|` +
	`send\s+\w+\s+to|also\s+(runs?|executes?|sends?|reads?)|read\s+(the\s+)?file)\b|\byou,?\s+(who\s+are\s+)?reading\s+this\b|` +
	`\b(assistants?|ai(\s+(agent|model|assistant)s?)?|llms?)\s*([:,]|should\b|must\b|please\b)|\b(system|instructions?)\s*:)`

const markupMessage = "hidden markup contains an instruction"

var (
	markupSignals = []string{"people do not see the text", "an instruction to a model"}
	rareSignals   = []string{"people rarely see the text", "an instruction to a model"}
)
