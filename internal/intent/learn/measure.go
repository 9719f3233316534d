package learn

import (
	"fmt"
	"slices"
	"strings"
)

// scored is a row and its score.
type scored struct {
	*Row
	score float64
}

// LeaveOneOut scores each set by what is learned from a share of the pairs of the others,
// and returns a table: how many attacks score above a threshold that a share of the honest
// twins passes, with how many of the honest singles and of the tools of real servers do.
func LeaveOneOut(rows, servers []*Row, share float64, o Options) string {
	var sets []string
	for _, r := range rows {
		if !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
	}
	var all []scored
	for i, set := range sets {
		var training []*Row
		for _, r := range rows {
			if r.Set != set && inShare(r, share) {
				training = append(training, r)
			}
		}
		for _, r := range servers {
			if r.Set == learned {
				training = append(training, r)
			}
		}
		m := Train(training, o)
		for _, r := range rows {
			if r.Set == set {
				all = append(all, scored{r, m.Score(r)})
			}
		}
		for _, r := range servers {
			if i == 0 && r.Set != learned {
				all = append(all, scored{r, m.Score(r)})
			}
		}
	}
	var b strings.Builder
	b.WriteString("| texts | languages | attacks | twins passed | found | singles passed | tools of real servers passed |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, kind := range []string{"definition", "result"} {
		for _, language := range []string{"all", "English", "other"} {
			for _, passed := range []float64{.01, .02, .04, .08} {
				b.WriteString(line(all, kind, language, passed))
			}
		}
	}
	return b.String()
}

// inShare picks pairs by their number, so that a smaller share is a part of a larger one.
func inShare(r *Row, share float64) bool {
	name := r.ID
	if r.Pair != "" {
		name = r.Pair
	}
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return float64(h>>8&0xffff) < share*0x10000
}

func line(all []scored, kind, language string, passed float64) string {
	var attacks, twins, singles, tools []float64
	for _, s := range all {
		switch real := s.Set == learned || s.Set == measured; {
		case s.Type != kind || !real && (language == "English" && s.Lang != "en" || language == "other" && s.Lang == "en"):
		case real:
			tools = append(tools, s.score)
		case s.Attack():
			attacks = append(attacks, s.score)
		case s.Pair != "":
			twins = append(twins, s.score)
		default:
			singles = append(singles, s.score)
		}
	}
	slices.Sort(twins)
	threshold := twins[len(twins)-1-int(passed*float64(len(twins)))]
	above := func(scores []float64) string {
		if len(scores) == 0 {
			return "–"
		}
		n := 0
		for _, v := range scores {
			if v > threshold {
				n++
			}
		}
		return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(len(scores)))
	}
	return fmt.Sprintf("| %ss | %s | %d | %s | %s | %s | %s |\n", kind, language, len(attacks), above(twins), above(attacks), above(singles), above(tools))
}
