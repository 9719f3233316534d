package rules

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/scanner"
)

var xsToolReference = scanner.Rule{
	ID:         "xs-tool-reference",
	Category:   "tool_shadowing",
	Title:      "Text changes how other servers' tools are used",
	Why:        "A tool that is never called can still redirect mail, payments or deletions: its description tells the model what to do whenever another tool is used.",
	Fix:        "Remove the server, or run it without the tools that it mentions.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The text names a tool that its own server does not list, or all other tools, and demands an action when it is called. A mere mention, a migration note or an order among the server's own tools is not reported.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0110", "CWE-345"},
	Patterns: []scanner.Pattern{
		{
			Name:    "another_recipient",
			Expr:    `\bbcc\b|\bcc['’]?d\b|\b(must|should)\s+(set|include)\b[^.]{0,60}(recipient|bcc|destination|address|@)|\b(add|set|include|change)\s+[^.]{0,40}\b(recipient|destination|beneficiary|payee|number|address|account)\b|\b(recipient|destination|address|payee)\s+(must|should|has\s+to|needs\s+to)\s+be\s+(changed|set|replaced)\b|\bhas\s+to\s+be\s+addressed\b`,
			Anchors: []string{"bcc", "cc'd", "cc’d", "ccd", "recipient", "destination", "beneficiary", "payee", "must set", "must include", "should set", "should include", "change the", "address must", "address should", "be addressed"},
		},
		{
			Name:    "another_way",
			Expr:    `\bre-?rout(e|es|ing)\b|\bredirect\b|\bforward(s|ing)?\s+(the|all|every|it|them)\b|\bbe\s+(duplicated|copied|mirrored|forwarded|redirected)\s+to\b|\broute\s+all\s+\w+`,
			Anchors: []string{"rerout", "re-rout", "redirect", "forward", "be duplicated", "be copied", "be mirrored", "route all"},
		},
		{
			Name:    "in_its_place",
			Expr:    `\breplace\s+its\b|\b(call|use|run|invoke)\s+this\s+(tool|one)\s+(first|instead)\b|\bdo\s+not\s+use\s+it\b|\bno\s+other\s+tools?\s+(may|can|must|should)\b`,
			Anchors: []string{"replace its", "call this ", "use this ", "run this ", "invoke this ", "not use it", "no other tool"},
		},
		{
			Name:    "ahead_of_it",
			Expr:    `\bfirst\s+(call|use|run|invoke)\s+this\b|\balways\s+call\s+this\s+(tool|one)\b|\b(before|prior\s+to)\s+(calling|using|running|invoking)\s+this\b[^.\n]{0,20}\b(call|use|invoke|run)\b|\b(call|invoke)\s+[a-z]+_[a-z_]+\b|\b(must|has\s+to|should)\s+be\s+(called|run|invoked|used)\s+before\s+(any|every|all)\s+other\b`,
			Anchors: []string{"first use this", "first run this", "call ", "invoke ", "before calling", "before using", "before running", "before invoking", "prior to ", "before any other", "before every other", "before all other"},
		},
		{
			Name:    "another_behaviour",
			Expr:    `\bmodif(y|ies)\s+the\s+behaviou?r|\binclude\s+the\s+contents?\b|\bappend\s+["'` + "`" + `]|\btool\s+to\s+run\s*:|\b(search|look|scan|grep)\w*\s+(\w+\s+){0,6}(credentials|api\s+keys?)\b`,
			Anchors: []string{"the behavio", "include the content", "append ", "tool to run", "credentials", "api key"},
		},
	},
	Definition: weighed(&interfering),
	Text: func(p *scanner.TextPass) {
		reported := -1
		for _, m := range p.Matches {
			from, to := sentence(p.Folded, m.Start, m.End)
			s := p.Folded[from:to]
			if from <= reported || !occasionOfUse.Match(s) || ownHistory.Match(s) || result(p) {
				continue
			}
			name := anotherTool(p, s)
			if name == "" || anyTool.MatchString(name) && orderInTime.Match(p.Folded[m.Start:m.End]) {
				continue // what is to be called ahead of every tool is for inj-precall-order to say
			}
			reported = from
			p.Report(scanner.Issue{Start: m.Start, End: to, Severity: scanner.High,
				Signals: []string{"a tool that this server does not list, or all others", "demands an action when it is used"},
				Message: "changes how another server's tool is used"})
		}
	},
}

