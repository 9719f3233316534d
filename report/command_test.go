package report

import (
	"strings"
	"testing"
)

// TestNoReportIsACommand checks that a report printed in a CI job contains no
// commands for the runner, whatever a server sends.
func TestNoReportIsACommand(t *testing.T) {
	for _, hostile := range []string{"::add-mask::e", "::stop-commands::x", "##[add-matcher]m.json", "##vso[task.setvariable variable=x]y",
		strings.Repeat("word ", 11) + "::error::x " + strings.Repeat("::error::y ", 40)} {
		r := diffSample(t, hostile+"\n "+hostile+"\n-"+hostile)
		f := &r.Findings[0]
		f.Message, f.Server, f.Subject, f.Tool, f.Rule, f.Location.File = hostile, hostile, hostile, hostile, hostile, hostile
		f.Evidence.Context, f.Signals = hostile, []string{hostile}
		r.Coverage.Skipped[0].Reason, r.Inputs = hostile, []Input{{hostile, hostile}}
		for _, format := range Formats() {
			checkPromise(t, format, render(t, format, r, Options{}))
		}
	}
}
