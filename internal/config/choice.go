package config

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// Choice are rules by their ID, each for some places.
type Choice map[string]Places

// Places are where something is found.
type Places uint8

// The places: what results say, and all else.
const (
	InOutputs Places = 1 << iota
	Elsewhere
	everywhere = InOutputs | Elsewhere
)

// has reports whether a finding is one of those that are chosen.
func (c Choice) has(f *scanner.Finding) bool {
	place := Elsewhere
	if output(f) {
		place = InOutputs
	}
	return c[f.Rule.ID]&place != 0
}

// All reports whether a rule is chosen wherever it finds something.
func (c Choice) All(id string) bool { return c[id] == everywhere }

// Choose adds what a name stands for, and reports whether it stands for anything: the
// ID of a rule, a category, or tool_poisoning, which the agentsh documentation calls
// what definitions say. Its names have underscores where IDs have hyphens; both are
// read. What is written exactly as a category is one, whatever rule has its name:
// version_pin and burst are every rule of theirs, version-pin is the rule.
func (c Choice) Choose(name string, all []scanner.Rule) bool {
	category := slices.Contains(scanner.Categories, name)
	name = strings.ReplaceAll(name, "_", "-")
	for i := range all {
		if all[i].ID == name && !category {
			c[name] = everywhere
			return true
		}
	}
	any := false
	for i := range all {
		r := &all[i]
		var places Places
		switch {
		case strings.ReplaceAll(r.Category, "_", "-") == name:
			places = everywhere
		case name == "tool-poisoning" && readsTexts(r):
			places = Elsewhere
		case name == "output-poisoning" && speaksOfOutputs(r):
			places = InOutputs
		}
		if places != 0 {
			c[r.ID] |= places
			any = true
		}
	}
	return any
}
