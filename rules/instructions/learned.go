package instructions

import (
	"bytes"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/clause"
	trained "github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
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
	Basis:      "A linear classifier, trained on labelled texts, scores each sentence by its words, their order, and how they relate to the purpose of the tool; a text has the score of its worst sentence, reduced for longer texts. Two small neural networks that use word vectors then rate the sentences that may be attacks, together with their surroundings and the tool's names and purpose. Other rules' findings in a sentence add to its score, with a weight per rule learned in training. The finding is high only above a threshold that few benign texts reach; in texts that score below a second, lower threshold, findings from rules that match phrasings are lowered to medium or low. docs/detection.md has the figures.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Definition: askClassifier,
	Result:     askClassifier,
}

// classifier holds buffers that are reused for each text.
type classifier struct {
	reader   trained.Reader
	locator  trained.Locator
	judge    trained.Judge
	lines    candidates // the sentences of each line
	joined   candidates // the sentences of the text, which can continue on the next line
	verdicts []uint32
}

// candidates are the sentences of a text, with and without short fragments at their ends and beginnings.
type candidates struct {
	whole    []trained.Sentence
	tailless []trained.Sentence // whole, without short fragments at their ends
	bare     []trained.Sentence // tailless, also without short fragments at their beginnings
	begin    []int              // indexes of suspicious sentences that begin with such a fragment
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

var classifiers = sync.Pool{New: func() any { return new(classifier) }}

var embeddedParameters = sync.OnceValue(func() trained.Parameters { return trained.Embedded().Parameters() })

func askClassifier(p *scanner.TextPass) {
	c := classifiers.Get().(*classifier)
	defer classifiers.Put(c)
	place, read := c.locator.Place(p)
	if !read {
		return
	}
	m, params := trained.Embedded(), embeddedParameters()
	c.lines.read(p.Folded, trained.Sentences)
	lists := append(make([]*candidates, 0, 2), &c.lines)
	if bytes.IndexByte(p.Folded, '\n') >= 0 { // a line feed can be inside a sentence, or separate instructions without punctuation
		c.joined.read(p.Folded, trained.Unwrapped)
		lists = append(lists, &c.joined)
	}
	around := trained.Around(p)
	group, worst, at := place.Kind.Group(), trained.Score(0), -1
	if len(lists[len(lists)-1].whole) > 0 {
		worst = params.Medium[group] // lower scores make no difference
	}
	var penalty trained.Score     // the amount by which the number of sentences reduces each score
	var scored []trained.Sentence // the list that contains the sentence with the worst score
	rate := func(all []trained.Sentence, i int, support trained.Score) (suspicious bool) {
		limit := worst + penalty - support - max(trained.MaxGain, params.Floor)
		score, above := c.reader.Score(m, p.Folded, all, i, &place, limit)
		if !above {
			return false
		}
		score -= penalty
		if score += c.gain(&params, score, support, p.Folded, all, i, &place); score > worst {
			worst, at, scored = score, i, all
		}
		return true
	}
	supportOf := func(s trained.Sentence) trained.Score {
		c.verdicts = trained.Verdicts(c.verdicts[:0], p, s, group)
		return m.Support(c.verdicts)
	}
	for _, list := range lists {
		penalty = -params.Total(0, around+len(list.whole), group)
		for i, s := range list.whole {
			if list == &c.joined && bytes.IndexByte(p.Folded[s.Start:s.End], '\n') < 0 {
				continue // it is already in c.lines
			}
			support := supportOf(s)
			if !rate(list.whole, i, support) {
				continue
			}
			if len(list.tailless) == 0 {
				list.trim(p.Folded)
			}
			if list.tailless[i] != s {
				rate(list.tailless, i, support)
			}
			if list.bare[i] != list.tailless[i] {
				list.begin = append(list.begin, i)
			}
		}
	}
	whole := worst
	// Many benign sentences begin with a short fragment, too, so the score of a sentence
	// without it does not affect whether the severity of other rules' findings is lowered.
	for _, list := range lists {
		penalty = -params.Total(0, around+len(list.whole), group)
		for _, i := range list.begin {
			rate(list.bare, i, supportOf(list.whole[i]))
		}
	}
	short := place.Kind == trained.Description && len(c.lines.whole) <= 2 // too little text to doubt a rule
	if whole <= params.Keep[group] && p.Via == "" && place.Kind.Prose() && !short {
		p.Lower("the classifier considers the text benign", func(r *scanner.Rule, is *scanner.Issue) scanner.Severity {
			return Doubted(r, is.Severity, p.Folded[is.Start:is.End], group, whole <= params.Medium[group])
		})
	}
	if at < 0 {
		return
	}
	severity := scanner.Medium
	if worst > params.High[group] {
		severity = scanner.High
	}
	s := scored[at]
	for _, others := range p.Others(s.Start, s.End) {
		if others >= severity {
			return // another rule already reports the sentence
		}
	}
	var signals []string
	for _, part := range c.reader.Explain(m, p.Folded, scored, at, &place) {
		signals = append(signals, "“"+text.Visible(text.Mask(string(p.Folded[part.Start:part.End])), shownPart)+"”")
	}
	p.Report(scanner.Issue{Start: s.Start, End: s.End, Severity: severity, Signals: signals,
		Message: "the classifier rates the sentence as an instruction that harms the user"})
}

// read sets the sentences to those of t.
func (c *candidates) read(t []byte, sentences func([]trained.Sentence, []byte) []trained.Sentence) {
	c.whole, c.tailless, c.bare, c.begin = sentences(c.whole[:0], t), c.tailless[:0], c.bare[:0], c.begin[:0]
}

// trim sets tailless and bare to the sentences without short fragments.
func (c *candidates) trim(t []byte) {
	for _, s := range c.whole {
		c.tailless = append(c.tailless, s.WithoutTail(t))
		c.bare = append(c.bare, s.WithoutHead(t).WithoutTail(t))
	}
}

// gain returns what the neural networks and other rules' findings add to the score of sentence i,
// which must be the one that c.reader scored last. It does not run the networks if their output
// cannot matter.
func (c *classifier) gain(params *trained.Parameters, score, support trained.Score, t []byte, all []trained.Sentence, i int, place *trained.Place) trained.Score {
	g := place.Kind.Group()
	switch {
	case score+support+trained.MaxGain <= params.Medium[g]:
		return support
	case score <= params.Pass[g]:
		return support + params.Floor
	}
	if c.judge == nil {
		c.judge = trained.EmbeddedJudge()
	}
	return support + c.judge.Gain(c.reader.Input(t, all, i, place))
}

// shownPart is the maximum length, in characters, of a quoted part of a sentence.
const shownPart = 40
