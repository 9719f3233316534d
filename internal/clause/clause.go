// Package clause decides, from the surrounding clause, whether a matched phrase is an instruction,
// or is negated, quoted, reported or part of a question.
package clause

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// ClauseReach is the maximum distance, in bytes, between a match and either end of its clause.
const ClauseReach = 240

// Around returns the span of the clause around [start, end) of folded text. A clause ends at the
// end of a line, and at sentence punctuation, semicolons and colons that are followed by a space or
// the end of a line.
func Around(t []byte, start, end int) (from, to int) {
	from = start
	for from > 0 && start-from < ClauseReach && !ClauseEnd(t, from-1) {
		from--
	}
	to = end
	for to < len(t) && to-end < ClauseReach && !ClauseEnd(t, to) {
		to++
	}
	return from, to
}

// Sentence returns the span of the sentence around [start, end): like Around, but across colons,
// semicolons and most line feeds.
func Sentence(t []byte, start, end int) (from, to int) {
	for from = start; from > 0 && start-from < ClauseReach && !(mayStop[t[from-1]] && stops(t, from-1)); {
		from--
	}
	for to = end; to < len(t) && to-end < ClauseReach && !(mayStop[t[to]] && stops(t, to)); {
		to++
	}
	return from, to
}

// mayStop marks the characters that can end a sentence.
var mayStop = [256]bool{'\n': true, '.': true, '!': true, '?': true}

// stops reports whether the character at t[i], which mayStop marks, ends a sentence.
func stops(t []byte, i int) bool {
	if t[i] == '\n' { // a line feed ends a sentence before an item, a heading or a tag, and after a colon
		return i+1 < len(t) && bytes.IndexByte([]byte("-*#<>|0123456789`"), t[i+1]) >= 0 || i > 0 && t[i-1] == ':'
	}
	return ClauseEnd(t, i)
}

// ClauseEnd reports whether the character at t[i] ends a clause.
func ClauseEnd(t []byte, i int) bool {
	switch t[i] {
	case '\n', '\r':
		return true
	case '.', '!', '?', ';', ':':
		if t[i] == '.' && i >= 2 && t[i-2] == '.' && t[i-1] >= 'a' && t[i-1] <= 'z' { // as in e.g. and i.e.
			return false
		}
		return i+1 == len(t) || t[i+1] == ' ' || t[i+1] == '\n' || t[i+1] == '\r'
	}
	return false
}

// countering detects text that negates an instruction or only reports one: negation, prohibition,
// defence, example or quotation. It is applied only to the text before the match, where English and
// similar languages put such words.
var countering = text.LazyExpr(`\b(never|not|\w+n['’]t|cannot|no|without|nor|refuses?|den(y|ies|ied)|block(s|ed|ing)?|prevents?|prohibit(s|ed)?|forbid(s|den)?|` +
	`avoids?|reject(s|ed)?|detect(s|ed|ing|ion)?|protect(s|ed|ing)?|warns?|flag(s|ged)?|sanitiz\w+|redact\w*|mask(s|ed)?|guards?|scan(s|ned)? for|` +
	`such as|e\.g|for example|like|known as|attempts?|attacks|malicious|phrases?|strings?|patterns?|analy[sz]es?|checks?\s+(whether|if|for)|` +
	`(prompts|inputs|texts|messages|requests|content|comments)\s+(that|which)|` +
	`(asks?|tells?|instructs?|tricks?)\s+(the\s+|an?\s+)?\w+\s+(agent\s+|model\s+|assistant\s+)?to)\b[^\n]*$`)

// preferredTo detects text that advises against what follows, such as "prefer a name over reading"
// before "the file", or "use a package manager instead of" before a command.
var preferredTo = lazyregexp.New(`\b(prefer(s|red|able)?|better|safer|recommended)\b[^.\n]*\b(over|than)\s+\w+ing\b[^,;.\n]*$|` +
	"\\b(instead\\s+of|rather\\s+than)\\s+(\\w+ing\\s+)?((the|an?)\\s+)?[\"'`“]?$")

// StrongNegation matches words that negate. Unlike countering, it also applies within a matched
// phrase.
var StrongNegation = lazyregexp.New(`\b(never|not|\w+n['’]t|cannot)\b`)

