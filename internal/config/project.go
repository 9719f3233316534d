package config

// ProjectPatterns returns the places within a project where Discover looks, as
// patterns with *, ** and {a,b}.
func ProjectPatterns() []string {
	var out []string
	for _, p := range places() {
		if p.base == inProject {
			out = append(out, p.pattern)
		}
	}
	return out
}
