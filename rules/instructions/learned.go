package instructions

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
	reader    trained.Reader
	locator   trained.Locator
	judge     trained.Judge
	sentences []trained.Sentence
	tailless  []trained.Sentence // these, without short fragments at their ends
	bare      []trained.Sentence // and without short fragments at their beginnings
	begin     []int              // numbers of suspicious sentences that begin with such a fragment
	joined    []trained.Sentence // these, with the lines of one sentence joined
	rejoined  int                // number of times that lines were joined
	verdicts  []uint32
}

// Doubtful reports whether a rule relies on wording that legitimate texts of a group also contain,
// so that the classifier can lower the severity of the findings; see [Doubted]. The rules for role
// tags and for lines out of place do not rely on wording. The rule inj-other-language is exempt in
// definitions, because the classifier was trained on too little text in the rule's languages, but
// not in results, which often quote sentences in those languages.
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
// destination are rated medium in either case: a reader can check them, and they are the most costly
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
// the rules in the first case always do. The text that ExfilSink reports may ask for data without
// naming a destination.
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
	c.sentences = trained.Sentences(c.sentences[:0], p.Folded)
	c.tailless, c.bare, c.begin, c.rejoined = c.tailless[:0], c.bare[:0], c.begin[:0], 0
	around := trained.Around(p)
	group, worst, at := place.Kind.Group(), trained.Score(0), -1
	if len(c.sentences) > 0 {
		worst = params.Medium[group] // no lower score makes a difference
	}
	penalty := -params.Total(0, around+len(c.sentences), group)
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
	for i, s := range c.sentences {
		c.verdicts = trained.Verdicts(c.verdicts[:0], p, s, group)
		support := m.Support(c.verdicts)
		if !rate(c.sentences, i, support) {
			continue
		}
		if len(c.tailless) == 0 {
			c.trim(p.Folded)
		}
		if c.tailless[i] != s {
			rate(c.tailless, i, support)
		}
		if c.bare[i] != c.tailless[i] {
			c.begin = append(c.begin, i)
		}
	}
	whole := worst
	// Many benign sentences begin with a short fragment, too. Therefore, what is left of them without
	// it does not decide whether to lower the findings of other rules.
	for _, i := range c.begin {
		c.verdicts = trained.Verdicts(c.verdicts[:0], p, c.sentences[i], group)
		rate(c.bare, i, m.Support(c.verdicts))
	}
	short := place.Kind == trained.Description && len(c.sentences) <= 2 // too little text to doubt a rule
	if whole <= params.Keep[group] && p.Via == "" && place.Kind.Prose() && !short {
		p.Lower("the classifier considers the text benign", func(r *scanner.Rule, is *scanner.Issue) scanner.Severity {
			if !Doubtful(r, group) {
				return is.Severity
			}
			benign := whole
			for k := c.sentenceAt(is.Start); k < len(c.sentences) && c.sentences[k].Start < is.End; {
				first, last := c.lines(p.Folded, k)
				if k = last + 1; last > first { // an attacker can break lines anywhere
					if c.rejoined++; c.rejoined > mostRejoined {
						return is.Severity
					}
					before, beforeAt, in := worst, at, scored
					worst = benign
					c.joined = slices.Replace(append(c.joined[:0], c.sentences...), first, k, trained.Sentence{Start: c.sentences[first].Start, End: c.sentences[last].End})
					c.verdicts = trained.Verdicts(c.verdicts[:0], p, c.joined[first], group)
					rate(c.joined, first, m.Support(c.verdicts))
					benign, worst, at, scored = worst, before, beforeAt, in
				}
			}
			if benign > params.Keep[group] {
				return is.Severity
			}
			return Doubted(r, is.Severity, p.Folded[is.Start:is.End], group, benign <= params.Medium[group])
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

// sentenceAt returns the index of the first sentence that ends after a position.
func (c *classifier) sentenceAt(at int) int {
	k, _ := slices.BinarySearchFunc(c.sentences, at+1, func(s trained.Sentence, end int) int { return cmp.Compare(s.End, end) })
	return k
}

// The bounds on joining the lines of sentences in a text.
const (
	joinedReach  = 600 // bytes on either side of a line
	mostRejoined = 100 // findings; those after them are not lowered
)

// lines returns the indices of the first and the last line of the sentence that line k belongs to.
func (c *classifier) lines(t []byte, k int) (first, last int) {
	first, last = k, k
	at := c.sentences[k]
	for first > 0 && !c.stops(t, first-1) && at.Start-c.sentences[first-1].Start <= joinedReach {
		first--
	}
	for last+1 < len(c.sentences) && !c.stops(t, last) && c.sentences[last+1].End-at.End <= joinedReach {
		last++
	}
	return first, last
}

// stops reports whether sentence i ends with punctuation, not only with its line, or the next one begins
// an item of a list or a paragraph.
func (c *classifier) stops(t []byte, i int) bool {
	s, next := c.sentences[i], c.sentences[i+1]
	switch t[s.End-1] {
	case '.', '!', '?', ':', ';':
		return true
	}
	r, _ := utf8.DecodeRune(t[next.Start:])
	return t[s.End-1] >= utf8.RuneSelf || !unicode.IsLetter(r) && !strings.ContainsRune("~/'\"`(", r) || bytes.Count(t[s.End:next.Start], []byte("\n")) > 1
}

// trim sets tailless and bare to the sentences without short fragments.
func (c *classifier) trim(t []byte) {
	for _, s := range c.sentences {
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
