package servers

import (
	"context"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/live"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// skip emits an event for part of a server's definitions that was not inspected.
func (a *asking) skip(format string, args ...any) {
	a.notInspected(scanner.SkippedEvent, format, args...)
}

// notInspected emits an event for something that was not inspected.
func (a *asking) notInspected(kind scanner.EventKind, format string, args ...any) {
	e := a.event(kind)
	e.Reason = a.server.Conceal(fmt.Sprintf(format, args...))
	a.lane.send(e)
}

// report emits an event for everything that was not listed.
func (a *asking) report(ctx context.Context, res *live.Result, err error) {
	switch {
	case err != nil && ctx.Err() != nil:
		a.skip("server %s not inspected in full: %v", a.title(), context.Cause(ctx))
	case err != nil:
		a.skip("server %s not inspected: %v", a.title(), err)
	}
	for _, p := range res.Problems {
		if p.Reason == live.TooLong {
			p.Reason += fmt.Sprintf(" of %v (--server-timeout)", a.Timeout)
		}
		a.skip("server %s: %s", a.title(), p)
	}
	for _, n := range res.Notes {
		a.notInspected(scanner.IgnoredEvent, "server %s: %s", a.title(), n)
	}
	if res.Oversize > 0 {
		a.skip("server %s sent frames over the limit of %d bytes (--max-message); number of frames: %d", a.title(), a.MaxMessage, res.Oversize)
	}
	if res.Undecoded > 0 {
		a.skip("server %s sent frames in a character set other than UTF-8, or in a content encoding that was not requested; number of frames: %d", a.title(), res.Undecoded)
	}
	if res.Ambiguous > 0 {
		a.skip("server %s: %s; number of frames: %d", a.title(), wire.AmbiguousReason, res.Ambiguous)
	}
}
