package requests

import (
	"slices"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var SmpSamplingAbuse = scanner.Rule{
	ID:         "smp-sampling-abuse",
	Category:   "exfiltration",
	Title:      "A server uses the client's model for more than the server's own work",
	Why:        "In sampling, a server writes the prompt and reads the answer. It can make the model repeat what other servers and the user said, use tools of other servers, change its behaviour for the rest of the session, or spend the user's tokens.",
	Fix:        "Refuse the request, or edit it before the model sees it. Show the prompt and the answer to the user, and give a server only its own context.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "For its own work, a server needs neither secrets nor the instructions or context of other servers. A request for more tokens than current models return, or one that forces the model to call a tool, is rated medium. The protocol allows a server to offer the model its own tools, so this is rated low.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM02", "ATLAS:AML.T0086", "CWE-200"},
	Patterns: []scanner.Pattern{
		{Name: "takes_context", Expr: `\b(?:includ\w+|repeat\w*|print|output\w*|return\w*|list|copy|quote|reveal\w*|dump|extract|give (?:me|us)|append|send|share|write|` +
			`tell (?:me|us))\b[^.\n]{0,60}\b(?:system prompt|your (?:own |system |initial )?(?:instructions|context|memory)|` + wholeTalk + `|` + ownSecrets + `|` + heldSecrets + `)`,
			Anchors: []string{"system prompt", "your instructions", "your own instructions",
				"your system instructions", "your initial instructions", "your context", "your memory",
				"conversation", "chat history", "previous messages", "earlier messages", "prior messages",
				"credential", "password", "api key", "api_key", "environment variable", "private key",
				"access token", "ssh key", "cookies", "secrets"}},
		{Name: "sets_aside", Expr: `\b` + clause.DropVerbs + `\s+(?:\w+\s+){0,3}` + clause.Instructions, Anchors: []string{"ignor", "disregard", "forget", "overrid", "bypass", "pay no attention"}},
		{Name: "without_user", Expr: `\b(?:do not|don['’]?t|never|without)\s+(?:ever\s+)?(?:(?:tell|inform|notify|alert)\w*\s+(?:the\s+)?user\b|` +
			`(?:mention|show|reveal|disclos)\w*\s+(?:this|it|that|these|any of (?:this|it))\b[^.\n]{0,20}\buser|` +
			`ask\w*\s+(?:the\s+user\s+)?for\s+(?:confirmation|permission|approval|consent))`,
			Anchors: slices.Concat(
				clause.Combine([]string{"tell", "telling", "inform", "informing", "notify", "notifying", "alert", "alerting"}, []string{" the user", " user"}),
				clause.Combine([]string{"mention ", "mentioning ", "show ", "showing ", "reveal ", "revealing ", "disclose ", "disclosing "}, []string{"this ", "it ", "that ", "these ", "any of "}),
				clause.Combine([]string{"ask ", "asking ", "the user "}, []string{"for confirmation", "for permission", "for approval", "for consent"}))},
		{Name: "stays", Expr: `\b(?:respond|answer|reply|speak|talk|write|act|behave|include|append|end|start|add|do (?:so|this)|` +
			`you (?:must|will|should|are))\b[^.\n]{0,60}\b(?:(?:in|for|with|to|from) (?:all|every|any|each) (?:of your |your )?(?:future|subsequent|later|` +
			`further) (?:repl(?:y|ies)|responses?|answers?|messages?|conversations?|turns?|requests?)|` +
			`for the rest of (?:the|this) (?:conversation|session|chat)|from now on)\b|` +
			`\bfrom now on,? (?:you|always|respond|answer|reply|speak|talk|act|behave|end|start)\b`,
			Anchors: []string{"future re", "future answ", "future mess", "future conv", "future turn",
				"subsequent re", "subsequent answ", "subsequent mess", "subsequent conv", "later re", "further re",
				"for the rest of", "from now on"}},
	},
	Text: func(p *scanner.TextPass) {
		if p.Subject != mcp.SamplingSubject {
			return
		}
		for _, m := range p.Matches {
			from, to := clause.Around(p.Folded, m.Start, m.End)
			denied := clause.Quoted(p.Folded, m.Start, m.End)
			switch m.Pattern {
			case takesContext:
				denied = clause.NegatedOrQuoted(p.Folded, m.Start, m.End) || handedOver.Match(p.Folded[from:to])
			case setsAside:
				denied = clause.NegatedOrQuoted(p.Folded, m.Start, m.End)
			case withoutUser:
				denied = denied || toldWhat.Match(p.Folded[m.End:to])
			case stays:
				denied = denied || clause.StrongNegation.Match(p.Folded[from:m.Start])
			}
			if denied {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: clause.InData(p, m.Start, m.End, scanner.High), Message: samplingOrders[m.Pattern]})
		}
	},
	Message: func(p *scanner.MessagePass) {
		requested(p, "sampling/createMessage", func(params int) { judgeSampling(p, params) })
	},
}

