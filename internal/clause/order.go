package clause

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Order describes the findings of a rule pattern whose matches count only if they are instructions,
// not mentions, negations or quotations.
type Order struct {
	Severity scanner.Severity // severity in a definition
	Data     scanner.Severity // severity in anything else
	Message  string
	Signals  []string
	Unless   func(t []byte, start, end int) bool // additional condition under which a match is not an instruction
	Doubt    func(t []byte, start, end int) bool // condition under which the severity is at most medium
}

// JudgeOrders returns the check of a rule that has one Order per pattern.
func JudgeOrders(orders ...Order) func(*scanner.TextPass) {
	return func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			o := orders[m.Pattern]
			if NegatedOrQuoted(p.Folded, m.Start, m.End) || o.Unless != nil && o.Unless(p.Folded, m.Start, m.End) {
				continue
			}
			severity := o.Severity
			if IsResult(p) {
				severity = InData(p, m.Start, m.End, o.Data)
			}
			if o.Doubt != nil && o.Doubt(p.Folded, m.Start, m.End) {
				severity = min(severity, scanner.Medium)
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Message: o.Message, Signals: o.Signals})
		}
	}
}

// explaining contains words typical of texts that explain prompts and attacks on models. A long
// text that contains enough of these words discusses instructions rather than giving them. General
// security words have half the weight, because a résumé may contain them as well.
var explaining = [...]struct {
	word   string
	weight int
}{
	{"prompt injection", 2}, {"jailbreak", 2}, {"adversarial", 2}, {"prompt engineering", 2}, {"prompt leak", 2}, {"prompt hacking", 2},
	{"red team", 2}, {"red-team", 2}, {"few-shot", 2}, {"zero-shot", 2}, {"chain-of-thought", 2}, {"owasp", 2}, {"atlas", 2}, {"threat model", 2},
	{"system prompt", 2}, {"tokenizer", 2}, {"tool poisoning", 2}, {"language model", 2}, {"injection", 1},
	{"attacker", 1}, {"exploit", 1}, {"malware", 1}, {"vulnerabilit", 1}, {"mitigation", 1}, {"cve-", 1}, {"detect", 1}, {"severity", 1}, {"llm", 1},
}

// Thresholds for texts that explain attacks. They are high enough that an injected sentence with
// two of the explaining words stays below them.
const (
	explainsBytes  = 600
	explainsWeight = 8
)

// aboutAttacks reports whether t is a long text that explains attacks or prompts. An attacker can
// imitate such a text, so it does not suppress the finding but only lowers its severity by one
// level.
func aboutAttacks(t []byte) bool {
	if len(t) < explainsBytes {
		return false
	}
	weight := 0
	for _, d := range explaining {
		if bytes.Contains(t, []byte(d.word)) {
			if weight += d.weight; weight >= explainsWeight {
				return true
			}
		}
	}
	return false
}

// InData returns the severity of an instruction at [start, end) in data. It lowers a high severity
// to medium if the whole text explains attacks, or if the instruction is quoted and nearby words
// call it an attack or a test case.
func InData(p *scanner.TextPass, start, end int, s scanner.Severity) scanner.Severity {
	if s == scanner.High && (p.DiscussesAttacks(aboutAttacks) || QuotedInReport(p.Folded, start, end)) {
		return scanner.Medium
	}
	return s
}

// The maximum distances, in bytes, between a quotation and the words that call it an attack or test
// case.
const (
	reportAhead  = 200
	reportBehind = 200
)

// QuotedInReport reports whether an instruction is in quotation marks, in a code span or in a
// quoted line, and nearby words call it an attack or a test case. An attacker can write such words,
// so they only lower the severity by one level.
func QuotedInReport(t []byte, start, end int) bool {
	from := start
	for from > 0 && start-from < reportAhead && t[from-1] != '\n' {
		from--
	}
	ahead := t[from:start]
	in := bytes.HasPrefix(ahead, []byte("> ")) || opensQuotation(ahead, IsJSON(t))
	return in && (announcesQuotation.Match(ahead) || attackWords.Match(t[max(0, start-reportAhead):start]) || attackWords.Match(t[end:min(len(t), end+reportBehind)]))
}

// opensQuotation reports whether a quotation is open at the end of t. In JSON, the strings are not
// quotations. A straight single quotation mark does not count, because it may be an apostrophe.
func opensQuotation(t []byte, inJSON bool) bool {
	var opener rune
	for _, r := range string(t) {
		switch {
		case r < utf8.RuneSelf && r != '`' && (r != '"' || inJSON):
		case opener == 0 && isQuotation(r, 0):
			opener = r
		case opener != 0 && isQuotation(opener, r):
			opener = 0
		}
	}
	return opener != 0
}

// isQuotation reports whether two characters are a pair of quotation marks. A closing mark of 0
// matches any.
func isQuotation(opening, closing rune) bool {
	for _, q := range quotationMarks {
		if o, _ := utf8.DecodeRuneInString(q[0]); o == opening {
			if c, _ := utf8.DecodeRuneInString(q[1]); closing == 0 || c == closing {
				return true
			}
		}
	}
	return false
}

// announcesQuotation matches text that introduces a quotation.
var announcesQuotation = lazyregexp.New("\\b(sentences?|phrases?|wording|such\\s+as|for\\s+(example|instance)|e\\.g\\.|like|(told|" +
	"asked|tricked|got)\\s+(an?|the|my|our)\\s+(\\w+\\s+)?(bot|ai|model|assistant|chatbot))[^\"“`]{0,20}[\"“`][^\"”`]*$")

// attackWords matches words that call something an attack or a test case.
var attackWords = lazyregexp.New(`(^|\PL)(attack(s|er|ers|ed)?|inject(ions?|ed)|malicious|phish(ing|ed)?|payloads?|adversar\w+|jailbreaks?|fraud\w*|scam\w*|victims?|` +
	`vulnerab\w+|exploit\w*|red[- ]team\w*|(white|hidden)\s+text|labell?ed|label|refused|expected|test\s+cases?|poison\w+|tricked|steer(s|ed)?|` +
	`distrust\w*|suspicious|hostile|in\s+the\s+wild|assert|proof\s+of\s+concept|poc|pranks?|tricks?|false[ -]positives?|inyecci\w+|atacantes?|` +
	`ataques?|angreif\w+|angriff\w*|gefahr|attaquants?|атак\w*|инъекц\w*)(\PL|$)`)
