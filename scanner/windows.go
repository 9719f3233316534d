package scanner

import "github.com/mcpscan/mcpscan/internal/capability"

// Windows are the state by which a session judges a call: earlier reads, and the used part of
// its limits.
type Windows struct {
	Reads  []EarlierCall // on other servers, within the longer of the windows of flows: by server, the last first
	Calls  int           // of the server within the window of bursts, the one at hand among them; one more than a burst needs stands for any number
	Tokens int           // hundredths of one that the bucket of the server has left
	Rate   RateLimit     // that fills the bucket
}

// EarlierCall is a call that was made before the one at hand.
type EarlierCall struct {
	Call
	SameTurn bool // it is of the turn that the one at hand is of
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
	if p.call.Refused || recent.over { // it fills no window, or is one more than are remembered
		w.Calls++
	}
	w.Tokens, w.Rate = int(p.Server.bucket.level/(aToken/100)), p.RateLimit()
	return w, true
}
