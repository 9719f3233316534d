package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

var supNoIntegrity = scanner.Rule{
	ID:         "sup-no-integrity",
	Category:   "supply_chain",
	Title:      "A download is not verified by a digest",
	Why:        "Somebody can replace an archive behind an address or an image behind a tag. Nothing ensures that today's code is what was reviewed.",
	Fix:        "Name the digest: image@sha256:…, or use a pinned package of a registry instead of an address.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A fact, and common. Code fetched without encryption is high: anybody on the network can replace it.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.004", "CWE-494"},
	Config: func(p *scanner.ConfigPass) {
		fetched(p, func(e *scanner.Entry, l *scanner.Launched, one scanner.Package) {
			pointer, word := wordAt(e, one.Arg)
			plain := false
			if u, ok := address(strings.TrimPrefix(one.Name, "git+")); ok {
				plain = (u.Scheme == "http" || u.Scheme == "git") && !loopback(u.Hostname())
			}
			switch {
			case plain && one.Digest == "":
				p.Report(e, pointer, scanner.High, "code is fetched without encryption and without a digest", word)
			case one.Digest != "" || offline(l):
			case one.Ecosystem == scanner.URL:
				p.Report(e, pointer, scanner.Low, "code is fetched from an address without a digest", word)
			case one.Ecosystem == scanner.OCI && one.Exact:
				p.Report(e, pointer, scanner.Low, "the image tag can be moved to another image", word)
			}
		})
	},
}
