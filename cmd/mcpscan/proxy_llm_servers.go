package main

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
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
	out, until := make(chan *scanner.Event, 64), make(chan struct{})
	w := &watched{later: out, stop: sync.OnceFunc(func() { close(until) }), ended: make(chan struct{})}
	if r.Servers == "" {
		close(out)
		return w, nil
	}
	file, err := r.serversFile()
	if err != nil {
		return nil, err
	}
	p := &plan{disk: newDisk(ctx)}
	p.config(file)
	flags := liveFlags{
		RunServers: true, StartTimeout: time.Minute, StepTimeout: 30 * time.Second, ServerTimeout: 5 * time.Minute, ClientName: ownClient,
		declared: r.checks.triage.Settings.Policy, block: r.checks.triage.Settings.BlocksBinaries(), until: until,
	}
	all := &scanner.Event{} // sent when all servers are listed
	go flags.watch(ctx, p, out, all, r.MaxMessage)
	for e := range out {
		if e == all {
			break
		}
		if e = ofProxy(e); e != nil {
			w.listed = append(w.listed, e)
		}
	}
	return w, nil
}

// watch lists the servers of a plan in parallel, sends all, and watches them until c.until is closed.
// Until all are listed, the end of ctx ends them at once.
func (c *liveFlags) watch(ctx context.Context, p *plan, out chan<- *scanner.Event, all *scanner.Event, limit int64) {
	defer close(out)
	feed := &feed{out: out, recording: &recording{}, names: map[string]bool{}}
	for _, t := range p.targets {
		feed.names[t.name] = true
	}
	for _, e := range p.events {
		feed.send(e, false)
	}
	running, interrupt := context.WithCancelCause(context.WithoutCancel(ctx))
	defer interrupt(nil)
	begun := context.AfterFunc(ctx, func() { interrupt(context.Cause(ctx)) })
	var listed, ended sync.WaitGroup
	for _, t := range p.targets {
		listed.Add(1)
		one := *c
		one.listed = sync.OnceFunc(listed.Done)
		ended.Go(func() {
			defer one.listed()
			one.ask(running, t, feed, p.disk, limit)
		})
	}
	listed.Wait()
	begun()
	out <- all
	ended.Wait()
}

// ofProxy returns a copy of a listed server's event for the proxy's session, nil if the proxy does
// not use its kind.
func ofProxy(e *scanner.Event) *scanner.Event {
	if e.Kind != scanner.FrameEvent && e.Kind != scanner.SkippedEvent && e.Kind != scanner.StartedEvent {
		return nil
	}
	kept := *e
	kept.Frame, kept.Session = bytes.Clone(e.Frame), proxySession
	return &kept
}
