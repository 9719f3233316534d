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

// watched are servers that were listed, and that run until end is called.
type watched struct {
	listed []*scanner.Event      // what they sent until all of them were listed
	later  <-chan *scanner.Event // what they send after that; closed when none is left
	stop   func()                // ends them
	ended  chan struct{}         // closed when later was read to its end
}

// read passes on what the servers send later, until they have ended.
func (w *watched) read(take func(*scanner.Event)) {
	defer close(w.ended)
	for e := range w.later {
		if e = ofProxy(e); e != nil {
			take(e)
		}
	}
}

// end ends the servers and waits until what they sent was inspected.
func (w *watched) end() {
	w.stop()
	<-w.ended
}

// withServers is a proxy with the servers that it knows, which end before it does.
type withServers struct {
	*proxy.LLM
	servers *watched
}

// Close ends the servers and then the proxy.
func (w *withServers) Close() {
	w.servers.end()
	w.LLM.Close()
}

// listServers lists the servers of the configuration that --servers names, before there is any
// traffic, and keeps them to see changes of their tools. The caller calls read, and end when it needs them no more.
func (r *proxyRun) listServers(ctx context.Context) (*watched, error) {
	until := make(chan struct{})
	w := &watched{stop: sync.OnceFunc(func() { close(until) }), ended: make(chan struct{})}
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
	l.StartTimeout, l.StepTimeout, l.Timeout = time.Minute, 30*time.Second, 5*time.Minute
	l.ClientName, l.Version, l.MaxMessage, l.Until = servers.OwnClient, version(), r.MaxMessage, until
	all := &scanner.Event{} // sent when all servers are listed
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

// ofProxy returns a copy of a listed server's event for the proxy's session, nil if the proxy does
// not use its kind.
func ofProxy(e *scanner.Event) *scanner.Event {
	if e.Kind != scanner.FrameEvent && e.Kind != scanner.SkippedEvent && e.Kind != scanner.StartedEvent {
		return nil
	}
	kept := *e
	kept.Frame, kept.Session = bytes.Clone(e.Frame), app.ProxySession
	return &kept
}
