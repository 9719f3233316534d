package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// ownTraits returns the traits that follow from the message itself, whatever its session. Inspect
// computes them, so that Judge need not examine each member.
func (m *Message) ownTraits() (t mcp.Traits) {
	add := func(is bool, trait mcp.Traits) {
		if is {
			t |= trait
		}
	}
	add(m.Kind == mcp.Response, mcp.OnResponse)
	add(len(m.Asks) > 0 || m.Kind == mcp.Response && m.Code != "", mcp.OnQuestion)
	add(m.Kind == mcp.Notification, mcp.OnNotification)
	add(len(m.Definitions) > 0 || m.NoCursor || m.Changed != nil || m.Method == toolChanged || m.Lists != [mcp.MessageSubject]bool{}, mcp.OnList)
	add(m.Server != nil, mcp.OnIntroduction)
	add(m.Batch > 0, mcp.OnBatch)
	return t
}

// traits returns the traits of the current message in its session.
func (p *JudgePass) traits() mcp.Traits {
	m, e := p.Message, p.event
	t := m.traits
	if p.Direction == mcp.ClientToServer {
		if m.Kind == mcp.Request {
			t |= mcp.OnRequest
		}
		if len(m.Values) > 0 {
			t |= mcp.OnValues
		}
		if callSource(m.Message, p.Direction, false) != 0 {
			t |= mcp.OnCall
		}
	} else if m.Kind == mcp.Request {
		t |= mcp.OnQuestion
	}
	if !p.Server.Seen && e.Kind.sent() {
		t |= mcp.OnNewServer
	}
	if e.Identity != nil || m.Kind == mcp.Removed {
		t |= mcp.OnIdentity
	}
	if e.HTTP != nil {
		t |= mcp.OnHTTP
	}
	if p.Noise {
		t |= mcp.OnNoise
	}
	return t
}

// toolChanged is the method of an event in which another engine reports a changed tool.
const toolChanged = "mcp_tool_changed"

// concerned caches the rules to run for each set of traits, in table order; nil for traits that
// no message has had yet.
type concerned [mcp.AllTraits + 1][]*Rule

// of returns the rules to run for a message with traits t.
func (c *concerned) of(rules []*Rule, t mcp.Traits) []*Rule {
	if c[t] == nil {
		c[t] = []*Rule{}
		for _, r := range rules {
			if r.On == 0 || r.On&t != 0 {
				c[t] = append(c[t], r)
			}
		}
	}
	return c[t]
}
