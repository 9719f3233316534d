package scanner

// Traits are properties of messages by which rules select them. Most rules concern few
// messages, and each message is passed only to rules that select it, so the cost of a call
// does not depend on the rules about lists.
type Traits uint16

// The traits of a message.
const (
	OnCall         Traits = 1 << iota // it reports a call of a tool by the client
	OnRequest                         // it is a request of the client, a call or another one
	OnValues                          // the client sends values in it that flows are recognised by
	OnResponse                        // it is a response, of either side
	OnQuestion                        // the server asks for something, by a request, a result or an error
	OnNotification                    // it is a notification, of either side
	OnList                            // it shows definitions, ends a list, or says which definition changed
	OnIntroduction                    // it says what the server is
	OnNewServer                       // it is among the first of its server in the session
	OnIdentity                        // it says what its server is: a lockfile does, and a server that was started
	OnHTTP                            // the HTTP headers of the exchange that it came in are known
	OnNoise                           // it is no message at all
	OnBatch                           // it came in a batch
	allTraits      = OnBatch<<1 - 1
)

// own returns the traits of a message itself. Inspect computes them, so that judging need not
// look at each member.
func (m *Message) own() (t Traits) {
	add := func(is bool, trait Traits) {
		if is {
			t |= trait
		}
	}
	add(m.Kind == Response, OnResponse)
	add(m.Kind == Response && (len(m.Asks) > 0 || m.Code != ""), OnQuestion)
	add(m.Kind == Notification, OnNotification)
	add(len(m.Definitions) > 0 || m.NoCursor || m.Changed != nil || m.Method == toolChanged || m.Lists != [MessageSubject]bool{}, OnList)
	add(m.Server != nil, OnIntroduction)
	add(m.Batch > 0, OnBatch)
	return t
}

// traits returns those of the message at hand.
func (p *JudgePass) traits() Traits {
	m, e := p.Message, p.event
	t := m.traits
	if p.Direction == ClientToServer {
		if m.Kind == Request {
			t |= OnRequest
		}
		if len(m.Values) > 0 {
			t |= OnValues
		}
		if callSource(m.Message, p.Direction, false) != 0 {
			t |= OnCall
		}
	} else if m.Kind == Request {
		t |= OnQuestion
	}
	if !p.Server.Seen {
		t |= OnNewServer
	}
	if e.Identity != nil {
		t |= OnIdentity
	}
	if e.HTTP != nil {
		t |= OnHTTP
	}
	if p.Noise {
		t |= OnNoise
	}
	return t
}

// toolChanged is the method by which another engine reports a changed tool.
const toolChanged = "mcp_tool_changed"

// concerned are the rules that messages of some traits concern, in the order of the
// table: by those traits, and nil for traits that no message had yet.
type concerned [allTraits + 1][]*Rule

// of returns those of the rules that a message of such traits concerns.
func (c *concerned) of(rules []*Rule, t Traits) []*Rule {
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
