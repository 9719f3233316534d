package main

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/scanner"
)

// runningServers holds servers that have been listed and keep running until end is called.
type runningServers struct {
	listed []*scanner.Event      // events sent until all servers were listed
	later  <-chan *scanner.Event // events sent after that; closed when the last server has ended
	stop   func()                // stops the servers
	ended  chan struct{}         // closed when later has been drained
}

// read calls the function take with each later event of a kind that the proxy uses, until all servers
// have ended.
func (w *runningServers) read(take func(*scanner.Event)) {
	defer close(w.ended)
	for e := range w.later {
		if e = ofProxy(e); e != nil {
			take(e)
		}
	}
}

// end stops the servers and waits until their last events have been handled.
func (w *runningServers) end() {
	w.stop()
	<-w.ended
}

// withServers is a proxy with its listed servers.
type withServers struct {
	*proxy.LLM
	servers *runningServers
}

// Close stops the servers and then closes the proxy.
func (w *withServers) Close() {
	w.servers.end()
	w.LLM.Close()
}

// listServers lists the servers in the --servers configuration before there is any traffic, and
// keeps them running to notice changes to their tools. The caller must call the result's read
// method, and its end method when it no longer needs the servers.
func (r *proxyRun) listServers(ctx context.Context) (*runningServers, error) {
	until := make(chan struct{})
	w := &runningServers{stop: sync.OnceFunc(func() { close(until) }), ended: make(chan struct{})}
	if r.Servers == "" {
		none := make(chan *scanner.Event)
		close(none)
		w.later = none
		return w, nil
	}
	file, err := r.serversFile()
	if err != nil {
		return nil, err
	}
	p := app.NewPlan(ctx, nil, r.MaxMessage)
	p.Config(file)
	l := r.checks.Listing()
	p.Allow(ctx, r.consent(ctx, l))
	l.StartTimeout, l.StepTimeout, l.Timeout = time.Minute, 30*time.Second, 5*time.Minute
	l.ClientName, l.Version, l.MaxMessage, l.Until = servers.OwnClient, version(), r.MaxMessage, until
	all := &scanner.Event{} // end marker, sent after the last server is listed
	w.later = p.Watch(ctx, l, all)
	for e := range w.later {
		if e == all {
			break
		}
		if e = ofProxy(e); e != nil {
			w.listed = append(w.listed, e)
		}
	}
	return w, nil
}

// ofProxy returns a copy of a listed server's event for the proxy's session, or nil if the proxy
// does not use this kind of event.
func ofProxy(e *scanner.Event) *scanner.Event {
	if e.Kind != scanner.FrameEvent && e.Kind != scanner.SkippedEvent && e.Kind != scanner.StartedEvent {
		return nil
	}
	kept := *e
	kept.Frame, kept.Session = bytes.Clone(e.Frame), app.ProxySession
	return &kept
}
