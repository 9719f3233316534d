package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
)

// Check returns rules without effect, in file order. Every report is certain; it does not find
// rules that only several others together make unreachable.
func (p *Policy) Check() []config.Problem {
	var c checker
	for i, r := range p.order {
		for _, earlier := range p.order[:i] {
			if earlier.covers(r) {
				c.covered(r, earlier)
				break
			}
		}
	}
	for _, r := range p.rules {
		if r.disabled {
			c.tell(r.pos, "the %s is disabled", r.called())
		}
		c.reach(r)
		c.patterns(r)
	}
	slices.SortStableFunc(c.problems, func(a, b config.Problem) int { return a.Pos.Compare(b.Pos) })
	return c.problems
}

// Idle returns the rules that refuse nothing, whatever comes.
func (p *Policy) Idle() []config.Problem {
	var c checker
	for _, r := range p.order {
		if !r.passes() {
			c.reach(r)
		}
	}
	return c.problems
}

type checker struct{ problems []config.Problem }

func (c *checker) tell(pos config.Position, format string, args ...any) {
	c.problems = append(c.problems, config.Problem{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// called is what messages call a rule.
func (r *rule) called() string {
	if r.name == "" {
		return r.title()
	}
	return "rule " + config.Quoted(r.name)
}

// covered reports a rule that an earlier one leaves nothing to.
func (c *checker) covered(r, earlier *rule) {
	own, _ := r.action.Verdict()
	theirs, _ := earlier.action.Verdict()
	place := fmt.Sprintf("%s at %s", earlier.called(), earlier.pos)
	switch {
	case own != theirs:
		c.tell(r.pos, "the %s is unreachable: the %s comes first, matches everything that it matches, and says %s instead of %s; move it up, or narrow the other one", r.called(), place, earlier.action, r.action)
	case r.covers(earlier):
		c.tell(r.pos, "the %s is a duplicate of the %s; remove it", r.called(), place)
	default:
		c.tell(r.pos, "the %s is unreachable: the %s comes first, matches everything that it matches, and says the same; remove it", r.called(), place)
	}
}

// reach reports rules that match nothing that a policy decides about.
func (c *checker) reach(r *rule) {
	scope, _ := r.scope()
	if len(scope) == 0 {
		c.tell(r.pos, "the %s matches nothing: no request has this method, event_type and tool_name together", r.called())
	} else if r.action != Log && !slices.ContainsFunc(scope, decides) {
		c.tell(r.pos, "the %s has no effect: a policy decides about tools/call, resources/read, prompts/get and sampling/createMessage, and all other messages pass; only the action log has an effect on them", r.called())
	}
}

func decides(method string) bool {
	q := request{event: eventOf(method)}
	return q.decided()
}

// patterns reports patterns that add nothing, or mean something else than they seem to.
func (c *checker) patterns(r *rule) {
	r.lists(func(name string, g globs) {
		for i, p := range g {
			for k, o := range g {
				if i != k && o.includes(p) && (k < i || !p.includes(o)) {
					c.tell(p.pos, "the pattern %s adds nothing: %s in the same list matches everything that it matches", config.Quoted(p.source), config.Quoted(o.source))
					break
				}
			}
			switch {
			case strings.ContainsAny(p.source, "[]{}"):
				c.tell(p.pos, "the pattern %s has brackets, which are literal: write a list of patterns instead", config.Quoted(p.source))
			case p.source == "*" && name == "tool_name" && !r.passes():
				c.tell(p.pos, "the pattern \"*\" does not match the name of a tool with a slash in it: \"**\" does")
			case climbs(p.source) && name == "resource_path" && p.source != "**/../**":
				c.tell(p.pos, "the pattern %s matches only paths with .., but paths are compared without it; write the path that it resolves to, or \"**/../**\" for all paths with ..", config.Quoted(p.source))
			case strings.HasSuffix(p.source, "/") && name == "resource_path":
				c.tell(p.pos, "the pattern %s matches only the directory: %s matches its content", config.Quoted(p.source), config.Quoted(p.source+"**"))
			}
		}
	})
}

// lists calls f with every criterion that has patterns.
func (r *rule) lists(f func(name string, g globs)) {
	f("server", r.servers)
	f("tool", r.targets)
	f("tool_name", r.tools)
	f("resource_path", r.paths)
	f("method", r.methods)
	f("event_type", r.types)
	for _, a := range r.args {
		f("args."+a.name, a.globs)
	}
}
