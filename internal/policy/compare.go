package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// start is the position of changes to a whole policy.
var start = configfile.Position{Line: 1, Column: 1}

// Compare returns the changes from one policy to the next. A change weakens the policy if it lets
// anything pass that was refused, prompted for or logged before, or cannot be shown to be harmless. A
// nil policy makes no decisions. Rules' names, descriptions and messages are ignored.
func Compare(before, now *Policy) []configfile.SettingsChange {
	c := &comparison{now: now}
	switch {
	case before == nil && now == nil:
		return nil
	case before == nil:
		c.Add(configfile.Keeps, nil, "the policy is new").Pos = start
		return c.Changes
	case now == nil:
		c.Add(configfile.Weakens, nil, "the policy was removed").Pos = start
		return c.Changes
	case before.listed != now.listed:
		c.Add(configfile.EffectOf(before.listed), nil, "the default decision was %s and is now %s", before.otherwise(), now.otherwise()).Pos = start
	}
	c.kept = make([]bool, len(now.stages[0].rules))
	gone := c.align(before.stages[0].rules, now.stages[0].rules)
	for i, r := range now.stages[0].rules {
		if !c.kept[i] {
			c.added(i, r)
		}
	}
	for _, g := range gone {
		c.gone(g)
	}
	return c.Changes
}

// comparison collects the changes between two versions of a policy.
type comparison struct {
	configfile.Changes
	now  *Policy
	kept []bool // set for the enabled rules that the old policy also has
}

// missing is a rule that the policy no longer has, or no longer has in the same order. before is
// the index, in the new policy, of the enabled rule that it preceded.
type missing struct {
	rule   *Rule
	before int
}

// otherwise describes the decision about requests that no rule matches.
func (p *Policy) otherwise() string {
	if p.listed {
		return "denied"
	}
	return "logged"
}

// align finds the rules that both policies have in the same order, and returns the removed ones.
func (c *comparison) align(before, now []*Rule) (gone []missing) {
	places := map[string][]int{}
	for i, r := range before {
		places[r.decides()] = append(places[r.decides()], i)
	}
	next := 0
	for i, r := range now {
		same := places[r.decides()]
		at := slices.IndexFunc(same, func(place int) bool { return place >= next })
		if at < 0 {
			continue
		}
		for ; next < same[at]; next++ {
			gone = append(gone, missing{before[next], i})
		}
		c.kept[i], next = true, same[at]+1
	}
	for ; next < len(before); next++ {
		gone = append(gone, missing{before[next], len(now)})
	}
	return gone
}

// decides returns a string that identifies everything in a rule that affects decisions.
func (r *Rule) decides() string {
	var b strings.Builder
	action := r.Action
	if action == Deny {
		action = Block
	}
	fmt.Fprintf(&b, "%q %v", action, r.Any)
	for _, in := range r.criteria() {
		var sources []string
		for _, p := range *in.patterns {
			sources = append(sources, p.source)
		}
		slices.Sort(sources)
		fmt.Fprintf(&b, " %q %q", in.name, slices.Compact(sources))
	}
	return b.String()
}

// added adds a new rule to the comparison. at is its index in the policy.
func (c *comparison) added(at int, r *Rule) {
	harmless := r.Action == Deny || r.Action == Block
	for _, earlier := range c.now.stages[0].rules[:at] {
		harmless = harmless || earlier.covers(r)
	}
	c.Add(configfile.EffectOf(!harmless), nil, "%s is new: %s", r.called(), r.Action).Pos = r.At
}

// gone adds a removed rule to the comparison. Removing an allow rule is harmless, because every
// other decision is at least as strict. The requests that any other rule matched must now be
// decided by a rule that is at least as strict, or by one that already preceded the removed rule.
func (c *comparison) gone(g missing) {
	harmless := g.rule.Action == Allow
	strict, _ := g.rule.Action.Verdict()
	for i, r := range c.now.stages[0].rules {
		if i >= g.before && c.kept[i] { // the rules from here on came after the removed rule
			break
		}
		own, _ := r.Action.Verdict()
		harmless = harmless || (c.kept[i] || own >= strict) && r.covers(g.rule)
	}
	c.Add(configfile.EffectOf(!harmless), nil, "%s was removed: %s", g.rule.called(), g.rule.Action)
}

