package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// Problem is a part of a policy that does not do what it seems to do.
type Problem struct {
	At   configfile.Position
	Says string
	Idle bool // a protective setting has no effect
}

// Check returns the policy's problems, in file order. It reports a rule as unreachable only if that is
// certain, and misses rules that only a combination of several others makes unreachable.
func (p *Policy) Check() []Problem {
	var c checker
	if p.lists != nil {
		c.problems = p.lists.check()
	} else {
		c.rules(p)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.At.Compare(b.At) })
	return c.problems
}

func (c *checker) rules(p *Policy) {
	order := p.stages[0].rules
	for i, r := range order {
		for _, earlier := range order[:i] {
			if earlier.covers(r) {
				c.covered(r, earlier)
				break
			}
		}
	}
	for _, r := range p.rules {
		if r.Disabled {
			c.tell(r.At, "%s is disabled", r.called())
		}
		c.reach(r)
		c.patterns(r)
	}
}

// Idle returns protective rules or settings that have no effect.
func (p *Policy) Idle() []Problem {
	var c checker
	if p.lists != nil {
		c.problems = slices.DeleteFunc(p.Check(), func(found Problem) bool { return !found.Idle })
		return c.problems
	}
	for _, r := range p.stages[0].rules {
		if !r.Passes() {
			c.reach(r)
		}
	}
	return c.problems
}

type checker struct{ problems []Problem }

func (c *checker) tell(at configfile.Position, format string, args ...any) {
	c.problems = append(c.problems, Problem{At: at, Says: fmt.Sprintf(format, args...)})
}

// called returns the rule's name for messages.
func (r *Rule) called() string {
	if r.Name == "" {
		return r.title()
	}
	return "rule " + quoted(r.Name)
}

// covered adds a message about a rule that is covered by an earlier one.
func (c *checker) covered(r, earlier *Rule) {
	own, _ := r.Action.Verdict()
	theirs, _ := earlier.Action.Verdict()
	place := fmt.Sprintf("%s at %s", earlier.called(), earlier.At)
	switch {
	case own != theirs:
		c.tell(r.At, "%s is unreachable: every request that it matches is first matched by %s, which decides %s instead of %s; give this rule precedence, or narrow the other one", r.called(), place, earlier.Action, r.Action)
	case r.covers(earlier):
		c.tell(r.At, "%s is a duplicate of %s; remove it", r.called(), place)
	default:
		c.tell(r.At, "%s is unreachable: every request that it matches is first matched by %s, which decides the same; remove the unreachable rule", r.called(), place)
	}
}

// reach reports rules that cannot match any request that a policy decides on.
func (c *checker) reach(r *Rule) {
	scope, _ := r.scope()
	if len(scope) == 0 {
		c.tell(r.At, "%s matches nothing: no request has this method, event_type and tool_name together", r.called())
	} else if r.Action != Log && !slices.ContainsFunc(scope, func(method string) bool { return decided[method] }) {
		c.tell(r.At, "%s has no effect: only rules with the action log apply to messages other than tools/call, resources/read, prompts/get and sampling/createMessage", r.called())
	}
}

// patterns reports patterns that are redundant or do not mean what they seem to mean.
func (c *checker) patterns(r *Rule) {
	for _, in := range r.criteria() {
		name := in.name
		for i, p := range *in.patterns {
			for k, o := range *in.patterns {
				if i != k && o.includes(p) && (k < i || !p.includes(o)) {
					c.tell(p.at, "the pattern %s adds nothing: %s in the same list matches everything that this pattern matches", quoted(p.source), quoted(o.source))
					break
				}
			}
			switch {
			case strings.TrimSpace(p.source) != p.source:
				c.tell(p.at, "the pattern %s begins or ends with white space, which is literal; remove it", quoted(p.source))
			case strings.HasPrefix(p.source, "^"), strings.Contains(p.source, ".+"):
				c.tell(p.at, "the pattern %s looks like a regular expression, but only * and ? are special; write ** for any text", quoted(p.source))
			case strings.ContainsAny(p.source, "[]{}"):
				c.tell(p.at, "the pattern %s has brackets, which are literal: write a list of patterns instead", quoted(p.source))
			case p.source == "*" && name == "tool_name" && !r.Passes():
				c.tell(p.at, "the pattern \"*\" does not match tool names that contain a slash; to match them, use \"**\"")
			case strings.HasPrefix(name, "args.") && !r.Passes() && strings.Contains(p.source, "*") && !strings.Contains(p.source, "**") && !strings.Contains(p.source, "/"):
				c.tell(p.at, "the pattern %s does not match values that contain a slash; to match them, use %s", quoted(p.source), quoted(strings.ReplaceAll(p.source, "*", "**")))
			case resolved(p.source) && name == "resource_path" && p.source != "**/../**":
				c.tell(p.at, "the pattern %s matches only paths with .., but .. is resolved before paths are compared; write the resolved path, or \"**/../**\" for all paths with ..", quoted(p.source))
			case strings.HasSuffix(p.source, "/") && name == "resource_path":
				c.tell(p.at, "the pattern %s matches only the directory itself; to match its content, use %s", quoted(p.source), quoted(p.source+"**"))
			}
		}
	}
}

type criterion struct {
	name     string
	patterns *Patterns
}

// criteria returns all criteria of the rule that consist of patterns.
func (r *Rule) criteria() []criterion {
	all := []criterion{{"server", &r.Servers}, {"tool", &r.Targets}, {"tool_name", &r.Tools}, {"resource_path", &r.Paths}, {"method", &r.Methods}, {"event_type", &r.Types}}
	for i := range r.Args {
		all = append(all, criterion{"args." + r.Args[i].Name, &r.Args[i].Patterns})
	}
	return all
}

// Impossible returns the patterns of the rule that cannot match anything, or nil if the rule does not
// let requests pass.
func (r *Rule) Impossible() []Problem {
	var c checker
	if !r.Passes() {
		return nil
	}
	for _, p := range r.Paths {
		if resolved(p.source) {
			c.tell(p.at, "the pattern %s matches nothing: .. is resolved before an allow rule sees a path; write the resolved path", quoted(p.source))
		}
	}
	if len(r.Types) > 0 && !slices.ContainsFunc(EventTypes, func(word string) bool { return word != connect && r.Types.match(word) }) {
		c.tell(r.Types[0].at, "event_type %q works only in rules that refuse: a rule that lets requests pass would not check the rest of the call", connect)
	}
	return c.problems
}

// check returns the problems in the lists.
func (l *Lists) check() []Problem {
	c := &listChecker{Lists: l}
	c.idle()
	c.empty()
	for _, p := range l.parts() {
		c.covered(&p)
	}
	for i := range l.Servers {
		if d := &l.Servers[i]; len(d.EnvAllow) > 0 && len(d.EnvDeny) > 0 {
			c.tell(d.At, "env_deny has no effect with env_allow: the server gets only the variables that env_allow lists and the standard ones")
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

// idle adds messages about settings that have no effect.
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
				c.tell(r.At, "%s before any allow rule", d.describe(" at "+d.At.String(), "denies the server", "deny the tool"))
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
