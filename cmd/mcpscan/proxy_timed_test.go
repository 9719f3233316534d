package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/live"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// timedProxy is the command "timedproxy FILE COMMAND...": the proxy with all rules except those
// that limit rates. It writes the duration of each decision to the file, in order, one per line, in
// nanoseconds.
func timedProxy() {
	if err := runTimedProxy(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runTimedProxy(file string, command []string) error {
	perRate := func(r scanner.Rule) bool { return r.ID == "burst" || r.ID == "rate-limit" }
	engine, err := scanner.New(slices.DeleteFunc(rules.All(), perRate), scanner.Options{})
	if err != nil {
		return err
	}
	server, err := live.Start(live.Target{Command: command, Env: os.Environ()}, os.Stderr)
	if err != nil {
		return err
	}
	took := make(chan time.Duration, 1<<20) // both directions call the callback
	o := proxy.Options{
		Engine: engine.Live(), Now: time.Now, MaxMessage: 1 << 20, OnDuration: func(d time.Duration) { took <- d },
		Decided: func(*scanner.Event, *scanner.Outcome, scanner.Action) {},
	}
	if _, err := proxy.Stdio(context.Background(), o, proxy.Connection{Session: app.ProxySession, Server: "timed"},
		proxy.Client{In: os.Stdin, Out: os.Stdout, Gone: func() bool { return true }}, server, server.Stdin, server.Stdout); err != nil {
		return err
	}
	close(took)
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for d := range took {
		fmt.Fprintln(w, d.Nanoseconds())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
