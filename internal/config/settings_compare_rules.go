package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// switchKey is a key that affects which rules run, and with which severities.
type switchKey struct {
	keys []string
	get  func(*Settings) any
	put  func(dst, src *Settings) // copies the key's value from src to dst, a copy of settings that shares their maps
}

// switches compares which rules run, and their severities. Several keys together determine both, so
// it compares the outcome for each rule. The effect of a changed key is the part of the outcome that
// reverting the key would undo.
func (c *comparison) switches() {
	rules := c.comparedRules()
	harmed := c.now.harmed(c.before, rules)
	type changed struct {
		key    switchKey
		effect configfile.Effect
		rules  []string
	}
	var all []changed
	blamed := false
	for _, key := range switchKeys(c.before, c.now) {
		if same(key.get(c.before), key.get(c.now)) {
			continue
		}
		restored := *c.now
		key.put(&restored, c.before)
		here := changed{key: key}
		for id, effect := range c.now.harmed(&restored, rules) {
			if harmed[id] > configfile.Keeps {
				here.effect, here.rules = max(here.effect, min(effect, harmed[id])), append(here.rules, id)
			}
		}
		blamed = blamed || here.effect > configfile.Keeps
		all = append(all, here)
	}
	for _, k := range all {
		if !blamed && len(harmed) > 0 { // only several of them together cause the harm
			k.effect, k.rules = slices.Max(slices.Collect(maps.Values(harmed))), slices.Collect(maps.Keys(harmed))
		}
		c.Add(k.effect, k.key.keys, " %s%s", became(k.key.get(c.before), k.key.get(c.now)), harmedRules(k.rules))
	}
}

// comparedRules returns the rules that exist in both versions.
func (c *comparison) comparedRules() []scanner.Rule {
	rules := slices.Clone(c.rules)
	for _, p := range c.before.Patterns {
		if slices.ContainsFunc(c.now.Patterns, func(o scanner.CustomPattern) bool { return o.ID == p.ID }) {
			rules = append(rules, scanner.Rule{ID: p.ID, Category: p.Category, Severity: p.Severity})
		}
	}
	return rules
}

// harmed returns the rules that were on before, and are now off, have a lower severity or block
// less. It does not consider overrides.
func (s *Settings) harmed(before *Settings, rules []scanner.Rule) map[string]configfile.Effect {
	harmed := map[string]configfile.Effect{}
	for i := range rules {
		r := &rules[i]
		for _, output := range [...]bool{false, true} {
			was, is := before.general(r, output), s.general(r, output)
			if on := was.Enabled == nil || *was.Enabled; !on {
				continue
			}
			effect := lighter(r.Severity, was.Severity, is.Severity)
			if was.Severity == nil && s.raised(r, output) {
				effect = configfile.Keeps
			}
			if is.Enabled != nil && !*is.Enabled {
				effect = configfile.Weakens
			}
			if r.ID == "burst" && before.Limits().BlockBursts && !s.Limits().BlockBursts {
				effect = configfile.Weakens
			}
			if effect > configfile.Keeps {
				harmed[r.ID] = max(harmed[r.ID], effect)
			}
		}
	}
	return harmed
}

// raised reports whether the profile alone sets a rule's severity, to at least the declared one.
// This is known to be harmless, because profiles are built in.
func (s *Settings) raised(r *scanner.Rule, output bool) bool {
	profile := s.Profile.layer(output).Rules[r.ID].Severity
	return profile != nil && *profile >= r.Severity && s.Detection.Rules[r.ID].Severity == nil
}

// lighter returns the effect of changing a rule's severity in the settings. A nil severity means that
// each finding keeps the severity chosen by the rule's check, which can differ from the declared one.
func lighter(declared scanner.Severity, was, is *scanner.Severity) configfile.Effect {
	switch {
	case was == nil && is == nil:
		return configfile.Keeps
	case was == nil: // all findings get the same severity, though some could be critical
		if *is == scanner.Critical {
			return configfile.Keeps
		} else if *is >= max(declared, scanner.High) {
			return configfile.Accepts
		}
		return configfile.Weakens
	case is == nil: // some findings may get a lower severity
		if *was == scanner.Note {
			return configfile.Keeps
		} else if *was < declared && *was < scanner.High {
			return configfile.Accepts
		}
		return configfile.Weakens
	case *is < *was:
		return configfile.Weakens
	}
	return configfile.Keeps
}

