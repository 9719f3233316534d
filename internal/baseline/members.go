package baseline

import (
	"maps"
	"slices"
)

// Members is the set of members, other than definitions, that a lockfile has for a server, such as
// identity.digest. These members are compared separately because Differences ignores missing data:
// removing a member would otherwise hide a change.
type Members map[string]bool

// Lacks returns the members of other that are not in s, sorted.
func (s Members) Lacks(other Members) (absent []string) {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if other[name] && !s[name] {
			absent = append(absent, name)
		}
	}
	return absent
}

// Members returns "identity" itself, and members such as identity.digest, whose removal
// [Identity.Differences] does not report.
func (id *Identity) Members() Members {
	members := Members{}
	if id == nil {
		return members
	}
	members["identity"] = true
	for _, member := range []struct{ name, value string }{{"transport", id.Transport}, {"resolved", id.Resolved},
		{"integrity", id.Integrity}, {"executable", id.Executable}, {"digest", id.Digest}} {
		if member.value != "" {
			members["identity."+member.name] = true
		}
	}
	if id.Exact {
		members["identity.exact"] = true
	}
	return members
}
