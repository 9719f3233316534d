package main

import "github.com/mcpscan/mcpscan/scanner"

// tallies holds the distinct findings about servers and tools. As in a report, findings with the same
// fingerprint in one session are one finding, with the highest severity. Unlike a report, it omits none.
type tallies map[distinctFinding]tallied

type distinctFinding struct{ session, fingerprint string }

type tallied struct {
	server, tool string
	severity     scanner.Severity
	status       scanner.Status
}

// finding adds a finding.
func (t tallies) finding(f *scanner.Finding) {
	key := distinctFinding{f.Session, f.Fingerprint()}
	now, again := t[key]
	if !again {
		now = tallied{f.Server, f.Name, f.Severity, f.Status}
	}
	now.severity, now.status = max(now.severity, f.Severity), min(now.status, f.Status)
	t[key] = now
}

// tally counts open findings above note.
type tally struct {
	n     int
	worst scanner.Severity
}

// count counts the findings by the server and tool that of returns.
func (t tallies) count(of func(tallied) [2]string) map[[2]string]tally {
	out := map[[2]string]tally{}
	for _, f := range t {
		if key := of(f); f.status == scanner.Open && f.severity > scanner.Note {
			out[key] = tally{out[key].n + 1, max(out[key].worst, f.severity)}
		}
	}
	return out
}
