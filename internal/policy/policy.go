// Package policy decides by a user's policy what becomes of a request. Every language of
// policies is read into the same rules, and one evaluator decides by them: policyfile reads
// the languages in TOML, and config the lists in YAML.
//
// It must never let pass what it does not understand: an argument that was not looked at
// refuses. It implements [scanner.Policy]: it must have no clock, no I/O and no state between
// requests.
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

// Actions are all actions, in the order in which messages list them.
var Actions = []string{string(Allow), string(Block), string(Deny), string(Log), string(Ask)}

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

// Policy is a list of stages. A request passes if each of them lets it pass; the first that
// blocks it gives the reason.
type Policy struct {
	file   string
	rules  []*Rule // all of them, in the order of the file
	listed bool    // what no rule matches is denied, as in the form [[rule]]
	stages []stage
	looks  bool   // a rule looks at arguments
	lists  *Lists // that the stages were made of, if they were
}

// stage decides by the first of its rules that matches.
type stage struct {
	methods   map[string]bool  // that it decides about: all others pass
	logs      bool             // a rule logs, which it does whatever the method
	rules     []*Rule          // those that are enabled, in the order in which they decide
	otherwise scanner.Decision // where no rule matches
}

// Rule decides about the requests that match all of its criteria. Missing criteria match
// everything.
type Rule struct {
	Name        string // "" for a rule that is called by its number
	Number      int    // place in the file, from 1
	At          configfile.Position
	Action      Action
	Description string
	Message     string
	Priority    int // the lowest decides first
	Disabled    bool

	Any     bool
	Servers Patterns
	Targets Patterns // the name of a tool or prompt, or the URI of a resource
	Tools   Patterns // the name of a tool that is called
	Methods Patterns
	Types   Patterns // event_type
	Paths   Patterns // resource_path
	Args    []Argument

	list listCriteria
}

// listCriteria are those that only lists have.
type listCriteria struct {
	check  scanner.Check // that the decision belongs to
	silent bool          // what it allows goes on to the next stage, without a record
	exact  bool          // it refuses names as they are written only
	hash   Hash          // of the tool; zero for any
	call   callState
}

// callState is how a call names its tool.
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

// Patterns are the values of one criterion, of which one must match.
type Patterns []*Pattern

// New returns a policy of rules. The rules decide by priority, the lowest first, and then as
// they are in the file. What none matches is denied if the policy is closed, and logged if
// it is not.
func New(file string, closed bool, rules []*Rule) *Policy {
	s := stage{methods: decided, otherwise: scanner.Decision{Verdict: scanner.Log, Rule: defaultRule, Reason: "no rule of the policy matches, so the request is logged"}}
	if closed {
		s.otherwise = scanner.Decision{Verdict: scanner.Block, Rule: defaultRule, Reason: "no rule of the policy matches, so the request is denied",
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

// Lists returns the lists that the policy was made of, nil if it was made of rules.
func (p *Policy) Lists() *Lists { return p.lists }

// defaultRule is the name of the default decision in reports.
const defaultRule = "default"

// title is the name of a rule in reports.
func (r *Rule) title() string { return cmp.Or(r.Name, "rule "+strconv.Itoa(r.Number)) }

// Passes reports whether the rule lets messages pass. It must then be certain of everything
// that it matches; for one that refuses, a suspicion is enough.
func (r *Rule) Passes() bool { return r.Action == Allow || r.Action == Log || r.list.exact }

// looks reports whether the rule looks at arguments.
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

// decide returns the decision of a stage, and whether it has one.
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
			d.Reason += " (the request exceeds the limits of the policy, so the rule cannot be excluded)"
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
	return scanner.Decision{Verdict: v, Check: r.list.check, Rule: r.title(), Reason: cmp.Or(r.Message, r.Description, fmt.Sprintf("the %s says %s", r.called(), r.Action)),
		Location: p.location(r.At)}
}

func (p *Policy) location(at configfile.Position) scanner.Location {
	return scanner.Location{File: p.file, Line: max(at.Line, 1), Column: max(at.Column, 1)}
}

// quoted is a name of the policy as it is in a message.
func quoted(name string) string { return `"` + text.Visible(name, 80) + `"` }
