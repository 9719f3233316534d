package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// reportSchema reports the differences in a definition's schemas whose severity is in [from, to],
// as one finding per schema.
func reportSchema(c *change, from, to scanner.Severity) {
	for _, name := range [...]string{"inputSchema", "outputSchema"} {
		old, now := c.member(name)
		if c.same(old, now) {
			continue
		}
		found := compareSchemas(c, old, now, name == "outputSchema")
		if len(found) == 0 && !c.textsChangedIn("/"+name) {
			found = append(found, difference{"/" + name, "", "equivalent, but written differently", scanner.Note})
		}
		all := slices.DeleteFunc(found, func(d difference) bool { return d.weight < from || d.weight > to })
		if len(all) == 0 {
			continue
		}
		slices.SortStableFunc(all, func(a, b difference) int { return int(b.weight) - int(a.weight) })
		var told []string
		for _, d := range all {
			told = append(told, d.what)
		}
		c.report(all[0].weight, all[0].pointer, "the schema changed: "+text.JoinSome(told), strings.Join(namesOf(all), ", "), c.diffOf(name))
	}
}

func namesOf(all []difference) (named []string) {
	for _, d := range all {
		if d.name != "" && !slices.Contains(named, d.name) && len(named) < 8 {
			named = append(named, d.name)
		}
	}
	return named
}
