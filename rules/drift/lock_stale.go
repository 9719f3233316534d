package drift

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/scanner"
)

var LockStale = scanner.Rule{
	ID:         "lock-stale",
	Category:   "version_pin",
	Title:      "The lockfile describes a different server than the one configured",
	Why:        "The configured version, program or host may have definitions other than those reviewed: the lockfile still contains the old ones.",
	Fix:        "Run mcpscan lock --run-servers with the configuration, review what changed, run mcpscan approve, and commit mcpscan.lock with the configuration.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The difference is certain: the configuration names a different package, version, digest, command, argument, directory or URL than the lockfile recorded last, or another host in variables, headers, OAuth settings or the launcher's settings; or the launcher runs a file of the project instead of the package. npm ci likewise fails if package.json and its lockfile differ. drift-identity reports differences that affect only the names of environment variables and headers.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP09", "CWE-494", "CWE-353"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			entry := &p.Entries[i]
			offer, _ := p.Approved(entry.Name)
			if offer == nil || !entry.Compared() {
				continue
			}
			now := baseline.IdentityOf(entry)
			parts := offer.Locked.Stale(now)
			if len(parts) == 0 {
				continue
			}
			pointer, evidence := "", entry.Name
			if c := compareIdentity(offer.Locked.Last(), now); c != nil {
				pointer, evidence = c.pointer, c.evidence
			}
			p.Report(entry, pointer, scanner.High, fmt.Sprintf("the lockfile is out of date for %q: %s (lockfile → configuration), so its definitions belong to the old server; run: %s",
				entry.Name, strings.Join(parts, ", "), p.LockCommand()), evidence, scanner.Related{Message: "locked here", Location: offer.Location})
		}
	},
}
