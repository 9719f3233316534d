package main

import (
	"context"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// asking returns the settings for asking for approval when the policy prompts, or nil if nobody is
// asked.
func (r *proxyRun) asking() *proxy.Asking {
	if r.AskTimeout == 0 {
		return nil
	}
	return &proxy.Asking{
		Timeout: r.AskTimeout,
		Elsewhere: func(ctx context.Context, q *proxy.Question) (allowed, answered bool) {
			return askByFile(ctx, q, r.problem)
		},
		Decided: func(q *proxy.Question, allowed bool, by string) {
			what := "refused"
			if allowed {
				what = "allowed"
			}
			r.problem("%s %s: %s", what, q, by)
			if q.Event.Time.IsZero() {
				return // the connection has ended, and the log is closed
			}
			for i := range q.Messages {
				m := &q.Messages[i]
				r.log.Approval(q.Event, report.Approval{Method: m.Method, Target: m.Target, ID: m.ID, Allowed: allowed, By: by})
			}
			r.alerts.answered(q, what, by)
		},
	}
}

// asks reports whether the user is asked about a message with this outcome. The calls in a model's
// response are decided without asking anybody.
func (r *proxyRun) asks(out *scanner.Outcome) bool {
	return r.AskTimeout > 0 && !r.LLM && r.Mode != "observe" && out.Decision.Verdict == scanner.Prompt
}
