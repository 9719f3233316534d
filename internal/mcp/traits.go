package mcp

// Traits are message properties by which rules select messages. Most rules concern few
// messages, and each message is passed only to the rules that select it, so the cost of a call
// does not depend on the rules about lists.
type Traits uint16

// The traits of a message.
const (
	OnCall         Traits = 1 << iota // it reports a tool call by the client
	OnRequest                         // it is a client request, including calls
	OnValues                          // it contains client values by which flows are recognised
	OnResponse                        // it is a response from either side
	OnQuestion                        // the server asks for something, in a request, a result or an error
	OnNotification                    // it is a notification from either side
	OnList                            // it contains definitions, ends a list, or reports a change
	OnIntroduction                    // it introduces the server
	OnNewServer                       // it is one of its server's first messages in the session
	OnIdentity                        // it identifies its server: from a lockfile or a started server
	OnHTTP                            // the HTTP headers of its exchange are known
	OnNoise                           // it is not a message
	OnBatch                           // it came in a batch
	AllTraits      = OnBatch<<1 - 1
)
