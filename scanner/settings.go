package scanner

import (
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// SettingsPass is all that the Settings check of a rule may see.
type SettingsPass struct {
	*configfile.ChangedSettings

	rule *Rule
	in   *Inspector
}

// SettingsIssue is what a Settings check reports.
type SettingsIssue struct {
	Severity Severity
	Message  string
	Pointer  string
	Key      string // what the fingerprint tells two findings in one file apart by
	Diff     string
	Signals  []string
	Pos      configfile.Position
}

// Report hands over a finding.
func (p *SettingsPass) Report(is SettingsIssue) {
	if p.in.full(is.Severity) {
		return
	}
	var signals []string
	for _, s := range is.Signals {
		signals = append(signals, show(s, messageChars))
	}
	p.in.add(Finding{
		Rule: p.rule, Category: p.rule.Category, Severity: is.Severity, Message: show(is.Message, messageChars),
		Subject: mcp.ConfigSubject, Pointer: show(is.Pointer, pointerChars), Diff: showDiff(is.Diff), Signals: signals,
		Location: Location{File: p.Path, Line: max(is.Pos.Line, 1), Column: max(is.Pos.Column, 1)}, key: p.Path + "\x00" + is.Key,
	})
}
