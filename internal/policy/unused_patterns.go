package policy

import (
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/scanner"
)

// Watch is a scanner.Policy that decides nothing, but records which patterns in a policy match.
type Watch struct {
	policy *Policy
	mu     sync.Mutex
	listed []*ToolRule  // the entries of the policy's lists
	seen   map[any]bool // a *Pattern or *ToolRule
}

// Watch returns a Watch over the policy.
func (p *Policy) Watch() *Watch {
	w := &Watch{policy: p, seen: map[any]bool{}}
	if p.lists != nil {
		for _, part := range p.lists.parts() {
			for _, rules := range [...][]ToolRule{part.allowed, part.denied} {
				for i := range rules {
					w.listed = append(w.listed, &rules[i])
				}
			}
		}
	}
	return w
}

// Decide records what matches a request, and lets it pass.
func (w *Watch) Decide(r *scanner.PolicyRequest) scanner.Decision {
	if w.policy.lists != nil {
		tool := ""
		if r.Method == "tools/call" {
			tool = r.Target
		}
		w.Tool(r.Server, tool)
		return scanner.Decision{}
	}
	q := newRequest(r, true)
	w.note(func(criterion string, p *Pattern) bool { return p.met(criterion, q) })
	return scanner.Decision{}
}

// Tool records the matches for a server's tool, whether it is called or not.
func (w *Watch) Tool(server, name string) {
	if w.policy.lists != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, r := range w.listed {
			w.seen[r] = w.seen[r] || r.Server.Refuses(server) && (r.aboutServers() || name != "" && r.Tool.Refuses(name))
		}
		return
	}
	w.note(func(criterion string, p *Pattern) bool {
		return (criterion == "tool" || criterion == "tool_name") && p.Matches(name) || criterion == "server" && p.Matches(server)
	})
}

// note remembers the patterns that match.
func (w *Watch) note(matches func(criterion string, p *Pattern) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy.enabled(func(criterion string, p *Pattern) {
		if !w.seen[p] && matches(criterion, p) {
			w.seen[p] = true
		}
	})
}

// enabled invokes f with the enabled rules' patterns, in file order.
func (p *Policy) enabled(f func(criterion string, p *Pattern)) {
	for _, r := range p.rules {
		if r.Disabled {
			continue
		}
		for _, in := range r.criteria() {
			for _, p := range *in.patterns {
				f(in.name, p)
			}
		}
	}
}

// met reports whether a request matches a rule that refuses and has the pattern as its only criterion.
func (p *Pattern) met(criterion string, q *request) bool {
	refuses := Rule{Action: Deny}
	if argument, ok := strings.CutPrefix(criterion, "args."); ok {
		refuses.Args = []Argument{{Name: argument}}
	}
	for _, in := range refuses.criteria() {
		if in.name == criterion {
			*in.patterns = Patterns{p}
		}
	}
	match, unsure := refuses.matches(q)
	return match && !unsure
}

// Unused returns the patterns of enabled rules that matched nothing.
func (w *Watch) Unused() []Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	var c checker
	for _, r := range w.listed {
		if !w.seen[r] {
			c.tell(r.At, "%s", r.describe("", "matches no server in the recordings", "match no tool in the recordings"))
		}
	}
	w.policy.enabled(func(criterion string, p *Pattern) {
		if !w.seen[p] {
			c.tell(p.at, "the pattern %s in %s matches nothing in the recordings", quoted(p.source), criterion)
		}
	})
	return c.problems
}