// CompareLists returns the changes from one version of the lists to the next. A change weakens the
// lists if it lets anything pass that was refused before, or cannot be shown to be harmless. Nil lists
// make no decisions. Package config reports changes to version_pinning.enabled and pin_binary.
func CompareLists(before, now *Lists) []configfile.SettingsChange {
	c := &listComparison{before: before, now: now}
	for _, lists := range [...]**Lists{&c.before, &c.now} {
		if *lists == nil {
			*lists = &Lists{}
		}
	}
	c.modes()
	was, is := c.before.parts(), c.now.parts()
	for i := range was {
		c.part(&was[i], &is[i])
	}
	c.pinning()
	c.declared()
	return c.Changes
}

type listComparison struct {
	configfile.Changes
	before, now *Lists
}

// decides returns the effect of a change to lists. A change cannot weaken lists that were not
// enforced.
func (c *listComparison) decides(weaker bool) configfile.Effect {
	return configfile.EffectOf(weaker && c.before.Enforced)
}

func (c *listComparison) modes() {
	was, is := c.before, c.now
	if was.Enforced != is.Enforced {
		c.Add(configfile.EffectOf(was.Enforced), []string{"enforce_policy"}, " was %v and is %v", was.Enforced, is.Enforced)
	}
	if was.FailClosed != is.FailClosed {
		c.Add(c.decides(was.FailClosed), []string{"fail_closed"}, " was %v and is %v", was.FailClosed, is.FailClosed)
	}
	if was.ServerMode != is.ServerMode {
		c.Add(c.decides(was.ServerMode == Allowlist), []string{"server_policy"}, " was %s and is %s", was.ServerMode, is.ServerMode)
	}
	if was.ToolMode != is.ToolMode {
		c.Add(c.decides(was.ToolMode == Allowlist || is.ToolMode == None), []string{"tool_policy"}, " was %s and is %s", was.ToolMode, is.ToolMode)
	}
}

// part compares the lists of servers, or those of tools.
func (c *listComparison) part(before, now *part) {
	allowed, denied := "allowed_"+now.what+"s", "denied_"+now.what+"s"
	denies := func(r *ToolRule) bool {
		return slices.ContainsFunc(now.denied, func(o ToolRule) bool { return o.covers(r, true) && now.effective(&o) })
	}
	for _, r := range unmatched(now.allowed, before.allowed) {
		c.entry(before.closed && !slices.ContainsFunc(before.allowed, func(o ToolRule) bool { return o.covers(&r, false) }), allowed, "now has", r).Pos = r.At
	}
	for _, r := range unmatched(now.denied, before.denied) {
		c.entry(false, denied, "now has", r).Pos = r.At
	}
	for _, r := range unmatched(before.allowed, now.allowed) {
		c.entry(false, allowed, "no longer has", r)
	}
	for _, r := range unmatched(before.denied, now.denied) {
		c.entry(!denies(&r), denied, "no longer has", r)
	}
	if before.mode != Allowlist && now.mode == Allowlist && slices.ContainsFunc(before.denied, func(r ToolRule) bool { return r.all() }) {
		c.Add(c.decides(true), []string{now.what + "_policy"}, ` is allowlist, which allows listed entries even if "*" is denied`)
	}
}

// entry adds a list entry that is in only one version.
func (c *listComparison) entry(weaker bool, key, verb string, r ToolRule) *configfile.SettingsChange {
	entry := fmt.Sprintf("%q", r.Server)
	if !r.aboutServers() {
		entry = fmt.Sprintf("%q of server %q", r.Tool, r.Server)
	}
	if !r.Hash.IsZero() {
		entry += " with a content_hash"
	}
	return c.Add(c.decides(weaker), []string{key}, " %s %s", verb, entry)
}

// unmatched returns the entries of a list that are not in the other one.
func unmatched(list, other []ToolRule) []ToolRule {
	return slices.DeleteFunc(slices.Clone(list), func(r ToolRule) bool {
		return slices.ContainsFunc(other, func(o ToolRule) bool {
			return sameName(r.Server, o.Server) && sameName(r.Tool, o.Tool) && r.Hash == o.Hash
		})
	})
}

