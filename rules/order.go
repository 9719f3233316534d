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

// documentary are words of texts that explain attacks and prompts. Two distinct
// ones in a long text make it a text about orders, not one that gives them.
var documentary = []string{"prompt injection", "jailbreak", "adversarial", "red team", "red-team", "owasp", "mitre", "prompt engineering",
	"prompt leak", "prompt hacking", "attacker", "mitigation", "vulnerabilit", "few-shot", "zero-shot", "chain-of-thought", "fine-tun", "tokenizer",
	"threat model", "exploit", "cve-", "penetration test", "security review", "security audit", "malware"}

// documentaryBytes is the length from which a text can be documentation: an
// injected sentence does not become a treatise by two words.
const documentaryBytes = 600

// aboutAttacks reports a long text that explains attacks or prompts. An
// attacker can pretend to write one, which costs a step of severity and not the
// finding.
func aboutAttacks(t []byte) bool {
	if len(t) < documentaryBytes {
		return false
	}
	found := 0
	for _, w := range documentary {
		if bytes.Contains(t, []byte(w)) {
			if found++; found == 2 {
				return true
			}
		}
	}
	return false
}

// inData returns the severity of an order in data.
func inData(p *scanner.TextPass, s scanner.Severity) scanner.Severity {
	if s == scanner.High && aboutAttacks(p.Folded) {
		return scanner.Medium
	}
	return s
}
