package main

import "github.com/mcpscan/mcpscan/scanner"

// distinctFindings holds the distinct findings about servers and tools. As in a report, findings with
// the same fingerprint in one session are one finding, with the highest severity. Unlike a report, it
// has no limit.
type distinctFindings map[findingKey]distinctFinding

type findingKey struct{ session, fingerprint string }

type distinctFinding struct {
	server, tool string
	severity     scanner.Severity
	status       scanner.Status
}

// add adds a finding, or merges it into an earlier one with the same key.
func (t distinctFindings) add(f *scanner.Finding) {
	key := findingKey{f.Session, f.Fingerprint()}
	now, again := t[key]
	if !again {
		now = distinctFinding{f.Server, f.Name, f.Severity, f.Status}
	}
	now.severity, now.status = max(now.severity, f.Severity), min(now.status, f.Status)
	t[key] = now
}

// findingCount is the number of open findings above note, and the highest of their severities.
type findingCount struct {
	n     int
	worst scanner.Severity
}

// countBy counts the open findings above note by the server and tool that the callback returns.
func (t distinctFindings) countBy(of func(distinctFinding) [2]string) map[[2]string]findingCount {
	out := map[[2]string]findingCount{}
	for _, f := range t {
		if key := of(f); f.status == scanner.Open && f.severity > scanner.Note {
			out[key] = findingCount{out[key].n + 1, max(out[key].worst, f.severity)}
		}
	}
	return out
}
