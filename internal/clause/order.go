package clause

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Order is a pattern of a rule that must be an order, and not a mention, negation or
// quotation.
type Order struct {
	Severity scanner.Severity // in a definition
	Data     scanner.Severity // in everything else
	Message  string
	Signals  []string
	Unless   func(t []byte, start, end int) bool // a further reading that counters it
}

// JudgeOrders makes the check of a rule whose patterns are orders, one by one.
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
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Message: o.Message, Signals: o.Signals})
		}
	}
}

// documentary are words of texts that explain prompts and attacks on models.
// Two distinct ones make a long text one about orders, not one that gives them.
// Words of security in general count half: a curriculum vitae has them as well.
var documentary = [...]struct {
	word   string
	weight int
}{
	{"prompt injection", 2}, {"jailbreak", 2}, {"adversarial", 2}, {"prompt engineering", 2}, {"prompt leak", 2}, {"prompt hacking", 2},
	{"red team", 2}, {"red-team", 2}, {"few-shot", 2}, {"zero-shot", 2}, {"chain-of-thought", 2}, {"owasp", 2}, {"atlas", 2}, {"threat model", 2},
	{"system prompt", 2}, {"tokenizer", 2}, {"tool poisoning", 2}, {"language model", 2}, {"injection", 1},
	{"attacker", 1}, {"exploit", 1}, {"malware", 1}, {"vulnerabilit", 1}, {"mitigation", 1}, {"cve-", 1}, {"detect", 1}, {"severity", 1}, {"llm", 1},
}

// The measures of a documentary text: an injected sentence does not become a
// treatise by two words.
const (
	documentaryBytes  = 600
	documentaryWeight = 8
)

// aboutAttacks reports a long text that explains attacks or prompts. An
// attacker can pretend to write one, which costs a step of severity and not the
// finding.
func aboutAttacks(t []byte) bool {
	if len(t) < documentaryBytes {
		return false
	}
	weight := 0
	for _, d := range documentary {
		if bytes.Contains(t, []byte(d.word)) {
			if weight += d.weight; weight >= documentaryWeight {
				return true
			}
		}
	}
	return false
}

// InData returns the severity of an order that is at [start, end) in data. A
// report of attacks costs a step, whether the whole text is one or the order is
// quoted by one.
func InData(p *scanner.TextPass, start, end int, s scanner.Severity) scanner.Severity {
	if s == scanner.High && (p.Treatise(aboutAttacks) || QuotedInReport(p.Folded, start, end)) {
		return scanner.Medium
	}
	return s
}

// How far words about a quotation may be from it, in bytes.
const (
	reportAhead  = 200
	reportBehind = 200
)

// QuotedInReport reports an order in quotation marks, in a code span or in a quoted line that
// nearby words call an attack or a test case. An attacker can write such words, so they only
// lower the severity by one.
func QuotedInReport(t []byte, start, end int) bool {
	from := start
	for from > 0 && start-from < reportAhead && t[from-1] != '\n' {
		from--
	}
	ahead := t[from:start]
	in := bytes.LastIndex(ahead, []byte("«")) > bytes.LastIndex(ahead, []byte("»")) || bytes.LastIndex(ahead, []byte("„")) > bytes.LastIndex(ahead, []byte("“")) || bytes.Count(ahead, []byte(`"`))%2 == 1 && !IsJSON(t) || bytes.Count(ahead, []byte("`"))%2 == 1 ||
		bytes.LastIndex(ahead, []byte("“")) > bytes.LastIndex(ahead, []byte("”")) || bytes.HasPrefix(ahead, []byte("> "))
	return in && (announcesQuotation.Match(ahead) || attackWords.Match(t[max(0, start-reportAhead):start]) || attackWords.Match(t[end:min(len(t), end+reportBehind)]))
}

// announcesQuotation announces a quotation.
var announcesQuotation = lazyregexp.New("\\b(sentences?|phrases?|wording|such\\s+as|for\\s+(example|instance)|e\\.g\\.|like|(told|" +
	"asked|tricked|got)\\s+(an?|the|my|our)\\s+(\\w+\\s+)?(bot|ai|model|assistant|chatbot))[^\"“`]{0,20}[\"“`][^\"”`]*$")

// attackWords call something an attack or the case of a test.
var attackWords = lazyregexp.New(`(^|\PL)(attack(s|er|ers|ed)?|inject(ions?|ed)|malicious|phish(ing|ed)?|payloads?|adversar\w+|jailbreaks?|fraud\w*|scam\w*|victims?|` +
	`vulnerab\w+|exploit\w*|red[- ]team\w*|(white|hidden)\s+text|labell?ed|label|refused|expected|test\s+cases?|poison\w+|tricked|steer(s|ed)?|` +
	`distrust\w*|suspicious|hostile|in\s+the\s+wild|assert|proof\s+of\s+concept|poc|pranks?|tricks?|false[ -]positives?|inyecci\w+|atacantes?|` +
	`ataques?|angreif\w+|angriff\w*|gefahr|attaquants?|атак\w*|инъекц\w*)(\PL|$)`)
