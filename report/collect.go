package report

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Collector gathers a run's findings for a Report. It is a scanner.Sink.
type Collector struct {
	lowest   scanner.Severity // lowest severity that is listed
	changes  bool             // list changes regardless of severity
	seen     map[[16]byte]entry
	findings []Finding
	counts   [scanner.Approved + 1]Counts // by status
	hidden   int
	room     room
	strings  map[string]string
	sessions sessions
	servers  serverNames
	event    int64            // number of events so far, including those of other shards
	worsened int              // number of times that a finding recurred with a higher severity or became open
	again    []partialFinding // those recurrences, kept only for a merge
}

// maxReason is the maximum length, in characters, of the reason for a suppression or approval.
const maxReason = 400

// entry is the state of a finding that was seen, whether or not it is listed. at is its index in
// the list, or -1 if it is not listed.
type entry struct {
	at, times int32
	severity  scanner.Severity
	status    scanner.Status
	change    bool // reports a change, even without a diff, such as a removal
}

// NewCollector returns a collector that lists approved findings and those of at least the given
// severity, and only counts the others.
func NewCollector(lowest scanner.Severity) *Collector {
	return &Collector{lowest: lowest, seen: map[[16]byte]entry{}, room: room{all: map[kind]int{}, admitted: map[alike]int{}}, strings: map[string]string{}, sessions: sessions{now: -1}}
}

// ListChanges makes c list changes regardless of severity, because reviewers of an upgrade want to
// see every change.
func (c *Collector) ListChanges() { c.changes = true }

// lists reports whether a finding is listed: if it is severe enough, if it is a change that c lists
// regardless of severity, or if it has been approved. Approvals are never hidden.
func (c *Collector) lists(e entry) bool {
	return e.severity >= c.lowest || c.changes && e.change || e.status == scanner.Approved
}

// Event counts an event for its session, and records the name of its server. All other data about events
// in a report comes from the run's result.
func (c *Collector) Event(e *scanner.Event, out *scanner.Outcome) error {
	c.event++
	c.sessions.see(e, out, c.event)
	c.servers.see(e, out)
	return nil
}

// Finding adds a finding. Findings with the same fingerprint in one session are merged into one, at
// the first location and with the highest severity, so that message order cannot make a session
// look harmless. A finding that was open once stays open.
func (c *Collector) Finding(f *scanner.Finding) error {
	fingerprint := f.Fingerprint()
	key := keyOf(f.Session, fingerprint)
	e, again := c.seen[key]
	changed, size := true, 0
	if e.at >= 0 && again {
		size = c.room.size(&c.findings[e.at])
	}
	switch {
	case !again:
		e = entry{at: -1, severity: f.Severity, status: f.Status, change: f.Diff != "" || f.Rule.Category == "version_pin"}
		c.count(f.Rule.ID, e, 1)
	case f.Severity > e.severity || f.Status < e.status:
		c.worsened++
		c.count(f.Rule.ID, e, -1)
		if f.Severity > e.severity && e.at >= 0 {
			c.worsen(&c.findings[e.at], f)
		}
		e.severity, e.status = max(e.severity, f.Severity), min(e.status, f.Status)
		if e.at >= 0 {
			c.decide(&c.findings[e.at], e.status, f.Reason)
		}
		c.count(f.Rule.ID, e, 1)
	default:
		changed = false
	}
	if e.at >= 0 && f.Subject == mcp.ConfigSubject {
		c.elsewhere(&c.findings[e.at], f.Location)
	}
	e.times++
	if again || len(c.seen) < maxDistinct {
		c.seen[key] = e
	}
	switch {
	case e.at >= 0:
		c.recordLast(&c.findings[e.at], f)
		if c.findings[e.at].Occurrences = int(e.times); changed && c.room.least > 0 {
			c.again = append(c.again, partialFinding{rank{e.status == scanner.Open, e.severity, c.event}, c.convert(f, fingerprint)})
		}
	case changed && c.lists(e) && c.room.admits(f.Rule.ID, rank{e.status == scanner.Open, e.severity, c.event}):
		out := c.convert(f, fingerprint)
		out.Severity, out.Occurrences = e.severity, int(e.times)
		c.decide(&out, e.status, f.Reason)
		if _, known := c.seen[key]; known {
			e.at = int32(len(c.findings))
			c.seen[key] = e
		}
		c.add(out, key, rank{e.status == scanner.Open, e.severity, c.event})
	}
	if size > 0 {
		c.grow(c.room.size(&c.findings[e.at]) - size)
	}
	return nil
}

