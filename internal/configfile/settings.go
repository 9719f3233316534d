package configfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Effect is how a change to a setting affects findings.
type Effect uint8

// The effects, from best to worst. Weakens includes any change that cannot be shown to be
// harmless.
const (
	Keeps   Effect = iota // every finding is reported as before, or more severely
	Accepts               // a few specific findings may be reported less severely or not at all
	Weakens
)

// EffectOf returns the effect of a change that either weakens the settings or leaves them at least
// as strict.
func EffectOf(weaker bool) Effect {
	if weaker {
		return Weakens
	}
	return Keeps
}

// SettingsChange is one change to a file that affects findings.
type SettingsChange struct {
	Effect Effect
	Keys   []string // path of the change, from the root of the file
	Says   string   // description of the change, for a report
	Pos    Position // position in the changed file; zero if Keys locate it
}

// Changes collects the changes between two versions of a file.
type Changes []SettingsChange

// Add adds a change and returns it, so that the caller can set its position. If the format begins
// with a space, the description begins with the keys.
func (c *Changes) Add(effect Effect, keys []string, format string, args ...any) *SettingsChange {
	says := fmt.Sprintf(format, args...)
	if strings.HasPrefix(format, " ") {
		says = strings.Join(keys, ".") + says
	}
	*c = append(*c, SettingsChange{Effect: effect, Keys: keys, Says: says})
	return &(*c)[len(*c)-1]
}

// ChangedSettings is a file that affects findings (mcpscan.yaml, a policy or a baseline, for
// example) and is modified by the change under review. The run uses the version before the change.
type ChangedSettings struct {
	Path     string
	Was, Now []byte // nil if there is no such version
	Changes  []SettingsChange
}

// Worst returns the changes, worst first; changes with the same effect are in file order.
func (c *ChangedSettings) Worst() []SettingsChange {
	return slices.SortedStableFunc(slices.Values(c.Changes), func(a, b SettingsChange) int {
		return cmp.Or(cmp.Compare(b.Effect, a.Effect), a.Pos.Compare(b.Pos))
	})
}
