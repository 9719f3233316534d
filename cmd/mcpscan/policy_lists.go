package main

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/policyfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// watcher observes recordings in the place of a policy, and reports which of its patterns
// match nothing.
type watcher interface {
	scanner.Policy
	Tool(server, tool string)
	Unused() []config.Problem
}

// lint returns the parts of a policy without effect, and its watcher.
func lint(loaded scanner.Policy) ([]config.Problem, watcher) {
	switch p := loaded.(type) {
	case *policyfile.Policy:
		return p.Check(), p.Watch()
	case *policy.Lists:
		return problems(p.Check()), &listWatch{lists: p, seen: map[string]map[string]bool{}}
	}
	return nil, nil
}

func problems(of []policy.Problem) (out []config.Problem) {
	for _, p := range of {
		out = append(out, config.Problem{Pos: p.At, Msg: p.Says})
	}
	return out
}

// listWatch is the watcher of lists.
type listWatch struct {
	lists *policy.Lists
	seen  map[string]map[string]bool // tools by server
}

// maxWatched bounds the names that lists are compared with.
const maxWatched = 65536

// Tool sees a tool.
func (w *listWatch) Tool(server, tool string) {
	if w.seen[server] == nil && len(w.seen) < maxWatched {
		w.seen[server] = map[string]bool{}
	}
	if tools := w.seen[server]; tools != nil && tool != "" && len(tools) < maxWatched {
		tools[tool] = true
	}
}

// Decide records a call, and allows it.
func (w *listWatch) Decide(r *scanner.PolicyRequest) scanner.Decision {
	if r.Method != "tools/call" {
		r.Target = ""
	}
	w.Tool(r.Server, r.Target)
	return scanner.Decision{}
}

// Unused returns the patterns that match nothing that was seen.
func (w *listWatch) Unused() []config.Problem { return problems(w.lists.Unused(w.seen)) }

// idleLists returns what of a policy has to protect its user and does not.
func idleLists(p *policy.Lists) (idle []config.Problem) {
	for _, found := range p.Check() {
		if found.Idle {
			idle = append(idle, config.Problem{Pos: found.At, Msg: found.Says})
		}
	}
	return idle
}

// tellIdle reports settings that should protect the user and have no effect.
func tellIdle(std streams, idle []string) {
	for _, line := range idle {
		fmt.Fprintf(std.err, "mcpscan: %s\n", text.Visible(line, 1000))
	}
}
