// Package policy applies a user's policy to requests. Package config parses every policy language,
// TOML or YAML, into the same rules, and one evaluator applies them.
//
// The package must never pass a request that it does not understand, so an argument that was not
// inspected counts against the request. Policy, an implementation of [scanner.Policy], must not read
// the clock, do I/O, or keep state between requests.
package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Action is what a rule does with requests that match it.
type Action string

// The actions. Deny and Block are synonyms.
const (
	Allow Action = "allow"
	Deny  Action = "deny"
	Block Action = "block"
	Ask   Action = "prompt"
	Log   Action = "log"
)

// Actions lists all actions, in the order used in messages.
var Actions = []string{string(Allow), string(Block), string(Deny), string(Log), string(Ask)}

var verdicts = map[Action]scanner.Verdict{Allow: scanner.Allow, Deny: scanner.Block, Block: scanner.Block, Ask: scanner.Prompt, Log: scanner.Log}

// Verdict returns an action's verdict, and whether the action is valid.
func (a Action) Verdict() (v scanner.Verdict, ok bool) {
	if v, ok = verdicts[a]; !ok {
		v = scanner.Block
	}
	return v, ok
}

// Policy is a list of stages. A request passes if it passes every stage; the first stage that
// blocks it provides the reason.
type Policy struct {
	file   string
	rules  []*Rule // all rules, in file order
	listed bool    // requests that match no rule are denied, as in the TOML form [[rule]]
	stages []stage
	looks  bool   // some rule inspects arguments
	lists  *Lists // source of the stages, if they were built from lists
}

// stage decides on a request according to the first of its rules that matches.
type stage struct {
	methods   map[string]bool  // methods that it decides on; all others pass
	logs      bool             // some rule has the action log, which applies to any method
	rules     []*Rule          // the enabled rules, in order of precedence
	otherwise scanner.Decision // decision if no rule matches
}

// Rule decides on requests that match all of its criteria. A missing criterion matches
// everything.
type Rule struct {
	Name        string // "" if the rule has only a number
	Number      int    // position in the file, from 1
	At          configfile.Position
	Action      Action
	Description string
	Message     string
	Priority    int // rules with lower numbers apply first
	Disabled    bool

	Any     bool
	Servers Patterns
	Targets Patterns // the name of a tool or prompt, or the URI of a resource
	Tools   Patterns // the name of a called tool
	Methods Patterns
	Types   Patterns // event_type
	Paths   Patterns // resource_path
	Args    []Argument

	list listCriteria
}

// listCriteria are criteria that only rules from lists have.
type listCriteria struct {
	check  scanner.Check // the check reported with the decision
	silent bool          // allowed requests go on to the next stage, without a record
	exact  bool          // although the rule blocks, it matches names only exactly as written
	hash   Hash          // of the tool's definition; zero for any
	call   callState
}

// callState describes how a call names its tool.
type callState uint8

const (
	anyCall callState = iota
	unlistedCall
	unnamedCall
	ambiguousCall
)

// Argument is the criterion args.<name>.
type Argument struct {
	Name string
	Patterns
}

// Patterns are a criterion's values. At least one must match.
type Patterns []*Pattern

// New returns a policy that consists of rules. The rules apply in order of priority, lowest first,
// then in file order. A request that matches none is denied if the policy is closed, and logged
// otherwise.
func New(file string, closed bool, rules []*Rule) *Policy {
	s := stage{methods: decided, otherwise: scanner.Decision{Verdict: scanner.Log, Rule: defaultRule, Reason: "no rule in the policy matches, so the request is logged"}}
	if closed {
		s.otherwise = scanner.Decision{Verdict: scanner.Block, Rule: defaultRule, Reason: "no rule in the policy matches, so the request is denied",
			Location: scanner.Location{File: file, Line: 1, Column: 1}}
	}
	p := &Policy{file: file, rules: rules, listed: closed}
	for _, r := range rules {
		if !r.Disabled {
			s.rules = append(s.rules, r)
			p.looks = p.looks || r.looks()
			s.logs = s.logs || r.Action == Log
		}
	}
	slices.SortStableFunc(s.rules, func(a, b *Rule) int { return cmp.Compare(a.Priority, b.Priority) })
	p.stages = []stage{s}
	return p
}

// Lists returns the lists that the policy was built from, or nil if it was built from rules.
func (p *Policy) Lists() *Lists { return p.lists }

// defaultRule is the name of the default decision in reports.
const defaultRule = "default"

// title returns the rule's name for reports.
func (r *Rule) title() string { return cmp.Or(r.Name, "rule "+strconv.Itoa(r.Number)) }

// Passes reports whether the rule lets messages pass, or matches names only exactly as written. Such a
// rule matches only if it is certain that all criteria match; for any other, a possible match is enough.
func (r *Rule) Passes() bool { return r.Action == Allow || r.Action == Log || r.list.exact }

// looks reports whether the rule inspects arguments.
func (r *Rule) looks() bool {
	return len(r.Paths)+len(r.Args) > 0 || slices.ContainsFunc(r.Types, func(p *Pattern) bool { return p.Matches(connect) })
}

// Decide returns the decision about a request.
func (p *Policy) Decide(r *scanner.PolicyRequest) (d scanner.Decision) {
	q := newRequest(r, p.looks || p.listed && r.Method == "resources/read")
	for i := range p.stages {
		if own, decides := p.decide(&p.stages[i], q); decides {
			d = own
		}
		if d.Verdict == scanner.Block {
			break
		}
	}
	return d
}

// decide returns a stage's decision, and whether the stage applies.
func (p *Policy) decide(s *stage, q *request) (d scanner.Decision, decides bool) {
	decides = s.methods[q.Method]
	if !decides && !s.logs {
		return d, false
	}
	for _, rule := range s.rules {
		match, unsure := rule.matches(q)
		switch {
		case !match:
			continue
		case !decides && rule.Action != Log:
			return d, false
		}
		d := p.decision(rule)
		if unsure {
			d.Reason += " (the request exceeds the limits of the policy, so the rule may match)"
		}
		if unsure && q.Unlogged {
			d.Verdict, d.Reason = scanner.Alert, "the log lacks the arguments that the policy needs"
		}
		return d, true
	}
	return s.otherwise, decides
}

func (p *Policy) decision(r *Rule) scanner.Decision {
	if r.list.silent {
		return scanner.Decision{}
	}
	v, _ := r.Action.Verdict()
	return scanner.Decision{Verdict: v, Check: r.list.check, Rule: r.title(), Reason: cmp.Or(r.Message, r.Description, fmt.Sprintf("%s says %s", r.called(), r.Action)),
		Location: scanner.Location{File: p.file, Line: max(r.At.Line, 1), Column: max(r.At.Column, 1)}}
}

// quoted formats a name from the policy for a message.
func quoted(name string) string { return `"` + text.Visible(name, 80) + `"` }
