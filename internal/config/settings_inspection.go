package config

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// OutputInspection contains the settings under output_inspection.
type OutputInspection struct {
	Enabled *bool // false disables the inspection of results
	Block   bool  // block results and withhold definitions if there is a finding in their text
}

// output reports whether a finding is in a server's response, but not in a definition.
func output(f *scanner.Finding) bool { return f.Category == scanner.OutputPoisoning }

// textCategories are the categories that the agentsh documentation lists for text.
var textCategories = []string{"hidden_instructions", "credential_theft", "exfiltration", "shell_injection", "path_traversal"}

// readsTexts reports whether a rule inspects text that servers send, rather than client
// configurations: it is in one of textCategories, or is a custom pattern.
func readsTexts(r *scanner.Rule) bool {
	return r.Config == nil && r.Configs == nil && (slices.Contains(textCategories, r.Category) || strings.HasPrefix(r.ID, scanner.CustomGroup))
}

// inspectsResults reports whether a rule can have findings in result text.
func inspectsResults(r *scanner.Rule) bool {
	return r.Text != nil || r.Definition != nil || r.Unusual != nil || r.Lines != nil
}

// detection reads the detection settings.
func (r *settingsReader) detection(n *node) {
	s := r.settings
	known := r.layer(&s.Detection)
	known["enabled"] = r.agreed("enabled", &s.Definitions)
	known["profile"] = r.profile
	known["alert_threshold"] = to(&s.AlertThreshold, r.severity)
	known["similarity_threshold"] = r.similarity
	known["custom_patterns"] = func(*node) {} // already read
	r.object(n, known)
}

func (r *settingsReader) outputInspection(n *node) {
	o := &r.settings.Outputs
	r.object(n, keys{
		"enabled":      to(&o.Enabled, r.bool),
		"on_detection": func(n *node) { o.Block = r.oneOf(n, "action", "alert", "block") == "block" },
	})
}

// shadowTool reads the settings for names that two servers share. agentsh documents a switch for
// this, but also says that it cannot be turned off, so setting it to false is an error that names
// the alternatives.
func (r *settingsReader) shadowTool(n *node) {
	r.object(n, keys{
		"enabled": func(n *node) {
			if on := r.bool(n); on != nil && !*on {
				r.fail(n.pos, "expected true: shadow_tool cannot be disabled here; use ignores to accept a known finding, or detection.rules with shadow-tool: {enabled: false}")
			}
		},
		"similarity_check":     to(&r.settings.CrossServer.SimilarityCheck, r.bool),
		"similarity_threshold": r.similarity,
	})
}

// similarity reads the threshold for server names, which can be set in two locations.
func (r *settingsReader) similarity(n *node) {
	share, first := r.share(n), r.similarityAt
	if r.similarityAt = n.pos; first != (Position{}) && share != r.settings.Similarity {
		first, second := inOrder(first, n.pos)
		r.fail(second, "similarity_threshold differs from the one at %s: the setting is shared by detection and cross_server.shadow_tool; remove one, or make them equal", first)
		return
	}
	r.settings.Similarity = share
}

func inOrder(a, b Position) (Position, Position) {
	if a.Compare(b) > 0 {
		return b, a
	}
	return a, b
}

// Blocks reports whether the settings require a result to be blocked, or a definition withheld,
// because of a finding in it. Without an alert_threshold, findings below medium severity do not
// block, nor do low-confidence findings below high severity unless the settings set their severity.
// Accepted findings never block.
func (t *Triage) Blocks(f *scanner.Finding) bool {
	if !t.Settings.Outputs.Block || !inspected(f) {
		return false
	}
	set, on := t.setting(f)
	severity, from := f.Weight(), scanner.Medium
	if threshold := t.Settings.AlertThreshold; threshold != nil {
		severity, from = f.Severity, *threshold
	}
	if set.Severity != nil {
		severity = *set.Severity
	}
	return on && severity >= from && !slices.ContainsFunc(t.Settings.Ignores, func(i Ignore) bool {
		return i.matches(f, f.Fingerprint) && i.validAt(t.when(f))
	})
}

// inspected reports whether on_detection applies to a finding: whether it is in a result or in the
// text of a definition.
func inspected(f *scanner.Finding) bool {
	return output(f) || f.Subject.Definition() && readsTexts(f.Rule)
}

// BlockedBy returns the setting that would block the call, definition or result that a finding is
// about, or "" if there is no such setting or it is already set.
func (s *Settings) BlockedBy(f *scanner.Finding) string {
	switch {
	case f.Rule.ID == "burst" && !s.Limits().BlockBursts:
		return "cross_server.burst.enabled: true"
	case f.Rule.Category == "version_pin" && f.Subject.Definition() && !s.pinsBlock():
		if s.Policy != nil && isTrue(s.Policy.Pinning.Enabled) {
			return "version_pinning.on_change: block"
		}
		return "version_pinning.enabled: true"
	case f.Rule.Category != "version_pin" && inspected(f) && !s.Outputs.Block:
		return "output_inspection.on_detection: block"
	}
	return ""
}

// Enforces reports whether any setting makes a proxy block more than it does by default.
func (s *Settings) Enforces() bool {
	return s.Outputs.Block || s.pinsBlock() || isTrue(s.RateLimits.Enabled) || s.Limits().BlockBursts || s.Policy != nil && s.Policy.Enforced && !s.Policy.Empty()
}
