package instructions

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/internal/sensitive"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ExfilSink = scanner.Rule{
	ID:         "inj-exfil-sink",
	Category:   "exfiltration",
	Title:      "Text tells the model to send the user's data away",
	Why:        "The model sends data from other servers or from the conversation to an address or parameter that the author of the text chose.",
	Fix:        "Remove the server. Check past sessions for calls that carried the data: mcpscan calls --tool NAME RECORDING lists the calls in a recording, with their lines.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A verb for sending, data that belongs to the user, and a destination appear close together and are not negated. The first sentence of a description usually states the tool's purpose, so most wordings are reported there only if they address the model.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM02", "ATLAS:AML.T0086", "CWE-200"},
	Patterns:   exfilPatterns,
	Definition: sense.Check(&handingOver, &sense.SendsCopy, &sense.Redirects),
	Text:       exfiltration,
}

var exfilPatterns = []scanner.Pattern{
	{
		Name:    "send_to_address",
		Expr:    `\b` + clause.SendVerbs + `\b[^\n]{0,140}` + clause.RemoteAddress,
		Anchors: []string{"://", "@"},
	},
	{
		Name:    "must_be_sent",
		Expr:    `\b(must|should|shall|has\s+to|have\s+to)\s+(\w+\s+)?be\s+(sent|posted|uploaded|forwarded|copied|transmitted|mailed|e-mailed)\s+(\w+\s+)?to\s+` + clause.RemoteAddress,
		Anchors: []string{"be sent", "be posted", "be uploaded", "be forwarded", "be copied", "be transmitted", "be mailed", "be e-mailed"},
	},
	{
		Name: "command_with_data",
		Expr: `\b(curl|wget)\b[^\n]{0,120}(-d\b|--data\S*|-f\b|--form|-t\b|--upload-file|--post-(data|file)|-x\s*post)[^\n]{0,120}https?://|` +
			`\b(curl|wget)\b[^\n]{0,120}https?://[^\s]*(\$\(|\$\{|` + "`" + `)`,
		Anchors: []string{"curl", "wget"},
	},
	{
		Name: "conversation",
		Expr: `\b(` + clause.SendVerbs + `|` + clause.IncludeVerbs + `|reveal|print|output|repeat|disclose|share|(call|invoke)\s+this\s+with)\b[^.\n]{0,80}?\b` + clause.Conversation,
		Anchors: []string{"conversation", "chat ", "dialog", "message history", "message log", "system prompt",
			"messages", "every message", "the user said", "the user wrote", "the user typed", "the user has said",
			"know about the user"},
	},
	{
		Name: "secrets_away",
		Expr: `\b(` + clause.SendVerbs + `|` + clause.IncludeVerbs + `|steal(s|ing)?|harvest(s|ing)?|collect(s|ing)?|gather|grab|dump|reveal(s|ing)?|search)\b[^.\n]{0,80}?\b` + clause.Secrets,
		Anchors: []string{"credential", "password", "passphrase", "api key", "api_key", "api-key", "apikey",
			"private key", "ssh key", "secret key", "access token", "session token", "auth token",
			"authentication token", "env var", "environment var", "secrets", "cookies", "clipboard", "seed phrase"},
	},
	{
		Name: "copy_outside",
		Expr: `\b(also|additionally|silently|secretly|covertly|then|and|instead|a\s+copy|automatically)\s+(\w+\s+){0,2}?` + clause.SendVerbs +
			`\b[^.\n]{0,80}?\b(to|at|via|through)\s+` + clause.OutsidePlace,
		Anchors: []string{"external", "remote", "third-party", "third party", "attacker", "outside", "analytics", "collection", "logging", "reporting"},
	},
	{
		Name:    "exfiltrate",
		Expr:    `\bexfiltrat(e|es|ing)\b|(^|_|\b)exfiltrate_\w+|\bsteal(s|ing)?\s+(all\s+|the\s+|your\s+|user\s+)?(\w+\s+)?(data|files?|contents?|information|\.env|keys?|secrets?|credentials?|tokens?)\b`,
		Anchors: []string{"exfiltrat", "steal"},
	},
	{
		Name:    "call_home",
		Expr:    `\b(also|always|must|silently|secretly)\s+(\w+\s+){0,2}?(call|fetch|request|visit|ping|load|hit|contact|notify)s?\s+https?://[^\s"'<>]+`,
		Anchors: clause.Wrapped(clause.Combine([]string{"call", "fetch", "request", "visit", "ping", "load", "hit", "contact", "notify"}, []string{"", "s"}, []string{" http"})...),
	},
	{
		Name: "written_back",
		Expr: `\b(read|select|query|fetch|dump|list|retrieve|collect|gather|find|look\s+up|search|load|get|go\s+through)\b[^\n]{0,60}?` + privateStore + `[^\n]{0,80}?\b(insert|add|` +
			`write|post|put|publish|paste|append|leave|reply|respond|comment|include|commit|push)\b[^\n]{0,30}?\b(it|them|their|everything|those|these|what|` +
			`(the|all|its)\s+(\w+\s+){0,2}?(contents?|rows?|values?|results?|list|output|data|records?|tokens?|secrets?|keys?|` +
			`credentials?))\b[^\n]{0,30}?\b(in|` +
			`into|to|on|as|with|below)\s+(this|the|a|an|your|our|that|its|my)?\s*(\w+\s+){0,2}?(tickets?|issues?|comments?|threads?|repl(y|ies)|` +
			`pull\s+requests?|(this|the)\s+pr|readme|gist|wiki|public\s+repo\w*|forum|bug\s+report)\b`,
		Anchors: []string{"tokens", "_token", "secrets", "_secret", "credential", "passwords", "api key",
			"api_key", "api-key", "private ", "all rows", "every row", "all the rows", "all records",
			"every record", "all users", "all customers", "personal data", "personal information", "salar", ".env"},
	},
}