// anyTool matches tools without a name, and orderInTime a sequence.
var (
	anyTool     = lazyregexp.New(`^(any|all|every|other|each)\b`)
	orderInTime = lazyregexp.New(`\b(first|before|prior\s+to|always\s+call)\b`)
)

var (
	// toolReference is the name of a tool as texts write it.
	toolReference = lazyregexp.New("[`'\"]?\\b[a-z][a-z0-9]*([_.][a-z0-9]+)+\\b[`'\"]?(\\s+(tool|call|function))?|\\b(any|all|every|other|each)\\s+(of\\s+the\\s+)?(other\\s+)?tools?\\b|\\bthe\\s+[a-z-]+\\s+tool\\b|\\b(built-in|native|default)\\s+[a-z_ -]{0,20}tools?\\b")
	// occasionOfUse matches the occasion, or the replaced tool.
	occasionOfUse = lazyregexp.New(`\b(when(ever)?|every(\s+time)?|each(\s+time)?|any(\s+time)?|before|after|prior\s+to|instead\s+of|rather\s+than|supersedes?|overrides?|replaces?|behaviou?r\s+of|output\s+of|its\s+output|(must|should|always)\s+(first\s+)?(call|use|invoke|run|replace)|first\s+(call|use|invoke|run)|(side\s+)?note\s+(for|on|about)|from\s+now\s+on|has\s+changed|affects|calls\s+to|route\s+all)\b`)
	// ownHistory is how a tool reports its own past.
	ownHistory = lazyregexp.New(`\b(deprecated|formerly|renamed|release\s+note|changelog|migrat\w+|of\s+this\s+(server|package|mcp)|legacy|transparently|no\s+longer|backwards?)\b`)
)

// anotherTool returns a tool that a sentence names and the server does not list.
func anotherTool(p *scanner.TextPass, s []byte) string {
	for _, at := range toolReference.FindAllIndex(s, 8) {
		if at[0] > 0 && s[at[0]-1] == '/' {
			continue // a part of a path, or of the name of a method
		}
		m := s[at[0]:at[1]]
		name := string(bytes.Trim(bytes.TrimSuffix(bytes.TrimSuffix(bytes.TrimSuffix(m, []byte(" tool")), []byte(" call")), []byte(" function")), "`'\""))
		if name == "the this tool" || name == "the same tool" || parameterOrFile.MatchString(name) || p.Sibling(name) || p.Parameter(name) || toolName.MatchString(name) && (p.Subject != scanner.ToolSubject || sameFamily(p.Name, name)) {
			continue
		}
		return name
	}
	return ""
}

// toolName matches a word that can only be a tool name. Only the tool's own text is in a list
// that shows whether the tool is one of the server's.
var toolName = lazyregexp.New(`[_.]`)

// sameFamily reports two tool names of one family, such as get_invoice and list_invoices: a
// definition can come without its list.
func sameFamily(own, other string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(own), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > familyWord && strings.Contains(other, w[:len(w)-1]) {
			return true
		}
	}
	return false
}

// familyWord is the length above which a word of a name is its subject and no verb.
const familyWord = 4

// parameterOrFile matches what looks like a tool name but is not.
var parameterOrFile = lazyregexp.New(`\.(json|md|txt|py|js|ts|go|html|css|yaml|yml|toml|com|org|net|io|dev|example|env|csv|xml|sql|sh|xlsx|pdf|png|docx)$|^(e\.g|i\.e|etc\.|v?\d|node\.js|next\.js)|^(the )?(this|same|following|appropriate|correct|right|first|second|search|other) tool$|_(id|ids|name|path|url|type|key|token|at|by|count|date|time|format|mode|size|code|status|list)$`)

// interfering is to change what another tool is given or does.
var interfering = weighing{
	needs: [][]reading.Sense{
		{reading.OtherTool}, {reading.Alter}, {reading.Value, reading.Address, reading.KeyFile},
		{reading.Duty, reading.Always, reading.Model, reading.Pretext, reading.Address},
	},
	weights: map[reading.Sense]int{
		reading.OtherTool: 2, reading.Alter: 2, reading.Value: 1, reading.Address: 2, reading.Always: 1, reading.Duty: 1, reading.Model: 1, reading.Pretext: 1,
		reading.Stealth: 3, reading.Hush: 3, reading.Described: -4, reading.History: -4, reading.DataFlow: -4,
	},
	enough: 6, severity: scanner.High, message: "changes how another server's tool is used",
}
