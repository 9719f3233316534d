package config

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// Compare returns the changes from one version of the settings to the next, each with its effect on
// what is reported. A change that cannot be shown to be harmless counts as weakening. Positions refer to
// data, the text of the new version.
func Compare(before, now *Settings, data []byte, v Vocabulary) []configfile.SettingsChange {
	c := &comparison{before: before, now: now, rules: v.Rules}
	for _, compare := range compared {
		compare(c)
	}
	Place(c.Changes, data)
	return c.Changes
}

// comparison collects the changes between two versions of settings.
type comparison struct {
	configfile.Changes
	before, now *Settings
	rules       []scanner.Rule // the built-in rules
}

// compared contains the comparisons that cover the fields of Settings. Path and Idle are not
// compared: they have no effect on findings.
var compared = [...]func(*comparison){
	(*comparison).switches,   // Profile, Detection, Definitions, and the rule switches in Outputs, CrossServer, RateLimits and Policy.Pinning
	(*comparison).threshold,  // AlertThreshold
	(*comparison).similarity, // Similarity
	(*comparison).block,      // Outputs.Block
	(*comparison).patterns,   // Patterns
	(*comparison).overrides,  // Overrides
	(*comparison).ignores,    // Ignores
	(*comparison).approval,   // Approval
	(*comparison).calls,      // CrossServer, except rule switches
	(*comparison).rates,      // RateLimits, except Enabled
	(*comparison).policy,     // Policy
}

// value adds a changed value, and whether the new one is weaker.
func (c *comparison) value(weaker bool, was, is any, keys ...string) {
	if was == is {
		return
	}
	c.Add(configfile.EffectOf(weaker), keys, " was %v and is %v", was, is)
}

// threshold compares alert_threshold, which decides whether a run fails, which findings are
// alerts, and which findings block.
func (c *comparison) threshold() {
	of := func(t *scanner.Severity, missing scanner.Severity) scanner.Severity {
		if t == nil {
			return missing
		}
		return *t
	}
	was, is := c.before.AlertThreshold, c.now.AlertThreshold
	rises := func(missing scanner.Severity) bool { return of(is, missing) > of(was, missing) }
	result := configfile.Keeps
	switch {
	case (was == nil) == (is == nil) && of(was, 0) == of(is, 0):
		return
	case rises(scanner.High), (c.before.Outputs.Block || c.now.Outputs.Block) && rises(scanner.Medium):
		result = configfile.Weakens
	case rises(scanner.Note):
		result = configfile.Accepts
	}
	said := func(t *scanner.Severity) string {
		if t == nil {
			return "not set"
		}
		return t.String()
	}
	c.Add(result, []string{"detection", "alert_threshold"}, " was %s and is %s", said(was), said(is))
}

func (c *comparison) similarity() {
	was, is := cmp.Or(c.before.Similarity, names.DefaultSimilarity), cmp.Or(c.now.Similarity, names.DefaultSimilarity)
	c.value(is > was, was, is, "detection", "similarity_threshold")
}

func (c *comparison) block() {
	action := map[bool]string{true: "block", false: "alert"}
	c.value(c.before.Outputs.Block, action[c.before.Outputs.Block], action[c.now.Outputs.Block], "output_inspection", "on_detection")
}

// patterns compares custom patterns, matched by rule ID.
func (c *comparison) patterns() {
	keys := []string{"detection", "custom_patterns"}
	find := func(s *Settings, id string) *scanner.CustomPattern {
		if i := slices.IndexFunc(s.Patterns, func(p scanner.CustomPattern) bool { return p.ID == id }); i >= 0 {
			return &s.Patterns[i]
		}
		return nil
	}
	for i := range c.before.Patterns {
		was := &c.before.Patterns[i]
		is := find(c.now, was.ID)
		if is == nil {
			c.Add(configfile.Weakens, keys, "the custom pattern %s was removed", was.ID)
			continue
		}
		if weaker, what := patternDiffers(is, was); what != "" {
			c.Add(configfile.EffectOf(weaker), keys, "the custom pattern %s has a different %s", was.ID, what).Pos = is.Pos
		}
	}
	for i := range c.now.Patterns {
		if is := &c.now.Patterns[i]; find(c.before, is.ID) == nil {
			c.Add(configfile.Keeps, keys, "the custom pattern %s was added", is.ID).Pos = is.Pos
		}
	}
}

// patternDiffers returns the most significant difference between two versions of a pattern, and whether
// the new one finds, or may find, less.
func patternDiffers(p, was *scanner.CustomPattern) (weaker bool, what string) {
	switch {
	case !same(p.Pattern, was.Pattern):
		return true, "expression"
	case !includesFields(was.Fields, p.Fields):
		return true, "list of fields, which lacks some of the old ones"
	case p.Category != was.Category: // flags select rules by category
		return true, "category"
	case p.Severity != was.Severity:
		return p.Severity < was.Severity, "severity"
	case !sameSet(p.Fields, was.Fields):
		return false, "list of fields"
	case p.Description != was.Description:
		return false, "description"
	}
	return false, ""
}

// includesFields reports whether the new list of fields includes the old one; an empty list means
// every field except call.
func includesFields(was, is []string) bool {
	if len(is) == 0 {
		return !slices.Contains(was, "call")
	}
	return len(was) > 0 && !slices.ContainsFunc(was, func(f string) bool { return !slices.Contains(is, f) })
}

