package main

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/text"
)

// sessionFlags say with whom a proxy shares its session.
type sessionFlags struct {
	Session string `help:"Name of the session that this proxy shares with those in front of other servers of the same client; off shares none. Without it, the proxies that one process has started share one." placeholder:"NAME" env:"MCPSCAN_SESSION"`
}

// noSession is the name of a session that is not shared.
const noSession = "off"

// share joins the session of the proxies that serve the same client. It returns what events
// call the session, and where the proxy goes on alone, why.
func (r *proxyRun) share() (session, alone string) {
	if r.Session == noSession {
		return proxySession, ""
	}
	name, log, err := r.join()
	if err != nil {
		return proxySession, fmt.Sprintf("no session is shared with other servers of the client (%v)", err)
	}
	r.shared = log
	r.live.Sharing()
	return fmt.Sprintf("%s/%d", name, log.Number()), ""
}

// join joins the session that --session names, or that of the client.
func (r *proxyRun) join() (name string, log *sessionlog.Log, err error) {
	base, err := sessionlog.BaseDir()
	if err != nil {
		return "", nil, err
	}
	name, key := text.Visible(r.Session, 100), "name "+r.Session
	if r.Session == "" {
		client, err := sessionlog.FindClient()
		if err != nil {
			return "", nil, err
		}
		name, key = client.Name, "client "+client.Key
	}
	log, err = sessionlog.Join(base, key)
	return name, log, err
}
