package instructions

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	trained "github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

// LearnedID is the ID of the rule for the trained classifier. Training excludes it.
const LearnedID = "inj-learned"

var Learned = scanner.Rule{
	ID:         LearnedID,
	Category:   "hidden_instructions",
	Title:      "The classifier rates a sentence as an instruction that harms the user",
	Why:        "Rules match known phrasings. An attacker who uses other words, or another language, can give the same instruction, and a model follows it.",
	Fix:        "Read the sentence. If a model that followed it would do something that the user did not ask for, remove the server or the text.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceLow,
	Basis:      "A linear classifier, trained on labelled texts, scores each sentence by its words, their order, and how they relate to the purpose of the tool; a text has the score of its worst sentence, reduced for longer texts. Two small neural networks that use word vectors then rate the sentences that may be attacks, together with their surroundings, the names of the tool and the parameter, and the tool's purpose. Other rules' findings in a sentence add to its score, with a weight per rule learned in training. The finding is high only above a threshold that few benign texts reach; in texts that score below a second, lower threshold, findings from rules that match phrasings are lowered to medium or low. A single-word value in a result or request is not reported. docs/detection.md has the figures.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Definition: askClassifier,
	Result:     askClassifier,
}

// Doubtful reports whether a rule relies on wording that legitimate texts of the given group also
// contain, so that the classifier can lower the severity of the findings; see [Doubted]. The rules
// for role tags and for lines out of place do not rely on wording. The rule inj-other-language is
// exempt in definitions, because the classifier was trained on too little text in the rule's
// languages, but not in results, which often quote sentences in those languages.
func Doubtful(r *scanner.Rule, g trained.Group) bool {
	switch r.ID {
	case RoleTags.ID, OutOfPlace.ID, LearnedID:
		return false
	case OtherLanguage.ID:
		return g == trained.Results
	case ToolReference.ID:
		return true
	}
	return strings.HasPrefix(r.ID, "inj-")
}

// Doubted returns the severity of a rule's finding in a text that the classifier considers benign.
// Findings from doubtful rules are at most medium, or at most low if unlikely is set, which means
// that the classifier would not report the text on its own. Findings that name a command, file or
// destination are never lowered below medium: a reader can check them, and they are the most costly
// to miss.
func Doubted(r *scanner.Rule, s scanner.Severity, evidence []byte, g trained.Group, unlikely bool) scanner.Severity {
	if !Doubtful(r, g) {
		return s
	}
	if unlikely && !verifiable(r, evidence) {
		return min(s, scanner.Low)
	}
	return min(s, scanner.Medium)
}

// verifiable reports whether a rule's finding names a command, file or destination. The findings of
// the rules in the first case always name one. The text that ExfilSink reports may ask for data
// without naming a destination.
func verifiable(r *scanner.Rule, evidence []byte) bool {
	switch r.ID {
	case AgentConfigWrite.ID, CredentialUpload.ID, DangerousCommand.ID, DownloadExec.ID, MarkdownExfil.ID, SecretFileRead.ID:
		return true
	case ExfilSink.ID:
		return outsidePlace.Match(evidence)
	}
	return false
}

var outsidePlace = lazyregexp.New(clause.OutsidePlace)
