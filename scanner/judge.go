package scanner

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/conform"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// The bounds on a judge's memory, whatever the input.
const (
	defaultSessions = 2048     // sessions open at once; beyond that, the one idle longest is closed
	maxPins         = 65536    // definitions remembered across sessions
	maxClosed       = 1 << 20  // closed sessions recognised if they continue
	maxSchemas      = 64 << 20 // bytes of schemas remembered
	maxCounted      = 1 << 20  // servers counted
	maxConfigured   = 65536    // configured servers remembered
	maxNamesakes    = 16       // configured servers with the same name
)

// judge applies the facts about events to their sessions, in the order in which it receives the events.
type judge struct {
	engine   *Engine
	sessions map[string]*Session
	latest   *Session            // session of the last event
	idle     idle                // open sessions; the one to close next is first
	swept    int                 // the one of them that was examined last by sweep
	closed   map[uint64]struct{} // sessions closed to make room, by digest
	pins     map[pinKey]*Known
	versions map[pinKey]version        // of pinned definitions that changed in their session: the version listed last
	offers   map[string][]*clientOffer // offers by server
	shown    int                       // definitions in offers
	schemas  int                       // bytes of schemas in all remembered definitions
	conform  conform.Checker
	servers  map[uint64]struct{} // digests of the servers counted
	entries  configured
	out      Outcome                    // outcome of the current event
	found    bounded                    // findings of Inspect, then those of judge rules
	about    map[mcp.DefinitionKey]bool // subjects of the findings; nil until needed
	coverage *coverage
	others   *coverage // coverage of events that other shards count
	stats    Stats
	seq      int64  // number of events judged
	paired   string // the first server in the input, to be compared with the only approved one
	met      bool

	concerned       *concerned
	whole           bool         // Inspect kept all findings of the event
	structureMasked bool         // see Facts.structureMasked
	withholding     *withholding // nil in a run over a whole input
	remembered      int          // number of values, across all sessions
	peak            int          // maximum of remembered
	pinned          int          // bytes of schemas in pins
	learned         int          // number of tools from other connections
	sharing         bool         // outcomes include what messages add for other connections

	// The current event.
	places     Places
	provenance *provenance // of the definition remembered last
	server     *Server
	pass       JudgePass
	current    Call
	asked      PolicyRequest
	request    PendingCall
	flow       Flow
	adds       Shared // what the current message adds for other connections; set only if sharing
}

// Stats counts the servers, tools, sessions and calls in an input.
type Stats struct {
	Servers, Tools, Sessions, Calls int
}

func newJudge(e *Engine) *judge {
	j := &judge{engine: e, sessions: map[string]*Session{}, closed: map[uint64]struct{}{},
		pins: map[pinKey]*Known{}, versions: map[pinKey]version{}, offers: map[string][]*clientOffer{}, servers: map[uint64]struct{}{},
		coverage: newCoverage(), others: newCoverage(), concerned: &concerned{},
		found: bounded{most: maxPerEvent}}
	j.pass = JudgePass{Similarity: e.options.Similarity, Limits: &e.options.Limits, Pinning: e.options.Pinning, judge: j}
	return j
}

// judge judges one event. The findings are sorted by position, then by rule ID. The result is
// valid until the next event.
func (j *judge) judge(e *Event, facts *Facts) *Outcome {
	j.seq++
	j.coverage.seq, j.about = j.seq, nil
	j.sweep()
	if !j.engine.shard.has(e.Session) {
		return j.elsewhere(e, facts)
	}
	j.found = bounded{all: append(j.found.all[:0], facts.Findings...), own: len(facts.Findings), most: maxPerEvent}
	j.out.begin(facts)
	j.whole, j.structureMasked = !facts.full, facts.structureMasked
	switch e.Kind {
	case SkippedEvent:
		j.coverage.events++
		j.coverage.skip(e.Reason, e.Origin)
		j.unread(e)
		return &j.out
	case IgnoredEvent:
		j.coverage.ignore(e.Reason, e.Origin)
		return &j.out
	case SharedEvent: // not counted, because the receiver of the message counts it
		j.learn(e)
		return &j.out
	case SettingsEvent: // not counted, because a run that reads nothing else has not inspected anything
		j.out.Findings = j.found.all
		return &j.out
	}
	if e.Unreadable != "" {
		j.coverage.skip(e.Unreadable, e.Origin)
	}
	j.places.reset(e)
	if e.Kind == ConfigEvent {
		j.config(e)
	} else {
		j.messages(e)
	}
	j.complete(e)
	if s := j.latest; e.Kind != ConfigEvent && !s.counted && j.out.ShowsSession(e) {
		s.counted = true
		j.stats.Sessions++
	}
	return &j.out
}

