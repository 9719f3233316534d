package config

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// Choice maps the ID of each chosen rule to the places for which it is chosen.
type Choice map[string]Places

// Places is a set of places where findings can occur.
type Places uint8

// InOutputs is everything in a server's responses except definitions: results, errors and other parts.
const (
	InOutputs Places = 1 << iota
	Elsewhere
	everywhere = InOutputs | Elsewhere
)

// has reports whether a finding's rule is chosen for the place where the finding occurs.
func (c Choice) has(f *scanner.Finding) bool {
	place := Elsewhere
	if output(f) {
		place = InOutputs
	}
	return c[f.Rule.ID]&place != 0
}

// All reports whether a rule is chosen for all places.
func (c Choice) All(id string) bool { return c[id] == everywhere }

// Choose adds the rules that a name selects, and reports whether there are any. The name is a rule
// ID, a category, or tool_poisoning, agentsh's name for findings in definitions. agentsh names have
// underscores where IDs have hyphens; both are accepted. An exact category name takes precedence
// over a rule ID: version_pin and burst select all rules in the category of that name, and
// version-pin selects the rule.
func (c Choice) Choose(name string, all []scanner.Rule) bool {
	category := slices.Contains(scanner.Categories, name)
	name = strings.ReplaceAll(name, "_", "-")
	for i := range all {
		if all[i].ID == name && !category {
			c[name] = everywhere
			return true
		}
	}
	found := false
	for i := range all {
		r := &all[i]
		var places Places
		switch {
		case strings.ReplaceAll(r.Category, "_", "-") == name:
			places = everywhere
		case name == "tool-poisoning" && readsTexts(r):
			places = Elsewhere
		case name == "output-poisoning" && inspectsResults(r):
			places = InOutputs
		}
		if places != 0 {
			c[r.ID] |= places
			found = true
		}
	}
	return found
}
