package configfile

import (
	"cmp"
	"slices"
)

// Effect is how a change of a setting affects findings.
type Effect uint8

// The effects, the worst last. Weakens includes what cannot be shown to be harmless.
const (
	Keeps   Effect = iota // nothing that was reported before is reported less
	Accepts               // a single finding, named with its content, is reported less
	Weakens
)

// SettingsChange is one change of a file that decides about findings.
type SettingsChange struct {
	Effect Effect
	Keys   []string // the way to what changed, from the top of the file
	Says   string   // what changed, in words for a report
	Pos    Position // in the changed file; zero where Keys tell it
}

// ChangedSettings is a file that decides about findings, such as mcpscan.yaml, a policy
// or a baseline, in a change under review. The version before the change decided.
type ChangedSettings struct {
	Path     string
	Was, Now []byte // nil where there is no such version
	Changes  []SettingsChange
}

// Worst returns the changes with the worst ahead, and else in the order of the file.
func (c *ChangedSettings) Worst() []SettingsChange {
	return slices.SortedStableFunc(slices.Values(c.Changes), func(a, b SettingsChange) int {
		return cmp.Or(cmp.Compare(b.Effect, a.Effect), a.Pos.Compare(b.Pos))
	})
}