// Preamble matches text that may precede an instruction without negating it: a phrase about
// something else (to avoid errors, …) or a double negation.
var Preamble = lazyregexp.New(`^\W*(without|to|in order to|if|when|while|unless|no matter|whether|like)\b[^,\n]*,|\b(do(es)? not|do?n['’]?t|never|not)\s+(forget|hesitate|fail)\s+to\b`)

// condition matches the word that begins the condition under which a negated action happens, as in "does
// not work unless you run". The negation does not apply to the condition.
var condition = lazyregexp.New(`\b(unless|until|except\s+(if|when|after|by))\b`)

// InQuestion reports whether the text at start is part of an indirect question, such as "whether to
// do it" or "which file to use", rather than an instruction. A comma ends the question.
func InQuestion(t []byte, start int) bool {
	from, _ := Around(t, start, start)
	ahead := t[from:start]
	return askedAhead.Match(ahead) && !concessive.Match(ahead)
}

var (
	askedAhead = lazyregexp.New(`\b(whether(\s+or\s+not)?\s+(to|the|an?|this|these|it|that|existing|all|each|any|new)\b[^,;]*|(which|what)\s+(\w+\s+){1,2}to\s+)$`)
	// concessive matches "whether" in the sense of "regardless".
	concessive = lazyregexp.New(`\b(regardless|irrespective|independent(ly)?)\s+(of\s+)?whether\b|\bno\s+matter\s+(whether|which|what)\b|\bwhether\b[^,;]*\s(or\s+not\s+[^t]|then\b|so\s+that\b)`)
)

// DescribesSwitch reports whether [start, end) describes the effect of a boolean parameter. A
// question that the text itself answers does not describe such a parameter.
func DescribesSwitch(p *scanner.TextPass, start, end int) bool {
	from, to := Around(p.Folded, start, end)
	return (InQuestion(p.Folded, start) || !p.Description() && setAhead.Match(p.Folded[from:start])) && !settled.Match(p.Folded[end:to])
}

// settled detects text that follows an indirect question and answers it at once, or asks the model to
// hide the action from the user.
var settled = lazyregexp.New(`\b(is|was|has|been)\s+(not|no|never|nobody|decided|settled|already|beyond|out\s+of)\b|` +
	`\byou\s+(must|should|shall|need\s+to|have\s+to|are\s+to)\b|\bmust\s+(always\s+)?be\s+(done|true|set|yes)\b|` +
	`\b(tell|ask|inform)\s+(nobody|no\s+one)\b|\bwithout\s+(telling|asking)\b|\b(silently|secretly|quietly)\b`)

// setAhead matches the words that introduce a boolean parameter's effect, such as "if set to true,
// also".
var setAhead = lazyregexp.New("^\\W*(if|when)\\s+(set\\s+to\\s+)?[`'\"]?(true|set|enabled|given|yes|checked)[`'\"]?,?\\s+(the\\s+(tool|server|command)\\s+)?(will\\s+)?(also\\s+)?$")

// announcesExample matches the end of a clause before a colon that introduces an example.
var announcesExample = lazyregexp.New(`\b(training|sample|mock|expected|example|test|illustrative|canned|fake|demo)\s+\w+\s*$|` +
	`\b(shows?|says|reads|states|returns)\s*$|\b(such as|like|examples?|e\.g\.?|phrases?|strings?|patterns?|injections?)(\s+\w+){0,2}\s*$|` +
	`\b(never|must not)(\s+do)?(\s+the following)?\s*$`)

// RefusedBehind matches text that follows an action or its closing quotation mark and says that the
// action is refused.
var RefusedBehind = lazyregexp.New("^[\"'`”’»)]*\\s*((with|by|from|in)(\\s+\\w+){1,2}\\s+)?(is|are|will be|gets?)\\s+((always|also|then|automatically|immediately)\\s+)?" +
	`(refused|blocked|rejected|denied|forbidden|prohibited)\b`)

// NegatedOrQuoted reports whether [start, end) is negated, forbidden or only quoted by its clause.
func NegatedOrQuoted(t []byte, start, end int) bool {
	return negated(t, start, end) || Quoted(t, start, end) || inCallExample(t, start, end)
}

