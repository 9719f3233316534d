package instructions

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var PrecallOrder = scanner.Rule{
	ID:         "inj-precall-order",
	Category:   "tool_shadowing",
	Title:      "Text tells the model to call one tool before all others, or in every turn",
	Why:        "A tool called before or after all other tools can learn what the user does with all servers, and can influence the model before any other tool is called.",
	Fix:        "Remove the sentence or the server. A legitimate tool names the tools of its own server that must be called after it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A server does not know the tools of other servers. Many servers prescribe a call order for their own tools (before any other tool of this server, before run_query), so such an order is rated low or as a note. An order to call the tool in every turn or conversation is rated low. \"Any other tool\" in the text of a tool that logs in or opens a session may mean only its own server's tools, so it is rated medium.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0110", "CWE-1427"},
	Patterns: []scanner.Pattern{
		aroundAllTools: {
			Name: "around_all_tools",
			Expr: `(\b(must|always|required\s+to|has\s+to|have\s+to|needs?\s+to|should)\s[^.\n]{0,40}?)?\b(before|prior\s+to|ahead\s+of|after|following|when(ever)?|` +
				`time|with|on|for)\s+(\w+\s+){0,4}?(any|every|each|all|other)\s+(of\s+the\s+)?(other\s+)?([\w-]+\s+){0,2}?(tools?(\s+calls?)?|functions?|` +
				`mcp\s+servers?)\b|` +
				`\b(before|prior\s+to|ahead\s+of)\s+(doing\s+)?(anything|everything)\s+else\b`,
			Anchors: append(clause.Combine([]string{"before ", "prior to ", "ahead of ", "after ", "following ",
				"when ", "whenever ", "time ", "with ", "on ", "for "}, []string{"any ", "every ", "each ", "all ",
				"other ", "the use of "}),
				clause.Combine([]string{"using ", "calling ", "invoking ", "running ", "you use ", "you call ", "you run ", "you invoke ", "doing "}, []string{"any", "every", "each", "all", "other"})...),
		},
		untilThisWasCalled: {
			Name: "until_this_was_called",
			Expr: `\b(do\s+not|don['’]t|never|must\s+not|cannot)\s+(\w+\s+){0,2}?(any\s+)?(other\s+)?([\w-]+\s+){0,2}?tools?\b[^.\n]{0,40}?\b(before|until|` +
				`unless)\s+(you\s+(have\s+)?)?(th(is|e)\s+(tool|one|function)\b|this\b|call(ed|ing)?\s+(this|it)\b)`,
			Anchors: []string{"until ", "unless ", "before this", "before the tool", "before call", "before you have", "before you call"},
		},
		aroundEveryTurn: {
			Name: "around_every_turn",
			Expr: `\b((at\s+the\s+(start|beginning)\s+of|before|after|on|for|with)\s+(each|every|all)\s+(new\s+|single\s+)?(conversation|session|chat|` +
				`(user['’]?s?\s+)?(message|request|query|prompt|turn)|response|reply|answer|interaction)s?)\b`,
			Anchors: clause.Combine([]string{"each ", "every ", "all "}, []string{"", "new ", "single "},
				[]string{"conv", "sess", "chat", "mess", "requ", "quer", "prom", "turn", "resp", "repl", "answ",
					"inter", "user"}),
		},
		amongItsOwn: {
			Name: "among_its_own",
			Expr: `\b(must|always|required\s+to|have\s+to|need\s+to|should)\s+(\w+\s+){0,2}?(call|use|run|invoke)\s+[^.\n]{0,40}?\b(first|before)\b|` +
				`\bmust\s+be\s+(called|used|run|invoked)\s+(first|before)\b`,
			Anchors: clause.Combine([]string{"must ", "always ", "required to ", "have to ", "need to ",
				"should "}, []string{"", "first "}, []string{"call ", "use ", "run ", "invoke ", "be called",
				"be used", "be run", "be invoked"}),
		},
	},
	Text: func(p *scanner.TextPass) {
		worst, found := scanner.Issue{}, false
		for _, m := range p.Matches {
			severity, ok := precall(p, m.Pattern, m.Start, m.End)
			if ok && (!found || severity > worst.Severity) {
				worst, found = scanner.Issue{Start: m.Start, End: m.End, Severity: severity}, true
			}
		}
		if !found {
			return
		}
		worst.Message, worst.Signals = "tells the model to call this tool before all others, or in every turn", []string{"an instruction to call the tool", "before or after all other calls, or in every turn"}
		if worst.Severity == scanner.Note {
			worst.Message, worst.Signals = "prescribes a call order for the server's own tools", []string{"a tool must be called before another"}
		}
		p.Report(worst)
	},
}

