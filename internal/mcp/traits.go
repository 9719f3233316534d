package mcp

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
	AllTraits      = OnBatch<<1 - 1
)
