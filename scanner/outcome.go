package scanner

// Outcome is the decision about one event, with its reasons.
type Outcome struct {
	Decision Decision   // the strictest of those about its messages; the zero value lets it pass
	Messages []Judged   // in the order of the frame
	Findings []Finding  // sorted by location, then by rule ID
	Skips    []string   // parts of the event that could not be judged, and why
	Withheld []Withheld // definitions hidden from the client; only of a [Live]
	Shared   []Shared   // what the messages add for other connections; only of a [Live] that shares
	Noise    bool       // the frame does not start like a JSON-RPC message, so clients skip it
	First    bool       // the event is the first of its server in the session

	Elsewhere bool // the session belongs to another shard, which reports on the event
}

// Judged is a message with what its session adds to it.
type Judged struct {
	*Message
	Target    string     // what is called, read or fetched; for a response, taken from the request it answers
	Answers   string     // of a response: method of the request it answers; "" if there is none
	Tool      *Known     // of a call: the tool as last listed by the server; nil if never listed
	Calls     int        // how many calls the message adds to the count; see judge.call
	Decision  Decision   // the zero value lets the message pass
	Overruled []Decision // losing decisions of the other checks, in the order they were made
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
