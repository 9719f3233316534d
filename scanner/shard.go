package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// Shard selects the part of an input's sessions on which one of several runs reports. The zero
// value means all sessions. Each run reads the whole input; the reports of all runs together equal
// the report of a single run.
type Shard struct {
	Index int // from 1 to Of
	Of    int
}

// has reports whether a session belongs to the shard. It depends only on the name, so that runs on
// different machines agree.
func (s Shard) has(session string) bool {
	return s.Of <= 1 || int(mix(digest(session))%uint64(s.Of)) == s.Index-1
}

// mix mixes the bits of a digest. Without it, the shard could depend on a few bits of the name,
// because the low bits of an FNV hash depend only on the low bits of each byte.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Bound records how much of a limit shared by all sessions a run has used. Merging uses it to
// determine whether a single run would have reached the limit.
type Bound struct {
	Name string `json:"name"`
	Used int    `json:"used"`
	Most int    `json:"most"`
}

// bounds returns the limits that all sessions share, and how much of each this shard used.
func (j *judge) bounds() []Bound {
	return []Bound{
		{"values remembered for flows between servers", j.peak, maxRemembered},
		{"bytes kept for schemas that differ from the first one listed under the same name", j.schemas - j.pinned, maxSchemas - j.pinned},
		{"reasons in the coverage", max(len(j.coverage.skipped), len(j.coverage.ignored)), maxReasons},
	}
}

// elsewhere inspects an event that belongs to another shard, but only its definitions and how
// client and server identify themselves, because this shard's sessions are compared with them.
func (in *Inspector) elsewhere() {
	in.brief = true
	defer func() { in.brief = false }()
	in.messages()
	facts := in.facts
	facts.Skips = nil
	for i := range facts.Messages {
		m := &facts.Messages[i]
		m.traits = m.ownTraits()
	}
}

// elsewhere remembers what this shard's sessions need from an event that belongs to another shard:
// the order in which sessions are closed, the definitions first seen, and what a server lists to
// each client. The event counts only in its own shard.
func (j *judge) elsewhere(e *Event, facts *Facts) *Outcome {
	j.out.begin(facts)
	j.out.Elsewhere = true
	switch e.Kind {
	case FrameEvent, AuditEvent, DefinitionEvent:
	default:
		return &j.out
	}
	stats, coverage := j.stats, j.coverage
	j.coverage = j.others
	j.places.reset(e)
	session := j.session(e)
	j.server = session.server(e.Server)
	j.count(e)
	for i := range j.out.Messages {
		j.glimpse(session, e, &j.out.Messages[i])
	}
	j.stats, j.coverage = stats, coverage
	return &j.out
}

// glimpse remembers what a message that belongs to another shard declares.
func (j *judge) glimpse(session *Session, e *Event, m *Judged) {
	from := j.server.direction(e, m.Message)
	if lists := m.traits&mcp.OnList != 0; lists && from == mcp.ServerToClient {
		j.compareClients(j.start(session, j.server, e, m, from))
	}
	for k := range m.Definitions {
		j.pin(e, &m.Definitions[k])
	}
	j.server.Seen, j.server.met = true, true
	if m.Server != nil {
		j.server.Info.Update(m.Server)
	}
	if m.Client != nil && from == mcp.ClientToServer {
		j.server.Client = m.Client
	}
}