// pinning compares the decisions about tools that changed since they were trusted.
func (c *listComparison) pinning() {
	change := func(l *Lists) scanner.Verdict {
		if l.Pinning.OnChange == nil {
			return scanner.DefaultPinning().OnChange
		}
		return *l.Pinning.OnChange
	}
	if was, is := change(c.before), change(c.now); was != is {
		c.Add(configfile.EffectOf(is < was), []string{"version_pinning", "on_change"}, " was %s and is %s", was, is)
	}
	trusts := func(l *Lists) bool { return l.Pinning.TrustFirst == nil || *l.Pinning.TrustFirst }
	if was, is := trusts(c.before), trusts(c.now); was != is {
		c.Add(configfile.EffectOf(is), []string{"version_pinning", "auto_trust_first"}, " was %v and is %v", was, is)
	}
}

// declared compares the declared servers, which fail_closed allows and whose environment the policy
// limits.
func (c *listComparison) declared() {
	keys := []string{"servers"}
	for i := range c.now.Servers {
		is := &c.now.Servers[i]
		was := c.before.declared(is.ID)
		if was == nil {
			c.Add(c.decides(c.before.FailClosed && !slices.ContainsFunc(c.before.AllowedServers, func(r ServerRule) bool { return r.ID.Allows(is.ID) })), keys, " now declares %q", is.ID).Pos = is.At
			if !is.allowsNoMoreThan(&Declared{}) {
				c.Add(configfile.Weakens, keys, " now passes more variables than the standard ones to %q", is.ID).Pos = is.At
			}
			continue
		}
		before, now := *was, *is
		before.At, now.At = configfile.Position{}, configfile.Position{}
		before.EnvAllow, before.EnvDeny, now.EnvAllow, now.EnvDeny = nil, nil, nil, nil
		if !reflect.DeepEqual(before, now) {
			c.Add(configfile.Weakens, keys, " declares %q as a different server", is.ID).Pos = is.At
		}
		if !slices.EqualFunc(was.EnvAllow, is.EnvAllow, sameName) || !slices.EqualFunc(was.EnvDeny, is.EnvDeny, sameName) {
			c.Add(configfile.EffectOf(!is.allowsNoMoreThan(was)), keys, " changes the environment of %q", is.ID).Pos = is.At
		}
	}
	for i := range c.before.Servers {
		was := &c.before.Servers[i]
		if c.now.declared(was.ID) == nil {
			c.Add(configfile.EffectOf(len(was.EnvAllow)+len(was.EnvDeny) > 0), keys, " no longer declares %q", was.ID)
		}
	}
}

func sameName(a, b Name) bool { return a.source == b.source }

// allowsNoMoreThan reports whether the earlier declaration (was) is known to allow every variable that d
// allows. A declaration without lists, like a missing one, allows only the standard variables (see
// Inherits).
func (d *Declared) allowsNoMoreThan(was *Declared) bool {
	covered := func(by []Name, n Name, covers func(own, n Name) bool) bool {
		return slices.ContainsFunc(by, func(own Name) bool { return sameName(own, n) || covers(own, n) })
	}
	every := func(names, by []Name, covers func(own, n Name) bool) bool {
		return !slices.ContainsFunc(names, func(n Name) bool { return !covered(by, n, covers) })
	}
	switch {
	case len(was.EnvAllow)+len(was.EnvDeny) == 0:
		return len(d.EnvAllow)+len(d.EnvDeny) == 0 || len(d.EnvAllow) > 0 && !slices.ContainsFunc(d.EnvAllow, func(n Name) bool { return !Standard(n.source) })
	case len(was.EnvAllow) > 0: // a secret must be allowed by its exact name
		return len(d.EnvAllow) > 0 && every(d.EnvAllow, was.EnvAllow, func(own, n Name) bool { return own.covers(n, false) && !Sensitive(n.source) })
	case len(d.EnvAllow) > 0:
		return false
	}
	return every(was.EnvDeny, d.EnvDeny, func(own, n Name) bool { return own.covers(n, true) })
}
