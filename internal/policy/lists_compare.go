package policy

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// CompareLists returns the changes from one version of the lists to the next, and whether they let
// anything pass that was refused before. A change that cannot be shown to be harmless counts as
// weakening. Nil lists make no decisions. Package config reports changes to
// version_pinning.enabled.
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

// unmatched returns the entries in list that have no equal in other.
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
			continue
		}
		before, now := *was, *is
		before.At, now.At = configfile.Position{}, configfile.Position{}
		before.EnvAllow, before.EnvDeny, now.EnvAllow, now.EnvDeny = nil, nil, nil, nil
		if !reflect.DeepEqual(before, now) {
			c.Add(configfile.Weakens, keys, " declares %q as a different server", is.ID).Pos = is.At
		}
		if !slices.EqualFunc(was.EnvAllow, is.EnvAllow, sameName) || !slices.EqualFunc(was.EnvDeny, is.EnvDeny, sameName) {
			c.Add(configfile.EffectOf(!is.limits(was)), keys, " changes the environment of %q", is.ID).Pos = is.At
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

// limits reports whether every variable that d allows is known to have been allowed by was.
func (d *Declared) limits(was *Declared) bool {
	covered := func(by []Name, n Name, covers func(own, n Name) bool) bool {
		return slices.ContainsFunc(by, func(own Name) bool { return sameName(own, n) || covers(own, n) })
	}
	every := func(names, by []Name, covers func(own, n Name) bool) bool {
		return !slices.ContainsFunc(names, func(n Name) bool { return !covered(by, n, covers) })
	}
	switch {
	case len(was.EnvAllow) > 0: // a secret must be allowed by its exact name
		return len(d.EnvAllow) > 0 && every(d.EnvAllow, was.EnvAllow, func(own, n Name) bool { return own.covers(n, false) && !Sensitive(n.source) })
	case len(d.EnvAllow) > 0:
		return len(was.EnvDeny) == 0
	}
	return every(was.EnvDeny, d.EnvDeny, func(own, n Name) bool { return own.covers(n, true) })
}
