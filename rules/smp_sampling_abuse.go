package rules

import (
	"regexp"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var smpSamplingAbuse = scanner.Rule{
	ID:         "smp-sampling-abuse",
	Category:   "exfiltration",
	Title:      "A server uses the client's model for more than an answer",
	Why:        "With sampling a server writes the prompt and reads the answer. It can have the model repeat what other servers and the user said, act with tools that are not its own, stay changed for the rest of the session, or spend the user's tokens.",
	Fix:        "Refuse the request, or edit it before the model sees it. Show prompt and answer to the user, and give a server no context but its own.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "To ask for the context of all servers, for secrets or for the instructions of others has no use for the server's own work. More tokens than any model answers with, and a tool that must be called, are medium; tools of the server's own alone are part of the protocol, and low.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM02", "ATLAS:AML.T0086", "CWE-200"},
	Patterns: []scanner.Pattern{
		{Name: "takes_context", Expr: `\b(?:includ\w+|repeat\w*|print|output\w*|return\w*|list|copy|quote|reveal\w*|dump|extract|give (?:me|us)|append|send|share|write|tell (?:me|us))\b[^.\n]{0,60}\b(?:system prompt|your (?:own |system |initial )?(?:instructions|context|memory)|` + wholeTalk + `|` + ownSecrets + `)`,
			Anchors: []string{"system prompt", "your instructions", "your own instructions", "your system instructions", "your initial instructions", "your context", "your memory", "conversation", "chat history", "previous messages", "earlier messages", "prior messages", "credential", "password", "api key", "api_key", "environment variable", "private key", "access token", "ssh key", "cookies", "secrets"}},
		{Name: "sets_aside", Expr: `\b` + vDrop + `\s+(?:\w+\s+){0,3}` + oInstructions, Anchors: []string{"ignor", "disregard", "forget", "overrid", "bypass", "pay no attention"}},
		{Name: "without_user", Expr: `\b(?:do not|don['’]?t|never|without)\s+(?:ever\s+)?(?:ask|tell|inform|mention|notify|show|alert)\w*\b[^.\n]{0,30}\b(?:user|confirmation|permission|approval)\b`,
			Anchors: product([]string{"ask", "asking", "tell", "telling", "inform", "informing", "mention", "mentioning", "notify", "notifying", "alert", "alerting", "mention this to", "show this to", "showing this to", "mention it to"},
				[]string{" the user", " user", " for confirmation", " for permission", " for approval"})},
		{Name: "stays", Expr: `\b(?:in|for|with|to|from) (?:all|every|any|each) (?:of your |your )?(?:future|subsequent|later|further) (?:repl(?:y|ies)|responses?|answers?|messages?|conversations?|turns?|requests?)\b|\bfor the rest of (?:the|this) (?:conversation|session|chat)\b|\bfrom now on\b`,
			Anchors: []string{"future re", "future answ", "future mess", "future conv", "future turn", "subsequent", "later re", "further re", "for the rest of", "from now on"}},
	},
	Text: func(p *scanner.TextPass) {
		if p.Subject != scanner.SamplingSubject {
			return
		}
		for _, m := range p.Matches {
			from, _ := clause(p.Folded, m.Start, m.Start)
			denied := quoted(p.Folded, m.Start, m.End)
			switch m.Pattern {
			case takesContext:
				denied = countered(p.Folded, m.Start, m.End) || handedOver.Match(p.Folded[m.Start:min(len(p.Folded), m.End+40)])
			case setsAside:
				denied = countered(p.Folded, m.Start, m.End)
			case stays:
				denied = denied || strongNegation.Match(p.Folded[from:m.Start])
			}
			if denied {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: scanner.High, Message: samplingOrders[m.Pattern]})
		}
	},
	Message: func(p *scanner.MessagePass) {
		requested(p, "sampling/createMessage", func(params int) { judgeSampling(p, params) })
	},
}

