package instructions

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/scanner"
)

var Conceal = scanner.Rule{
	ID:         "inj-conceal",
	Category:   "hidden_instructions",
	Title:      "Text tells the model to hide something from the user",
	Why:        "Legitimate tools rarely need to hide anything from the user. Such text keeps the user from noticing what the model is told to do.",
	Fix:        "Remove the server. If the wording has a benign reason (the tool returns internal IDs, for example), ask the author to add the reason to the text.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The wording is rare in benign definitions. Results quote it more often, so findings in results are rated one level lower.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0110", "CWE-451"},
	Patterns: []scanner.Pattern{
		{
			Name: "do_not_tell",
			Expr: `\b(do\s+not|don['’]?t|never|must\s+not|should\s+not|avoid|without)\s+(ever\s+)?(tell(ing)?|inform(ing)?|notify(ing)?|alert(ing)?|mention(ing)?|` +
				`reveal(ing)?|disclos(e|ing)|show(ing)?|report(ing)?|display(ing)?)\s+((this|it|that|anything|any\s+of\s+this|` +
				`about\s+(this|it|that))\s+)?(to\s+)?(the\s+)?(user|human|operator|customer)s?\b`,
			Anchors: clause.Combine([]string{"not", "n't", "n’t", "dont", "ever", "avoid", "without"}, []string{" ", "\n"},
				[]string{"tell", "inform", "notif", "alert", "mention", "reveal", "disclos", "show", "report", "display"}),
		},
		{
			Name:    "keep_secret",
			Expr:    `\bkeep\s+(this|it|that|these)(\s+\w+){0,3}\s+((secret|hidden)\b|(confidential|private)\s+from\s+(the\s+)?user)`,
			Anchors: []string{"secret", "hidden", "confidential"},
		},
		silentPattern: {
			Name: "silently",
			Expr: `\b(silently|secretly|covertly|surreptitiously|discreetly|stealthily|without\s+(their|the\s+user['’]s|user['’]?s?)\s+knowledge)\s+(also\s+)?(` +
				clause.SendVerbs + `|` + clause.IncludeVerbs + `|read(s|ing)?|collect(s|ing)?|` +
				`delet(e|es|ing)|run(s|ning)?|execut(e|es|ing)|call(s|ing)?|log(s|ging)?|download(s|ing)?|install(s|ing)?|modif(y|ies)|replac(e|es)|` +
				`record(s|ing)?|writ(e|es))\b|\bhidden\s+(bcc|cc|copy|recipient)\b`,
			Anchors: []string{"silently", "secretly", "covertly", "surreptitiously", "discreetly", "stealthily", "knowledge", "hidden bcc", "hidden cc", "hidden copy", "hidden recipient"},
		},
		instructionsPattern: {
			Name: "keep_instructions",
			Expr: `\b(never|do\s+not|don['’]t|must\s+not)\s+(reveal|mention|disclose|repeat|show|share|discuss|acknowledge)\s+(these|this|the\s+above|` +
				`the\s+following|your|any\s+of\s+(this|these))\s+(\w+\s+)?(instructions?|prompts?|directives?|messages?|notes?|rules|steps?|requests?)\b`,
			Anchors: clause.Combine([]string{"never", "not", "n't", "n’t"}, []string{" "}, []string{"reveal", "mention", "disclose", "repeat", "show", "share", "discuss", "acknowledge"}),
		},
		{
			Name: "must_not_know",
			Expr: `\b(user|human|operator|customer|support\s+(agent|person))s?\s+(must\s+not|mustn['’]t|should\s+not|shouldn['’]t|need\s+not|needn['’]t|` +
				`does\s+not\s+need\s+to)\s+(ever\s+)?(be\s+(told|informed|notified|alerted)|know\s+(about|of|that)|learn|notice|see\s+(this|it|that))\b`,
			Anchors: clause.Combine([]string{"user", "users", "human", "operator", "customer", "person"}, []string{" "}, []string{"must", "should", "need", "does not need"}),
		},
		{
			Name: "unnoticed",
			Expr: `\b(user|human|person|operator|customer)\b[^.\n]{0,40}?\b(remain|stay|is\s+kept|be\s+kept)\s+(unaware|in\s+the\s+dark)\b|` +
				`\bas\s+(though|if)\s+(nothing\s+(had\s+)?happened|(it|this|that|they|these|the\s+\w+)\s+(had|has|have|was|were)\s+never)\b|` +
				`\b(not|n['’]t|never)\s+let\s+(the\s+|your\s+)?(user|reader|human|owner|operator|customer)s?\s+(know|see|notice|find\s+out|learn)\b|` +
				`\bso\s+(that\s+)?(it|this|nobody|no\s+one|the\s+user)\s+((is|does)\s+not|(is|does)n['’]t|goes\s+un|will\s+not|won['’]t)\s*notic(e|ed|es)\b|` +
				`\bavoid\s+any\s+mention\s+of\s+(this|these)\b|\bkeep\s+\w+(\s+\w+){0,3}\s+between\s+us\b|\bnever\s+reveal\s+that\b|` +
				`\bso\s+(that\s+)?the\s+user\s+(stays|is|remains)\s+distracted\b`,
			Anchors: []string{"unaware", "in the dark", "nothing happened", "nothing had happened", "had never",
				"has never", "have never", "was never", "were never", "not let ", "n't let ", "n’t let ",
				"never let ", "notice", "avoid any mention", "between us", "never reveal that", "distracted"},
		},
		{
			Name:    "no_need_to_tell",
			Expr:    `\bno\s+need\s+to\s+bring\s+(this|it)\s+up\s+(with|to)\s+the\s+(user|human)\b|\bno\s+need\s+to\s+(tell|inform|notify|alert)\s+(the\s+)?(user|human|operator)\b`,
			Anchors: []string{"no need to"},
		},
		{
			Name:    "do_not_show",
			Expr:    `\bdo\s+not\s+(show|mention|reveal|disclose)\s+(this|these|that|it)\b`,
			Anchors: []string{"not show", "not mention", "not reveal", "not disclose"},
		},
	},
	Definition: sense.Check(&sense.Conceals, &sense.ActsInSecret, &sense.KeepsUserUnaware),
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if clause.Quoted(p.Folded, m.Start, m.End) || openSecrecy(p.Folded, m.Start, m.End) {
				continue
			}
			severity := scanner.Critical
			if clause.IsResult(p) {
				severity = clause.InData(p, m.Start, m.End, scanner.High)
				if from, to := clause.Around(p.Folded, m.Start, m.End); m.Pattern == silentPattern && !clause.AddressesReader(p.Folded[from:to]) {
					continue // manuals often describe actions as silent
				}
			}
			if m.Pattern == instructionsPattern && clause.IsResult(p) && systemPrompt.Match(p.Folded) {
				severity = min(severity, scanner.Medium)
			}
			if _, to := clause.Around(p.Folded, m.Start, m.End); secretEnds.Match(p.Folded[m.End:to]) || clause.IsResult(p) && notTheUser.Match(p.Folded[m.Start:m.End]) {
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity,
				Message: sense.ConcealMessage,
				Signals: []string{"an instruction to keep a secret", "hides something from the user"}})
		}
	},
}

