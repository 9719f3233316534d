package instructions

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/scanner"
)

var secretVerb = lazyregexp.New(`\b(read|open|cat|load|access|fetch|retrieve|cop(y|ie)|include|extract|grab|get|list|send|upload|pass|attach|append|prepend|embed|` +
	`provide|paste|put|print|output|dump|steal|exfiltrate|harvest|return|collect|quote|supply|grab|gather|index|scan|insert|forward)(e?s)?\b`)

var SecretFileRead = scanner.Rule{
	ID:         "inj-secret-file-read",
	Category:   "credential_theft",
	Title:      "Text tells the model to read credentials",
	Why:        "A model with a file or shell tool can read keys that the server cannot reach, and pass them to the server in the next call.",
	Fix:        "Remove the server, and rotate the credentials if the tool was ever used.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A verb for reading or obtaining and a credentials file appear in one clause that is not negated. Tools whose purpose is to read that file are a known source of false positives.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0098", "CWE-200"},
	Patterns: []scanner.Pattern{{
		Name:    "secret_file",
		Expr:    secrets.Files,
		Anchors: secrets.FileAnchors,
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if secrets.PublicFile(p.Folded, m.End) || template.Match(p.Folded[m.End:]) {
				continue // a public key or a template is not secret
			}
			from, to := clause.Around(p.Folded, m.Start, m.End)
			verb := firstVerb(p.Folded[from:m.Start])
			if verb == nil && (fileNamedFirst.Match(p.Folded[m.End:to]) || clause.IsResult(p) && sentToAddress.Match(p.Folded[from:to])) {
				verb = []int{m.Start - from, m.Start - from}
			}
			if verb == nil || clause.NegatedOrQuoted(p.Folded, m.Start, m.End) || writtenTo(p.Folded[from:m.Start], p.Folded[m.Start:m.End], p.Folded[m.End:to]) {
				continue
			}
			told := clause.AddressesReader(p.Folded[from:to]) || clause.OpensClause(p.Folded[from:], verb) && !p.FirstSentence(from+verb[0])
			severity, signals := scanner.Critical, []string{"a verb of access", "a credentials file", "the model is addressed"}
			switch {
			case clause.IsResult(p) && clause.AddressesReader(p.Folded[from:to]):
				severity = clause.InData(p, m.Start, m.End, scanner.High)
			case clause.IsResult(p) && clause.OpensClause(p.Folded[from:], verb) && contentHandedOver.Match(p.Folded[from:to]):
				severity, signals = clause.InData(p, m.Start, m.End, scanner.High), []string{"a verb of access", "a credentials file", "the file's content goes into the answer"}
			case clause.IsResult(p) && sentToAddress.Match(p.Folded[from:to]):
				severity, signals = clause.InData(p, m.Start, m.End, scanner.High), []string{"a credentials file", "an address that receives the file's content"}
			case clause.IsResult(p):
				continue // the command is in a listing or manual
			case !told && (p.FirstSentence(from) && verb[0] == 0 || secrets.HandlesCredentials(p.Name)):
				severity, signals = scanner.Low, []string{"a credentials file", "within the tool's stated purpose"}
			case !told:
				severity, signals = scanner.High, []string{"a verb of access", "a credentials file", "beyond the tool's purpose"}
			}
			p.Report(scanner.Issue{Start: from + verb[0], End: m.End, Severity: severity, Signals: signals,
				Message: "tells the model to read a credentials file"})
		}
	},
}

// firstVerb returns the first verb of access in the text before the name of a file, or nil. It
// skips nouns, as in "the access token is stored in the keychain".
func firstVerb(ahead []byte) []int {
	for _, verb := range secretVerb.FindAllIndex(ahead, -1) {
		if !nounBehind.Match(ahead[verb[0]:]) {
			return verb
		}
	}
	return nil
}

// nounBehind matches a word that looks like a verb of access but is the subject of the verb after it.
var nounBehind = lazyregexp.New(`^(access\s+(tokens?|keys?)|access|list|output|dump|quote|index|scan|return|print)\s+((is|are|was|were|gets?)\s|(lives?|stays?)\b)`)

// template matches the suffix that marks a file as a template, as in .env.example.
var template = lazyregexp.New(`^[.-](example|sample|template|dist)\b`)

// writtenTo reports whether the text before and after the name of a file says to put something into the
// file, as setup instructions do, and not to pass the file on. It returns false for authorized_keys,
// because a key in that file grants access.
func writtenTo(ahead, file, behind []byte) bool {
	return putInto.Match(ahead) && !bytes.Contains(file, []byte("authorized_keys")) && !storedThere.Match(ahead) && !passedOn.Match(behind)
}

var (
	// putInto matches a verb of placing and a preposition before the name of the file. storedThere
	// matches wording before the name that refers to what the file already contains. passedOn
	// matches wording after the name that passes on the file's content.
	putInto     = lazyregexp.New(`\b(put|paste|insert|append|add|save|store|write|cop(y|ie)|set|place)(e?s)?\s[^,;:]{0,40}?\b(in|into|to)(\s+(your|the|a|an|its))?\s*["'` + "`" + `]?$`)
	storedThere = lazyregexp.New(`\b(what|whatever|everything|anything|contents?|is|are|stored|saved|found|kept|lies|copy\s+(\w+\s+){1,3}in)\b[^,;:]*$`)
	passedOn    = lazyregexp.New(`^\S{0,3}\s*(file\s+)?(in|into|to|as|with)\b|\b(send|include|reply|respond|answer|attach|forward|pass|upload|post|report)(e?s)?\b`)
)

// fileNamedFirst matches an instruction that names the file before the verb.
var fileNamedFirst = lazyregexp.New(`^[^,]{0,20}\b(must|should|shall|has\s+to|needs?\s+to)\s+(\w+\s+)?be\s+(read|copied|sent|uploaded|included|attached|passed|opened|loaded|posted)\b`)

// contentHandedOver matches an instruction to put the content of a file into an answer or
// a call.
var contentHandedOver = lazyregexp.New(`\b(reply|respond|answer|response|send|pass|paste|give\s+me|tell\s+me|include|attach|forward|argument|parameter|` +
	`call\s+the\s+tool|with\s+(its|the)\s+contents?|pastebin|gist|put\s+(it|the\s+(output|result|contents?)))\b`)

// sentToAddress matches wording for sending something to an address.
var sentToAddress = lazyregexp.New(`\b(post|send|upload|curl|exfiltrat)\w*\b[^\n]{0,80}https?://|https?://[^\n]{0,80}\b(post|send|upload|exfiltrat)`)
