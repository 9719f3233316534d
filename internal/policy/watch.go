package policy

import (
	"sync"

	"github.com/mcpscan/mcpscan/scanner"
)

// Watch is a scanner.Policy that decides nothing, but records which patterns in a policy match.
type Watch struct {
	policy *Policy
	mu     sync.Mutex
	seen   map[any]bool // a *Pattern, *ServerRule or *ToolRule
}

// Watch returns a Watch over the policy.
func (p *Policy) Watch() *Watch { return &Watch{policy: p, seen: map[any]bool{}} }

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
		w.listed(server, name)
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
		r.lists(func(criterion string, g Patterns) {
			for _, p := range g {
				f(criterion, p)
			}
		})
	}
}

// listed remembers the list entries that match a server, or its tool if tool is not empty.
func (w *Watch) listed(server, tool string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy.lists.entries(func(r *ServerRule) {
		w.seen[r] = w.seen[r] || r.ID.Refuses(server)
	}, func(r *ToolRule) {
		w.seen[r] = w.seen[r] || tool != "" && r.Server.Refuses(server) && r.Tool.Refuses(tool)
	})
}

// entries invokes server or tool with each entry in the lists.
func (l *Lists) entries(server func(*ServerRule), tool func(*ToolRule)) {
	for _, rules := range [...][]ServerRule{l.AllowedServers, l.DeniedServers} {
		for i := range rules {
			server(&rules[i])
		}
	}
	for _, rules := range [...][]ToolRule{l.AllowedTools, l.DeniedTools} {
		for i := range rules {
			tool(&rules[i])
		}
	}
}

// met reports whether anything in a request matches a pattern as it would in a rule that refuses.
func (p *Pattern) met(criterion string, q *request) bool {
	refuses := Rule{Action: Deny}
	switch criterion {
	case "server":
		refuses.Servers = Patterns{p}
	case "tool":
		refuses.Targets = Patterns{p}
	case "tool_name":
		refuses.Tools = Patterns{p}
	case "resource_path":
		refuses.Paths = Patterns{p}
	case "method":
		refuses.Methods = Patterns{p}
	case "event_type":
		refuses.Types = Patterns{p}
	default:
		refuses.Args = []Argument{{criterion[len("args."):], Patterns{p}}}
	}
	match, unsure := refuses.matches(q)
	return match && !unsure
}

// Unused returns the patterns of enabled rules that matched nothing.
func (w *Watch) Unused() []Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	var c checker
	if lists := w.policy.lists; lists != nil {
		lists.entries(func(r *ServerRule) {
			if !w.seen[r] {
				c.tell(r.At, "the pattern %q matches no server in the recordings", r.ID)
			}
		}, func(r *ToolRule) {
			if !w.seen[r] {
				c.tell(r.At, "the patterns %q and %q match no tool in the recordings", r.Server, r.Tool)
			}
		})
		return c.problems
	}
	w.policy.enabled(func(criterion string, p *Pattern) {
		if !w.seen[p] {
			c.tell(p.at, "the pattern %s in %s matches nothing in the recordings", quoted(p.source), criterion)
		}
	})
	return c.problems
}