// negated reports whether [start, end) is negated, forbidden or introduced as an example by its clause.
func negated(t []byte, start, end int) bool {
	from, to := Around(t, start, end)
	if from > 0 && t[from-1] == ':' {
		before, _ := Around(t, from-1, from-1)
		if announcesExample.Match(t[before : from-1]) {
			return true
		}
	}
	for _, ends := range []*lazyregexp.Regexp{Preamble, condition} {
		if all := ends.FindAllIndex(t[from:start], -1); all != nil {
			from += all[len(all)-1][1]
		}
	}
	return countering.Match(t[from:start]) || preferredTo.Match(t[from:start]) || StrongNegation.Match(t[start:end]) || RefusedBehind.Match(t[end:to])
}

// exampleCall matches the text from the announcement of an example to an argument of a function
// call, such as: Example: classify({ text: "
var exampleCall = lazyregexp.New(`\b(examples?|e\.g\.?|usage)\b[^\n"]{0,40}\b[a-z_][\w.]*\(\s*(\{\s*)?([^\n()]*[,{]\s*)?(["'\w-]+\s*[:=]\s*)?"[^"\n]*$`)

// inCallExample reports whether [start, end) is in a string that an example passes to a function.
func inCallExample(t []byte, start, end int) bool {
	line := bytes.LastIndexByte(t[:start], '\n') + 1
	rest, _, _ := bytes.Cut(t[end:], []byte("\n"))
	closed := bytes.IndexByte(rest, '"')
	return closed >= 0 && bytes.IndexByte(rest[closed:], ')') > 0 && exampleCall.Match(t[max(line, start-ClauseReach):start])
}

// CommandNegatedOrQuoted is like NegatedOrQuoted, but a command in a code span after a verb such as run
// does not count as quoted, and a specimen does.
func CommandNegatedOrQuoted(t []byte, start, end int) bool {
	if Specimen(t, start, end) {
		return true
	}
	toRun := bytes.HasSuffix(t[:start], []byte("`")) && runVerb.Match(t[max(0, start-ClauseReach):start])
	return negated(t, start, end) || !toRun && (Quoted(t, start, end) || inCallExample(t, start, end))
}

// runVerb matches the text before a command that is to be run.
var runVerb = lazyregexp.New("\\b(runs?|execut(e|es|ing)|paste|type|enter|start|use|via|with)\\b[^.\n]{0,40}`$")

// quotationMarks lists the pairs of quotation marks of many languages.
var quotationMarks = [...][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"”", "”"}, {"‘", "’"}, {"‚", "‘"},
	{"«", "»"}, {"»", "«"}, {"‹", "›"}, {"›", "‹"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"〈", "〉"}}

// jsonValue matches the text before a JSON string, whose quotation marks are syntax, not a
// quotation. Results and malformed messages can contain JSON.
var jsonValue = lazyregexp.New(`("\s*:|\[)\s*$`)

// startOfJSON matches the first characters of JSON that distinguish it from prose.
var startOfJSON = lazyregexp.New(`^\s*(\{\s*["}]|\[\s*["\[{\]\d-])`)

// IsJSON reports whether t begins like JSON. In JSON, quotation marks enclose every string; in
// other text, they are taken to mark a quotation.
func IsJSON(t []byte) bool {
	return startOfJSON.Match(t)
}

// Quoted reports whether [start, end) is directly inside quotation marks or a code span, apart from
// punctuation before the closing mark.
func Quoted(t []byte, start, end int) bool {
	behind := bytes.TrimLeft(t[end:min(len(t), end+8)], ".!?,")
	for _, q := range quotationMarks {
		if bytes.HasSuffix(t[:start], []byte(q[0])) && bytes.HasPrefix(behind, []byte(q[1])) {
			ahead := t[:start-len(q[0])]
			return !(jsonValue.Match(ahead[max(0, len(ahead)-8):]) && IsJSON(t))
		}
	}
	return false
}

