package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/capability"
)

// TrifectaTools are the first tool seen with each capability.
type TrifectaTools [capability.Count]*Known

// Lack reports whether one of the capabilities has no witness.
func (w *TrifectaTools) Lack(c capability.Set) bool {
	for a := range w {
		if w[a] == nil && c.Has(capability.Capability(a)) {
			return true
		}
	}
	return false
}

// Add records a tool for capabilities without a witness.
func (w *TrifectaTools) Add(k *Known) {
	for a := range w {
		if w[a] == nil && k.Definition.Can.Has(capability.Capability(a)) {
			w[a] = k
		}
	}
}

// merge takes in what other has and w has not.
func (w *TrifectaTools) merge(other *TrifectaTools) {
	for a := range w {
		if w[a] == nil {
			w[a] = other[a]
		}
	}
}

// Complete reports whether each capability has a witness.
func (w *TrifectaTools) Complete() bool { return !slices.Contains(w[:], nil) }
