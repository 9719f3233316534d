package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// maxAnswers bounds the number of answers remembered per server for detecting repeated ones.
const maxAnswers = 16

// answers holds the digests of a server's last answers and of their requests' IDs.
type answers struct {
	last *[maxAnswers]struct{ id, text uint64 }
	n    int
}

func (srv *Server) answer(m *Message) {
	a := &srv.answers
	if a.last == nil {
		a.last = new([maxAnswers]struct{ id, text uint64 })
	}
	at := &a.last[a.n%maxAnswers]
	at.id, at.text = digest(m.ID), m.Answer
	a.n++
}

// Answered reports whether the current response's request was already answered, and whether that
// answer was identical to this one.
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

// Unasked reports whether the current response was assembled from a part of a transcript that
// belongs to no call, such as a resource that the user mentioned.
func (p *JudgePass) Unasked() bool { return p.event.Unasked }

// OpenElsewhere reports whether another session has an open client request to the server that the
// current response could answer.
func (p *JudgePass) OpenElsewhere() bool {
	return slices.ContainsFunc(p.judge.idle, func(s *Session) bool {
		other := s.Servers[p.Server.ID]
		if s == p.Session || other == nil {
			return false
		}
		_, open := other.pending[mcp.ClientToServer].open[p.Message.ID]
		return open
	})
}

// Asking reports whether the current server has yet to answer a client request.
func (p *JudgePass) Asking() bool { return len(p.Server.pending[mcp.ClientToServer].open) > 0 }

// HTTP returns the HTTP headers of the exchange that carried the message, or nil if the
// recording has none.
func (p *JudgePass) HTTP() *mcp.HTTPHead { return p.event.HTTP }
