package baseline

import (
	"maps"
	"slices"
)

// Says lists what a lockfile says about a server besides its definitions, by the names of
// members, such as identity.digest. Missing data is compared with nothing, so removing a
// member hides a change: that is why missing members are compared separately.
type Says map[string]bool

// Lacks returns what other tells and s does not, in order.
func (s Says) Lacks(other Says) (absent []string) {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if other[name] && !s[name] {
			absent = append(absent, name)
		}
	}
	return absent
}

// Says returns the data that an identity has. It includes the members whose absence on one
// side [Identity.Differences] ignores.
func (id *Identity) Says() Says {
	says := Says{}
	if id == nil {
		return says
	}
	says["identity"] = true
	for _, member := range []struct{ name, value string }{{"transport", id.Transport}, {"resolved", id.Resolved},
		{"integrity", id.Integrity}, {"executable", id.Executable}, {"digest", id.Digest}} {
		if member.value != "" {
			says["identity."+member.name] = true
		}
	}
	if id.Exact {
		says["identity.exact"] = true
	}
	return says
}
