package baseline

import "slices"

// Pair returns two identities in canonical form, to compare them. A command line does not name the
// variables and headers that a configuration adds, so an identity from a command line takes over those
// of the other identity.
func Pair(a, b *Identity) (*Identity, *Identity) {
	a, b = a.Canonical(), b.Canonical()
	a.assume(b)
	b.assume(a)
	return a, b
}

// assume adds the names of the variables and headers of another identity if this one is from a command
// line.
func (id *Identity) assume(other *Identity) {
	if id.CommandLine {
		id.Env, id.Headers = union(id.Env, other.Env), union(id.Headers, other.Headers)
	}
}

// union returns the sorted names in a and b.
func union(a, b []string) []string {
	names := slices.Concat(a, b)
	slices.Sort(names)
	return slices.Compact(names)
}
