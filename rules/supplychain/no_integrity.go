package supplychain

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/scanner"
)

var NoIntegrity = scanner.Rule{
	ID:         "sup-no-integrity",
	Category:   "supply_chain",
	Title:      "What is fetched is not compared with a digest",
	Why:        "An archive behind an address, and an image behind a tag, can be replaced. Nothing tells that what runs today is what was looked at.",
	Fix:        "Name the digest: image@sha256:…, or a package of a registry in one version in place of an address.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A fact, and common. Code that is fetched without encryption is high: who is on the network runs what they like.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.004", "CWE-494"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachPackage(p, func(e *scanner.Entry, l *launch.Command, one launch.Package) {
			pointer, word := entries.Argument(e, one.Arg)
			plain := false
			if u, ok := destination.Address(strings.TrimPrefix(one.Name, "git+")); ok {
				plain = (u.Scheme == "http" || u.Scheme == "git") && !destination.Loopback(u.Hostname())
			}
			switch {
			case plain && one.Digest == "":
				p.Report(e, pointer, scanner.High, "code is fetched without encryption and without a digest", word)
			case one.Digest != "" || entries.Offline(l):
			case one.Ecosystem == launch.URL:
				p.Report(e, pointer, scanner.Low, "code is fetched from an address without a digest", word)
			case one.Ecosystem == launch.OCI && one.Exact:
				p.Report(e, pointer, scanner.Low, "the tag of the image can be moved to another one", word)
			}
		})
	},
}
