package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/capability"
)

// TrifectaTools holds, for each capability in the lethal trifecta, its witness: of the first server that
// has a tool with the capability, the tool whose name sorts first. The order of a server's list does
// not matter.
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

// Add records a tool as the witness for its capabilities.
func (w *TrifectaTools) Add(k *Known) {
	for a := range w {
		if k.Definition.Can.Has(capability.Capability(a)) && k.precedes(w[a]) {
			w[a] = k
		}
	}
}

// merge adds the witnesses in other.
func (w *TrifectaTools) merge(other *TrifectaTools) {
	for a := range w {
		if k := other[a]; k != nil && k.precedes(w[a]) {
			w[a] = k
		}
	}
}

// precedes reports whether k is the better witness.
func (k *Known) precedes(witness *Known) bool {
	return witness == nil || witness.Server == k.Server && k.Definition.Name < witness.Definition.Name
}

// Complete reports whether each capability has a witness.
func (w *TrifectaTools) Complete() bool { return !slices.Contains(w[:], nil) }
