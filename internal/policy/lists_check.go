package policy

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// check returns the entries without effect.
func (l *Lists) check() []Problem {
	c := &listChecker{Lists: l}
	c.idle()
	c.empty()
	c.servers()
	c.tools()
	for i := range l.Servers {
		if d := &l.Servers[i]; len(d.EnvAllow) > 0 && len(d.EnvDeny) > 0 {
			c.tell(d.At, "env_deny has no effect with env_allow, which lists all variables that the server may get")
		}
	}
	return c.problems
}

type listChecker struct {
	*Lists
	checker
}

func (c *listChecker) tellIdle(at configfile.Position, format string, args ...any) {
	c.tell(at, format, args...)
	c.problems[len(c.problems)-1].Idle = true
}

// idle adds messages about settings without effect.
func (c *listChecker) idle() {
	if !c.Enforced && !c.Empty() {
		c.tellIdle(c.At, "this policy has no effect: enforce_policy is not true")
	}
	if c.ServerMode != Allowlist && !c.FailClosed {
		if i := slices.IndexFunc(c.AllowedServers, func(r ServerRule) bool { return !r.ID.All() }); i >= 0 {
			c.tellIdle(c.AllowedServers[i].At, "allowed_servers has no effect: server_policy is %s, not allowlist", c.ServerMode)
		}
	}
	if c.ToolMode != Allowlist {
		if i := slices.IndexFunc(c.AllowedTools, func(r ToolRule) bool { return !r.all() }); i >= 0 {
			c.tellIdle(c.AllowedTools[i].At, "allowed_tools has no effect: tool_policy is %s, not allowlist", c.ToolMode)
		}
	}
	for i := range c.AllowedTools {
		if rule := &c.AllowedTools[i]; rule.Hash.partial {
			c.tellIdle(rule.At, "this rule allows nothing: its content_hash is a placeholder or truncated; mcpscan pins list --json shows the full digest")
		}
	}
	if pins := c.Pinning; (pins.OnChange != nil || pins.TrustFirst != nil) && (pins.Enabled == nil || !*pins.Enabled) {
		c.tellIdle(c.PinningAt, "pins are not compared: version_pinning.enabled is not true")
	}
}

// empty reports lists that let nothing pass.
func (c *listChecker) empty() {
	if c.ServerMode == Allowlist && len(c.AllowedServers) == 0 {
		c.tell(c.ServerModeAt, "no server is allowed: allowed_servers is empty")
	}
	if c.ToolMode == Allowlist && len(c.AllowedTools) == 0 {
		c.tell(c.ToolModeAt, "no tool is allowed: allowed_tools is empty")
	}
	if c.FailClosed && len(c.AllowedServers) == 0 && len(c.Servers) == 0 {
		c.tell(c.FailClosedAt, "no server is allowed: fail_closed blocks every server that is not listed in servers or allowed_servers")
	}
}

// servers adds messages about server rules that are covered by others.
func (c *listChecker) servers() {
	for i, r := range c.AllowedServers {
		for _, d := range c.DeniedServers {
			if d.ID.covers(r.ID, true) && !(c.ServerMode == Allowlist && d.ID.All()) {
				c.tell(r.At, "the pattern %q at %s denies the server before any allow rule", d.ID, d.At)
				break
			}
		}
		c.repeated(r.At, i, func(k int) (bool, configfile.Position) {
			return c.AllowedServers[k].ID.covers(r.ID, false), c.AllowedServers[k].At
		})
	}
	for i, r := range c.DeniedServers {
		c.repeated(r.At, i, func(k int) (bool, configfile.Position) {
			return c.DeniedServers[k].ID.covers(r.ID, true), c.DeniedServers[k].At
		})
	}
}

// tools adds messages about tool rules that are covered by others.
func (c *listChecker) tools() {
	for i := range c.AllowedTools {
		r := &c.AllowedTools[i]
		for k := range c.DeniedTools {
			if d := &c.DeniedTools[k]; d.covers(r, true) && !(c.ToolMode == Allowlist && d.all()) {
				c.tell(r.At, "the patterns %q and %q at %s deny the tool before any allow rule", d.Server, d.Tool, d.At)
				break
			}
		}
		c.repeated(r.At, i, func(k int) (bool, configfile.Position) {
			return c.AllowedTools[k].covers(r, false), c.AllowedTools[k].At
		})
	}
	for i := range c.DeniedTools {
		r := &c.DeniedTools[i]
		c.repeated(r.At, i, func(k int) (bool, configfile.Position) {
			return c.DeniedTools[k].covers(r, true), c.DeniedTools[k].At
		})
	}
}

// repeated adds a message about a rule that is covered by an earlier one in its list.
func (c *listChecker) repeated(at configfile.Position, i int, covers func(int) (bool, configfile.Position)) {
	for k := range i {
		if all, first := covers(k); all {
			c.tell(at, "this rule has no effect: the rule at %s already matches everything that this one matches", first)
			return
		}
	}
}

func (t *ToolRule) covers(o *ToolRule, refuses bool) bool {
	return t.Server.covers(o.Server, refuses) && t.Tool.covers(o.Tool, refuses) && (t.Hash.IsZero() || t.Hash == o.Hash)
}
