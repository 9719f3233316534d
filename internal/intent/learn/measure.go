package learn

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/scanner"
)

// Scored is a row and its score from a model that was trained without the row's set, package or source.
type Scored struct {
	*Row
	Score intent.Score
	words []intent.Score // the scores of its sentences, computed from their words alone
	part  int            // cross-validation part that it is held out with
}

// NewScored scores the sentences of a row.
func NewScored(m intent.Model, r *Row) Scored {
	s := Scored{Row: r}
	p := m.Parameters()
	for _, t := range r.Texts {
		for _, sentence := range t.Sentences {
			s.words = append(s.words, p.Total(m.Of(sentence.Features), t.Around+len(t.Sentences), t.Group))
		}
	}
	return s
}

// worst returns the sentence with the highest score, computed from its words and the rules'
// verdicts. It returns nil for a row without sentences.
func (s *Scored) worst(support func(verdicts []uint32) intent.Score) (worst *Sentence, score intent.Score) {
	score = math.MinInt32
	k := 0
	for _, t := range s.Texts {
		for i := range t.Sentences {
			if total := s.words[k] + support(t.Sentences[i].Verdicts); total > score {
				worst, score = &t.Sentences[i], total
			}
			k++
		}
	}
	return worst, score
}

// parts is the number of cross-validation parts that the sets are divided into, to limit cost: each
// part requires training a linear model and all nets.
const parts = 5

