package scanner

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Outflow is the result in which a value first appeared in a session.
type Outflow struct {
	Server   string
	Tool     string // name of the tool called or prompt fetched, or URI of the resource read; "" if unknown
	Location Location
	Orders   string // ID of the rule that found an instruction to an AI in the same result; "" if none
}

// Flow is a value that one server returned and that appears in a message to another.
type Flow struct {
	Kind  text.DistinctKind
	Value *Value   // the value in the message
	From  *Outflow // the result that contained it
	At    Location // location of the text in the result
	Via   string   // encoding in the result
}

// Shown returns the value in a form suitable for a finding.
func (f *Flow) Shown() string {
	if f.Kind == text.SecretValue && f.Value.Kind != text.SecretValue {
		return maskedValue(f.Value.Text)
	}
	return f.Value.Text
}

// secretBits is the number of bits of a secret's digest in a fingerprint: enough to distinguish secrets
// with the same masked form, but too few to confirm a guess, because people publish fingerprints.
const secretBits = 12

// Key returns the part of a finding's fingerprint that identifies the value.
func (f *Flow) Key() string {
	if f.Kind != text.SecretValue {
		return f.Value.Text
	}
	return fmt.Sprintf("%s\x00%03x", f.Shown(), f.Value.digest%(1<<secretBits))
}

// The bounds on remembered values.
const (
	maxRemembered = 1 << 18 // across all sessions
	maxTracked    = 64      // servers per session whose values are tracked separately
)

// valueSource records where a session first saw a value, and which servers returned it. The values
// of a text share a valueSource, so it never changes.
type valueSource struct {
	has  uint64 // set of servers that returned the value
	from *Outflow
	at   place // position of the text with the value, in the file of that result
	via  string
	kind text.DistinctKind
}

// valueSources holds the last valueSource of each kind, so that consecutive values with the same
// source share it.
type valueSources [text.DistinctKinds]*valueSource

func (all *valueSources) of(s valueSource) *valueSource {
	if last := all[s.kind]; last != nil && *last == s {
		return last
	}
	kept := s // taking the address of s would allocate it in every call
	all[s.kind] = &kept
	return &kept
}

// remembered holds the digests of one server's values, oldest first: one queue per kind of value, and
// one for values that did not come from the server.
type remembered [text.DistinctKinds + 1]queue[uint64]

// Flows returns the values in a client's message that came from servers other than the receiver, in
// order of position. The message is a request, or the answer to one, such as the text that a model
// wrote for a server. Flows omits a value that the session first saw in a message from the client or in
// a definition, and a value that the receiving server has returned itself.
func (p *JudgePass) Flows() iter.Seq[*Flow] {
	return func(yield func(*Flow) bool) {
		m, s := p.Message, p.Session
		if p.Direction != mcp.ClientToServer || m.Kind == mcp.Audit && p.call == nil || len(s.known) == 0 {
			return
		}
		for i := range m.Values {
			v := &m.Values[i]
			k, ok := s.known[v.digest]
			if !ok || k == nil || k.from.Server == p.Server.ID || k.has&p.Server.bit != 0 {
				continue
			}
			f := &p.judge.flow
			*f = Flow{Kind: min(k.kind, v.Kind), Value: v, From: k.from, Via: k.via,
				At: Location{File: k.from.Location.File, Line: int(k.at.line), Column: int(k.at.column)}}
			if !yield(f) {
				return
			}
		}
	}
}

// returnedSecrets returns the values of a client's message that a server returned as secrets, but that
// nothing in the message marks as such, so that masking by form does not find them.
func (s *Session) returnedSecrets(m *Message) (out []string) {
	for i := range m.Values {
		v := &m.Values[i]
		if k := s.known[v.digest]; k != nil && k.kind == text.SecretValue && v.Kind != text.SecretValue {
			out = append(out, v.Text)
		}
	}
	return out
}

