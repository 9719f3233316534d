package configuration

import (
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var UnpinnedPackage = scanner.Rule{
	ID:         "cfg-unpinned-package",
	Category:   "supply_chain",
	Title:      "A server's version is not pinned",
	Why:        "A launcher such as npx can fetch a new version whenever the server starts. Whoever publishes the next version, or takes over the account, runs code on this machine without a change to this file.",
	Fix:        "Pin one version, such as some-server@1.2.3; pin an image by digest, and a repository by commit.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The arguments show what is fetched. Most documentation omits the version, so this is not a sign of an attack.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.005", "CWE-1357"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachPackage(p, func(e *configfile.Entry, l *launch.Command, one launch.Package) {
			if one.Exact || one.Digest != "" || text.IsReference(one.Version) || entries.Offline(l) {
				return
			}
			message, ok := unpinned[one.Ecosystem]
			if !ok {
				return // sup-no-integrity reports addresses without a digest
			}
			if one.Version != "" {
				message += "; the version is a tag, a branch or a range"
			}
			pointer, word := entries.Argument(e, one.Arg)
			p.Report(e, pointer, scanner.Medium, message, word)
		})
	},
}

// unpinned maps an ecosystem to a message that says how to pin its packages.
var unpinned = map[launch.Ecosystem]string{
	launch.NPM:   "the npm package has no exact version (name@1.2.3)",
	launch.PyPI:  "the Python package has no exact version (name==1.2.3)",
	launch.NuGet: "the NuGet package has no exact version (name@1.2.3)",
	launch.Cargo: "the crate has no exact version (name@1.2.3)",
	launch.JSR:   "the JSR package has no exact version (name@1.2.3)",
	launch.Go:    "the Go module has no exact version (path@v1.2.3)",
	launch.OCI:   "the image has neither a digest (name@sha256:…) nor an exact version tag (name:1.2.3)",
	launch.Git:   "the repository is not pinned to a commit (40 digits)",
}
