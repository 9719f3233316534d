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
	for _, p := range l.parts() {
		c.covered(&p)
	}
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
	for _, p := range c.parts() {
		if i := slices.IndexFunc(p.allowed, func(r ToolRule) bool { return !r.all() }); i >= 0 && !p.closed {
			c.tellIdle(p.allowed[i].At, "allowed_%ss has no effect: %s_policy is %s, not allowlist", p.what, p.what, p.mode)
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
	for _, p := range c.parts() {
		if p.mode == Allowlist && len(p.allowed) == 0 {
			c.tell(p.modeAt, "no %s is allowed: allowed_%ss is empty", p.what, p.what)
		}
	}
	if c.FailClosed && len(c.AllowedServers) == 0 && len(c.Servers) == 0 {
		c.tell(c.FailClosedAt, "no server is allowed: fail_closed blocks every server that is not listed in servers or allowed_servers")
	}
}

// covered adds messages about rules that others cover.
func (c *listChecker) covered(p *part) {
	for i := range p.allowed {
		r := &p.allowed[i]
		for k := range p.denied {
			if d := &p.denied[k]; d.covers(r, true) && p.effective(d) {
				c.tell(r.At, "%s before any allow rule", d.does(" at "+d.At.String(), "denies the server", "deny the tool"))
				break
			}
		}
		c.repeated(p.allowed[:i], r, false)
	}
	for i := range p.denied {
		c.repeated(p.denied[:i], &p.denied[i], true)
	}
}

// repeated adds a message about a rule that an earlier one in its list covers.
func (c *listChecker) repeated(earlier []ToolRule, r *ToolRule, refuses bool) {
	if i := slices.IndexFunc(earlier, func(o ToolRule) bool { return o.covers(r, refuses) }); i >= 0 {
		c.tell(r.At, "this rule has no effect: the rule at %s already matches everything that this one matches", earlier[i].At)
	}
}

func (t *ToolRule) covers(o *ToolRule, refuses bool) bool {
	return t.Server.covers(o.Server, refuses) && t.Tool.covers(o.Tool, refuses) && (t.Hash.IsZero() || t.Hash == o.Hash)
}
