package scanner

// Traits are what a message can have that a rule may ask for. Most rules concern few
// messages, so each message is handed to those alone that ask for one of its traits:
// what a call costs does not depend on the rules about lists.
type Traits uint16

// The traits of a message.
const (
	OnCall         Traits = 1 << iota // it tells of a call of a tool by the client
	OnRequest                         // it is a request of the client, a call or another one
	OnValues                          // the client sends values in it that flows are told by
	OnResponse                        // it is a response, of either side
	OnQuestion                        // the server asks for something, by a request, a result or an error
	OnNotification                    // it is a notification, of either side
	OnList                            // it shows definitions, ends a list, or says which definition changed
	OnIntroduction                    // it says what the server is
	OnNewServer                       // it is among the first of its server in the session
	OnIdentity                        // what its server is stands in a lockfile
	OnHTTP                            // the heads of the exchange that it came in are known
	OnNoise                           // it is no message at all
	OnBatch                           // it came in a batch
	allTraits      = OnBatch<<1 - 1
)

// traits returns those of the message at hand.
func (p *JudgePass) traits() (t Traits) {
	m, e := p.Message, p.event
	add := func(is bool, trait Traits) {
		if is {
			t |= trait
		}
	}
	client := p.Direction == ClientToServer
	switch m.Kind {
	case Request:
		t = OnQuestion
		if client {
			t = OnRequest
		}
	case Response:
		t = OnResponse
		add(len(m.Asks) > 0 || m.Code != "", OnQuestion)
	case Notification:
		t = OnNotification
	}
	add(callSource(m, p.Direction) != 0, OnCall)
	add(client && len(m.Values) > 0, OnValues)
	add(len(m.Definitions) > 0 || m.NoCursor || m.Changed != nil || m.Method == toolChanged || m.Lists != [MessageSubject]bool{}, OnList)
	add(m.Server != nil, OnIntroduction)
	add(!p.Server.Seen, OnNewServer)
	add(e.Identity != nil, OnIdentity)
	add(e.HTTP != nil, OnHTTP)
	add(p.Noise, OnNoise)
	add(m.Batch > 0, OnBatch)
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