// The indexes of the rule's patterns.
const (
	aroundAllTools = iota
	untilThisWasCalled
	aroundEveryTurn
	amongItsOwn
)

// precall rates one match, and reports whether it is an instruction.
func precall(p *scanner.TextPass, pattern, start, end int) (scanner.Severity, bool) {
	from, to := clause.Sentence(p.Folded, start, end)
	s := p.Folded[from:to]
	negated := pattern != untilThisWasCalled && clause.NegatedOrQuoted(p.Folded, start, end)
	if negated || p.Via == "" && clause.Quoted(p.Folded, start, end) {
		return 0, false
	}
	if pattern == amongItsOwn {
		return scanner.Note, !clause.IsResult(p) // in data, such an order comes from a manual
	}
	own := callsThis.Match(s) || p.Name != "" && callsTool.Match(s) && bytes.Contains(s, []byte(strings.ToLower(p.Name)))
	if !own && pattern != untilThisWasCalled {
		return 0, false
	}
	severity := scanner.High
	switch {
	case pattern == aroundEveryTurn, p.Subject == mcp.ServerSubject, namesOwnTools(p.Name, p.Folded[start:end], p.Folded[end:to]):
		severity = scanner.Low
	case opensSession.MatchString(p.Name), pattern == aroundAllTools && !everyTool.Match(p.Folded[start:end]):
		severity = scanner.Medium
		if !insists.Match(s) {
			severity = scanner.Low
		}
	}
	return clause.LowerInResult(p, severity), true
}

var (
	// callsTool matches wording for calling any tool; callsThis matches wording for calling the tool
	// that the text describes.
	callsTool = lazyregexp.New(`\b(call|use|run|invoke|execute)(ed)?\b`)
	callsThis = lazyregexp.New(`\b(call|use|run|invoke|execute|consult|query)\s+(this|it)\b|` +
		`\b(must|has\s+to|should|shall|is\s+to|needs?\s+to|always)\s+(\w+\s+){0,2}?be\s+(\w+\s+)?(called|used|run|invoked|executed|consulted)\b|` +
		`\bmandatory\b`)
	// everyTool matches words such as "any" and "all". Without one, "other tools" may be those
	// of the same server.
	everyTool = lazyregexp.New(`\b(any|every|each|all|\w+thing)\b`)
	// insists detects wording that leaves the model no choice.
	insists = lazyregexp.New(`\b(must|always|mandatory|required|has\s+to|shall)\b`)
	// opensSession matches names of tools that the server's other tools depend on.
	opensSession = lazyregexp.New(`(?i)(login|log_in|sign_?in|auth|connect|session|init|setup|start|open|select|configure)`)
	// ownToolsBehind matches text after "tools" that limits them to the same server. ofAllKinds
	// matches words before "tools" that extend them to any server.
	ownToolsBehind = lazyregexp.New(`^\s*[,(]?\s*(of|in|from|within|on|for|provided\s+by|offered\s+by|listed|below|above|that\s+(start|begin|need|require))\b`)
	ofAllKinds     = lazyregexp.New(`^((mcp|ai|available|installed|external|connected|possible|file|filesystem|shell|bash|terminal|command|e-?mail|mail|messaging|` +
		`browser|web|search|network|database|git|payment)\s+)*$`)
	kindOfTool = lazyregexp.New(`\b(any|every|each|all|other)\s+(of\s+the\s+)?(other\s+)?(([\w-]+\s+){0,2}?)(tools?|functions?|mcp\s+servers?)\b`)
)

// namesOwnTools reports whether the tools that a match mentions belong to the server: the text
// after "tools" says so, the words before "tools" are not all in ofAllKinds, or one of these words
// is part of the tool's name.
func namesOwnTools(name string, said, behind []byte) bool {
	if ownToolsBehind.Match(behind) {
		return true
	}
	m := kindOfTool.FindSubmatch(said)
	if m == nil {
		return false
	}
	kind := m[4]
	if !ofAllKinds.Match(kind) {
		return true
	}
	return slices.ContainsFunc(bytes.Fields(kind), func(w []byte) bool { return strings.Contains(strings.ToLower(name), string(w)) })
}
