package supplychain

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/scanner"
)

var NoIntegrity = scanner.Rule{
	ID:         "sup-no-integrity",
	Category:   "supply_chain",
	Title:      "A download has no digest to verify it",
	Why:        "Someone can replace the archive at an address, or the image that a tag names. Nothing ensures that the code fetched today is the code that was reviewed.",
	Fix:        "Pin the digest (image@sha256:…), or use a pinned package from a registry instead of an address.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A missing digest is certain but common, so the severity is low. Code fetched without encryption is rated high: anyone on the network can replace it.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.004", "CWE-494"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachPackage(p, func(e *configfile.Entry, l *launch.Command, one launch.Package) {
			pointer, word := entries.Argument(e, one.Arg)
			plain := false
			if u, ok := destination.Address(strings.TrimPrefix(one.Name, "git+")); ok {
				plain = (u.Scheme == "http" || u.Scheme == "git") && !destination.Loopback(u.Hostname())
			}
			switch {
			case plain && one.Digest == "":
				p.Report(e, pointer, scanner.High, "the entry fetches code without encryption and without a digest", word)
			case one.Digest != "" || entries.Offline(l):
			case one.Ecosystem == launch.URL:
				p.Report(e, pointer, scanner.Low, "the entry fetches code from an address without a digest", word)
			case one.Ecosystem == launch.OCI && one.Exact:
				p.Report(e, pointer, scanner.Low, "the image tag can move to another image", word)
			}
		})
	},
}
