package configuration

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var SettingsWeakened = scanner.Rule{
	ID:         "settings-weakened",
	Category:   "configuration",
	Title:      "A change alters what decides about its own findings",
	Why:        "Whoever can switch off a rule, ignore a finding or widen a policy in the same change as a poisoned tool gets both merged. Where the settings before the change decide, the poisoned tool is still reported, but the next change is judged by the weaker settings.",
	Fix:        "If the change of settings is wanted, merge it in a pull request of its own that a code owner reviews; from then on it decides.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Both versions are parsed and compared key by key. High where something is switched off, lowered, widened or ignored broadly, and where a change cannot be shown to be harmless; medium where it accepts single findings that it names; low where it weakens nothing. Comments and the order of keys are no change. Reported where --base names a directory.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-693"},
	Settings: func(p *scanner.SettingsPass) {
		changes := p.Worst()
		if len(changes) == 0 {
			return
		}
		var says []string
		for _, c := range changes {
			says = append(says, c.Says)
		}
		worst, pointer := changes[0], ""
		for _, key := range worst.Keys {
			pointer += "/" + wire.EscapePointer(key)
		}
		var signals []string
		if len(says) > 1 { // a single one stands in the message
			signals = says[:min(len(says), maxSettingsSignals)]
		}
		p.Report(scanner.SettingsIssue{
			Severity: weakened[worst.Effect].severity,
			Message:  fmt.Sprintf("%s %s (the version before the change decided): %s", p.Path, weakened[worst.Effect].verb, text.JoinSome(says)),
			Pointer:  pointer,
			Key:      strings.Join(says, "\n"),
			Diff:     settingsDiff(p.ChangedSettings),
			Signals:  signals,
			Pos:      worst.Pos,
		})
	},
}

// maxSettingsSignals bounds the changes of one file that a finding lists.
const maxSettingsSignals = 20

// weakened says what a change of settings weighs by its worst effect.
var weakened = map[scanner.Effect]struct {
	severity scanner.Severity
	verb     string
}{
	scanner.Keeps:   {scanner.Low, "is changed and weakens nothing"},
	scanner.Accepts: {scanner.Medium, "accepts findings"},
	scanner.Weakens: {scanner.High, "weakens what is checked"},
}

// settingsDiff returns the unified diff of the file, named as version control names the
// sides of one that was added or deleted.
func settingsDiff(c *scanner.ChangedSettings) string {
	was, now := "base/"+c.Path, "change/"+c.Path
	if c.Was == nil {
		was = "/dev/null"
	}
	if c.Now == nil {
		now = "/dev/null"
	}
	diff, _ := text.LineDiff(was, now, string(c.Was), string(c.Now))
	return diff
}
