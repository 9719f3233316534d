package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// MessageClass is the effect of unsolicited messages on their receiver.
type MessageClass uint8

// The classes. Plain applies to notifications in no other class.
const (
	Plain   MessageClass = iota // the message is read, displayed or logged
	Relists                     // the message makes the client request a list or a resource again
	Asks                        // the message puts a question to a person or a model
	messageClasses
)

// FloodLimit returns how many messages of a class a server may send. A person needs several
// seconds per question, clients need not read a list more often than once a second, and a
// log that people follow has fewer than a hundred lines per second.
func FloodLimit(c MessageClass) RateLimit {
	switch c {
	case Asks:
		return RateLimit{CallsPerMinute: 10, Burst: 10}
	case Relists:
		return RateLimit{CallsPerMinute: 60, Burst: 60}
	}
	return RateLimit{CallsPerMinute: 6000, Burst: 1000}
}

// classOf returns the class of a server's message, or false if it does not count towards
// floods.
func classOf(m *Message) (c MessageClass, ok bool) {
	switch {
	case m.Kind == mcp.Request && requestSubject(m.Method) != mcp.NoSubject:
		return Asks, true
	case m.Kind != mcp.Notification:
		return 0, false
	case len(announcements[m.Method]) > 0, m.Method == "notifications/resources/updated":
		return Relists, true
	}
	return Plain, true
}

// Flood reports whether the current message is the first of its class to find no token since the
// server's bucket was last full. It must be called only once per message.
func (p *JudgePass) Flood() (c MessageClass, first bool) {
	if p.Direction != mcp.ServerToClient || p.Now.IsZero() {
		return 0, false
	}
	c, ok := classOf(p.Message.Message)
	if !ok {
		return 0, false
	}
	if p.Server.floods == nil {
		p.Server.floods = new([messageClasses]bucket)
	}
	_, first = p.Server.floods[c].take(p.Now, FloodLimit(c), false)
	return c, first
}
