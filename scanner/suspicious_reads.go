package scanner

import (
	"iter"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Suspicion is the reason why the answer to a read is suspicious.
type Suspicion struct {
	Orders string   // ID of the rule that found an instruction to an AI in the answer; "" if there is none
	Secret bool     // the answer contains a secret
	At     Location // location of the answer
}

// suspect is a server's most recent read that returned a suspicious result. It is kept separately
// from the remembered calls, so that other calls cannot evict it.
type suspect struct {
	Call
	Suspicion
}

// suspect remembers the read that the current message answers, if the answer is suspicious.
func (j *judge) suspect(srv *Server, message int, m *Message, asked PendingCall) {
	why := Suspicion{Orders: j.orders(message)}
	for i := range m.Values {
		why.Secret = why.Secret || m.Values[i].Kind == text.SecretValue && !m.Values[i].base
	}
	if why == (Suspicion{}) {
		return
	}
	why.At = j.places.At(m.Offset)
	if srv.suspected(asked.ID, asked.Time, why) && j.sharing {
		j.adds.Suspect = &sharedSuspect{asked.ID, asked.Time, why}
	}
}

// suspected remembers that a read got a suspicious answer. It returns false if the read is not
// remembered.
func (srv *Server) suspected(id string, asked time.Time, why Suspicion) bool {
	for _, c := range slices.Backward(srv.calls.of[capability.Read].all()) {
		if c.ID == id && c.Time.Equal(asked) {
			srv.calls.suspect = &suspect{c, why}
			return true
		}
	}
	return false
}

// Suspects yields, for every other server, the most recent read whose answer was suspicious, if the
// read falls within the window before the current call. Both parameters have the same meaning as in
// Earlier.
func (p *JudgePass) Suspects(window time.Duration, sameTurn bool) iter.Seq2[*Call, Suspicion] {
	return func(yield func(*Call, Suspicion) bool) {
		if p.call == nil || p.Now.IsZero() {
			return
		}
		from := p.Now.Add(-window)
		for _, srv := range p.Session.callers {
			s := srv.calls.suspect
			if srv == p.Server || s == nil || s.Time.Before(from) || s.Time.After(p.Now) || sameTurn && !p.sameTurn(srv, &s.Call) {
				continue
			}
			if !yield(&s.Call, s.Suspicion) {
				return
			}
		}
	}
}
