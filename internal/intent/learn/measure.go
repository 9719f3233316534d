package learn

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/scanner"
)

// Scored is a row and its score from a model that was trained without its set or package.
type Scored struct {
	*Row
	Score intent.Score
	words []intent.Score // of its sentences, by their words alone
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

// worst returns the sentence with the highest score, from its words and the verdicts of rules. It
// returns nil for a row without sentences.
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
// part means training a model and a net.
const parts = 5

// LeaveOneOut scores the words of each row with a classifier trained on a share of the pairs of the
// other parts. Packages of real servers and sources of public texts are divided into as many parts.
func LeaveOneOut(rows []*Row, share float64, o Options) []Scored {
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

// Budget limits the share of benign texts that may be flagged at a severity.
type Budget struct{ Twins, Real, Public float64 }

// Budgets are the budgets for the embedded thresholds, at medium and at high.
var Budgets = [intent.Groups]struct{ Medium, High Budget }{
	intent.Definitions: {Medium: Budget{Twins: 0.12, Real: 0.005, Public: 0.01}, High: Budget{Twins: 0.035, Real: 0.002, Public: 0.001}},
	intent.Results:     {Medium: Budget{Twins: 0.12, Real: 0.005, Public: 0.0125}, High: Budget{Twins: 0.02, Real: 0.002, Public: 0.002}},
}

// Thresholds returns p with the thresholds that keep within the budgets.
func Thresholds(all []Scored, p intent.Parameters) intent.Parameters {
	for g := range intent.Groups {
		p.Medium[g] = Threshold(all, g, Budgets[g].Medium)
		p.High[g] = Threshold(all, g, Budgets[g].High)
	}
	return p
}

// Linear returns the results table of the linear model alone.
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
	var twins, real, public []intent.Score
	for _, s := range all {
		switch {
		case s.groupOf() != g || s.Attack():
		case s.Real:
			real = append(real, s.Score)
		case s.Public:
			public = append(public, s.Score)
		case s.Pair != "":
			twins = append(twins, s.Score)
		}
	}
	return max(above(twins, b.Twins), above(real, b.Real), above(public, b.Public))
}

// above returns the score that the given share of scores exceeds.
func above(scores []intent.Score, share float64) intent.Score {
	if n := int(share * float64(len(scores))); n < len(scores) {
		slices.Sort(scores)
		return scores[len(scores)-1-n]
	}
	return math.MinInt32
}

// Table shows how much the model, the rules and both together find in the sets that the model was
// not trained on, at the thresholds of p.
func Table(all []Scored, p intent.Parameters) string {
	var b strings.Builder
	b.WriteString("| texts | languages | severity | attacks | found by the classifier | by rules | by both | twins | singles | real tools, classifier alone | public corpora, classifier alone |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for g := range intent.Groups {
		for _, language := range []string{"all", "English", "other"} {
			for _, at := range []scanner.Severity{scanner.High, scanner.Medium} {
				threshold := p.High[g]
				if at == scanner.Medium {
					threshold = p.Medium[g]
				}
				b.WriteString(line(all, g, language, at, threshold))
			}
		}
	}
	return b.String()
}

// share counts texts and how many of them are found.
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

func line(all []Scored, g intent.Group, language string, at scanner.Severity, threshold intent.Score) string {
	var attacks, twins, singles, real, public share
	for _, s := range all {
		if s.groupOf() != g || !s.Real && !s.Public && (language == "English" && s.Lang != "en" || language == "other" && s.Lang == "en") {
			continue
		}
		learned, ruled := s.Score > threshold, s.Found >= at || s.Doubtful >= at && (at < scanner.High || s.Score > threshold)
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
		percent(attacks.ruled, attacks.of), percent(attacks.both, attacks.of), percent(twins.both, twins.of), percent(singles.both, singles.of), percent(real.learned, real.of), percent(public.learned, public.of))
}
