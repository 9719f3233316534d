package live

import (
	"context"
	"errors"
	"time"
)

// relistPause is the minimum time between two listings caused by the server's announcements.
// Changes announced within it are listed together.
const relistPause = 5 * time.Second

// matters reports whether a message is relevant to watching the tools: the announcement of a change
// that is not yet known, or an answer to one of our requests.
func (p *peer) matters(m message) bool {
	tools := kinds()[0]
	if m.method != "" {
		return m.id == "" && m.method == tools.changed && !p.isChanged(tools.method)
	}
	return m.answer && p.waiting(m.id)
}

// watch keeps the connection open until Options.Until is closed, and lists the tools again when the
// server announces a change. It stops at the first failure, which is reported as a problem.
func (s *scan) watch(ctx context.Context, p *peer) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.opts.Until:
			stop()
		case <-ctx.Done():
		}
	}()
	tools := kinds()[0]
	s.outdated(p, kinds()[1:])
	for _, k := range kinds()[1:] {
		p.forgetChange(k.method)
	}
	p.watching.Store(true)
	s.tap.count(&s.result)
	s.opts.Listed(s.result)
	s.result.Problems, s.result.Notes = nil, nil
	for {
		err := s.nextChange(ctx, p, tools)
		if err == nil {
			err = s.relist(ctx, p, tools)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.problem(tools.method, err.Error()+"; mcpscan continues with the tools as last listed")
			p.forgetChange(tools.method) // included in this report
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(relistPause):
		}
	}
}

// nextChange waits until the server announces a change to the list, or the connection ends.
func (s *scan) nextChange(ctx context.Context, p *peer, k kind) error {
	for !p.isChanged(k.method) {
		select {
		case <-p.changes:
		case err := <-p.lost:
			return err
		case <-p.link.down():
			return &downError{p.link.reason()}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (s *scan) relist(ctx context.Context, p *peer, k kind) error {
	whole, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTooLong)
	defer cancel()
	p.forgetChange(k.method)
	err := s.pages(whole, p, k, true)
	if err != nil && errors.Is(context.Cause(whole), errTooLong) {
		return errTooLong
	}
	return err
}
