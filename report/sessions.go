package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// SessionSummary summarises a session and its open findings.
type SessionSummary struct {
	Session      string       `json:"session"`
	Servers      int          `json:"servers"`
	Tools        int          `json:"tools"`         // distinct tools listed, by server and name
	ToolsNew     int          `json:"tools_new"`     // of these, tools not listed in an earlier session
	ToolsChanged int          `json:"tools_changed"` // of these, tools listed again with a different definition
	Calls        int          `json:"calls"`
	Findings     Counts       `json:"findings"`     // open findings
	TopFindings  []TopFinding `json:"top_findings"` // the worst and most frequent of the listed findings
}

// TopFinding counts a rule's findings at one severity in a tool or another part of a server.
type TopFinding struct {
	Rule     string           `json:"pattern"` // named as in events, so that programs that count members named "rule" do not count summaries
	Severity scanner.Severity `json:"severity"`
	Server   string           `json:"server"`
	Tool     string           `json:"tool"`
	Count    int              `json:"count"`
}

// The limits on sessions in a report.
const (
	maxTracked     = 10_000 // sessions counted individually: the first ones
	maxSessions    = 100    // sessions in the report: the worst ones
	maxTopFindings = 5
	maxShown       = 1 << 18 // tools whose first listing is recorded
)

// sessions counts events and findings per session.
type sessions struct {
	list  []tracked          // in the order seen
	other int                // sessions of other shards among the first maxTracked
	at    map[[16]byte]int   // index in list, by a digest of the name; -1 for other shards
	now   int                // index of the current event's session, or -1
	shown map[[16]byte]shown // by digest of server and tool
}

// tracked is a session that is counted individually.
type tracked struct {
	Place          int64     `json:"place"`          // position of its first event
	Began          time.Time `json:"began,omitzero"` // time of its oldest event
	SessionSummary `json:"summary"`
}

// shown contains two listings of a tool: the first by position in the input, and the earliest by
// time. The order of sessions in the input is arbitrary, so the position matters only if the first
// listing has no time.
type shown struct {
	First    claim `json:"first"`
	Earliest claim `json:"earliest,omitzero"`
}

// claim records that a session lists a tool.
type claim struct {
	Session int       `json:"session"` // index in the list of sessions
	When    time.Time `json:"when,omitzero"`
	Place   int64     `json:"place"` // position of the event
}

// add adds another session that lists the tool; name returns the name of a session.
func (s *shown) add(c claim, name func(session int) string) {
	if c.Place < s.First.Place {
		s.First = c
	}
	if c.When.IsZero() {
		return
	}
	was := &s.Earliest
	if was.When.IsZero() || cmp.Or(c.When.Compare(was.When), strings.Compare(name(c.Session), name(was.Session)), cmp.Compare(c.Place, was.Place)) < 0 {
		*was = c
	}
}

// session returns the session in which the tool counts as new.
func (s *shown) session() int {
	if s.First.When.IsZero() {
		return s.First.Session
	}
	return s.Earliest.Session
}

// see counts an event.
func (s *sessions) see(e *scanner.Event, out *scanner.Outcome, place int64) {
	s.now = -1
	part := e.Kind == scanner.FrameEvent || e.Kind == scanner.AuditEvent || e.Projected // a document of definitions is not part of a session
	if !part || !out.ShowsSession(e) {
		return
	}
	if s.at == nil {
		s.at = map[[16]byte]int{}
	}
	h := sha256.Sum256([]byte(e.Session))
	at, known := s.at[[16]byte(h[:16])]
	if !known {
		if len(s.list)+s.other == maxTracked {
			return
		}
		if at = len(s.list); out.Elsewhere {
			at = -1
			s.other++
		} else {
			s.list = append(s.list, tracked{place, e.Time, SessionSummary{Session: foreign(e.Session, nameLimit)}})
		}
		s.at[[16]byte(h[:16])] = at
	}
	if s.now = at; at < 0 {
		return
	}
	now := &s.list[at]
	if !e.Time.IsZero() && (now.Began.IsZero() || e.Time.Before(now.Began)) {
		now.Began = e.Time
	}
	if out.First {
		now.Servers++
	}
	for i := range out.Messages {
		now.add(&out.Messages[i])
		for _, l := range out.Messages[i].Listings {
			if l.Before == nil {
				s.show(e, l.Definition.Name, place)
			}
		}
	}
}

// show records that the current session lists a tool for the first time.
func (s *sessions) show(e *scanner.Event, tool string, place int64) {
	h := sha256.Sum256([]byte(e.Server + "\x00" + tool))
	c := claim{s.now, e.Time, place}
	was, again := s.shown[[16]byte(h[:16])]
	switch {
	case !again && len(s.shown) == maxShown:
		return
	case !again:
		was.First = c
	}
	if s.shown == nil {
		s.shown = map[[16]byte]shown{}
	}
	was.add(c, s.name)
	s.shown[[16]byte(h[:16])] = was
}

func (s *sessions) name(session int) string { return s.list[session].Session }

// countNew counts each tool as new in exactly one session.
func (s *sessions) countNew() {
	for i := range s.list {
		s.list[i].ToolsNew = 0
	}
	for _, tool := range s.shown {
		s.list[tool.session()].ToolsNew++
	}
}

func (s *SessionSummary) add(m *scanner.Judged) {
	s.Calls += m.Calls
	if m.Kind == mcp.Audit && m.Method == "mcp_tool_changed" {
		s.ToolsChanged++
	}
	for _, l := range m.Listings {
		switch {
		case l.Before == nil:
			s.Tools++
		case !l.Again:
			s.ToolsChanged++
		}
	}
}

