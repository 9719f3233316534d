package main

import (
	"context"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// asking is how somebody is asked about what the policy prompts for, nil where nobody is.
func (r *proxyRun) asking() *proxy.Asking {
	if r.AskTimeout == 0 {
		return nil
	}
	return &proxy.Asking{
		Timeout:   r.AskTimeout,
		Elsewhere: func(ctx context.Context, q *proxy.Question) bool { return askByFile(ctx, q, r.trouble) },
		Told: func(q *proxy.Question, allowed bool, by string) {
			what := "refused"
			if allowed {
				what = "allowed"
			}
			r.trouble("%s %s: %s", what, q, by)
		},
	}
}

// asks reports whether somebody is asked about an event: over HTTP about those of the client
// alone.
func (r *proxyRun) asks(e *scanner.Event, out *scanner.Outcome) bool {
	return r.AskTimeout > 0 && r.Mode != "observe" && out.Decision.Verdict == scanner.Prompt &&
		(e.Transport == "stdio" || e.Direction == mcp.ClientToServer)
}