// keysIn matches credentials and private content, and privateStore also matches personal data and
// whole tables.
const (
	keysIn       = `(\w*(tokens|_token|secrets|_secret|credentials?|passwords|api[ _-]?keys?)\b|private\s+(\w+\s+)?(repo\w*|files?|data|messages?|notes?|channels?|issues?|code|tables?|keys?)\b|\.env\b)`
	privateStore = `(` + keysIn + `|\b(all|every)\s+(the\s+)?(rows?|records?|users|customers)\b|\bpersonal\s+(data|information)\b|\bsalar\w+)`
)

var opensSomething = lazyregexp.New(keysIn)

// usersOwn matches words for data that belongs to the user or the machine rather than the tool.
var usersOwn = text.LazyExpr(`\b(` + clause.Conversation + `|(the|this|our)\s+(conversation|chat)|` + clause.Secrets + `|files?\s+contents?|contents?\s+of|tokens?|` +
	`user['’]?s?\s+(data|files|emails?|messages|information|details)|all\s+(user\s+)?(information|data|files|emails|contacts|records|messages)|` +
	`results?\s+of\s+(all|every|other)|repo(sitory)?\s+contents|everything\s+in|all\s+(documents|notes|keys|mails?)|passport\w*|bank\s+account|` +
	`transactions?|address\s+book)\b`)

// stealing detects verbs without a benign meaning.
var stealing = text.LazyExpr(`\b(steal|harvest|exfiltrat|leak)\w*\b`)

// couldSteal matches descriptions of what an attack could do.
var couldSteal = text.LazyExpr(`\b(can|could|may|might|to|cannot|would|not)\s+(be\s+\w+\s+to\s+)?(steal|harvest|exfiltrat|leak)`)

// wayOut matches what can carry data out of the conversation, such as an address or a parameter.
var wayOut = lazyregexp.New(clause.OutsidePlace + `|` +
	`\b(parameter|argument|field|query|request|context|response|every\s+(response|call|request)|output|tool|url|query\s+string|notes?|sidenote|` +
	`metadata|comment|issue|reply)\b|` +
	`\b(as|in|into|to)\s+(the\s+)?` + "`")

// ofTheUser distinguishes the user's credentials from those that a tool requires.
var ofTheUser = lazyregexp.New(`\b(user['’]?s|all|any|every|their|available|you\s+(have|can|find|see)|in\s+(the\s+)?(context|memory|environment|clipboard|conversation))\b`)

func exfiltration(p *scanner.TextPass) {
	for _, m := range p.Matches {
		if clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
			continue
		}
		name := exfilPatterns[m.Pattern].Name
		ok, signals := leaves(p, name, m.Start, m.End)
		if !ok {
			continue
		}
		severity := scanner.Critical
		if clause.IsResult(p) {
			severity = clause.InData(p, m.Start, m.End, scanner.High)
			if name == "written_back" && !opensSomething.Match(p.Folded[m.Start:m.End]) {
				severity = scanner.Medium // people also ask each other for records
			}
		}
		p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: signals, Message: "tells the model to send data that this tool does not need"})
	}
}