// CitedAhead matches text that marks a following instruction as cited, such as the description of a
// detector, the announcement of an example, or a warning about attackers.
var CitedAhead = lazyregexp.New(`\b(detect(s|ors?|ing)?|such\s+as|e\.g|for\s+example|phrases?|wording|known\s+as|malicious|attackers?|injected)\b[^\n]*$`)

// orderWords matches words that address the reader of an instruction.
var orderWords = text.LazyExpr(`\b(you|must|should|please|first|before|always|immediately|now|important|required?|need to|make sure|ensure|then|also)\b`)

// AddressesReader reports whether a clause addresses its reader.
func AddressesReader(c []byte) bool { return orderWords.Match(c) }

// OpensClause reports whether the position of a verb makes it an imperative: first in its clause,
// or right after a word or punctuation mark that continues an instruction.
func OpensClause(c []byte, verb []int) bool {
	before := bytes.TrimRight(c[:verb[0]], " \t\"'([*-")
	return len(before) == 0 || continuesOrder.Match(before)
}

// continuesOrder matches a word or punctuation mark that makes the verb right after it an
// imperative.
var continuesOrder = text.LazyExpr(`(\b(and|then|also|please|now|to)|[,:>-])$`)

// IsResult reports whether the text is outside a definition, and is therefore data given to the
// model rather than documentation of a tool.
func IsResult(p *scanner.TextPass) bool { return !p.Subject.Definition() }

// LowerInResult lowers a severity by one level for text outside definitions, because data can
// contain text about anything.
func LowerInResult(p *scanner.TextPass, s scanner.Severity) scanner.Severity {
	if IsResult(p) && s > scanner.Note {
		return s - 1
	}
	return s
}

// ContainsAny reports whether t contains any of the words.
func ContainsAny(t []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(t, []byte(w)) })
}

// Combine returns every concatenation of one element from each list. It makes anchors from words
// that are common alone but rare in combination.
func Combine(lists ...[]string) []string {
	joined := []string{""}
	for _, list := range lists {
		next := make([]string, 0, len(joined)*len(list))
		for _, head := range joined {
			for _, tail := range list {
				next = append(next, head+tail)
			}
		}
		joined = next
	}
	return joined
}

// Wrapped returns each phrase with every combination of spaces and line feeds between its words,
// because a text can wrap anywhere. Folded text has a single white space character between words.
func Wrapped(phrases ...string) (all []string) {
	for _, phrase := range phrases {
		first, rest, _ := strings.Cut(phrase, " ")
		forms := []string{first}
		for rest != "" {
			var word string
			word, rest, _ = strings.Cut(rest, " ")
			forms = Combine(forms, []string{" " + word, "\n" + word})
		}
		all = append(all, forms...)
	}
	return all
}

// AskedByUser matches text in which the user requests something, such as a memory operation.
var AskedByUser = lazyregexp.New(`\b(when|if|whatever|what|asks?|tells?)\s+(\w+\s+)?(the\s+)?user\b|\b(the\s+)?user\s+(asks?|tells?|wants?|requests?|says?)\b`)

// UsedWhen matches text that says when to use something, as instructions for an AI do.
var UsedWhen = text.LazyExpr(`\b(use|used|useful|activate|trigger|invoke|reach)\s+(for\s+)?(this\s+|it\s+)?(\w+\s+)?(when|whenever|for|if)\b`)

// IsOrder reports whether the position of a verb makes it an instruction: at the beginning of a
// sentence or line, or after a word or punctuation mark that introduces or continues an
// instruction.
func IsOrder(t []byte, verb int) bool {
	return len(bytes.TrimSpace(t[:verb])) == 0 || leadsToOrder.Match(t[max(0, verb-orderReach):verb])
}

// orderReach is the maximum distance, in bytes, between a verb and the words before it that make it
// an instruction.
const orderReach = 240

var leadsToOrder = text.LazyExpr(`([\n.!?:;,("'*>/!—-]\s*|\b(and|then|also|please|now|to|must|should|shall|you|just|first|always|immediately|instead|only|kindly|do|` +
	`will|by|` + AnyAI + `|it|this|(this|these)\s+(\w+\s+)?` + ThisDocument + `)\s+)$`)

const UsageCost = 2 // subtracted from the weight of text that matches UsedWhen, because instructions for an AI state when to use them
