package instructions

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var OutOfPlace = scanner.Rule{
	ID:         "inj-out-of-place",
	Category:   "hidden_instructions",
	Title:      "A request stands out among data records",
	Why:        "A model may follow text that reads like a request, wherever it appears. Only a model would act on a request between the rows of a table or the entries of a log.",
	Fix:        "Find out how the line got into the data. Do not let a model act on it.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "All but at most three lines have the same form, and one of the others asks for something unrelated to the records. The request itself is not harmful, so the severity is medium.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Lines: func(p *scanner.TextPass) {
		if !clause.IsResult(p) {
			return
		}
		for _, l := range strayLines(p.Source) {
			line := bytes.ToLower(p.Source[l.start:l.end])
			if len(line) <= requestBytes && requestLine.Match(line) && !aboutRecords.Match(line) {
				p.ReportSource(scanner.Issue{Start: l.start, End: l.end, Severity: scanner.Medium,
					Signals: []string{"the surrounding lines are records", "the line asks for something"},
					Message: "one line among data records asks for something unrelated to them"})
			}
		}
	},
}

// The thresholds for a text that consists of records: all but a few lines have the same form. A
// line longer than requestBytes is not a single request.
const (
	recordLines  = 4
	recordShare  = 0.7
	maxStrays    = 3
	requestBytes = 400
)

type span struct{ start, end int }

// strayLines returns the lines that are not records in a text that consists mainly of records.
func strayLines(t []byte) (strays []span) {
	var counts [len(recordForms)]int
	lines := 0
	eachLine(t, func(_ span, line []byte) {
		lines++
		for i, form := range recordForms {
			if form(line) {
				counts[i]++
			}
		}
	})
	for i, form := range recordForms {
		if n := counts[i]; n < recordLines || n == lines || lines-n > maxStrays || float64(n) < recordShare*float64(lines) {
			continue
		}
		eachLine(t, func(l span, line []byte) {
			if !form(line) {
				strays = append(strays, l)
			}
		})
		break
	}
	return strays
}

// eachLine yields the span of each non-blank line of t, and its text without surrounding white space.
func eachLine(t []byte, yield func(l span, trimmed []byte)) {
	for start := 0; start < len(t); {
		end := start + bytes.IndexByte(t[start:], '\n')
		if end < start {
			end = len(t)
		}
		if line := bytes.TrimSpace(t[start:end]); len(line) > 0 {
			yield(span{start, end}, line)
		}
		start = end + 1
	}
}

// recordForms are the forms of a record: a table row, delimited values, a JSON object, or a log
// entry.
var recordForms = [...]func([]byte) bool{
	func(l []byte) bool { return l[0] == '|' && bytes.Count(l, []byte("|")) > 2 },
	func(l []byte) bool { return bytes.Count(l, []byte("\t")) > 1 },
	func(l []byte) bool { return bytes.Count(l, []byte(",")) > 1 && !bytes.Contains(l, []byte(", ")) },
	func(l []byte) bool { return bytes.Count(l, []byte(";")) > 1 && !bytes.Contains(l, []byte("; ")) },
	func(l []byte) bool { return l[0] == '{' && l[len(l)-1] == '}' },
	func(l []byte) bool { return (l[0] == '[' || l[0] >= '0' && l[0] <= '9') && logEntry.Match(l) },
}

// logEntry matches a date or time at the start of a line.
var logEntry = lazyregexp.New(`^\[?\d{1,4}[-/:.]\d{1,2}[-/:.]\d{1,4}`)

// requestLine matches a line that assigns a task or asks a question.
var requestLine = lazyregexp.New(`^\W*((please|kindly|also|now|next|then|finally|and)[, ]+)*(` +
	`(can|could|would|will)\s+you\b|(i|we)\s+(need|want)\s+you\s+to\b|i['’]d\s+like\s+you\s+to\b|(help|tell|give|show|teach|send)\s+(me|us)\b|` +
	`(what|how|who|whom|whose|why|when|where|which|is|are|was|were|do|does|did|has|have|should)(['’]s)?\s[^?]*\?|in\s+your\s+(reply|response|answer)\b|` +
	taskVerb + `\s+\S+\s)`)

// taskVerb matches verbs for tasks, such as writing, finding, changing or sending something.
const taskVerb = `(write|compose|draft|create|generate|develop|design|produce|prepare|make|build|invent|summari[sz]e|explain|describe|discuss|outline|analy[sz]e|` +
	`evaluate|assess|compare|determine|classify|identify|list|name|find|look\s+up|search|research|recommend|suggest|propose|provide|offer|translate|` +
	`convert|render|rewrite|rephrase|paraphrase|reverse|encode|decode|encrypt|shift|scramble|jumble|anagram|misspell|replace|substitute|remove|` +
	`combine|group|rearrange|use|apply|express|reply|respond|answer|say|speak|sing|add|include|insert|integrate|incorporate|mention|promote|advertise|` +
	`modify|change|enhance|augment|introduce|break\s+down|solve|calculate|compute|tell|imagine|pretend|act|open|visit|click|download|install|run|` +
	`execute|call|invoke|send|forward|email|delete|book|buy|order|transfer|pay|schedule|invite|share|post|ignore|forget|stop)`

// aboutRecords matches captions, notes and hints about the records around them.
var aboutRecords = lazyregexp.New(`\b(rows?|columns?|tables?|records?|entries|results?|pages?|items?|values?|fields?|limit|offset|cursor|filters?|query|sort(ed)?|` +
	`total|source|notes?|legend|figures?|csv|json|footnotes?|above|below|next\s+page|more\s+(info\w*|details)|see\s+also)\b|:$|^\W*#`)