// secretEnds matches wording that makes a secret temporary, as in a game or while a job is running.
// notTheUser matches people other than the model's user.
var (
	secretEnds = lazyregexp.New(`^[^.]{0,80}\b(until|before|while)\b`)
	notTheUser = lazyregexp.New(`\b(users|customers?)$`)
)

// The indexes of two patterns. Manuals also contain text that silentPattern matches, and people's
// instructions for their own bots contain text that instructionsPattern matches.
const (
	silentPattern       = 2
	instructionsPattern = 3
)

// systemPrompt matches the start of a file with a bot's instructions. An attacker can imitate it,
// so it only lowers the severity.
var systemPrompt = lazyregexp.New(`^\W*(?:(?:system )?(?:prompt|instructions)\W+)?you are (?:an? |the )?(?:\w+,? (?:an? )?){0,4}(?:assistant|bot|chatbot|agent)\b`)

var (
	secrecyAudience = lazyregexp.New(`\b(tell|inform|notify|alert)|\bthe\s`)
	usersPossession = lazyregexp.New(`^\s+(data|details|ids?|names?|emails?|passwords?|credentials|messages|content|records|information|input)\b`)
	genitiveBehind  = lazyregexp.New(`^['’]s\s+\w`)
	keptThing       = lazyregexp.New(`\b(key|token|password|passphrase|credential|code|url|link)s?\b`)
	notRepeated     = lazyregexp.New(`^(\s+\w+){0,2}\s+again\b`)
)

// keptReach is the maximum distance, in bytes, between the match and the noun for what is kept
// secret.
const keptReach = 60

var (
	// toSomebody matches "to" and the person who must not learn the secret. toTheUser matches "to"
	// and the model's user, or people in general.
	toSomebody = lazyregexp.New(`^\s+to\s+\w+`)
	toTheUser  = lazyregexp.New(`^\s+to\s+(the|your|any|anyone|anybody|users?|humans?|people|them|him|her)\b`)
)

// openSecrecy reports whether the secrecy demanded at [start, end) hides nothing from the user. The
// wording may be a detector's example, protect the user's own data or password, keep a key secret
// from others, or prevent a message from being shown again.
func openSecrecy(t []byte, start, end int) bool {
	from, _ := clause.Around(t, start, end)
	said, rest := t[start:end], t[end:]
	return clause.CitedAhead.Match(t[from:start]) || toSomebody.Match(rest) && !toTheUser.Match(rest) ||
		bytes.HasPrefix(said, []byte("keep")) && keptThing.Match(t[max(0, start-keptReach):start]) ||
		genitiveBehind.Match(rest) || notRepeated.Match(rest) ||
		usersPossession.Match(rest) && !secrecyAudience.Match(said) && !clause.ContainsAny(said, "this", "that") ||
		keptThing.Match(said) && !clause.ContainsAny(said, "user")
}
