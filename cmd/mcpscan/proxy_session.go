package main

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/text"
)

// sessionFlags selects the session that a proxy shares.
type sessionFlags struct {
	Session string `help:"Name of the session that this proxy shares with the proxies of the client's other servers; off disables sharing. Default: all proxies started by the same process share a session." placeholder:"NAME" env:"MCPSCAN_SESSION"`
}

// noSession is the session name that disables sharing.
const noSession = "off"

// share joins the session of the proxies that serve the same client. It returns the session name
// for events and, if it could not join, the reason.
func (r *proxyRun) share() (session, alone string) {
	if r.Session == noSession {
		return app.ProxySession, ""
	}
	name, log, err := r.join()
	if err != nil {
		return app.ProxySession, fmt.Sprintf("no session is shared with the client's other servers (%v)", err)
	}
	r.shared = log
	r.live.Sharing()
	return fmt.Sprintf("%s/%d", name, log.Number()), ""
}

// join joins the session named by --session, or else the client's session.
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