// switchKeys returns the switch keys that are in either version.
func switchKeys(a, b *Settings) []switchKey {
	flag := func(get func(*Settings) **bool, keys ...string) switchKey {
		return switchKey{keys, func(s *Settings) any { return *get(s) }, func(to, from *Settings) { *get(to) = *get(from) }}
	}
	pin := func(get func(*policy.Pinning) **bool, key string) switchKey {
		of := func(s *Settings) *policy.Pinning {
			if s.Policy == nil {
				return &policy.Pinning{}
			}
			return &s.Policy.Pinning
		}
		return switchKey{[]string{"version_pinning", key}, func(s *Settings) any { return *get(of(s)) }, func(to, from *Settings) {
			lists := policy.Lists{}
			if to.Policy != nil {
				lists = *to.Policy
			}
			to.Policy = &lists
			*get(&lists.Pinning) = *get(of(from))
		}}
	}
	keys := []switchKey{
		{[]string{"detection", "profile"}, func(s *Settings) any { return cmp.Or(s.Profile.Name, "standard") }, func(to, from *Settings) { to.Profile = from.Profile }},
		flag(func(s *Settings) **bool { return &s.Definitions }, "detection", "enabled"),
		flag(func(s *Settings) **bool { return &s.Outputs.Enabled }, "output_inspection", "enabled"),
		flag(func(s *Settings) **bool { return &s.CrossServer.Enabled }, "cross_server", "enabled"),
		flag(func(s *Settings) **bool { return &s.CrossServer.SimilarityCheck }, "cross_server", "shadow_tool", "similarity_check"),
		flag(func(s *Settings) **bool { return &s.CrossServer.ReadThenSend.Enabled }, "cross_server", "read_then_send", "enabled"),
		flag(func(s *Settings) **bool { return &s.CrossServer.Flow.Enabled }, "cross_server", "cross_server_flow", "enabled"),
		flag(func(s *Settings) **bool { return &s.CrossServer.Burst.Enabled }, "cross_server", "burst", "enabled"),
		flag(func(s *Settings) **bool { return &s.RateLimits.Enabled }, "rate_limits", "enabled"),
		pin(func(p *policy.Pinning) **bool { return &p.Enabled }, "enabled"),
		pin(func(p *policy.Pinning) **bool { return &p.Binary }, "pin_binary"),
	}
	for _, category := range union(a.Detection.Categories, b.Detection.Categories) {
		keys = append(keys, entry([]string{"detection", "builtin", category}, category, func(s *Settings) *map[string]bool { return &s.Detection.Categories }))
	}
	for _, id := range union(a.Detection.Rules, b.Detection.Rules) {
		keys = append(keys, entry([]string{"detection", "rules", id}, id, func(s *Settings) *map[string]RuleSetting { return &s.Detection.Rules }))
	}
	return keys
}

// entry returns the switchKey for a map entry.
func entry[T any](keys []string, name string, of func(*Settings) *map[string]T) switchKey {
	return switchKey{keys, func(s *Settings) any {
		if v, ok := (*of(s))[name]; ok {
			return &v
		}
		return (*T)(nil)
	}, func(to, from *Settings) {
		own := maps.Clone(*of(to))
		if own == nil {
			own = map[string]T{}
		}
		if v, ok := (*of(from))[name]; ok {
			own[name] = v
		} else {
			delete(own, name)
		}
		*of(to) = own
	}}
}

// union returns the sorted union of the keys of two maps.
func union[T any](a, b map[string]T) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b)))))
}

// became describes how a value changed.
func became(was, is any) string {
	a, b := valueText(was), valueText(is)
	if a == "" || b == "" {
		return "has changed"
	}
	return fmt.Sprintf("was %s and is %s", a, b)
}

// valueText formats a string, switch or rule setting as in the settings file, and returns "" for
// anything else.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *bool:
		if v != nil {
			return fmt.Sprint(*v)
		}
		return "not set"
	case *RuleSetting:
		var says []string
		if v != nil && v.Enabled != nil {
			says = append(says, fmt.Sprintf("enabled: %v", *v.Enabled))
		}
		if v != nil && v.Severity != nil {
			says = append(says, fmt.Sprintf("severity: %s", *v.Severity))
		}
		if len(says) == 0 {
			return "not set"
		}
		return "{" + strings.Join(says, ", ") + "}"
	}
	return ""
}

// harmedRules names the first few rules that a change harms.
func harmedRules(rules []string) string {
	const most = 5
	slices.Sort(rules)
	switch n := len(rules); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf(" (off or lower: %s and %d more)", strings.Join(rules[:most], ", "), n-most)
	}
	return fmt.Sprintf(" (off or lower: %s)", strings.Join(rules, ", "))
}
