package rules

import (
	"bytes"

	"github.com/mcpscan/mcpscan/scanner"
)

// order is what one pattern of a rule stands for when it is an order and not
// the mention, the denial or the quotation of one.
type order struct {
	severity scanner.Severity // in a definition
	data     scanner.Severity // in everything else
	message  string
	signals  []string
	unless   func(t []byte, start, end int) bool // a further reading that counters it
}

// judgeOrders makes the check of a rule whose patterns are orders, one by one.
func judgeOrders(orders ...order) func(*scanner.TextPass) {
	return func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			o := orders[m.Pattern]
			if countered(p.Folded, m.Start, m.End) || o.unless != nil && o.unless(p.Folded, m.Start, m.End) {
				continue
			}
			severity := o.severity
			if result(p) {
				severity = inData(p, o.data)
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Message: o.message, Signals: o.signals})
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

// inData returns the severity of an order in data.
func inData(p *scanner.TextPass, s scanner.Severity) scanner.Severity {
	if s == scanner.High && p.Treatise(aboutAttacks) {
		return scanner.Medium
	}
	return s
}