// keyOf returns a short digest of a finding's identity, which is cheap to store.
func keyOf(session, fingerprint string) [16]byte {
	h := sha256.Sum256([]byte(session + "\x00" + fingerprint))
	return [16]byte(h[:16])
}

func (c *Collector) count(rule string, e entry, n int) {
	*c.counts[e.status].of(e.severity) += n
	c.sessions.count(e, n)
	if c.lists(e) {
		c.room.all[kind{rule, e.severity}] += n
	} else {
		c.hidden += n
	}
}

// decide sets the status and the reason of a finding.
func (c *Collector) decide(to *Finding, status scanner.Status, reason string) {
	to.Status, to.Reason = status.String(), ""
	if status == scanner.Suppressed || status == scanner.Approved {
		to.Reason = c.intern(visible(reason, maxReason))
	}
}

// maxElsewhere is the maximum number of further locations of a finding. A project can have one
// configuration per client.
const maxElsewhere = 16

// elsewhere adds a further location to a finding in a configuration: several clients can have the same
// entry, and each copy must be corrected.
func (c *Collector) elsewhere(to *Finding, at scanner.Location) {
	also := Related{"also here", c.location(at)}
	if also.Location != to.Location && len(to.Related) < maxElsewhere && !slices.Contains(to.Related, also) {
		to.Related = append(to.Related, also)
	}
}

func (c *Collector) worsen(to *Finding, f *scanner.Finding) {
	to.Severity, to.Message = f.Severity, c.intern(f.Message)
	to.Evidence, to.Signals, to.Diff = c.evidence(f.Evidence), c.internAll(f.Signals), c.diff(f.Diff)
	if f.Action != "" {
		to.Action = c.intern(f.Action)
	}
}

func (c *Collector) convert(f *scanner.Finding, fingerprint string) Finding {
	out := Finding{
		Rule:        f.Rule.ID,
		Category:    c.intern(cmp.Or(f.Category, f.Rule.Category)),
		Severity:    f.Severity,
		Confidence:  f.Rule.Confidence.String(),
		Message:     c.intern(f.Message),
		Session:     c.intern(f.Session),
		Server:      c.intern(f.Server),
		Subject:     f.Subject.String(),
		Tool:        c.intern(f.Name),
		Field:       c.intern(f.Pointer),
		Evidence:    c.evidence(f.Evidence),
		Signals:     c.internAll(f.Signals),
		Diff:        c.diff(f.Diff),
		Location:    c.location(f.Location),
		Fingerprint: fingerprint,
		Action:      c.intern(cmp.Or(f.Action, "alert")),
		Related:     make([]Related, 0, len(f.Related)),
	}
	out.Timestamp = timestamp(f)
	for _, r := range f.Related {
		out.Related = append(out.Related, Related{c.intern(r.Message), c.location(r.Location)})
	}
	return out
}

// timestamp returns the time of a finding, or nil if the input has none.
func timestamp(f *scanner.Finding) *string {
	if f.Time.IsZero() {
		return nil
	}
	return new(f.Time.UTC().Format(time.RFC3339Nano))
}

