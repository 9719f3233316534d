package config

import "github.com/mcpscan/mcpscan/scanner"

// compareBaseline sets an open finding's status to unchanged if it was in the baseline and is no more
// severe now.
func (t *Triage) compareBaseline(f *scanner.Finding) {
	if t.Baseline == nil || f.Status != scanner.Open {
		return
	}
	if before, ok := t.Baseline[f.Fingerprint()]; ok && f.Severity <= before {
		f.Status = scanner.Unchanged
	}
}
