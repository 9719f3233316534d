// Package sense tests a definition's sentences for combinations of the senses that internal/reading
// finds in them.
package sense

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Test evaluates a sentence of a definition by the senses that occur in it. At least one sense from each
// list in Needs must occur, and the weights of all senses that occur must add up to at least Enough.
type Test struct {
	Needs    [][]reading.Sense
	Weights  map[reading.Sense]int
	Purpose  int // negative weight if the tool's purpose covers the subject
	Enough   int
	Severity scanner.Severity
	Message  string

	unless func(t []byte, start, end int) bool // excludes sentences; nil for none
}

// Except excludes the sentences for which unless is true from the test, and returns the test.
func (w *Test) Except(unless func(t []byte, start, end int) bool) *Test {
	w.unless = unless
	return w
}

// HonestSenses are the weights, in all tests, of senses that indicate benign text.
var HonestSenses = map[reading.Sense]int{reading.Attacks: -4, reading.Asks: -4, reading.First: -2}

// tests holds the tests of all rules. They run together, because a Sentence is large and
// must be evaluated as soon as it is read.
var tests []*Test

// heavy is a sentence that reached Enough in a test.
type heavy struct {
	by           *Test
	sentence     part
	said         part   // span of the senses that add weight
	contributing uint64 // bit set of the senses that add weight
}

// part is a span of folded text, which is far shorter than 2 GiB.
type part struct{ start, end int32 }

// Check returns a rule check that runs tests on each sentence of a definition. It does not report
// again what the rule's patterns found.
func Check(ws ...*Test) func(*scanner.TextPass) {
	tests = append(tests, ws...)
	return func(p *scanner.TextPass) {
		for _, h := range p.Reading(weighDefinition).([]heavy) {
			if slices.Contains(ws, h.by) && !p.Reported(int(h.sentence.start), int(h.sentence.end), h.by.Severity) {
				p.Report(scanner.Issue{Start: int(h.said.start), End: int(h.said.end), Severity: h.by.Severity, Message: h.by.Message, Signals: h.signals()})
			}
		}
	}
}

func (h *heavy) signals() (in []string) {
	for v := range reading.Senses {
		if h.contributing&(1<<v) != 0 {
			in = append(in, v.String())
		}
	}
	return in
}

// weigh runs the test on a sentence. enough reports whether the sentence's weight is at least
// Enough and the senses in Needs are not quoted.
func (w *Test) weigh(p *scanner.TextPass, s *reading.Sentence) (h heavy, enough bool) {
	for _, oneOf := range w.Needs {
		if !s.SaysOneOf(oneOf) {
			return h, false
		}
	}
	weight, start, end := 0, s.End, s.Start
	for v := range reading.Senses {
		n := w.Weights[v] + HonestSenses[v]
		if n == 0 || !s.Says(v) {
			continue
		}
		weight += n
		if n > 0 {
			from, to := s.Place(v)
			start, end = min(start, from), max(end, to)
			h.contributing |= 1 << v
		}
	}
	if w.Purpose != 0 && weight >= w.Enough && MatchesPurpose(p.Name, p.Described(), s) {
		weight += w.Purpose
	}
	h.by, h.sentence, h.said = w, part{int32(s.Start), int32(s.End)}, part{int32(start), int32(end)}
	return h, weight >= w.Enough && !w.Quoted(p.Folded, s) && (w.unless == nil || !w.unless(p.Folded, s.Start, s.End))
}

// weighDefinition runs all tests on the sentences of a definition text, reusing the memory of an
// earlier result.
func weighDefinition(p *scanner.TextPass, old any) any {
	found, _ := old.([]heavy)
	found = found[:0]
	if cap(found) > keptHeavy {
		found = nil
	}
	key := p.Key()
	if p.Subject == mcp.ServerSubject && key != "instructions" && key != "description" {
		return found // models do not read the other strings
	}
	for s := range reading.Sentences(reading.Text{
		Folded: p.Folded, Definition: definition{p}, OfParameter: p.Subject == mcp.ToolSubject && parameterKeys[key] && !p.Description(),
	}) {
		for _, w := range tests {
			if h, enough := w.weigh(p, s); enough {
				found = append(found, h)
			}
		}
	}
	return found
}

// keptHeavy is the largest result, in sentences, whose memory is kept for reuse.
const keptHeavy = 1024

// definition passes a definition's context to package reading.
type definition struct{ *scanner.TextPass }