// remember adds a message's values to its session. If the values come from a server, cameOut
// returns the result that contains them. If a value could not be remembered, or if a secret,
// address or account number displaced an earlier one, remember returns the reason; otherwise, it
// returns "".
func (j *judge) remember(s *Session, srv *Server, from mcp.Direction, values []Value, cameOut func() *Outflow) (lost string) {
	var source *Outflow
	var sources, more valueSources
	if s.forgot {
		lost = "a session continued after its values were dropped to limit memory: the flow of these values is not tracked"
	}
	for n := range values {
		v := &values[n]
		said := v.said || from == mcp.ClientToServer
		if !said && source == nil && (!v.base || j.sharing) {
			source = cameOut()
		}
		k, ok := s.known[v.digest]
		switch {
		case ok && (said || k == nil):
			continue
		case ok:
			if k.has&srv.bit == 0 || v.Kind < k.kind {
				s.known[v.digest] = more.of(valueSource{k.has | srv.bit, k.from, k.at, k.via, min(k.kind, v.Kind)})
				if j.sharing {
					j.adds.keepValue(v, said, source)
				}
			}
			continue
		case v.base && !said:
			continue
		}
		ring := &srv.values[text.DistinctKinds]
		if !said {
			k = sources.of(valueSource{srv.bit, source, v.at, v.Via, v.Kind})
			ring = &srv.values[v.Kind]
		}
		why, ok := j.place(s, ring, v, said)
		lost = cmp.Or(why, lost)
		if !ok {
			continue
		}
		ring.insert(v.digest, maxValues, func(uint64) bool { return false })
		set(&s.known, v.digest, k)
		if j.sharing {
			j.adds.keepValue(v, said, source)
		}
	}
	return lost
}

// place makes room for a value among the remembered ones.
func (j *judge) place(s *Session, ring *queue[uint64], v *Value, said bool) (lost string, ok bool) {
	if len(ring.all()) < maxValues && j.remembered >= maxRemembered {
		j.forget(s)
	}
	switch of := ring.all(); {
	case len(of) < maxValues && j.remembered < maxRemembered:
		j.remembered++
		j.peak = max(j.peak, j.remembered)
		return "", true
	case len(of) == 0:
		return "too many distinctive values: the flow of the rest is not tracked", false
	case len(of) < maxValues:
		delete(s.known, of[0])
		ring.drop()
	default: // insert drops the first value
		delete(s.known, of[0])
	}
	if said || v.Kind >= text.TokenValue {
		return "", true
	}
	return "too many secrets or addresses from one server: the flow of the earliest is not tracked", true
}

// forget drops another session's values. Of the sessions that have values, it chooses the one that
// will be closed first.
func (j *judge) forget(but *Session) {
	var next *Session
	for _, s := range j.idle {
		if s != but && s.remembered() > 0 && (next == nil || s.before(next)) {
			next = s
		}
	}
	if next != nil {
		j.release(next)
		next.forgot = true
	}
}

// release removes a session's values from the remembered ones.
func (j *judge) release(s *Session) {
	j.remembered -= s.remembered()
	s.known, s.packed = nil, 0
	for _, srv := range s.Servers {
		srv.values, srv.packed = remembered{}, nil
	}
}

// ordersGroup is the ID prefix of the rules that find instructions to an AI.
const ordersGroup = "inj-"

// orders returns the ID of the rule that found the worst instruction to an AI in a result, or "" if
// no such finding has a weight above low.
func (j *judge) orders(message int) (id string) {
	worst := Low
	for k := range j.found.all {
		if f := &j.found.all[k]; f.message == message && strings.HasPrefix(f.Rule.ID, ordersGroup) && f.Weight() > worst {
			worst, id = f.Weight(), f.Rule.ID
		}
	}
	return id
}

// Windows is the session state that affects how a call is judged: earlier reads, and how much of
// each limit is used.
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

// Windows returns the windows of the current call, and includes the call itself in the counts. It
// returns false if the message is not a call, or the call has no time.
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
