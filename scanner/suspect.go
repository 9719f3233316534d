package scanner

import (
	"iter"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Suspicion is what is suspicious in the answer to a read.
type Suspicion struct {
	Orders string // the ID of the rule that found an order to an AI in it, "" for none
	Secret bool   // it holds a secret
}

// suspect is a server's last read with a suspicious answer. It is kept apart from the
// remembered calls, so that no number of others pushes it out.
type suspect struct {
	Call
	Suspicion
}

// suspect notes that the answer at hand is to a read, and gives a reason.
func (j *judge) suspect(srv *Server, message int, m *Message, asked PendingCall) {
	why := Suspicion{Orders: j.orders(message)}
	for i := range m.Values {
		why.Secret = why.Secret || m.Values[i].Kind == text.SecretValue && !m.Values[i].base
	}
	if why == (Suspicion{}) {
		return
	}
	if srv.suspected(m.ID, asked.Time, why) && j.sharing {
		j.adds.suspect = &SharedSuspect{m.ID, asked.Time, why}
	}
}

// suspected notes that a read had a suspicious answer, and reports whether it is remembered.
func (srv *Server) suspected(id string, asked time.Time, why Suspicion) bool {
	of := srv.calls.of[capability.Read].all()
	for i := len(of) - 1; i >= 0; i-- {
		if of[i].ID == id && of[i].Time.Equal(asked) {
			srv.calls.suspect = &suspect{of[i], why}
			return true
		}
	}
	return false
}

// Suspects visits the last read of each other server whose answer gives a reason to
// look at the call at hand, within a window as Earlier has it.
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
