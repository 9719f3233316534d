package rules

import (
	"bytes"
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

// clauseReach bounds how far a clause is followed from a match, in bytes.
const clauseReach = 240

// clause returns the span of the clause around [start, end) of a folded text:
// what stands between the nearest line ends, full stops, semicolons and colons
// that are followed by white space.
func clause(t []byte, start, end int) (from, to int) {
	from = start
	for from > 0 && start-from < clauseReach && !clauseEnd(t, from-1) {
		from--
	}
	to = end
	for to < len(t) && to-end < clauseReach && !clauseEnd(t, to) {
		to++
	}
	return from, to
}

func clauseEnd(t []byte, i int) bool {
	switch t[i] {
	case '\n', '\r':
		return true
	case '.', '!', '?', ';', ':':
		if t[i] == '.' && i >= 2 && t[i-2] == '.' && t[i-1] >= 'a' && t[i-1] <= 'z' { // e.g. and i.e.
			return false
		}
		return i+1 == len(t) || t[i+1] == ' ' || t[i+1] == '\n' || t[i+1] == '\r'
	}
	return false
}

// counter is what turns an order into its opposite or into a report of one:
// negation, prohibition, defence, an example or a quotation. It is looked for
// ahead of the match, where English and its neighbours put it.
var counter = regexp.MustCompile(`\b(never|not|\w+n['’]t|cannot|no|without|nor|refuses?|den(y|ies|ied)|block(s|ed|ing)?|prevents?|prohibit(s|ed)?|forbid(s|den)?|avoids?|reject(s|ed)?|detect(s|ed|ing|ion)?|protect(s|ed|ing)?|warns?|flag(s|ged)?|sanitiz\w+|redact\w*|mask(s|ed)?|guards?|scan(s|ned)? for|such as|e\.g|for example|like|known as|attempts?|attacks?|attackers?|malicious|phrases?|strings?|patterns?)\b[^\n]*$`)

// strongNegation stands inside the match itself.
var strongNegation = regexp.MustCompile(`\b(never|not|\w+n['’]t|cannot)\b`)

// countered reports whether what stands at [start, end) is denied, forbidden or
// only quoted by its own clause.
func countered(t []byte, start, end int) bool {
	from, _ := clause(t, start, end)
	if counter.Match(t[from:start]) || strongNegation.Match(t[start:end]) {
		return true
	}
	return quoted(t, start, end)
}

// quoted reports whether [start, end) stands directly inside quotation marks or
// a code span.
func quoted(t []byte, start, end int) bool {
	if start == 0 || end >= len(t) {
		return false
	}
	before, after := t[start-1], t[end]
	return before == after && (before == '"' || before == '\'' || before == '`')
}

// result reports whether the text came out of a call: it is data that the
// model was given, not the documentation of a tool.
func result(p *scanner.TextPass) bool { return !p.Subject.Definition() }

// lowered returns the severity one step down for text that is not a
// definition: a result can say anything about anything.
func lowered(p *scanner.TextPass, s scanner.Severity) scanner.Severity {
	if result(p) && s > scanner.Note {
		return s - 1
	}
	return s
}

// fromUser reports text that the client sent: what a user asks for is no
// attack by a server.
func fromUser(p *scanner.TextPass) bool {
	return p.Subject == scanner.CallSubject || p.Direction == scanner.ClientToServer
}

// word reports whether [start, end) begins and ends at word boundaries.
func word(t []byte, start, end int) bool {
	return (start == 0 || !wordByte(t[start-1])) && (end == len(t) || !wordByte(t[end]))
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80
}

// containsAny reports whether t contains one of the words.
func containsAny(t []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(t, []byte(w)) {
			return true
		}
	}
	return false
}
