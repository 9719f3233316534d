package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// discoverGrace is how long the handshake waits for a result from discover after a result from
// initialize. A server that starts slowly finds both requests in its input and may answer them in
// any order; the order must not affect the era.
const discoverGrace = 250 * time.Millisecond

// shortWait is how long to wait for a server that may not know the method, or may never respond.
const shortWait = 3 * time.Second

// hello holds what the client and the server agreed on in the handshake.
type hello struct {
	era      string
	version  string
	declared map[string]bool
}

// handshake determines the era of a server. server/discover is sent first; if the server refuses
// it, or stays silent for a while, initialize is sent as well. The first usable answer decides, but
// discover takes precedence if it is answered shortly after initialize.
type handshake struct {
	peer        *peer
	discover    *call
	initialize  *call
	discoverErr error
	startErr    error
	nudge       *time.Timer // when it fires, initialize is sent although discover is unanswered
	grace       *time.Timer // when it fires, the handshake ends with the outcome of initialize
	legacy      *hello      // the result of initialize, kept while discover may still be answered
}

// negotiate performs the handshake. If probe is false, the server is known to be legacy.
func (p *peer) negotiate(ctx context.Context, probe bool) (hello, error) {
	h := &handshake{peer: p, nudge: time.NewTimer(time.Hour), grace: time.NewTimer(time.Hour)}
	defer h.nudge.Stop()
	defer h.grace.Stop()
	if probe {
		h.nudge.Reset(min(shortWait, p.opts.StartTimeout/2))
		h.discover = p.start(methodDiscover, "{"+p.opts.meta()+"}", versionModern)
	} else {
		h.begin(versionLegacy)
	}
	defer h.end()
	for {
		done, got, err := h.step(ctx)
		if done {
			return got, err
		}
	}
}

// step waits for the next event and handles it. It reports whether the handshake is done, with its
// result.
func (h *handshake) step(ctx context.Context) (bool, hello, error) {
	select {
	case out := <-h.discover.outcomes():
		return h.discovered(out)
	case out := <-h.initialize.outcomes():
		return h.initialized(out)
	case <-h.nudge.C:
		h.begin(versionLegacy)
		return false, hello{}, nil
	case <-h.grace.C:
		return h.settle()
	case <-h.peer.link.down():
		return h.wentDown()
	case <-ctx.Done():
		if h.legacy != nil {
			return h.settle()
		}
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			h.note(h.peer.silence(h.peer.opts.StartTimeout))
			return true, hello{}, h.failure()
		}
		return true, hello{}, context.Cause(ctx)
	}
}

// outcomes returns nil, a channel that never delivers, for a call that was not made.
func (c *call) outcomes() <-chan outcome {
	if c == nil {
		return nil
	}
	return c.outcome
}

// begin sends initialize, once.
func (h *handshake) begin(version string) {
	h.nudge.Stop()
	if h.initialize == nil && h.startErr == nil && h.legacy == nil {
		h.initialize = h.peer.start(methodStart, h.peer.opts.initializeParams(version), "")
	}
}

// discovered handles the answer to server/discover.
func (h *handshake) discovered(out outcome) (bool, hello, error) {
	h.discover.end(out.err == nil)
	h.discover = nil
	r := out.reply
	offered := r.supported
	if err := out.failure(); err != nil {
		h.discoverErr = err
		if r.err != nil && r.err.code == codeVersion {
			offered = r.err.supported
		}
	} else if slices.Contains(offered, versionModern) {
		h.peer.meta = true
		h.peer.announce(versionModern)
		return true, hello{era: eraModern, version: versionModern, declared: r.declared}, nil
	} else {
		h.discoverErr = fmt.Errorf("version %s is not among those that the server offers: %s", versionModern, h.peer.opts.versionList(offered))
	}
	if h.startErr != nil || h.legacy != nil {
		return h.settle()
	}
	version := versionLegacy
	for _, v := range knownLegacy() {
		if slices.Contains(offered, v) {
			version = v
			break
		}
	}
	h.begin(version)
	return false, hello{}, nil
}

// initialized handles the answer to initialize.
func (h *handshake) initialized(out outcome) (bool, hello, error) {
	h.initialize.end(out.err == nil)
	h.initialize = nil
	if err := out.failure(); err != nil {
		h.startErr = err
		if h.discover == nil {
			return true, hello{}, h.failure()
		}
		h.grace.Reset(shortWait)
		return false, hello{}, nil
	}
	r := out.reply
	h.legacy = &hello{era: eraLegacy, version: r.version, declared: r.declared}
	if h.discover == nil {
		return h.settle()
	}
	h.grace.Reset(min(discoverGrace, h.peer.opts.StepTimeout))
	return false, hello{}, nil
}

// settle ends the handshake with the result of initialize or, if there is none, an error.
func (h *handshake) settle() (bool, hello, error) {
	if h.legacy != nil {
		return true, *h.legacy, nil
	}
	return true, hello{}, h.failure()
}

// wentDown ends the handshake after the connection ended, unless the server answered just before
// that.
func (h *handshake) wentDown() (bool, hello, error) {
	for _, c := range []*call{h.discover, h.initialize} {
		if c == nil {
			continue
		}
		if out, ok := c.already(); ok {
			if c == h.discover {
				return h.discovered(out)
			}
			return h.initialized(out)
		}
	}
	if h.legacy == nil {
		h.note(&downError{h.peer.link.reason()})
	}
	return h.settle()
}

// note remembers why pending calls will not be answered.
func (h *handshake) note(err error) {
	if h.discover != nil {
		h.discoverErr = err
	}
	if h.initialize != nil {
		h.startErr = err
	}
}

func (h *handshake) end() {
	for _, c := range []*call{h.discover, h.initialize} {
		if c != nil {
			c.end(false)
		}
	}
}

// failure returns the reason why there is no connection: the error from initialize, because legacy
// servers do not support discover, and the error from discover if it differs.
func (h *handshake) failure() error {
	err, probe := h.startErr, h.discoverErr
	if err == nil {
		err, probe = probe, nil
	}
	if probe != nil && probe.Error() != err.Error() {
		return fmt.Errorf("waiting for a usable answer: %w (server/discover failed with: %v)", err, probe)
	}
	return fmt.Errorf("waiting for a usable answer: %w", err)
}

// meet performs the handshake and, with a legacy server, ends it with notifications/initialized. If
// the version in the result of initialize is missing or not allowed there, meet reports it, and the
// listing continues anyway.
func (s *scan) meet(start context.Context, p *peer, probe bool) (hello, error) {
	h, err := p.negotiate(start, probe)
	if err != nil || h.era != eraLegacy {
		return h, err
	}
	version := versionLegacy
	switch {
	case slices.Contains(knownLegacy(), h.version):
		version = h.version
	case h.version == "":
		s.problem(methodStart, "the response has no protocolVersion; assuming "+versionLegacy)
	default:
		s.problem(methodStart, "the server chose the protocol version "+s.opts.quote(h.version)+
			", which mcpscan does not accept in initialize; assuming "+versionLegacy)
	}
	p.announce(version)
	p.notify(start, methodStarted)
	return h, nil
}

func (o Options) versionList(all []string) string {
	if len(all) == 0 {
		return "none"
	}
	return o.quote(fmt.Sprint(all))
}
