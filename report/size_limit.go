package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// A collector's limits. Findings beyond maxAlike and maxReport are only counted.
const (
	maxDistinct = 1 << 18 // findings remembered to detect duplicates
	maxAlike    = 2000    // findings listed in each group (see alike), the first ones
	maxReport   = 8 << 20 // bytes of the listed findings (see size), which are the worst; each format writes less than four times as much
	memberBytes = 800     // bytes per finding besides its text: the member names
)

// Unlisted counts the findings from one rule at one severity that did not fit into a report.
type Unlisted struct {
	Rule     string           `json:"rule"`
	Severity scanner.Severity `json:"severity"`
	Count    int              `json:"count"`
}

// kind identifies one rule's findings at one severity.
type kind struct {
	rule     string
	severity scanner.Severity
}

// rank decides the order of findings that compete for room in a report: open ones first, then by
// severity, then by position in the input.
type rank struct {
	Open     bool             `json:"open"`
	Severity scanner.Severity `json:"severity"`
	Place    int64            `json:"place"` // position of its event in the run
}

func (r rank) compare(o rank) int {
	if r.Open != o.Open {
		if r.Open {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(o.Severity, r.Severity), cmp.Compare(r.Place, o.Place))
}

// alike groups findings by rule, severity and whether they are open. Only the first maxAlike in each
// group are listed.
type alike struct {
	kind
	open bool
}

// room decides which findings are listed. The decision depends only on the findings and their
// positions in the input, so that shards decide as a single run would.
type room struct {
	all      map[kind]int  // findings to list
	admitted map[alike]int // findings admitted, including those trimmed later
	least    int           // size to assume for every finding; 0 for its real size
	bytes    int
	ranks    []rank     // ranks of the listed findings, in list order
	first    []rank     // their ranks when they were listed
	keys     [][16]byte // keys of the listed findings
	cut      *rank      // rank of the first finding that did not fit; nil if all fit
}

// admits reports whether a finding may be listed, and counts it unless the limit for its group is
// reached.
func (r *room) admits(rule string, at rank) bool {
	a := alike{kind{rule, at.Severity}, at.Open}
	if r.admitted[a] >= maxAlike {
		return false
	}
	r.admitted[a]++
	return r.cut == nil || at.compare(*r.cut) < 0
}

// size returns the number of bytes to count for a finding.
func (r *room) size(f *Finding) int {
	if r.least > 0 {
		return r.least
	}
	return size(f)
}

// size returns the approximate size of a finding in a report, in bytes. It leaves out the last
// occurrence, which is small: it may differ between a shard and a single run, but both must list the
// same findings.
func size(f *Finding) int {
	n := memberBytes + len(f.Message) + len(f.Session) + len(f.Server) + len(f.Tool) + len(f.Field) + len(f.Evidence.Text) + len(f.Evidence.Context) +
		len(f.Diff) + len(f.Location.File) + len(f.Reason)
	if f.Evidence.Decoded != nil {
		n += len(*f.Evidence.Decoded)
	}
	for _, s := range f.Signals {
		n += len(s)
	}
	for i := range f.Related {
		n += len(f.Related[i].Message) + len(f.Related[i].Location.File) + memberBytes/8
	}
	return n
}

// add lists a finding. If the list takes more than twice the available room, it is trimmed to
// the worst findings, so that each finding is moved only a few times.
func (c *Collector) add(f Finding, key [16]byte, at rank) {
	c.findings, c.room.keys = append(c.findings, f), append(c.room.keys, key)
	c.room.ranks, c.room.first = append(c.room.ranks, at), append(c.room.first, at)
	c.grow(c.room.size(&f))
}

// grow adds bytes to the size of the listed findings.
func (c *Collector) grow(bytes int) {
	if c.room.bytes += bytes; c.room.bytes > 2*maxReport {
		c.trim()
	}
}

// trim keeps the highest-ranked listed findings that fit.
func (c *Collector) trim() {
	order := make([]int, len(c.findings))
	for i := range order {
		f := &c.findings[i]
		order[i], c.room.ranks[i].Open, c.room.ranks[i].Severity = i, f.open(), f.Severity
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.room.ranks[a].compare(c.room.ranks[b]) })
	sum, keep := 0, 0
	for keep < len(order) && sum+c.room.size(&c.findings[order[keep]]) <= maxReport {
		sum += c.room.size(&c.findings[order[keep]])
		keep++
	}
	if keep < len(order) {
		c.room.cut = new(c.room.ranks[order[keep]])
	}
	c.keep(order[:keep], sum)
}

// keep keeps only the findings at the given indexes, which take the given number of bytes.
func (c *Collector) keep(places []int, bytes int) {
	for _, key := range c.room.keys {
		c.place(key, -1)
	}
	slices.Sort(places)
	var findings []Finding
	var was = c.room
	c.room.keys, c.room.ranks, c.room.first, c.room.bytes = nil, nil, nil, bytes
	for _, i := range places {
		c.place(was.keys[i], len(findings))
		findings = append(findings, c.findings[i])
		c.room.keys, c.room.ranks, c.room.first = append(c.room.keys, was.keys[i]), append(c.room.ranks, was.ranks[i]), append(c.room.first, was.first[i])
	}
	c.findings = findings
	c.strings = map[string]string{} // drops strings used only by removed findings
}

// place records a finding's index in the list of findings.
func (c *Collector) place(key [16]byte, at int) {
	if e, ok := c.seen[key]; ok {
		e.at = int32(at)
		c.seen[key] = e
	}
}

// unlisted returns the counts of the findings that did not fit, the worst first.
func (r *room) unlisted(findings []Finding) (list []Unlisted) {
	listed := map[kind]int{}
	for i := range findings {
		listed[kind{findings[i].Rule, findings[i].Severity}]++
	}
	for k, n := range r.all {
		if more := n - listed[k]; more > 0 {
			list = append(list, Unlisted{k.rule, k.severity, more})
		}
	}
	slices.SortFunc(list, func(a, b Unlisted) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count), strings.Compare(a.Rule, b.Rule))
	})
	return list
}

// unlisted describes the findings that exceed the report's limits, or returns "" if there are none.
func unlisted(r *Report) string {
	list := r.Summary.Unlisted
	if len(list) == 0 {
		return ""
	}
	n := 0
	for _, u := range list {
		n += u.Count
	}
	var of []string
	for i, u := range list {
		if i == maxListed {
			of = append(of, fmt.Sprintf("and of %s", Count(len(list)-i, "other rule")))
			break
		}
		of = append(of, fmt.Sprintf("%d of %s (%s)", u.Count, visible(u.Rule, textLimit), u.Severity))
	}
	return fmt.Sprintf("%s counted but not listed, to keep the report short: %s.", Count(n, "finding"), strings.Join(of, ", "))
}
