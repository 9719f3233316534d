package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// maxAnswers bounds the answers of a server that are remembered, to tell a second one.
const maxAnswers = 16

// answers are the last ones of a server, by the requests that they answered.
type answers struct {
	last *[maxAnswers]struct{ id, text uint64 }
	n    int
}

// answer remembers an answer.
func (srv *Server) answer(m *Message) {
	a := &srv.answers
	if a.last == nil {
		a.last = new([maxAnswers]struct{ id, text uint64 })
	}
	at := &a.last[a.n%maxAnswers]
	at.id, at.text = digest(m.ID), m.Answer
	a.n++
}

// Answered reports whether the request that the response at hand names had an answer
// before, and whether that was the same one.
func (p *JudgePass) Answered() (before, same bool) {
	a := &p.Server.answers
	if a.last == nil || p.Request != nil {
		return false, false
	}
	id := digest(p.Message.ID)
	for i := range min(a.n, maxAnswers) {
		at := &a.last[(a.n-1-i)%maxAnswers]
		if at.id == id {
			return true, at.text == p.Message.Answer
		}
	}
	return false, false
}

// OpenElsewhere reports whether the server has a request open in another session that
// the response at hand would answer.
func (p *JudgePass) OpenElsewhere() bool {
	return slices.ContainsFunc(p.judge.idle, func(s *Session) bool {
		other := s.Servers[p.Server.ID]
		if s == p.Session || other == nil {
			return false
		}
		_, open := other.pending[mcp.ClientToServer].get(p.Message.ID)
		return open
	})
}

// Asking reports whether the server at hand has a request of the client to answer.
func (p *JudgePass) Asking() bool { return p.Server.pending[mcp.ClientToServer].len() > 0 }

// AtOnce returns how many requests the server has to answer, 0 if it never answered one: the
// recording may lack answers.
func (p *JudgePass) AtOnce() int {
	if p.Server.answers.n == 0 {
		return 0
	}
	return p.Server.pending[mcp.ClientToServer].len()
}

// HTTP returns the heads of the exchange that the message came in, nil where the
// recording has none.
func (p *JudgePass) HTTP() *mcp.HTTPHead { return p.event.HTTP }
