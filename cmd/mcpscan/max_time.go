package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// timeUp is the context's cancellation cause when a run exceeds its time limit.
type timeUp struct{ limit time.Duration }

func (t *timeUp) Error() string {
	return fmt.Sprintf("time limit reached (--max-time %s)", t.limit)
}

// limit returns a context that ends when the run's time is up.
func (f *engineFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.MaxTime <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.MaxTime, &timeUp{f.MaxTime})
	f.late = func() bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }
	return ctx, cancel
}
