package drift

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
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
	Basis:      "The difference is certain: the configuration names a different package, version, digest, command, argument, directory or URL than the lockfile recorded last, or another host in variables, headers, OAuth settings or the launcher's settings; or the launcher runs a file of the project instead of the package. npm ci likewise fails if package.json and its lockfile differ. The finding is medium for a configuration that agrees with the lockfile while another one has a different server with the same name. drift-identity reports differences that affect only the names of environment variables and headers.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP09", "CWE-494", "CWE-353"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			entry := &p.Entries[i]
			if offer, _ := p.Approved(entry.Name); offer != nil && entry.Compared() {
				reportStale(p, entry, offer)
			}
		}
	},
}

// reportStale reports an entry that differs from the lockfile. An entry that agrees with the lockfile is
// reported if an earlier configuration has a different server with the same name: a lockfile can have
// only one of them, so locking one configuration again would only make the other one stale.
func reportStale(p *scanner.ConfigPass, entry *configfile.Entry, offer *scanner.Offer) {
	now := baseline.IdentityOf(entry)
	parts, other := offer.Locked.Stale(now), namesake(p, entry.Name, now)
	if len(parts) == 0 && (other == nil || len(offer.Locked.Stale(baseline.IdentityOf(other.Entry))) == 0) {
		return
	}
	severity, message := scanner.Medium, fmt.Sprintf("the lockfile describes %q as configured here", entry.Name)
	pointer, evidence := "", entry.Name
	if len(parts) > 0 {
		severity, message = scanner.High, fmt.Sprintf("the lockfile is out of date for %q: %s (lockfile → configuration), so its definitions belong to the old server",
			entry.Name, strings.Join(parts, ", "))
		if c := compareIdentity(offer.Locked.Last(), now); c != nil {
			pointer, evidence = c.pointer, c.evidence
		}
	}
	related := []scanner.Related{{Message: "locked here", Location: offer.Location}}
	if other != nil {
		message += "; another configuration has a different server with this name, and a lockfile can have only one of them: make them equal, or rename one"
		related = append(related, otherServer(other))
	} else {
		message += "; run: " + p.LockCommand()
	}
	p.Report(entry, pointer, severity, message, evidence, related...)
}