func (j *judge) messages(e *Event) {
	session := j.session(e)
	srv := session.serverOf(e)
	j.server = srv
	if srv.forgotten {
		j.coverage.skip("more servers in a session than the limit: each message of this server was judged alone", e.Origin)
	}
	if e.Kind.sent() && j.out.ShowsServer(e) {
		j.out.First = !srv.met && !srv.forgotten
		j.count(e)
		srv.met = true
	}
	first, agreed := mcp.Unknown, true
	for i := range j.out.Messages {
		from := j.message(session, srv, e, i)
		if i == 0 {
			first = from
		}
		agreed = agreed && from == first
	}
	if agreed && e.Direction == mcp.Unknown {
		e.Direction = first
	}
}

// count adds the event's server to the statistics if it is new.
func (j *judge) count(e *Event) {
	if id := digest(e.Server); !j.server.met && len(j.servers) < maxCounted {
		if _, again := j.servers[id]; !again {
			j.servers[id] = struct{}{}
			j.stats.Servers++
		}
	}
}

// complete counts an event that has been judged, and sorts its findings.
func (j *judge) complete(e *Event) {
	if j.found.dropped > 0 {
		j.out.Skips = once(j.out.Skips, tooMany)
	}
	if e.Kind != StartedEvent { // a StartedEvent does not come from a server
		j.coverage.event(e, &j.out)
	}
	slices.SortStableFunc(j.found.all, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Line, b.Location.Line),
			cmp.Compare(a.Location.Column, b.Location.Column), strings.Compare(a.Rule.ID, b.Rule.ID))
	})
	j.out.Findings = j.found.all
	j.out.decide()
}

// message judges one message and returns who sent it. Messages in a batch can have different
// senders if the recording does not contain the frame's direction.
func (j *judge) message(session *Session, srv *Server, e *Event, i int) mcp.Direction {
	m := &j.out.Messages[i]
	from := srv.direction(e, m.Message)
	p, first := j.start(session, srv, e, m, from), !srv.Seen
	lists := m.traits&mcp.OnList != 0
	if lists {
		j.found.most = max(j.found.most, room(m.Message))
	}
	j.pairs(e)
	j.match(p, i)
	if from == mcp.ClientToServer {
		m.Secrets = session.returnedSecrets(m.Message)
	}
	if e.Direction == mcp.Unknown && srv.sideGivesDirection(e) && from == mcp.ClientToServer {
		j.dropResultFindings(i)
	}
	access := j.resource(srv, e, from, m)
	if p.call = j.call(srv, e, from, m); p.call != nil {
		access, p.Exceeded = p.call, srv.count(p.call, p.Limits)
	}
	if lists && from == mcp.ServerToClient {
		p.Differences = j.compareClients(p)
	}
	p.decide()
	if j.structureMasked {
		p.Decide(refuseMaskedStructure)
	}
	j.poisoned(p, i)
	rules := j.concerned.of(j.engine.judges, p.traits())
	for next := 0; next < len(rules) && !p.Late(); {
		next = j.rules(p, rules, next)
	}
	if j.withholding != nil {
		j.withhold(p, i)
	}
	j.stats.Calls += m.Calls
	for k := 0; lists && k < len(m.Definitions); k++ {
		j.pin(e, &m.Definitions[k])
	}
	access, held := j.update(p, access, i)
	if lists && j.engine.snapshot(e) != nil {
		srv.show(m.Message)
	}
	whole := session.apply(srv, e, from, m, func(d *mcp.Definition) *Known { return j.shared(e, d) })
	if m.Kind == mcp.Request && m.Decision.Verdict >= Prompt {
		srv.pending[from].refuse(m.ID, held)
	}
	if !whole {
		j.coverage.skip("more open requests or tasks than the limit: a response is not matched with its request", e.Origin)
	}
	if j.sharing {
		j.share(p, access, first)
	}
	srv.Noisy = srv.Noisy || j.out.Noise && from == mcp.ServerToClient
	return from
}