// OtherTool returns another server's tool, or a kind of tool, that a sentence mentions, or "".
func (d definition) OtherTool(sentence []byte) string {
	name := OtherTool(d.TextPass, sentence)
	if toolName.MatchString(name) && !isAction(name) {
		name = ""
	}
	if name == "" && !DomainTool.MatchString(d.Name) {
		return string(DomainTool.Find(sentence))
	}
	return name
}

// DomainTool matches a kind of tool that is mentioned without a name.
var DomainTool = lazyregexp.New(`\b(calendar|e?-?mail|payment|bank|file|shell|terminal|git|browser|database|messaging|sms|chat)\s+tools?\b`)

// parameterKeys lists the schema keywords with text that a model may follow when it fills in a
// parameter.
var parameterKeys = map[string]bool{"description": true, "default": true, "examples": true, "enum": true, "const": true, "title": true}

// isAction reports whether a name contains a word, such as a verb, that is typical of tool names.
func isAction(name string) bool {
	parts := strings.Split(name, "_")
	if parts[0] == "is" || parts[0] == "has" || strings.Contains(name, ".") {
		return false
	}
	return slices.ContainsFunc(parts, actionWords.MatchString)
}

var actionWords = lazyregexp.New(`^(get|list|create|send|delete|update|write|read|search|add|remove|transfer|execute|run|post|fetch|move|copy|make|place|open|close|` +
	`upload|download|edit|insert|push|merge|call|invoke|book|` +
	`pay|buy|forward|reply|publish|query|exec|browse|navigate|click|schedule|cancel|approve|deploy|build|install|start|stop|restart|enable|disable|` +
	`grant|revoke|share|invite|register|convert|export|import|sync|sign|charge|commit|log|save|store|file|e?mail|message|payment|order|invoice|funds|` +
	`repository)$`)

// Quoted reports whether all required senses are within one quotation or code span.
func (w *Test) Quoted(t []byte, s *reading.Sentence) bool {
	start, end := s.End, s.Start
	for _, oneOf := range w.Needs {
		for _, v := range oneOf {
			if s.Says(v) {
				from, to := s.Place(v)
				start, end = min(start, from), max(end, to)
			}
		}
	}
	for _, q := range []byte("\"`") {
		if start > s.Start && bytes.Count(t[s.Start:start], []byte{q})%2 == 1 && bytes.IndexByte(t[start:end], q) < 0 {
			return true
		}
	}
	return false
}

// MatchesPurpose reports whether a tool's name or the first sentence of its description covers the
// subject of s.
func MatchesPurpose(name, described string, s *reading.Sentence) bool {
	about := strings.ToLower(name)
	if !s.Says(reading.First) {
		about += " " + strings.ToLower(Opening(described))
	}
	for _, of := range purposes {
		if s.SaysOneOf(of.senses) && of.words.MatchString(about) {
			return true
		}
	}
	return false
}

// maxOpening is the maximum length, in bytes, of headings and a first sentence.
const maxOpening = 1024

// Opening returns the headings and the first sentence of s.
func Opening(s string) string { return text.Opening(s, maxOpening) }

// purposes lists groups of senses, each with words that describe tools whose purpose involves one
// of these senses.
var purposes = [...]struct {
	senses []reading.Sense
	words  *lazyregexp.Regexp
}{
	{[]reading.Sense{reading.KeyFile, reading.Secret}, lazyregexp.New(`(^|[^a-z])(ssh|aws|kube|gpg|gnupg|env|key|sign|sso|scan)|docker|netrc|npmrc|dotenv|environment|` +
		`secret|credential|token|vault|passw|wallet|config|login|log in|auth|account|connect|session|cookie|leak`)},
	{[]reading.Sense{reading.Conversation, reading.Orders}, lazyregexp.New(`chat|messag|conversation|history|slack|mail|thread|discord|telegram|sms|prompt|transcript|` +
		`memor|agent|llm|model|session|dialog|feedback|hand(s|ed)? ?(over|off)|support`)},
	{[]reading.Sense{reading.Alone}, lazyregexp.New(`agent|assistant|(^|[^a-z])(ai|bots?)([^a-z]|$)|llm|model|robot|autonom`)},
	{[]reading.Sense{reading.OtherOutput}, lazyregexp.New(`combin|merg|artifact|report|workflow|pipeline|result|orchestrat|proxy|\btools\b`)},
	{[]reading.Sense{reading.Personal}, lazyregexp.New(`file|folder|director|contact|mail|calendar|location|browser|history|photo|clipboard|process|note|phone|sms|user|` +
		`profile|system|host|workspace|bank|account|document|health|patient|crm|customer`)},
}