func sameSet(a, b []string) bool {
	sorted := func(s []string) []string { return slices.Compact(slices.Sorted(slices.Values(s))) }
	return slices.Equal(sorted(a), sorted(b))
}

// approval compares which definitions mcpscan lock approves.
func (c *comparison) approval() {
	was, is := &c.before.Approval, &c.now.Approval
	on := func(b *bool) bool { return b == nil || *b }
	c.value(on(was.Quarantine), on(was.Quarantine), on(is.Quarantine), "approval", "quarantine_enabled")
	c.value(was.Holds(), !was.Holds(), !is.Holds(), "approval", "auto_trust_first")
	for _, glob := range is.Skip {
		if !slices.Contains(was.Skip, glob) {
			c.Add(configfile.Weakens, []string{"approval", "skip_quarantine"}, " now has %q: new definitions of matching servers no longer wait for approval", glob)
		}
	}
	for _, glob := range was.Skip {
		if !slices.Contains(is.Skip, glob) {
			c.Add(configfile.Keeps, []string{"approval", "skip_quarantine"}, " no longer has %q", glob)
		}
	}
}

// calls compares the settings for calls, except rule switches.
func (c *comparison) calls() {
	was, is, standard := &c.before.CrossServer, &c.now.CrossServer, scanner.DefaultLimits()
	window := func(was, is, standard time.Duration, keys ...string) { // a longer window finds more
		was, is = cmp.Or(was, standard), cmp.Or(is, standard)
		c.value(is < was, was, is, append([]string{"cross_server"}, keys...)...)
	}
	window(was.ReadThenSend.Window, is.ReadThenSend.Window, standard.ReadThenSend, "read_then_send", "window")
	window(was.Flow.Window, is.Flow.Window, standard.Flow, "cross_server_flow", "window")
	window(was.Burst.Window, is.Burst.Window, standard.BurstWindow, "burst", "window")
	most := func(b *Burst) int { return cmp.Or(b.MaxCalls, standard.BurstCalls) }
	c.value(most(&is.Burst) > most(&was.Burst), most(&was.Burst), most(&is.Burst), "cross_server", "burst", "max_calls")
	same := func(f *CrossServerFlow) bool { return f.SameTurnOnly == nil || *f.SameTurnOnly }
	c.value(same(&is.Flow), same(&was.Flow), same(&is.Flow), "cross_server", "cross_server_flow", "same_turn_only")
	if !slices.Equal(was.Categories, is.Categories) {
		c.Add(configfile.Weakens, []string{"cross_server", "categories"}, " changed: it decides which calls are reads and which are sends")
	}
}

// rates compares the servers' rate limits.
func (c *comparison) rates() {
	was, is := &c.before.RateLimits, &c.now.RateLimits
	standard := scanner.DefaultLimits().Rate
	limit := func(own, all scanner.RateLimit) scanner.RateLimit {
		return scanner.RateLimit{CallsPerMinute: cmp.Or(own.CallsPerMinute, all.CallsPerMinute), Burst: cmp.Or(own.Burst, all.Burst)}
	}
	general := func(l *RateLimits) scanner.RateLimit {
		return limit(scanner.RateLimit{CallsPerMinute: l.DefaultRPM, Burst: l.DefaultBurst}, standard)
	}
	compare := func(was, is scanner.RateLimit, keys []string, perMinute, burst string) {
		c.value(is.CallsPerMinute > was.CallsPerMinute, was.CallsPerMinute, is.CallsPerMinute, append(slices.Clone(keys), perMinute)...)
		c.value(is.Burst > was.Burst, was.Burst, is.Burst, append(slices.Clone(keys), burst)...)
	}
	compare(general(was), general(is), []string{"rate_limits"}, "default_rpm", "default_burst")
	for _, server := range union(was.PerServer, is.PerServer) {
		compare(limit(was.PerServer[server], general(was)), limit(is.PerServer[server], general(is)), []string{"rate_limits", "per_server", server}, "calls_per_minute", "burst")
	}
}

func (c *comparison) policy() {
	c.Changes = append(c.Changes, policy.CompareLists(c.before.Policy, c.now.Policy)...)
}

// same reports whether two settings values are deeply equal.
func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// Place sets the position of changes that have none: the position of their key in a settings file,
// or of its nearest existing parent.
func Place(changes []configfile.SettingsChange, data []byte) {
	var r strictReader
	roots := objects(r.parse(data, parseYAML))
	if len(roots) == 0 {
		return
	}
	for i := range changes {
		if change := &changes[i]; change.Pos == (Position{}) {
			change.Pos = positionOf(roots[0], change.Keys)
		}
	}
}

// positionOf looks up keys at each level where a policy may be; the longest match wins.
func positionOf(root *node, keys []string) Position {
	best, most := start, 0
	for _, above := range [...][]string{nil, {"sandbox", "mcp"}, {"mcp_rules"}, {"mcp", "inspection"}} {
		if at, length := locate(root, append(above, keys...)); length-len(above) > most {
			best, most = at, length-len(above)
		}
	}
	return best
}

// locate follows keys as far as they exist.
func locate(n *node, keys []string) (at Position, length int) {
	for _, key := range keys {
		found := n.all(key)
		if len(found) == 0 {
			return at, length
		}
		at, n = found[0].pos, found[0].value
		length++
	}
	return at, length
}
