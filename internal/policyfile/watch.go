package policyfile

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

// Watch is a scanner.Policy that decides nothing, and notes which patterns of a policy
// match something.
type Watch struct {
	policy *Policy
	mu     sync.Mutex
	seen   map[*pattern]bool
}

// Watch returns a Watch over the policy.
func (p *Policy) Watch() *Watch { return &Watch{policy: p, seen: map[*pattern]bool{}} }

// Decide notes what matches a request, and lets it pass.
func (w *Watch) Decide(r *scanner.PolicyRequest) scanner.Decision {
	q := newRequest(r, true)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, rule := range w.policy.order {
		rule.lists(func(name string, g globs) {
			for _, p := range g {
				if !w.seen[p] && p.met(name, q) {
					w.seen[p] = true
				}
			}
		})
	}
	return scanner.Decision{}
}

// met reports whether anything in a request matches a pattern, as one of a rule that
// refuses.
func (p *pattern) met(criterion string, q *request) bool {
	refuses := rule{action: Deny}
	switch criterion {
	case "server":
		refuses.servers = globs{p}
	case "tool":
		refuses.targets = globs{p}
	case "tool_name":
		refuses.tools = globs{p}
	case "resource_path":
		refuses.paths = globs{p}
	case "method":
		refuses.methods = globs{p}
	case "event_type":
		refuses.types = globs{p}
	default:
		refuses.args = []argument{{criterion[len("args."):], globs{p}}}
	}
	match, unsure := refuses.matches(q)
	return match && !unsure
}

// Tool notes a tool that a server has, whether it is called or not.
func (w *Watch) Tool(server, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, rule := range w.policy.order {
		rule.lists(func(criterion string, g globs) {
			for _, p := range g {
				if (criterion == "tool" || criterion == "tool_name") && p.match(name) || criterion == "server" && p.match(server) {
					w.seen[p] = true
				}
			}
		})
	}
}

// Unused returns the patterns of enabled rules that matched nothing.
func (w *Watch) Unused() []config.Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	var c checker
	for _, rule := range w.policy.rules {
		if rule.disabled {
			continue
		}
		rule.lists(func(name string, g globs) {
			for _, p := range g {
				if !w.seen[p] {
					c.tell(p.pos, "no value in the recordings matches %s of %s", config.Quoted(p.source), name)
				}
			}
		})
	}
	return c.problems
}