// count adds n findings like e to the open findings of the current session.
func (s *sessions) count(e entry, n int) {
	if s.now >= 0 && e.status == scanner.Open {
		*s.list[s.now].Findings.of(e.severity) += n
	}
}

// worst returns the sessions with the worst findings, ties ordered by time, each with its top
// findings, and the number of other sessions.
func (s *sessions) worst(findings []Finding, all int) (list []SessionSummary, more int) {
	s.countNew()
	if len(s.list) < maxTracked {
		all = len(s.list)
	}
	worst := slices.Clone(s.list)
	slices.SortStableFunc(worst, func(a, b tracked) int {
		if n := b.Findings.compare(a.Findings); n != 0 || a.Began.IsZero() && b.Began.IsZero() {
			return n
		}
		return cmp.Or(a.Began.Compare(b.Began), strings.Compare(a.Session, b.Session))
	})
	open := map[string][]*Finding{} // by session
	for i := range findings {
		if f := &findings[i]; f.open() {
			open[f.Session] = append(open[f.Session], f)
		}
	}
	for _, t := range worst[:min(len(worst), maxSessions)] {
		t.TopFindings = topFindings(open[t.Session])
		delete(open, t.Session) // of several sessions with the same name, the first has the findings
		list = append(list, t.SessionSummary)
	}
	return list, all - len(list)
}

// topFindings counts findings with the same rule, severity, server and tool together, and returns
// the worst and most frequent of them.
func topFindings(findings []*Finding) (top []TopFinding) {
	about := func(f *Finding) TopFinding {
		return TopFinding{Rule: f.Rule, Severity: f.Severity, Server: f.Server, Tool: f.Tool}
	}
	for _, same := range together(findings, about) {
		t := about(same[0])
		for _, f := range same {
			t.Count += max(1, f.Occurrences)
		}
		top = append(top, t)
	}
	slices.SortStableFunc(top, func(a, b TopFinding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count))
	})
	return slices.Clip(top[:min(len(top), maxTopFindings)])
}

// inSessions returns the sessions to report individually. There are none if no session has calls
// or changed tools, or if the only session has nothing to report, because the run's summary covers
// these cases.
func (s *Summary) inSessions() []SessionSummary {
	if list := s.PerSession; len(list) == 1 && s.MoreSessions == 0 && list[0].ToolsChanged+len(list[0].TopFindings) == 0 {
		return nil
	}
	if !slices.ContainsFunc(s.PerSession, func(o SessionSummary) bool { return o.Calls+o.ToolsChanged > 0 }) {
		return nil
	}
	return s.PerSession
}

// said formats a session as one line, and its worst findings as another. name makes an untrusted
// name safe for the format.
func (s *SessionSummary) said(name func(string) string) (line, top string) {
	var worst []string
	for i := range s.TopFindings[:min(len(s.TopFindings), maxListed)] {
		worst = append(worst, s.TopFindings[i].said(name))
	}
	return fmt.Sprintf("%s: %s; %s", name(s.Session), s.holds(), s.found()), strings.Join(worst, ", ")
}

// holds formats the numbers of servers, tools and calls in a session.
func (s *SessionSummary) holds() string {
	tools := Count(s.Tools, "tool")
	var of []string
	if s.ToolsNew > 0 && s.ToolsNew < s.Tools {
		of = append(of, fmt.Sprintf("%d new", s.ToolsNew))
	}
	if s.ToolsChanged > 0 {
		of = append(of, fmt.Sprintf("%d changed", s.ToolsChanged))
	}
	if len(of) > 0 {
		tools += " (" + strings.Join(of, ", ") + ")"
	}
	return strings.Join([]string{Count(s.Servers, "server"), tools, Count(s.Calls, "call")}, ", ")
}

// found describes the open findings in a session.
func (s *SessionSummary) found() string {
	if s.Findings.Total() == 0 {
		return "nothing open"
	}
	return severities(s.Findings)
}

// sessions writes a line or two for each of the worst sessions.
func (p *textPrinter) sessions(r *Report) {
	list := r.Summary.inSessions()
	for i := range list {
		s := &list[i]
		if i == 0 {
			p.w.WriteByte('\n')
			p.title("Sessions:")
		}
		if i == maxListed {
			break
		}
		line, top := s.said(shownName)
		p.block(0, labelIndent, line)
		if top != "" {
			p.block(0, 2*labelIndent, top)
		}
	}
	if more := len(list) + r.Summary.MoreSessions - maxListed; len(list) > 0 && more > 0 {
		p.block(0, labelIndent, fmt.Sprintf("and %d more", more))
	}
}

// said describes t in a few words. name makes an untrusted name safe for the format.
func (t *TopFinding) said(name func(string) string) string {
	out := visible(t.Rule, textLimit)
	if t.Tool != "" {
		out += " in " + name(t.Tool)
	}
	if t.Server != "" {
		out += " of " + name(t.Server)
	}
	if t.Count > 1 {
		out += fmt.Sprintf(" (%d times)", t.Count)
	}
	return out
}

// markdownSessions returns the lines for the sessions to report individually.
func markdownSessions(r *Report) []string {
	var lines []string
	name := func(s string) string { return code(visible(s, textLimit)) }
	for _, s := range r.Summary.inSessions() {
		line, top := s.said(name)
		lines = append(lines, strings.TrimSuffix(line+": "+top, ": "))
	}
	if more := r.Summary.MoreSessions; len(lines) > 0 && more > 0 && len(lines) <= maxRows {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}