// match finds the request that a response answers, and names the response's findings after the request's
// target.
func (j *judge) match(p *JudgePass, i int) {
	m := p.Message
	if m.Kind != mcp.Response {
		return
	}
	asked := &p.Server.pending[opposite(p.Direction)]
	if call, ok := asked.find(m.ID); ok {
		j.request = call
		p.Request = &j.request
		m.Target, m.Answers = call.Target, call.Method
	}
	j.name(i, m.Target)
}

// update adds a judged message's values to the session, and the message's call, or its access to a
// resource, to the session's window. It returns the call that it added to the window, and a blocked call
// that it will add only if the server answers.
func (j *judge) update(p *JudgePass, access *Call, i int) (added, held *Call) {
	m, srv := p.Message, p.Server
	if len(m.Values) > 0 {
		lost := j.remember(p.Session, srv, p.Direction, m.Values, func() *Outflow {
			return &Outflow{Server: srv.ID, Tool: cut(m.Target), Location: j.places.At(m.Offset), Orders: j.orders(i)}
		})
		if lost != "" {
			j.coverage.skip(lost, p.event.Origin)
		}
	}
	answered := p.Request != nil && p.Direction == mcp.ServerToClient
	blocked := m.Decision.Verdict == Block
	switch {
	case access != nil && m.Kind == mcp.Request && blocked:
		held, access = new(*access), nil
	case answered:
		access = j.request.held
	}
	if access != nil {
		if lost := p.Session.record(srv, access, p.Limits.window()); lost != "" {
			j.coverage.skip(lost, p.event.Origin)
		}
	}
	if answered {
		j.suspect(srv, i, m.Message, j.request)
		srv.recent.settle(j.request.ID)
	}
	if p.call != nil && blocked { // the server does not receive the call
		srv.recent.settle(p.call.ID)
	}
	return access, held
}

// start prepares the pass for a message. It sets each field that another message may have
// changed, which is cheaper than a new pass.
func (j *judge) start(session *Session, srv *Server, e *Event, m *Judged, from mcp.Direction) *JudgePass {
	p := &j.pass
	p.Now, p.Session, p.Server, p.Message, p.Direction, p.Transport, p.Noise, p.event = e.Time, session, srv, m, from, e.Transport, j.out.Noise, e
	p.reportedDefinitions = nil
	if j.sharing {
		j.adds = Shared{}
	}
	p.Request, p.call, p.Exceeded, p.Policy, p.blocked, p.reporters, p.Differences = nil, nil, Exceeded{}, Decision{}, nil, p.reporters[:0], nil
	return p
}

// name adds the target of a request, such as the called tool, to the findings in its result.
func (j *judge) name(message int, target string) {
	if target == "" {
		return
	}
	for k := range j.found.all {
		f := &j.found.all[k]
		if f.message == message && f.Name == "" && (f.Subject == mcp.ResultSubject || f.Subject == mcp.ErrorSubject) {
			f.Name = show(target, nameChars)
		}
	}
}

// rules runs rules[from:]. It stops at a rule that panics, and returns the index after the last
// rule that ran.
func (j *judge) rules(p *JudgePass, rules []*Rule, from int) (next int) {
	next = from
	defer func() {
		if v := recover(); v != nil {
			j.crash(p.rule, p.event, v)
		}
	}()
	for _, r := range rules[from:] {
		next++
		p.rule = r
		r.Judge(p)
	}
	return next
}

// guard runs one of a rule's checks, and reports a panic in it.
func (j *judge) guard(r *Rule, e *Event, check func()) {
	defer func() {
		if v := recover(); v != nil {
			j.crash(r, e, v)
		}
	}()
	check()
}

// crash reports a rule that panicked.
func (j *judge) crash(r *Rule, e *Event, why any) {
	f := crashed(r, e, why)
	f.Time, f.Session, f.Server = e.Recorded(), show(e.Session, nameChars), show(e.Server, nameChars)
	if !j.found.full(f.Severity) {
		j.found.add(f)
	}
	j.out.Skips = once(j.out.Skips, crashReason(r))
}
