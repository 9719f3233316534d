package scanner

import "github.com/mcpscan/mcpscan/internal/capability"

// Windows is the session state that affects how a call is judged: earlier reads, and the used
// part of the limits.
type Windows struct {
	Reads  []EarlierCall // reads on other servers, within the longer of the flow windows, by server, last first
	Calls  int           // calls to the server within the burst window, including the current one; BurstCalls+1 means at least that many
	Tokens int           // tokens left in the server's bucket, in hundredths
	Rate   RateLimit     // rate that refills the bucket
}

// EarlierCall is a call made before the current one.
type EarlierCall struct {
	Call
	SameTurn bool // it was made in the same turn as the current one
}

// Windows returns the windows of the current call, including the call, and false if there is
// no call, or one without a time.
func (p *JudgePass) Windows() (w Windows, ok bool) {
	if p.call == nil || p.Now.IsZero() {
		return w, false
	}
	turn := map[Location]bool{}
	for c := range p.Earlier(capability.Read, p.Limits.window(), true) {
		turn[c.Location] = true
	}
	for c := range p.Earlier(capability.Read, p.Limits.window(), false) {
		w.Reads = append(w.Reads, EarlierCall{*c, turn[c.Location]})
	}
	recent := &p.Server.recent
	from := p.Now.Add(-p.Limits.BurstWindow)
	for _, s := range recent.calls.all() {
		if !s.when.Before(from) && !s.when.After(p.Now) {
			w.Calls++
		}
	}
	if p.call.Refused || recent.over { // the call is not in the window, or exceeds the number remembered
		w.Calls++
	}
	w.Tokens, w.Rate = int(p.Server.bucket.level/(aToken/100)), p.RateLimit()
	return w, true
}