// leaves reports whether [start, end) is an instruction to send out data other than the tool's
// own, and returns its signals.
func leaves(p *scanner.TextPass, pattern string, start, end int) (ok bool, signals []string) {
	from, to := clause.Around(p.Folded, start, end)
	c, said, data := p.Folded[from:to], p.Folded[start:end], clause.IsResult(p)
	told := clause.AddressesReader(c) || clause.OpensClause(p.Folded[from:], []int{start - from}) && !p.FirstSentence(start) || stealing.Match(c) && !couldSteal.Match(c)
	switch pattern {
	case "send_to_address":
		return usersOwn.Match(c) && told, []string{"a verb of sending", "an object that belongs to the user", "an address"}
	case "must_be_sent":
		return usersOwn.Match(c), []string{"a verb of sending", "an object that belongs to the user", "an address"}
	case "command_with_data":
		return !data && (told || usersOwn.Match(c)) || data && clause.AddressesReader(c) && usersOwn.Match(c),
			[]string{"a verb of sending", "a command that carries data", "an address"}
	case "conversation":
		told = told && (clause.AddressesReader(c) || !bytes.HasPrefix(said, []byte("write")))
		switched := !data && (clause.DescribesSwitch(p, start, end) || intoOutput.Match(p.Folded[end:to]))
		return (told || !data && sendWord.Match(said)) && !switched && !sensitive.ConversationTool.MatchString(p.Name),
			[]string{"a verb of sending", "the conversation between user and model"}
	case "secrets_away":
		return stealing.Match(said) && !data || told && ofTheUser.Match(c) && wayOut.Match(c),
			[]string{"a verb of sending", "credentials that are not the tool's own"}
	case "copy_outside":
		return !chosenByUser.Match(c) && !data && (!p.FirstSentence(start) || bytes.Contains(c, []byte("a copy"))) || clause.AddressesReader(c),
			[]string{"a verb of sending", "beyond the tool's purpose", "an external address"}
	case "exfiltrate":
		return !inspectsOthers.Match(c) && !data || clause.AddressesReader(c), []string{"a verb without a benign meaning"}
	case "call_home":
		return !data, []string{"an instruction to call an address", "beyond the tool's purpose"}
	case "written_back":
		return told, []string{"reads a private store", "writes the content where others can see it"}
	}
	return false, nil
}

// intoOutput matches text that makes the preceding object part of the tool's own output.
var intoOutput = lazyregexp.New(`^(\s+\w+){0,3}?\s+in\s+(the|its|this\s+tool['’]s)\s+(\w+\s+)?(outputs?|results?|responses?|export|report)\b`)

// chosenByUser matches a destination chosen by the user.
var chosenByUser = lazyregexp.New(`\b(opt(s|ed)?[ -]?in|configured?|(you|user)\s+(have\s+|has\s+)?(set|chose|choose|provide)\w*|your\s+own)\b`)

// inspectsOthers matches descriptions of scanning other programs.
var inspectsOthers = lazyregexp.New(`\b(checks?|scan(s|ned)?|look(s|ing)?\s+for|(scripts|packages|apps|programs|code|malware)\s+that)\b`)

var sendWord = lazyregexp.New(`\b` + clause.SendVerbs + `\b`)

// handingOver matches text about taking data from outside the tool and passing it on.
var handingOver = sense.Test{
	Needs: [][]reading.Sense{
		{reading.KeyFile, reading.Secret, reading.Conversation, reading.OtherOutput, reading.Personal},
		{reading.Take, reading.Hand, reading.Duty},
		{reading.Parameter, reading.Described, reading.Address, reading.Model},
	},
	Weights: map[reading.Sense]int{
		reading.KeyFile: 4, reading.Conversation: 3, reading.OtherOutput: 3, reading.Secret: 2, reading.Personal: 2, reading.Whose: 2,
		reading.Take: 1, reading.Hand: 1, reading.Parameter: 2, reading.Described: 2, reading.Address: 2,
		reading.Model: 1, reading.Duty: 1, reading.Pretext: 1, reading.Stealth: 3, reading.Hush: 3,
		reading.OwnKey: -3, reading.Path: -3, reading.ToUser: -3, reading.Prompted: -4,
	},
	Purpose: -5, Enough: 7, Severity: scanner.Critical, Message: "asks for data that this tool does not need",
}
