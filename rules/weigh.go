package rules

import (
	"bytes"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/scanner"
)

// weighing judges a sentence of a definition by the senses that meet in it,
// whatever its words: one of each list of needs must be said, and the weights
// of all that is said must reach enough.
type weighing struct {
	needs    [][]reading.Sense
	weights  map[reading.Sense]int
	purpose  int // the weight of speaking of what the tool is for, below zero
	enough   int
	severity scanner.Severity
	message  string
}

// honestly are the weights of signs of an honest text, in all weighings.
var honestly = map[reading.Sense]int{reading.Attacks: -4, reading.Asks: -4, reading.First: -2}

// weighed returns the check of a rule that weighs each sentence of a definition. It does not
// repeat what the rule's patterns found.
func weighed(ws ...*weighing) func(*scanner.TextPass) {
	return func(p *scanner.TextPass) {
		sentences := p.Reading(readDefinition).([]reading.Sentence)
		for i := range sentences {
			for _, w := range ws {
				w.judge(p, &sentences[i])
			}
		}
	}
}

func (w *weighing) judge(p *scanner.TextPass, s *reading.Sentence) {
	for _, oneOf := range w.needs {
		if !s.SaysOneOf(oneOf) {
			return
		}
	}
	weight, start, end := 0, s.End, s.Start
	var signals []string
	for v := range reading.Senses {
		n := w.weights[v] + honestly[v]
		if n == 0 || !s.Says(v) {
			continue
		}
		weight += n
		if n > 0 {
			from, to := s.Place(v)
			start, end = min(start, from), max(end, to)
			signals = append(signals, v.String())
		}
	}
	if w.purpose != 0 && weight >= w.enough && purposeful(p, s) {
		weight += w.purpose
	}
	if weight < w.enough || p.Reported(s.Start, s.End, w.severity) || w.quoted(p.Folded, s) {
		return
	}
	p.Report(scanner.Issue{Start: start, End: end, Severity: w.severity, Message: w.message, Signals: signals})
}

// readDefinition reads the text of a definition into the memory of an earlier one.
func readDefinition(p *scanner.TextPass, old any) any {
	sentences, _ := old.([]reading.Sentence)
	sentences = sentences[:0]
	key := p.Key()
	if p.Subject == scanner.ServerSubject && key != "instructions" && key != "description" {
		return sentences // no model reads the rest
	}
	return reading.Read(sentences, reading.Text{
		Folded: p.Folded, Definition: definition{p}, OfParameter: p.Subject == scanner.ToolSubject && parameterKeys[key] && !p.Description(),
	})
}

// definition provides the context of a reading.
type definition struct{ *scanner.TextPass }

// OtherTool returns a tool of others that a sentence names.
func (d definition) OtherTool(sentence []byte) string {
	name := anotherTool(d.TextPass, sentence)
	if toolName.MatchString(name) && !isAction(name) {
		name = ""
	}
	if name == "" && !domainTool.MatchString(d.Name) {
		return string(domainTool.Find(sentence))
	}
	return name
}

// domainTool matches a kind of tool that a sentence mentions without a name.
var domainTool = lazyregexp.New(`\b(calendar|e?-?mail|payment|bank|file|shell|terminal|git|browser|database|messaging|sms|chat)\s+tools?\b`)

// parameterKeys are the members of a schema whose text a model may follow when
// it fills in a parameter.
var parameterKeys = map[string]bool{"description": true, "default": true, "examples": true, "enum": true, "const": true, "title": true}

// isAction reports whether a name is that of a tool: tools do something.
func isAction(name string) bool {
	parts := strings.Split(name, "_")
	if parts[0] == "is" || parts[0] == "has" || strings.Contains(name, ".") {
		return false
	}
	for _, w := range parts {
		if actionWords.MatchString(w) {
			return true
		}
	}
	return false
}

var actionWords = lazyregexp.New(`^(get|list|create|send|delete|update|write|read|search|add|remove|transfer|execute|run|post|fetch|move|copy|make|place|open|close|upload|download|edit|insert|push|merge|call|invoke|book|` +
	`pay|buy|forward|reply|publish|query|exec|browse|navigate|click|schedule|cancel|approve|deploy|build|install|start|stop|restart|enable|disable|grant|revoke|share|invite|register|convert|export|import|sync|sign|charge|commit|log|save|store|file|e?mail|message|payment|order|invoice|funds|repository)$`)

// quoted reports whether all that is needed is in one quotation or code span.
func (w *weighing) quoted(t []byte, s *reading.Sentence) bool {
	start, end := s.End, s.Start
	for _, oneOf := range w.needs {
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

// purposeful reports that a tool's name or first sentence is about the subject of the
// sentence.
func purposeful(p *scanner.TextPass, s *reading.Sentence) bool {
	return purposeOf(p.Name, p.Described(), s)
}

// purposeOf reports the same for a name and a description.
func purposeOf(name, described string, s *reading.Sentence) bool {
	about := strings.ToLower(name)
	if !s.Says(reading.First) {
		about += " " + strings.ToLower(firstSaid(described))
	}
	for _, of := range purposes {
		if s.SaysOneOf(of.senses) && of.words.MatchString(about) {
			return true
		}
	}
	return false
}

// maxOpening is how much of a text without an end of a sentence its beginning is, in bytes.
const maxOpening = 1024

// firstSaid returns the first sentence of a text.
func firstSaid(s string) string {
	s = s[:min(len(s), maxOpening)]
	if i := strings.IndexAny(s, ".\n"); i >= 0 {
		s = s[:i]
	}
	return s
}

// purposes are words of tools whose job is to pass data on.
var purposes = [...]struct {
	senses []reading.Sense
	words  *lazyregexp.Regexp
}{
	{[]reading.Sense{reading.KeyFile, reading.Secret}, lazyregexp.New(`(^|[^a-z])(ssh|aws|kube|gpg|gnupg|env|key|sign|sso|scan)|docker|netrc|npmrc|dotenv|environment|secret|credential|token|vault|passw|wallet|config|login|log in|auth|account|connect|session|cookie|leak`)},
	{[]reading.Sense{reading.Conversation, reading.Orders}, lazyregexp.New(`chat|messag|conversation|history|slack|mail|thread|discord|telegram|sms|prompt|transcript|memor|agent|llm|model|session|dialog|feedback|hand(s|ed)? ?(over|off)|support`)},
	{[]reading.Sense{reading.Alone}, lazyregexp.New(`agent|assistant|(^|[^a-z])(ai|bots?)([^a-z]|$)|llm|model|robot|autonom`)},
	{[]reading.Sense{reading.OtherOutput}, lazyregexp.New(`combin|merg|artifact|report|workflow|pipeline|result|orchestrat|proxy|\btools\b`)},
	{[]reading.Sense{reading.Personal}, lazyregexp.New(`file|folder|director|contact|mail|calendar|location|browser|history|photo|clipboard|process|note|phone|sms|user|profile|system|host|workspace|bank|account|document|health|patient|crm|customer`)},
}
