package scanner

// Outcome is the decision about one event, with its reasons.
type Outcome struct {
	Decision Decision   // the strictest decision about its messages; the zero value lets it pass
	Messages []Judged   // in the order of the frame
	Findings []Finding  // sorted by location, then by rule ID
	Skips    []string   // reasons why parts of the event could not be judged
	Withheld []Withheld // definitions to hide from the client; only with a [Live]
	Shared   []Shared   // what the messages add for other connections; only with a [Live] that shares
	Noise    bool       // the frame does not start like a JSON-RPC message, so clients skip it
	First    bool       // the event is the first of its server in the session

	Elsewhere bool // the session belongs to another shard, which reports on the event
}

// Judged is a message together with the data that its session contributes.
type Judged struct {
	*Message
	Target    string     // as in Message; for a response, taken from the request
	Answers   string     // of a response: method of the request it answers; "" if there is none
	Tool      *Known     // of a call: the tool as last listed by the server; nil if never listed
	Calls     int        // number of calls that the message adds to the count; see judge.call
	Decision  Decision   // the zero value lets the message pass
	Overruled []Decision // decisions of other checks that did not prevail, in the order in which they were made
	Listings  []Listing  // tools that are new or changed in the session
}

// begin starts the outcome of an event, reusing the memory of the previous one.
func (o *Outcome) begin(facts *Facts) {
	*o = Outcome{Messages: o.Messages[:0], Skips: append(o.Skips[:0], facts.Skips...), Noise: facts.Noise}
	for i := range facts.Messages {
		m := &facts.Messages[i]
		o.Messages = append(o.Messages, Judged{Message: m, Target: m.Target})
	}
}

// decide combines the decisions about the messages.
func (o *Outcome) decide() {
	for i := range o.Messages {
		if d := &o.Messages[i].Decision; d.Made() && (!o.Decision.Made() || d.Verdict > o.Decision.Verdict) {
			o.Decision = *d
		}
	}
}
