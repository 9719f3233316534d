package config

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// setting returns the settings that apply to a finding's rule at the finding's location, and
// whether the finding is reported.
func (t *Triage) setting(f *scanner.Finding) (set RuleSetting, on bool) {
	set = t.Settings.base(f.Rule, output(f))
	for _, l := range t.Settings.layers(f.Server, f.Name, output(f)) {
		l.apply(f.Rule, output(f), &set)
	}
	switch {
	case t.Refused.has(f):
		return set, false
	case len(t.Forced) > 0:
		return set, t.Forced.has(f)
	}
	return set, set.Enabled == nil || *set.Enabled
}

// layers returns the layers that apply to a server and a tool, for results or for everything else,
// in increasing order of precedence.
func (s *Settings) layers(server, tool string, output bool) []*Layer {
	layers := []*Layer{s.Profile.layer(output), &s.Detection}
	for _, forTools := range [...]bool{false, true} {
		for i := range s.Overrides {
			o := &s.Overrides[i]
			if (o.Tool != "") == forTools && matchesGlob(o.Server, server) && matchesGlob(o.Tool, tool) {
				layers = append(layers, &o.Layer)
			}
		}
	}
	return layers
}

// apply applies the layer to a rule's settings, for results or for everything else. For results, a
// rule is off if its own category or OutputPoisoning is off.
func (l *Layer) apply(r *scanner.Rule, output bool, to *RuleSetting) {
	on, ok := l.Categories[r.Category]
	if there, too := l.Categories[scanner.OutputPoisoning]; too && output {
		on, ok = there && (on || !ok), true
	}
	if ok && !strings.HasPrefix(r.ID, scanner.CustomGroup) && !(on && r.OptIn) {
		to.Enabled = &on
	}
	set := l.Rules[r.ID]
	to.Severity = cmp.Or(set.Severity, to.Severity)
	to.Enabled = cmp.Or(set.Enabled, to.Enabled)
}

// base returns the settings of a rule before any layer is applied.
func (s *Settings) base(r *scanner.Rule, output bool) (set RuleSetting) {
	if set.Enabled = s.enabledKey(r, output); set.Enabled == nil && r.OptIn {
		set.Enabled = new(bool)
	}
	return set
}

// Rule returns a rule's settings before overrides are applied, and whether the rule runs anywhere,
// overrides included.
func (s *Settings) Rule(r *scanner.Rule) (set RuleSetting, runs bool) {
	if set, runs = s.rule(r, r.Category == scanner.OutputPoisoning); !runs && inspectsResults(r) {
		_, runs = s.rule(r, true)
	}
	return set, runs
}

// general returns the settings of a rule before overrides are applied.
func (s *Settings) general(r *scanner.Rule, output bool) RuleSetting {
	set := s.base(r, output)
	s.Profile.layer(output).apply(r, output, &set)
	s.Detection.apply(r, output, &set)
	return set
}

// rule is like Rule, but either for results or for everything else.
func (s *Settings) rule(r *scanner.Rule, output bool) (set RuleSetting, runs bool) {
	set = s.general(r, output)
	runs = set.Enabled == nil || *set.Enabled
	for i := range s.Overrides {
		var there RuleSetting
		s.Overrides[i].apply(r, output, &there)
		runs = runs || there.Enabled != nil && *there.Enabled
	}
	return set, runs
}
