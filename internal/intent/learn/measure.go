package learn

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// scored is a row and its score.
type scored struct {
	*Row
	score float64
}

// LeaveOneOut scores each set with a classifier trained on a share of the pairs of the
// other sets. Each row of the table it returns sets the threshold at which a fixed share of
// the honest twins is flagged, and gives the shares of attacks, of honest singles and of
// tools of real servers above that threshold.
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
	b.WriteString("| texts | languages | attacks | twins flagged | attacks found | singles flagged | tools of real servers flagged |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, kind := range []string{"definition", "result"} {
		for _, language := range []string{"all", "English", "other"} {
			for _, flagged := range []float64{.01, .02, .04, .08} {
				b.WriteString(line(all, kind, language, flagged))
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
	h := fnv.New32a()
	h.Write([]byte(name))
	return float64(h.Sum32()>>8&0xffff) < share*0x10000
}

func line(all []scored, kind, language string, flagged float64) string {
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
	threshold := twins[len(twins)-1-int(flagged*float64(len(twins)))]
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