// The indexes of the rule's patterns.
const (
	takesContext = iota
	setsAside
	withoutUser
	stays
)

var samplingOrders = [...]string{
	takesContext: "the server asks the model for other servers' data",
	setsAside:    "the server tells the model to ignore its other instructions",
	withoutUser:  "the server tells the model to act without the user's consent",
	stays:        "the server gives the model instructions that apply beyond the answer",
}

const (
	wholeTalk = `(?:the )?(?:full|entire|complete|whole|previous|prior|earlier) (?:conversation|chat|messages?)(?: (?:history|so far))?|` +
		`(?:conversation|chat|message) history|everything (?:the user|above|so far)`
	// heldSecrets are secrets that the model has seen, as opposed to secrets in the request.
	heldSecrets = clause.Secrets + `(?:(?:,| and| or)? [\w-]+){0,4}?,? (?:` +
		`(?:that |which )?you (?:know|saw|remember|were given|have access to|can access|have (?:already )?(?:seen|read|received|been given))\b|` +
		`(?:from|in) (?:the|this|your|our) (?:whole |entire |current )?(?:conversation|chat)\b)`
	ownSecrets = `(?:your|the user['’]?s|user['’]?s|all (?:the |of the |available )?|any (?:available |known )?)\s?` + clause.Secrets
)

var (
	// handedOver matches wording that refers to data in the request itself.
	handedOver = lazyregexp.New(`\b(?:above|below|following|attached|provided|given|(?:in|from|of|by) (?:this|the|these|that) (?:\w+ )?(?:files?|code|text|document|` +
		`logs?|config\w*|schema|repository|project|function|class|page|thread))\b`)
	// toldWhat matches text that makes a preceding "do not tell" an instruction about style
	// rather than secrecy.
	toldWhat = lazyregexp.New(`^\s*(?:to|how|that they|what|which)\b`)
)

// mostTokens is approximately the maximum number of tokens that current models can return at once.
const mostTokens = 1 << 17

var (
	usesTool = lazyregexp.New("\\b(?:call|invoke|use|run|execute)\\s+(?:the\\s+)?[`'\"]?([\\w-]{3,64})[`'\"]?\\s+(?:tool|function)\\b|" +
		"\\b(?:call|invoke|use|run|execute)\\s+(?:the\\s+)?(?:tool|function)\\s+[`'\"]?([\\w-]{3,64})")
	noToolName = names.Set("the this that a an any each your our right appropriate best available following search")
)

func judgeSampling(p *scanner.MessagePass, params int) {
	doc := p.Doc
	if context := doc.Get(params, "includeContext"); doc.Kind(context) == wire.String && jsonschema.Text(doc, context) == "allServers" {
		p.Report(context, false, scanner.High, "the server asks for the context of all servers in the session")
	}
	most := doc.Get(params, "maxTokens")
	if n, err := strconv.ParseFloat(jsonschema.Text(doc, most), 64); doc.Kind(most) == wire.Number && err == nil && n > mostTokens {
		p.Report(most, false, scanner.Medium, "the server asks for more tokens than current models return")
	}
	tools := doc.Get(params, "tools")
	if offered := doc.Kind(tools) == wire.Array && doc.Nodes[tools].Len > 0; offered {
		severity, message := scanner.Low, "the server offers the model its own tools"
		if mode, _ := doc.Str(doc.Get(params, "toolChoice"), "mode"); mode == "required" {
			severity, message = scanner.Medium, "the server forces the model to call one of its tools"
		}
		p.Report(tools, false, severity, message)
	}
	foreignTools(p, params, tools)
}

// foreignTools reports a prompt that tells the model to call a tool that is not in the request.
// Such a tool belongs to the client or another server.
func foreignTools(p *scanner.MessagePass, params, tools int) {
	doc, own := p.Doc, map[string]bool{}
	for c := doc.First(tools); c >= 0; c = doc.Next(c) {
		name, _ := doc.Str(c, "name")
		own[names.FoldName(name)] = true
	}
	var f text.Folder
	for i, end := params, int(doc.Nodes[params].Next); i < end && !p.Full(); i++ {
		if doc.Kind(i) != wire.String || !doc.KeyIs(i, "systemPrompt") && !doc.KeyIs(i, "text") {
			continue
		}
		said := f.Fold([]byte(jsonschema.Text(doc, i))).Text
		for _, m := range usesTool.Compiled().FindAllSubmatchIndex(said, maxPromptMatches) {
			name := string(said[max(m[2], m[4]):max(m[3], m[5])])
			if !noToolName[name] && !own[names.FoldName(name)] && !clause.NegatedOrQuoted(said, m[0], m[1]) {
				p.Report(i, false, scanner.High, "the server tells the model to call a tool that is not in the request")
				break
			}
		}
	}
}

// maxPromptMatches is the maximum number of matches of one expression that are inspected in a prompt
// or in the text of a form.
const maxPromptMatches = 32
