package scanner

import (
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// SettingsPass is the input of a rule's Settings check.
type SettingsPass struct {
	*configfile.ChangedSettings

	rule *Rule
	in   *Inspector
}

// SettingsIssue is a problem that a Settings check reports.
type SettingsIssue struct {
	Severity Severity
	Message  string
	Pointer  string
	Key      string // distinguishes findings in the same file in the fingerprint
	Diff     string
	Signals  []string
	Pos      configfile.Position
}

// Report reports a finding.
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
