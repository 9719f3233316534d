package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// The bounds of a collector. Findings beyond them are counted.
const (
	maxDistinct = 1 << 18 // findings that are told from each other
	maxAlike    = 1000    // listed of one rule at one severity, the first
	maxReport   = 8 << 20 // bytes of the text in all that are listed, the worst; no format needs four for each
	memberBytes = 800     // of a finding beside the text in it: the names of its members
)

// Unlisted counts findings of a rule at a severity that are as many as a report has no room
// for.
type Unlisted struct {
	Rule     string           `json:"rule"`
	Severity scanner.Severity `json:"severity"`
	Count    int              `json:"count"`
}

// alike are findings of one rule at one severity.
type alike struct {
	rule     string
	severity scanner.Severity
}

// room decides which findings are listed.
type room struct {
	all    map[alike]int // that are to be listed
	listed map[alike]int // that are
	bytes  int
	keys   [][16]byte // of the findings in the list, in its order
}

// has reports whether another finding of its kind is listed.
func (r *room) has(a alike) bool { return r.listed[a] < maxAlike }

// size is about how many bytes a finding takes in a report.
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

// add lists a finding. Where the list takes more than twice the room that there is, the
// worst are kept: so each finding is moved a few times at most.
func (c *Collector) add(f Finding, key [16]byte) {
	c.findings, c.room.keys = append(c.findings, f), append(c.room.keys, key)
	c.room.listed[alike{f.Rule, f.Severity}]++
	if c.room.bytes += size(&f); c.room.bytes > 2*maxReport {
		c.trim()
	}
}

// trim keeps of the findings that are listed the worst that there is room for, open ones
// ahead, and of those the first.
func (c *Collector) trim() {
	order := make([]int, len(c.findings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		fa, fb := &c.findings[a], &c.findings[b]
		if fa.open() != fb.open() {
			if fa.open() {
				return -1
			}
			return 1
		}
		return cmp.Compare(fb.Severity, fa.Severity)
	})
	sum, keep := 0, 0
	for keep < len(order) && sum+size(&c.findings[order[keep]]) <= maxReport {
		sum += size(&c.findings[order[keep]])
		keep++
	}
	for _, i := range order[keep:] {
		c.forget(i)
	}
	slices.Sort(order[:keep])
	findings, keys := make([]Finding, 0, keep), make([][16]byte, 0, keep)
	for _, i := range order[:keep] {
		if e, ok := c.seen[c.room.keys[i]]; ok {
			e.at = int32(len(findings))
			c.seen[c.room.keys[i]] = e
		}
		findings, keys = append(findings, c.findings[i]), append(keys, c.room.keys[i])
	}
	c.findings, c.room.keys, c.room.bytes = findings, keys, sum
	c.strings = map[string]string{} // with those that only findings had which are gone
}

// forget takes a finding off the list.
func (c *Collector) forget(i int) {
	f := &c.findings[i]
	c.room.listed[alike{f.Rule, f.Severity}]--
	if e, ok := c.seen[c.room.keys[i]]; ok {
		e.at = -1
		c.seen[c.room.keys[i]] = e
	}
}

// unlisted returns what there was no room for, the worst first.
func (c *Collector) unlisted() (list []Unlisted) {
	for a, n := range c.room.all {
		if more := n - c.room.listed[a]; more > 0 {
			list = append(list, Unlisted{a.rule, a.severity, more})
		}
	}
	slices.SortFunc(list, func(a, b Unlisted) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count), strings.Compare(a.Rule, b.Rule))
	})
	return list
}

// unlisted says what exceeds the bounds of the report, "" if nothing does.
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
			of = append(of, fmt.Sprintf("and of %s", count(len(list)-i, "other rule")))
			break
		}
		of = append(of, fmt.Sprintf("%d of %s (%s)", u.Count, visible(u.Rule, textLimit), u.Severity))
	}
	return fmt.Sprintf("%s counted but not listed, to keep the report short: %s.", count(n, "finding"), strings.Join(of, ", "))
}
