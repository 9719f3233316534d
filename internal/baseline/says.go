package baseline

import (
	"maps"
	"slices"
)

// Says is the set of members, other than definitions, that a lockfile has for a server, such as
// identity.digest. These members are compared separately because Differences ignores missing data:
// removing a member would otherwise hide a change.
type Says map[string]bool

// Lacks returns the sorted members that other contains and s does not.
func (s Says) Lacks(other Says) (absent []string) {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if other[name] && !s[name] {
			absent = append(absent, name)
		}
	}
	return absent
}

// Says returns the members that an identity has, including those that
// [Identity.Differences] ignores if one side lacks them.
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
