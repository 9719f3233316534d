package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/scanner"
)

var ApprovalBypass = scanner.Rule{
	ID:         "inj-approval-bypass",
	Category:   "hidden_instructions",
	Title:      "Text tells the model to act without the user's consent",
	Why:        "The confirmation prompt lets a person stop an agent. Text that makes the agent skip the prompt removes this control.",
	Fix:        "Keep confirmations on for this server, or remove the server.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding is high if the text also tells the model to send data or run something without consent. It is low if the text may only warn that a tool acts immediately.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "ATLAS:AML.T0053", "CWE-862"},
	Patterns: []scanner.Pattern{
		{
			Name: "without_asking",
			Expr: `\b(without|with\s+no|no\s+(need\s+for|user|human|further|additional|explicit)|skip(ping)?|bypass(ing)?|do\s+not\s+(ask|wait)(\s+\w+){0,2}\s+for|` +
				`never\s+ask(\s+\w+){0,2}\s+for|don['’]t\s+(ask|wait)(\s+\w+){0,2}\s+for)(\s+(asking|requiring|requesting|seeking|waiting|needing|prompting|` +
				`getting|obtaining|any|an?|further|for|the|explicit|additional)){0,4}\s+(user|human|manual|user['’]s|human['’]s)?\s*(confirmation|approval|` +
				`consent|permission|review|authori[sz]ation|intervention|verification)\b`,
			Anchors: []string{"confirmation", "approval", "consent", "permission", "review", "authorization", "authorisation", "intervention", "verification"},
		},
		{
			Name: "approved_already",
			Expr: `\b(without|do\s+not|don['’]t|never|no\s+need\s+to)\s+(ask|confirm|check|consult|prompt)(ing)?\s+(with\s+)?(the\s+)?(user|human|operator)\b|` +
				`\b(confirmation|approval|permission|consent)\s+(is\s+not|isn['’]t|was\s+(already\s+)?(obtained|given|granted))\b|` +
				`\bno\s+(further\s+)?(confirmation|approval|permission|consent)\s+(is\s+|needs\s+to\s+be\s+)(needed|required|necessary|requested)\b|` +
				`\bwithout\s+checking\s+back\b|\brather\s+than\s+waiting\s+for\s+the\s+(user|human)\b|\b(choose|select|click|pick)\s+["'“]?always\s+allow\b|` +
				`\b(user|human|owner)\s+has\s+(already\s+)?(pre-?)?(approved|agreed|consented|authori[sz]ed|signed\s+off)\b`,
			Anchors: append(clause.Combine([]string{"confirmation", "approval", "permission", "consent"},
				[]string{" "}, []string{"is not", "isn", "was ", "is needed", "is required", "is necessary",
					"needs to"}),
				"asking the", "ask the", "asking user", "ask user", "confirm with", "confirming with",
				"check with", "checking with", "consult", "prompting the", "prompt the", "checking back",
				"always allow", "user has", "human has", "owner has", "rather than waiting"),
		},
		{
			Name:    "automatic_approval",
			Expr:    `\bauto[- ]?(approve|accept|confirm)s?\b[^.\n]{0,60}\b(call|request|tool|action|command|prompt|permission)s?\b|--dangerously-skip-permissions|\byolo\s+mode\b`,
			Anchors: []string{"auto-approve", "auto approve", "autoapprove", "auto-accept", "auto accept", "auto-confirm", "dangerously-skip", "yolo mode"},
		},
	},
	Definition: sense.Check(&sense.WaivesApproval, &sense.ActsAlone),
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := clause.Around(p.Folded, m.Start, m.End)
			c := p.Folded[from:to]
			severity, signals := scanner.Low, []string{"skips the confirmation"}
			ahead := p.Folded[from:m.Start]
			if all := clause.Preamble.FindAllIndex(ahead, -1); all != nil {
				ahead = ahead[all[len(all)-1][1]:]
			}
			if approvalGranted.Match(p.Folded[m.Start:m.End]) && approvalAwaited.Match(p.Folded[from:m.Start]) {
				continue // the text makes approval a condition
			}
			if clause.Quoted(p.Folded, m.Start, m.End) || clause.RefusedBehind.Match(p.Folded[m.End:to]) || clause.CitedAhead.Match(p.Folded[from:m.Start]) || prohibitedAhead.Match(ahead) {
				continue
			}
			if needsConsent.Match(c) && !parameterSwitch.Match(c) && (clause.AddressesReader(byItself.ReplaceAll(c, nil)) || byItself.Match(c) && !p.FirstSentence(m.Start)) {
				severity = scanner.High
				if clause.IsResult(p) && !clause.AddressesReader(byItself.ReplaceAll(c, nil)) {
					severity = scanner.Medium
				}
				signals = append(signals, "moves data or executes something", "addresses the model, or happens automatically")
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: signals,
				Message: "tells the model to act without the user's consent"})
		}
	},
}

var (
	// needsConsent matches verbs for sending, changing, buying or running something.
	needsConsent = lazyregexp.New(`\b(` + clause.SendVerbs + `|pass(es|ed|ing)?|sent|forwarded|transferred|transfer|execut(e|es|ed)|run|runs|call|invoke|deletes?|` +
		`install|purchase|pay|update|change|refund|merge|delete|wipe|issue|grant|approve)\b`)
	// approvalGranted matches the verb of "the user has approved", and approvalAwaited matches
	// words before it that turn the statement into a condition.
	approvalGranted = lazyregexp.New(`\bhas\s+`)
	approvalAwaited = lazyregexp.New(`\b(only|after|once|until|when|if|unless|whether)\b`)
	// parameterSwitch matches text that describes what a parameter does.
	parameterSwitch = lazyregexp.New(`\b(if|set\s+to|flag|option|default)\b`)
	// byItself matches words that say an action is automatic.
	byItself = lazyregexp.New(`\b(always|automatic(ally)?|directly|immediately|instead)\b`)
	// prohibitedAhead matches a negation in front of the match: the text then forbids acting
	// without confirmation.
	prohibitedAhead = lazyregexp.New(`\b(never|not|n['’]t|cannot|refuses?|nothing|no\s+\w+)\b[^\n]*$`)
)
