package configuration

import (
	"github.com/mcpscan/mcpscan/internal/launching"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var UnpinnedPackage = scanner.Rule{
	ID:         "cfg-unpinned-package",
	Category:   "supply_chain",
	Title:      "A server is fetched in whatever version is newest",
	Why:        "A launcher such as npx fetches the package each time the server starts. Whoever publishes the next version, or takes the account over, runs code here without a change of this file.",
	Fix:        "Name one version, such as some-server@1.2.3; for an image its digest, for a repository a commit.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "What is fetched follows from the arguments. Most documentation shows it without a version, so it is no sign of an attack.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.005", "CWE-1357"},
	Config: func(p *scanner.ConfigPass) {
		launching.EachPackage(p, func(e *scanner.Entry, l *scanner.Launched, one scanner.Package) {
			if one.Exact || one.Digest != "" || text.IsReference(one.Version) || launching.Offline(l) {
				return
			}
			message, ok := unpinned[one.Ecosystem]
			if !ok {
				return // what has no versions is looked at for its digest
			}
			if one.Version != "" {
				message += "; what is written is a tag, a branch or a range"
			}
			pointer, word := launching.Argument(e, one.Arg)
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
	scanner.OCI:   "the image has neither a digest (name@sha256:…) nor the tag of one version",
	scanner.Git:   "the repository is not fetched at a commit (its 40 digits)",
}
