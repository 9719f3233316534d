// Package policyfile reads policy files and decides by them what becomes of a request.
//
// It must never let pass what it does not understand: a key that is misspelled, a
// pattern that cannot match and an argument that was not looked at are reported, or
// refuse. It does no I/O and has no clock.
package policyfile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

// Action is the action of a rule for matching requests.
type Action string

// The actions. Deny and Block are two words for one.
const (
	Allow Action = "allow"
	Deny  Action = "deny"
	Block Action = "block"
	Ask   Action = "prompt"
	Log   Action = "log"
)

// actions are all actions, in the order in which messages list them.
var actions = []string{string(Allow), string(Block), string(Deny), string(Log), string(Ask)}

// ParseAction reads an action. The error says which ones there are.
func ParseAction(word string) (a Action, err error) {
	if _, ok := Action(word).Verdict(); !ok {
		return a, fmt.Errorf("unknown action %s%s", config.Quoted(word), config.Hint(word, actions))
	}
	return Action(word), nil
}

// Verdict returns the verdict of an action, and whether it is a valid action.
func (a Action) Verdict() (v scanner.Verdict, ok bool) {
	switch a {
	case Allow:
		return scanner.Allow, true
	case Deny, Block:
		return scanner.Block, true
	case Ask:
		return scanner.Prompt, true
	case Log:
		return scanner.Log, true
	}
	return scanner.Block, false
}

// Policy is a parsed policy file. It is a scanner.Policy.
type Policy struct {
	path   string
	rules  []*rule // all of them, in the order of the file
	order  []*rule // those that are enabled, in the order in which they decide
	listed bool    // the form [[rule]]
	looks  bool    // a rule looks at arguments
}

// rule is one rule of either form. Missing criteria match everything.
type rule struct {
	name        string // "" in the form [[rule]]
	number      int    // place in the file, from 1
	pos         scanner.Position
	action      Action
	description string
	message     string
	priority    int
	disabled    bool

	any     bool
	servers []*pattern
	targets []*pattern // tool of [[rule]]: the name of a tool or prompt, or the URI of a resource
	tools   []*pattern // tool_name
	methods []*pattern
	types   []*pattern // event_type
	paths   []*pattern // resource_path
	args    []argument
}

// argument is the criterion args.<name>.
type argument struct {
	name string
	globs
}

// globs are the values of one criterion, of which one must match.
type globs []*pattern

// title is the name of a rule in reports.
func (r *rule) title() string { return cmp.Or(r.name, fmt.Sprintf("rule %d", r.number)) }

// passes reports whether the rule lets messages pass. It must then be certain of everything that it matches; for one that refuses, a suspicion is enough.
func (r *rule) passes() bool { return r.action == Allow || r.action == Log }

// looks reports whether the rule looks at arguments.
func (r *rule) looks() bool {
	return len(r.paths)+len(r.args) > 0 || slices.ContainsFunc(r.types, func(p *pattern) bool { return p.match(connect) })
}

// sort puts the enabled rules into the order in which they decide: the lower priority
// first, and then as they are in the file.
func (p *Policy) sort() {
	for _, r := range p.rules {
		if !r.disabled {
			p.order = append(p.order, r)
			p.looks = p.looks || r.looks()
		}
	}
	slices.SortStableFunc(p.order, func(a, b *rule) int { return cmp.Compare(a.priority, b.priority) })
}

// defaultRule is the name of the default decision in reports.
const defaultRule = "default"

// Decide returns the decision of the first rule that matches, for methods that a policy
// decides about. All others pass, and are logged if a rule says so.
func (p *Policy) Decide(r *scanner.PolicyRequest) scanner.Decision {
	q := newRequest(r, p.looks || p.listed && r.Method == "resources/read")
	for _, rule := range p.order {
		match, unsure := rule.matches(q)
		switch {
		case !match:
			continue
		case !q.decided() && rule.action != Log:
			return scanner.Decision{}
		}
		d := p.decision(rule)
		if unsure {
			d.Reason += " (the request exceeds the limits of the policy, so the rule cannot be excluded)"
		}
		if unsure && q.Unlogged {
			d.Verdict, d.Reason = scanner.Alert, "the log lacks the arguments that the policy needs"
		}
		return d
	}
	if !q.decided() {
		return scanner.Decision{}
	}
	if p.listed {
		return scanner.Decision{Verdict: scanner.Block, Rule: defaultRule, Reason: "no rule of the policy matches, so the request is denied",
			Location: scanner.Location{File: p.path, Line: 1, Column: 1}}
	}
	return scanner.Decision{Verdict: scanner.Log, Rule: defaultRule, Reason: "no rule of the policy matches, so the request is logged"}
}

func (p *Policy) decision(r *rule) scanner.Decision {
	v, _ := r.action.Verdict()
	return scanner.Decision{Verdict: v, Rule: r.title(), Reason: cmp.Or(r.message, r.description, fmt.Sprintf("the %s says %s", r.called(), r.action)),
		Location: scanner.Location{File: p.path, Line: r.pos.Line, Column: r.pos.Column}}
}
