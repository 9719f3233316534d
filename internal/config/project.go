package config

// ProjectPatterns returns the locations within a project that Discover searches, as patterns with
// *, ** and {a,b}.
func ProjectPatterns() []string {
	var out []string
	for _, p := range places() {
		if p.base == inProject {
			out = append(out, p.pattern)
		}
	}
	return out
}