// CrossValidate scores the words of each row with a linear model trained on the other parts. Sets,
// packages of real servers and sources of public texts are divided into the parts. Of the pairs and
// singles in the sets, training uses only the given share.
func CrossValidate(rows []*Row, share float64, o Options) []Scored {
	var sets []string
	for _, r := range rows {
		if !r.Real && !r.Public && !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
	}
	part := func(r *Row) int {
		if r.Real || r.Public {
			return int(hash(r.Set)>>9) % parts
		}
		return slices.Index(sets, r.Set) % parts
	}
	all := make([]Scored, len(rows))
	var wg sync.WaitGroup
	for k := range parts {
		wg.Go(func() {
			var training []*Row
			for _, r := range rows {
				if part(r) != k && (r.Real || r.Public || float64(hash(r.group())>>8&0xffff) < share*0x10000) {
					training = append(training, r)
				}
			}
			m := Train(training, nil, o)
			for i, r := range rows {
				if part(r) == k {
					all[i] = NewScored(m, r)
					all[i].part = k
				}
			}
		})
	}
	wg.Wait()
	return all
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// Budget limits the share of benign texts that may be flagged at a severity. Twins are paired with
// an attack in similar words; singles are not.
type Budget struct{ Twins, Singles, Real, Public float64 }

// Budgets are the shares of benign texts that the classifier, without the rules, may flag at medium and
// at high. They determine the embedded thresholds.
var Budgets = [intent.Groups]struct{ Medium, High Budget }{
	intent.Definitions: {
		Medium: Budget{Twins: 0.12, Singles: 0.12, Real: 0.006, Public: 0.01},
		High:   Budget{Twins: 0.02, Singles: 0.02, Real: 0.0015, Public: 0.001},
	},
	intent.Results: {
		Medium: Budget{Twins: 0.12, Singles: 0.16, Real: 0.005, Public: 0.0125},
		High:   Budget{Twins: 0.0125, Singles: 0.0175, Real: 0.002, Public: 0.002},
	},
}

// Thresholds returns p with the lowest thresholds at which the shares of benign texts above them
// stay within Budgets.
func Thresholds(all []Scored, p intent.Parameters) intent.Parameters {
	for g := range intent.Groups {
		p.Medium[g] = Threshold(all, g, Budgets[g].Medium)
		p.High[g] = Threshold(all, g, Budgets[g].High)
		p.Keep[g] = max(p.High[g]-keepMargin, p.Medium[g])
	}
	return p
}

// keepMargin is the distance from the threshold for high at which a text still counts as suspicious:
// findings of rules that match wording keep their severity if the text scores less than keepMargin
// below that threshold, and above the threshold for medium. It cannot be derived from a budget: the
// rules were tuned with some of the sets, and flag more benign texts in sets that they were not tuned
// with. In cross-validation on sets that the rules were not tuned with, a margin half a unit larger
// finds 0.7 % more attacks in definitions, but flags 18 % more of their twins and 26 % more of the
// singles; a margin half a unit smaller finds 0.8 % fewer attacks and, in public corpora, lowers the
// recall averaged over sources by a twentieth.
const keepMargin = intent.Unit

// Linear returns the results table for the linear model alone.
func Linear(all []Scored, o Options) string {
	alone := slices.Clone(all)
	m := intent.Encode(o.parameters(0), Supports(alone, o))
	Apply(alone, m)
	return Table(alone, Thresholds(alone, m.Parameters()))
}

// groupOf returns the group that a row belongs to.
func (r *Row) groupOf() intent.Group {
	if r.Type == "result" {
		return intent.Results
	}
	return intent.Definitions
}

// Threshold returns the lowest score that keeps the share of benign texts above it within budget b.
func Threshold(all []Scored, g intent.Group, b Budget) intent.Score {
	threshold := intent.Score(math.MinInt32)
	for share, rows := range benign(all, g, b) {
		scores := make([]intent.Score, len(rows))
		for i, s := range rows {
			scores[i] = s.Score
		}
		threshold = max(threshold, above(scores, int(share*float64(len(rows)))))
	}
	return threshold
}

// benign iterates over a group's benign rows by kind, with the share of each kind that b allows to
// be flagged.
func benign(all []Scored, g intent.Group, b Budget) iter.Seq2[float64, []Scored] {
	var twins, singles, real, public []Scored
	type version struct {
		of    string
		score intent.Score
	}
	counted := map[version]bool{}
	for _, s := range all {
		switch {
		case s.groupOf() != g || s.Attack():
		case s.Real: // most tools are the same in all versions of a package
			if v := (version{s.Set, s.Score}); !counted[v] {
				counted[v], real = true, append(real, s)
			}
		case s.Public:
			public = append(public, s)
		case s.Pair != "":
			twins = append(twins, s)
		default:
			singles = append(singles, s)
		}
	}
	return func(yield func(float64, []Scored) bool) {
		_ = yield(b.Twins, twins) && yield(b.Singles, singles) && yield(b.Real, real) && yield(b.Public, public)
	}
}

// above returns the score that n scores exceed.
func above(scores []intent.Score, n int) intent.Score {
	if n < len(scores) {
		slices.Sort(scores)
		return scores[len(scores)-1-n]
	}
	return math.MinInt32
}

// Table shows how much the model, the rules and both together find in the sets that the model was
// not trained on, at the thresholds of p.
func Table(all []Scored, p intent.Parameters) string {
	var b strings.Builder
	b.WriteString("| texts | languages | severity | attacks | found by the classifier | by rules | by both |" +
		" twins | singles | real tools, classifier alone | public corpora, classifier alone |\n|---|---|---|" +
		"---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for g := range intent.Groups {
		for _, language := range []string{"all", "English", "other"} {
			for _, at := range []scanner.Severity{scanner.High, scanner.Medium} {
				threshold, keep := p.High[g], p.Keep[g]
				if at == scanner.Medium {
					threshold, keep = p.Medium[g], p.Medium[g]
				}
				b.WriteString(line(all, g, language, at, threshold, keep))
			}
		}
	}
	return b.String()
}

// share counts texts, and how many of them are found.
type share struct{ of, learned, ruled, both int }

func (s *share) add(learned, ruled bool) {
	s.of++
	for n, is := range map[*int]bool{&s.learned: learned, &s.ruled: ruled, &s.both: learned || ruled} {
		if is {
			*n++
		}
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

func line(all []Scored, g intent.Group, language string, at scanner.Severity, threshold, keep intent.Score) string {
	var attacks, twins, singles, real, public share
	for _, s := range all {
		if s.groupOf() != g || !s.Real && !s.Public && (language == "English" && s.Lang != "en" || language == "other" && s.Lang == "en") {
			continue
		}
		learned, ruled := s.Score > threshold, s.Remains >= at || s.Found >= at && s.Score > keep
		switch {
		case s.Real:
			real.add(learned, ruled)
		case s.Public && s.Attack():
		case s.Public:
			public.add(learned, ruled)
		case s.Attack():
			attacks.add(learned, ruled)
		case s.Pair != "":
			twins.add(learned, ruled)
		default:
			singles.add(learned, ruled)
		}
	}
	name := [intent.Groups]string{"definitions", "results"}[g]
	return fmt.Sprintf("| %s | %s | `%s` | %d | %s | %s | %s | %s | %s | %s | %s |\n", name, language, at, attacks.of, percent(attacks.learned, attacks.of),
		percent(attacks.ruled, attacks.of), percent(attacks.both, attacks.of), percent(twins.both, twins.of),
		percent(singles.both, singles.of), percent(real.learned, real.of), percent(public.learned, public.of))
}
