package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/capability"
)

// TrifectaTools holds, for each capability in the lethal trifecta, its witness: the first tool that
// has the capability.
type TrifectaTools [capability.Count]*Known

// Lack reports whether a capability in c has no witness.
func (w *TrifectaTools) Lack(c capability.Set) bool {
	for a := range w {
		if w[a] == nil && c.Has(capability.Capability(a)) {
			return true
		}
	}
	return false
}

// Add records a tool as the witness for its capabilities that have none.
func (w *TrifectaTools) Add(k *Known) {
	for a := range w {
		if w[a] == nil && k.Definition.Can.Has(capability.Capability(a)) {
			w[a] = k
		}
	}
}

// merge copies from other the witnesses that w lacks.
func (w *TrifectaTools) merge(other *TrifectaTools) {
	for a := range w {
		if w[a] == nil {
			w[a] = other[a]
		}
	}
}

// Complete reports whether each capability has a witness.
func (w *TrifectaTools) Complete() bool { return !slices.Contains(w[:], nil) }
