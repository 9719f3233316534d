package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/mcpscan/mcpscan/scanner"
)

// maxSuggestions is the maximum number of suggestions for a misspelled name.
const maxSuggestions = 3

// didYouMean suggests names similar to a word: those that begin with it or are a few letters away,
// nearest first. It returns "" if there is none.
func didYouMean(word string, names []string) string {
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, name := range names {
		d := levenshtein.ComputeDistance(strings.ToLower(word), name)
		if d <= min(max(2, len(name)/3), len(word)/2) || len(word) > 2 && strings.HasPrefix(name, strings.ToLower(word)) {
			found = append(found, near{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.distance - b.distance })
	found = slices.CompactFunc(found, func(a, b near) bool { return a.name == b.name })
	if len(found) == 0 {
		return ""
	}
	var quoted []string
	for _, n := range found[:min(len(found), maxSuggestions)] {
		quoted = append(quoted, fmt.Sprintf("%q", n.name))
	}
	return ", did you mean " + strings.Join(quoted, " or ") + "?"
}

// noRule returns the error for a name that is neither a rule nor a category.
func noRule(name string, all []scanner.Rule) error {
	return usage("unknown rule %q%s; to list all rules: mcpscan rules", name, didYouMean(name, ruleNames(all)))
}

// ruleNames returns the IDs and categories of rules.
func ruleNames(all []scanner.Rule) []string {
	var ids, categories []string
	for i := range all {
		ids, categories = append(ids, all[i].ID), append(categories, all[i].Category)
	}
	slices.Sort(categories)
	return append(ids, slices.Compact(categories)...)
}
