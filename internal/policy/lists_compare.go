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
	c.servers()
	c.tools()
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

func (c *listComparison) servers() {
	allows := func(a, b ServerRule) bool { return a.ID.covers(b.ID, false) }
	denies := func(a, b ServerRule) bool { return a.ID.covers(b.ID, true) }
	equal := func(a, b ServerRule) bool { return sameName(a.ID, b.ID) }
	for _, now := range [...]bool{true, false} {
		for _, r := range unmatched(c.lists(now).AllowedServers, c.lists(!now).AllowedServers, equal) {
			weaker := now && (c.before.ServerMode == Allowlist || c.before.FailClosed) &&
				!slices.ContainsFunc(c.before.AllowedServers, func(o ServerRule) bool { return allows(o, r) })
			c.listed(now, weaker, r.At, "allowed_servers", fmt.Sprintf("%q", r.ID))
		}
		for _, r := range unmatched(c.lists(now).DeniedServers, c.lists(!now).DeniedServers, equal) {
			weaker := !now && !slices.ContainsFunc(c.now.DeniedServers, func(o ServerRule) bool {
				return denies(o, r) && (c.now.ServerMode != Allowlist || !o.ID.All()) // denying everything has no effect in an allowlist
			})
			c.listed(now, weaker, r.At, "denied_servers", fmt.Sprintf("%q", r.ID))
		}
	}
	if c.before.ServerMode != Allowlist && c.now.ServerMode == Allowlist && slices.ContainsFunc(c.before.DeniedServers, func(r ServerRule) bool { return r.ID.All() }) {
		c.Add(c.decides(true), []string{"server_policy"}, ` is allowlist, which allows listed entries even if "*" is denied`)
	}
}

func (c *listComparison) tools() {
	equal := func(a, b ToolRule) bool {
		return sameName(a.Server, b.Server) && sameName(a.Tool, b.Tool) && a.Hash == b.Hash
	}
	say := func(r ToolRule) string {
		if r.Hash.IsZero() {
			return fmt.Sprintf("%q of server %q", r.Tool, r.Server)
		}
		return fmt.Sprintf("%q of server %q with a content_hash", r.Tool, r.Server)
	}
	for _, now := range [...]bool{true, false} {
		for _, r := range unmatched(c.lists(now).AllowedTools, c.lists(!now).AllowedTools, equal) {
			weaker := now && c.before.ToolMode == Allowlist && !slices.ContainsFunc(c.before.AllowedTools, func(o ToolRule) bool { return o.covers(&r, false) })
			c.listed(now, weaker, r.At, "allowed_tools", say(r))
		}
		for _, r := range unmatched(c.lists(now).DeniedTools, c.lists(!now).DeniedTools, equal) {
			weaker := !now && !slices.ContainsFunc(c.now.DeniedTools, func(o ToolRule) bool {
				return o.covers(&r, true) && (c.now.ToolMode != Allowlist || !o.all())
			})
			c.listed(now, weaker, r.At, "denied_tools", say(r))
		}
	}
	if c.before.ToolMode != Allowlist && c.now.ToolMode == Allowlist && slices.ContainsFunc(c.before.DeniedTools, func(r ToolRule) bool { return r.all() }) {
		c.Add(c.decides(true), []string{"tool_policy"}, ` is allowlist, which allows listed entries even if "*" is denied`)
	}
}

func (c *listComparison) lists(now bool) *Lists {
	if now {
		return c.now
	}
	return c.before
}

// listed adds a list entry that is in only one version.
func (c *listComparison) listed(now, weaker bool, at configfile.Position, key, entry string) {
	if now {
		c.Add(c.decides(weaker), []string{key}, " now has %s", entry).Pos = at
		return
	}
	c.Add(c.decides(weaker), []string{key}, " no longer has %s", entry)
}

// unmatched returns the entries in list that have no equal in other.
func unmatched[T any](list, other []T, equal func(a, b T) bool) (out []T) {
	for _, r := range list {
		if !slices.ContainsFunc(other, func(o T) bool { return equal(r, o) }) {
			out = append(out, r)
		}
	}
	return out
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
			c.Add(c.decides(c.before.FailClosed && c.before.allowedServer(is.ID) == nil), keys, " now declares %q", is.ID).Pos = is.At
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
