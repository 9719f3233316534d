package configuration

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var SettingsWeakened = scanner.Rule{
	ID:         "settings-weakened",
	Category:   "configuration",
	Title:      "A change modifies the settings that apply to it",
	Why:        "A change that adds a poisoned tool could also switch off the rule, ignore the finding or widen the policy that would otherwise catch it. If the change is judged by the settings in force before it, the poisoned tool is still reported, but the weaker settings take effect from the next change on.",
	Fix:        "If you want the new settings, merge them in a separate pull request that a code owner reviews; they apply from then on.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Both versions are parsed and compared key by key. The finding is high if something is switched off, lowered, widened or broadly ignored, or if a change cannot be shown to be harmless. It is medium if the change accepts individual findings by name, and low if it weakens nothing. Comments and the order of keys do not count. The rule applies only if --base names a directory.",
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
		if len(says) > 1 { // the message already describes a single change
			signals = says[:min(len(says), maxSettingsSignals)]
		}
		p.Report(scanner.SettingsIssue{
			Severity: weakened[worst.Effect].severity,
			Message:  fmt.Sprintf("%s %s (the version before the change applies): %s", p.Path, weakened[worst.Effect].verb, text.JoinSome(says)),
			Pointer:  pointer,
			Key:      strings.Join(says, "\n"),
			Diff:     settingsDiff(p.ChangedSettings),
			Signals:  signals,
			Pos:      worst.Pos,
		})
	},
}

// maxSettingsSignals is the maximum number of changes to one file that a finding lists.
const maxSettingsSignals = 20

// weakened maps the worst effect of a settings change to its severity and to the words for it.
var weakened = map[configfile.Effect]struct {
	severity scanner.Severity
	verb     string
}{
	configfile.Keeps:   {scanner.Low, "changed without weakening anything"},
	configfile.Accepts: {scanner.Medium, "accepts findings"},
	configfile.Weakens: {scanner.High, "weakens what is checked"},
}

// settingsDiff returns the unified diff of the file. Like version control, it uses /dev/null for
// the missing side of an added or deleted file.
func settingsDiff(c *configfile.ChangedSettings) string {
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
