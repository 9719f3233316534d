package instructions

import (
	"bytes"
	"sync"

	"github.com/mcpscan/mcpscan/internal/clause"
	trained "github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// classifier holds buffers that are reused for each text.
type classifier struct {
	reader   trained.Reader
	locator  trained.Locator
	judge    trained.Judge
	lines    candidates // the sentences of each line
	joined   candidates // the sentences of the text, which can continue on the next line
	lists    []*candidates
	place    trained.Place
	worst    worst
	verdicts []uint32
}

// candidates are the sentences of a text, with and without short fragments at their ends and beginnings.
type candidates struct {
	whole    []trained.Sentence
	tailless []trained.Sentence // whole, without short fragments at their ends
	bare     []trained.Sentence // tailless, also without short fragments at their beginnings
	begin    []int              // indexes of suspicious sentences that begin with such a fragment
}

var classifiers = sync.Pool{New: func() any { return new(classifier) }}

var embeddedParameters = sync.OnceValue(func() trained.Parameters { return trained.Embedded().Parameters() })

func askClassifier(p *scanner.TextPass) {
	c := classifiers.Get().(*classifier)
	defer classifiers.Put(c)
	place, read := c.locator.Place(p)
	if !read {
		return
	}
	c.place = place // on the heap only once
	w := &c.worst
	*w = worst{p: p, c: c, place: &c.place, group: place.Kind.Group(), params: embeddedParameters(), around: trained.Around(p)}
	lists := c.split(p.Folded)
	if len(lists[len(lists)-1].whole) > 0 {
		w.score = w.params.Medium[w.group] // lower scores make no difference
	}
	for _, list := range lists {
		w.rateWhole(list)
	}
	whole := w.score
	for _, list := range lists {
		w.rateBare(list)
	}
	// Many benign sentences begin with a short fragment, too, so the score of a sentence without the
	// fragment does not affect whether the severity of other rules' findings is lowered.
	w.lowerOthers(whole)
	w.report()
}

// split returns the sentences of each line and, if there are several lines, of the text.
func (c *classifier) split(t []byte) []*candidates {
	c.lines.read(t, trained.Sentences)
	lists := append(c.lists[:0], &c.lines)
	if bytes.IndexByte(t, '\n') >= 0 { // a line feed can be inside a sentence, or separate instructions without punctuation
		c.joined.read(t, trained.Unwrapped)
		lists = append(lists, &c.joined)
	}
	c.lists = lists
	return lists
}

// worst finds the sentence with the highest score in a text.
type worst struct {
	p      *scanner.TextPass
	c      *classifier
	place  *trained.Place
	group  trained.Group
	params trained.Parameters
	around int // number of sentences in the text from which this text was decoded or joined

	penalty trained.Score      // the amount by which the number of sentences reduces each score
	score   trained.Score      // the highest score so far
	list    []trained.Sentence // the list that contains the sentence; nil if none scores above the start value
	at      int                // index of the sentence in it
}

// rate scores a sentence, and reports whether it can be an attack. support is what the findings of other
// rules add to its score.
func (w *worst) rate(all []trained.Sentence, i int, support trained.Score) (suspicious bool) {
	limit := w.score + w.penalty - support - max(trained.MaxGain, w.params.Floor)
	score, above := w.c.reader.Score(trained.Embedded(), w.p.Folded, all, i, w.place, limit)
	if !above {
		return false
	}
	score -= w.penalty
	if score += w.c.gain(&w.params, score, support, w.p.Folded, all, i, w.place); score > w.score {
		w.score, w.list, w.at = score, all, i
	}
	return true
}

func (w *worst) support(s trained.Sentence) trained.Score {
	w.c.verdicts = trained.Verdicts(w.c.verdicts[:0], w.p, s, w.group)
	return trained.Embedded().Support(w.c.verdicts)
}

// rateWhole scores sentences as they are and without short fragments at their ends, and notes which
// suspicious ones begin with such a fragment.
func (w *worst) rateWhole(list *candidates) {
	t := w.p.Folded
	w.penalty = -w.params.Total(0, w.around+len(list.whole), w.group)
	for i, s := range list.whole {
		if list == &w.c.joined && bytes.IndexByte(t[s.Start:s.End], '\n') < 0 {
			continue // it is already in lines
		}
		support := w.support(s)
		if !w.rate(list.whole, i, support) {
			continue
		}
		if len(list.tailless) == 0 {
			list.trim(t)
		}
		if list.tailless[i] != s {
			w.rate(list.tailless, i, support)
		}
		if list.bare[i] != list.tailless[i] {
			list.begin = append(list.begin, i)
		}
	}
}

// rateBare scores suspicious sentences without the short fragment with which they begin.
func (w *worst) rateBare(list *candidates) {
	w.penalty = -w.params.Total(0, w.around+len(list.whole), w.group)
	for _, i := range list.begin {
		w.rate(list.bare, i, w.support(list.whole[i]))
	}
}

// lowerOthers lowers the severity of other rules' findings if the highest score is that of a benign text.
func (w *worst) lowerOthers(score trained.Score) {
	short := w.place.Kind == trained.Description && len(w.c.lines.whole) <= 2 // too little text to doubt a rule
	if score > w.params.Keep[w.group] || w.p.Via != "" || !w.place.Kind.Prose() || short {
		return
	}
	unlikely := score <= w.params.Medium[w.group]
	w.p.Lower("the classifier considers the text benign", func(r *scanner.Rule, is *scanner.Issue) scanner.Severity {
		return Doubted(r, is.Severity, w.p.Folded[is.Start:is.End], w.group, unlikely)
	})
}

// report reports the sentence, unless another rule reports it with at least the same severity.
func (w *worst) report() {
	if w.list == nil || w.group == trained.Results && !w.p.Part() && oneWord(w.p.Folded) || w.p.Joined() && namesOnly(w.p.Folded) {
		return
	}
	severity := scanner.Medium
	p, s := w.p, w.list[w.at]
	if w.score > w.params.High[w.group] && !clause.ShowsSpecimen(p.Folded, s.Start, s.End) {
		severity = scanner.High
	}
	for _, others := range p.Others(s.Start, s.End) {
		if others >= severity {
			return
		}
	}
	var signals []string
	for _, part := range w.c.reader.Explain(trained.Embedded(), p.Folded, w.list, w.at, w.place) {
		signals = append(signals, "“"+text.Visible(text.Mask(string(p.Folded[part.Start:part.End])), shownPart)+"”")
	}
	p.Report(scanner.Issue{Start: s.Start, End: s.End, Severity: severity, Signals: signals,
		Message: "the classifier rates the sentence as an instruction that harms the user"})
}

// namesOnly reports whether an ASCII text is a sequence of names, such as the values of an enumeration: almost
// none of its words is a function word, without which there is no sentence.
func namesOnly(t []byte) bool {
	all, functional := 0, 0
	for word := range bytes.FieldsFuncSeq(t, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80 }) {
		if bytes.ContainsFunc(word, func(r rune) bool { return r >= 0x80 }) {
			return false
		}
		if all++; functionWords[string(word)] {
			functional++
		}
	}
	return functional*8 < all
}

var functionWords = names.Set(`a an and any are as at be before by do every for from i if in into is it me my no not of on only or our please so that the
	then these this to via we when with without you your`)

// oneWord reports whether t consists only of ASCII letters and digits, like an enumeration value in a
// protocol. To the classifier, such a text is a single unknown word, whose score means nothing.
func oneWord(t []byte) bool {
	return !bytes.ContainsFunc(t, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
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
