package rules

import "github.com/mcpscan/mcpscan/scanner"

var hidMarkupComment = scanner.Rule{
	ID:         "hid-markup-comment",
	Category:   "hidden_instructions",
	Title:      "Markup hides an order from people",
	Why:        "A comment or an invisible element is not rendered: the person who looks at the page sees nothing, and the model reads it.",
	Fix:        "Remove the server, or find out who wrote the text. Look at the source of such texts and not at the page.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Pages are full of comments; only one that gives an order to a model, or in a definition to its reader, is reported.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Patterns: []scanner.Pattern{
		{
			Name:    "comment",
			Expr:    `<!--[^>]{0,300}?\b(ignore|disregard|you\s+(must|should|are|have)|assistants?|ai\s+(agent|model|assistant)s?|llms?|system\s*:|instructions?\s*:|do\s+not\s+(tell|mention|reveal)|always\s+(call|include|send|read)|hidden\s+instruction|send\s+\w+\s+to|read\s+(the\s+)?(file|~|/))\b[^>]{0,200}`,
			Anchors: []string{"<!--"},
		},
		{
			Name:    "invisible_element",
			Expr:    `\b(display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(white|#fff(fff)?))\b[^>]{0,80}>[^<]{0,200}?\b(ignore|disregard|you\s+(must|should)|assistant|ai\s+(agent|model)|llms?|system\s*:|do\s+not\s+(tell|mention|reveal))\b`,
			Anchors: []string{"display:", "display :", "visibility:", "font-size:", "opacity:", "color:"},
			Near:    []string{"ignore", "disregard", "you ", "assistant", "ai ", "llm", "system", "do not"},
		},
	},
	Text: judgeOrders(
		order{scanner.High, scanner.High, markupMessage, markupSignals, nil},
		order{scanner.High, scanner.High, markupMessage, markupSignals, nil},
	),
}

const markupMessage = "markup that is not rendered carries an order"

var markupSignals = []string{"people do not see it", "an order to a model"}
