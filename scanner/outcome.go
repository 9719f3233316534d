package scanner

// Outcome is the decision about one event, and its reason.
type Outcome struct {
	Decision Decision   // the strictest of those about its messages; the zero value lets it pass
	Messages []Judged   // in the order of the frame
	Findings []Finding  // by their place, then by the IDs of their rules
	Skips    []string   // parts of the event that could not be judged, and why
	Withheld []Withheld // definitions that the client is not shown; of a [Live] alone
	Shared   []Shared   // what the messages add for others; of a [Live] that shares
	Noise    bool       // the frame starts like no JSON-RPC message: a client passes over it
	First    bool       // the event is the first of its server in the session

	Elsewhere bool // another shard has the session, and reports on the event
}

// Judged is a message, and what its session says of it.
type Judged struct {
	*Message
	Target    string     // what is called, read or got: of a response, by the request that it answers
	Answers   string     // of a response: the method of the request that it answers; "" where there is none
	Tool      *Known     // of a call: the tool as its server listed it last; nil where it did not
	Calls     int        // by how many the number of calls grows with it; see judge.call
	Decision  Decision   // the zero value lets the message pass
	Overruled []Decision // what the other checks said, in the order in which they did
	Listings  []Listing  // the tools that are new to the session, or changed in it
}

// begin starts the outcome of an event, in the memory of the one before it.
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
