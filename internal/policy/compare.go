package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// start is the position of changes to a whole policy.
var start = configfile.Position{Line: 1, Column: 1}

// Compare returns the changes from one policy to the next, and whether they let anything pass that
// was refused, prompted for or logged before. A change that cannot be shown to be harmless counts
// as weakening. A nil policy makes no decisions. Rules' names, descriptions and messages are
// ignored.
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
		c.Add(configfile.EffectOf(before.listed), nil, "the default decision was %s and is %s", before.otherwise(), now.otherwise()).Pos = start
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
// the index of the enabled rule that it preceded.
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
	harmless := r.refuses()
	for _, earlier := range c.now.stages[0].rules[:at] {
		harmless = harmless || earlier.covers(r)
	}
	c.Add(configfile.EffectOf(!harmless), nil, "the %s is new: %s", r.called(), r.Action).Pos = r.At
}

// gone adds a removed rule to the comparison. Removing an allow rule is harmless, because every
// other decision is at least as strict. The requests that any other rule matched must now be
// decided by a rule that is at least as strict, or by one that already preceded it.
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
	c.Add(configfile.EffectOf(!harmless), nil, "the %s was removed: %s", g.rule.called(), g.rule.Action)
}

// refuses reports whether the rule blocks.
func (r *Rule) refuses() bool { return r.Action == Deny || r.Action == Block }
