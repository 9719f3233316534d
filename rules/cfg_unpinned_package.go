package rules

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var cfgUnpinnedPackage = scanner.Rule{
	ID:         "cfg-unpinned-package",
	Category:   "supply_chain",
	Title:      "A server's version is not pinned",
	Why:        "A launcher such as npx fetches the package each time the server starts. Whoever publishes the next version, or takes over the account, runs code here without a change to this file.",
	Fix:        "Pin one version, such as some-server@1.2.3; for an image its digest, for a repository a commit.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The arguments show what is fetched. Most documentation omits the version, so this is not a sign of an attack.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.005", "CWE-1357"},
	Config: func(p *scanner.ConfigPass) {
		fetched(p, func(e *scanner.Entry, l *scanner.Launched, one scanner.Package) {
			if one.Exact || one.Digest != "" || text.IsReference(one.Version) || offline(l) {
				return
			}
			message, ok := unpinned[one.Ecosystem]
			if !ok {
				return // what has no versions is looked at for its digest
			}
			if one.Version != "" {
				message += "; it names a tag, a branch or a range"
			}
			pointer, word := wordAt(e, one.Arg)
			p.Report(e, pointer, scanner.Medium, message, word)
		})
	},
}

// unpinned says what would pin a package of an ecosystem.
var unpinned = map[scanner.Ecosystem]string{
	scanner.NPM:   "the npm package has no exact version (name@1.2.3)",
	scanner.PyPI:  "the Python package has no exact version (name==1.2.3)",
	scanner.NuGet: "the NuGet package has no exact version (name@1.2.3)",
	scanner.JSR:   "the JSR package has no exact version (name@1.2.3)",
	scanner.Go:    "the Go module has no exact version (path@v1.2.3)",
	scanner.OCI:   "the image has neither a digest (name@sha256:…) nor a version tag",
	scanner.Git:   "the repository is not pinned to a commit (40 digits)",
}

// offline reports whether a launcher is told not to fetch anything.
func offline(l *scanner.Launched) bool {
	return slices.ContainsFunc(l.Words, noFetch.MatchString)
}

var noFetch = lazyregexp.New(`^--(?:no-install|offline|no|pull=never)$`)