// The patterns, in their order.
const (
	takesContext = iota
	setsAside
	withoutUser
	stays
)

var samplingOrders = [...]string{
	takesContext: "the server has the model hand over what others told it",
	setsAside:    "the server has the model set aside what others told it",
	withoutUser:  "the server has the model act without its user",
	stays:        "the server has the model go on doing so after the answer",
}

const (
	wholeTalk  = `(?:the )?(?:full|entire|complete|whole|previous|prior|earlier) (?:conversation|chat|messages?)(?: (?:history|so far))?|(?:conversation|chat|message) history|everything (?:the user|above|so far)`
	ownSecrets = `(?:your|the user['’]?s|user['’]?s|all (?:the |of the |available )?|any (?:available |known )?)\s?` + oSecrets
)

// handedOver says that the request itself holds what it speaks of.
var handedOver = regexp.MustCompile(`\b(?:below|following|attached|provided|given|in this (?:file|code|text|document)|from this)\b`)

// mostTokens is more than any model answers with at a time.
const mostTokens = 1 << 17

var (
	usesTool   = regexp.MustCompile("\\b(?:call|invoke|use|run|execute)\\s+(?:the\\s+)?[`'\"]?([\\w-]{3,64})[`'\"]?\\s+(?:tool|function)\\b|\\b(?:call|invoke|use|run|execute)\\s+(?:the\\s+)?(?:tool|function)\\s+[`'\"]?([\\w-]{3,64})")
	noToolName = wordSet("the this that a an any each your our right appropriate best available following search")
)

func judgeSampling(p *scanner.MessagePass, params int) {
	doc := p.Doc
	if context := doc.Get(params, "includeContext"); doc.Kind(context) == wire.String && textOf(doc, context) == "allServers" {
		p.Report(context, false, scanner.High, "the server asks for what all servers of the session have said")
	}
	most := doc.Get(params, "maxTokens")
	if n, err := strconv.ParseFloat(textOf(doc, most), 64); doc.Kind(most) == wire.Number && err == nil && n > mostTokens {
		p.Report(most, false, scanner.Medium, "the server asks for more tokens than any model answers with")
	}
	tools := doc.Get(params, "tools")
	if offered := doc.Kind(tools) == wire.Array && doc.Nodes[tools].Len > 0; offered {
		severity, message := scanner.Low, "the server has the model call tools that only the server knows"
		if mode, _ := doc.Str(doc.Get(params, "toolChoice"), "mode"); mode == "required" {
			severity, message = scanner.Medium, "the server has the model call one of its tools whatever it thinks"
		}
		p.Report(tools, false, severity, message)
	}
	foreignTools(p, params, tools)
}

// foreignTools reports a prompt that has the model call a tool which the request does
// not offer: it can only be one of the client or of another server.
func foreignTools(p *scanner.MessagePass, params, tools int) {
	doc, own := p.Doc, map[string]bool{}
	for c := doc.First(tools); c >= 0; c = doc.Next(c) {
		name, _ := doc.Str(c, "name")
		own[scanner.FoldName(name)] = true
	}
	var f text.Folder
	for i, end := params, int(doc.Nodes[params].Next); i < end && !p.Full(); i++ {
		if doc.Kind(i) != wire.String || !doc.KeyIs(i, "systemPrompt") && !doc.KeyIs(i, "text") {
			continue
		}
		said := f.Fold([]byte(textOf(doc, i))).Text
		for _, m := range usesTool.FindAllSubmatchIndex(said, maxToolOrders) {
			name := string(said[max(m[2], m[4]):max(m[3], m[5])])
			if !noToolName[name] && !own[scanner.FoldName(name)] && !countered(said, m[0], m[1]) {
				p.Report(i, false, scanner.High, "the server has the model call a tool that is not among those of the request")
				break
			}
		}
	}
}

// maxToolOrders bounds the orders that are looked at in one text.
const maxToolOrders = 32