// recordLast records the last occurrence of a finding, except in configurations: these have no order in
// time, so further occurrences are related locations.
func (c *Collector) recordLast(to *Finding, f *scanner.Finding) {
	if at := c.location(f.Location); at != to.Location && f.Subject != mcp.ConfigSubject {
		to.Last = &Occurrence{at, timestamp(f)}
	}
}

// evidence converts e; its text shares the memory of its context if possible.
func (c *Collector) evidence(e scanner.Evidence) Evidence {
	out := Evidence{Text: e.Text, Context: c.intern(e.Context)}
	if i := strings.Index(out.Context, e.Text); i >= 0 {
		out.Text = out.Context[i : i+len(e.Text)]
	}
	if e.Decoded != "" {
		out.Decoded = new(c.intern(e.Decoded))
	}
	return out
}

// diff enforces the bounds on a finding's diff.
func (c *Collector) diff(s string) string {
	return c.intern(strings.Join(diffLines(s), "\n"))
}

func (c *Collector) location(l scanner.Location) Location {
	return Location{File: c.intern(l.File), Line: l.Line, Column: l.Column, Pointer: visible(l.Pointer, textLimit)}
}

// intern returns a shared copy of s, because the same strings recur in long recordings.
func (c *Collector) intern(s string) string {
	if kept, ok := c.strings[s]; ok {
		return kept
	}
	c.strings[s] = s
	return s
}

func (c *Collector) internAll(in []string) []string {
	var out []string
	for _, s := range in {
		out = append(out, c.intern(s))
	}
	return out
}

// toolName is the name of the program in reports.
const toolName = "mcpscan"

// Report returns the run's report. c must not be used afterwards.
func (c *Collector) Report(inputs []Input, version string, res scanner.Result) *Report {
	if c.room.bytes > maxReport {
		c.trim()
	}
	slices.SortFunc(c.findings, byPlace)
	r := &Report{
		Schema: Schema,
		Tool:   Tool{Name: toolName, Version: version},
		Inputs: inputs,
		Summary: Summary{
			Servers: res.Stats.Servers, Tools: res.Stats.Tools, Sessions: res.Stats.Sessions, Calls: res.Stats.Calls,
			Findings: total(c.counts[:]), Hidden: c.hidden,
			Suppressed: c.counts[scanner.Suppressed], Unchanged: c.counts[scanner.Unchanged], Approved: c.counts[scanner.Approved],
			ServerNames: c.servers, Unlisted: c.room.unlisted(c.findings),
		},
		Findings: c.findings,
		Coverage: Coverage{
			Events: res.Coverage.Events, Inspected: res.Coverage.Inspected,
			Skipped: skips(mergeSkips(res.Coverage.Skipped)), Ignored: skips(mergeSkips(res.Coverage.Ignored)),
			Noise: res.Coverage.Noise, Evicted: res.Coverage.Evicted,
		},
	}
	r.Summary.PerSession, r.Summary.MoreSessions = c.sessions.worst(c.findings, res.Stats.Sessions)
	c.seen, c.strings, c.findings, c.room = nil, nil, nil, room{}
	return r
}

// byPlace orders findings by location, then by rule, as documented. The other keys only break ties.
func byPlace(a, b Finding) int {
	return cmp.Or(
		strings.Compare(a.Location.File, b.Location.File),
		cmp.Compare(a.Location.Line, b.Location.Line),
		cmp.Compare(a.Location.Column, b.Location.Column),
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Fingerprint, b.Fingerprint),
		strings.Compare(a.Session, b.Session),
	)
}

func skips(in []scanner.Skipped) []Skipped {
	out := make([]Skipped, 0, len(in))
	for _, s := range in {
		skipped := Skipped{Reason: s.Reason, Count: s.Count}
		if s.First != (scanner.Location{}) {
			skipped.First = &Location{File: s.First.File, Line: s.First.Line, Column: s.First.Column, Pointer: visible(s.First.Pointer, textLimit)}
		}
		out = append(out, skipped)
	}
	return out
}
