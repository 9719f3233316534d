package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// change is a current definition with its approved version.
type change struct {
	p        *scanner.JudgePass // nil if the definitions are compared before they are judged
	d        *mcp.Definition
	was      *scanner.Offered
	old, now wire.Doc
	around
	weighed textWeights    // results of comparing before judging; nil if there are none
	texts   *[]changedText // cached by changedTexts
	foreign bool           // some approved text was not English

	// Cached results.
	spoken string                      // the approved definition, in lower case and without spaces
	asked  int                         // number of lookups in spoken
	opened *string                     // first sentence of the approved description
	still  map[*lazyregexp.Regexp]bool // patterns that the current texts match
	reads  *bool                       // whether the tool only reads
}

// around is the context in which a definition is inspected.
type around struct {
	offer    *scanner.Offer
	beside   []mcp.Definition // all definitions in its message
	late     func() bool
	said     string // name in serverInfo, or "" if unknown
	asksName bool   // serverName was called
}

// serverName returns the name in serverInfo.
func (a *around) serverName() string {
	a.asksName = true
	return a.said
}

// maxAsked is the maximum number of words looked up in the approved definition. If a change adds
// more words, the rest count as new.
const maxAsked = 256

// mentioned reports whether the approved definition contains a word, ignoring case
// and spaces.
func (c *change) mentioned(word string) bool {
	if c.asked++; c.asked > maxAsked {
		return false
	}
	if c.spoken == "" {
		c.spoken = strings.ReplaceAll(strings.ToLower(string(c.was.Sent)), " ", "")
	}
	return strings.Contains(c.spoken, strings.ReplaceAll(strings.ToLower(word), " ", ""))
}

// opening returns the first sentence of the approved description.
func (c *change) opening() string {
	if c.opened == nil {
		described, _ := c.old.Str(0, "description")
		first := strings.Clone(sense.Opening(described)) // a copy, so as not to retain the whole description
		c.opened = &first
	}
	return *c.opened
}

// changes invokes visit for each definition in the message that differs from its approved version,
// with both versions parsed.
func changes(p *scanner.JudgePass, visit func(*change)) {
	p.Changed(func(d *mcp.Definition, was *scanner.Offered) {
		c := &change{p: p, d: d, was: was, around: around{offer: p.Approved(), beside: p.Message.Definitions, late: p.Late, said: p.Server.Info.Name}}
		c.weighed, _ = p.Comparison(d).(textWeights)
		if c.old.Parse(was.Sent) == nil && c.now.Parse(d.Sent) == nil {
			visit(c)
		}
	})
}

// report adds a finding for a change at a pointer in the definition. If the change under review
// also approves the definition, the finding counts as approved.
func (c *change) report(severity scanner.Severity, pointer, message, evidence, diff string) {
	c.reportUnless(c.p.ApprovedInChange(c.d), severity, pointer, message, evidence, diff)
}

// reportUnless is like report, but takes the approval, or nil if there is none.
func (c *change) reportUnless(approval *baseline.Approval, severity scanner.Severity, pointer, message, evidence, diff string) {
	c.p.Report(scanner.JudgeIssue{
		Approval: approval,
		Severity: severity, Subject: c.d.Kind, Name: c.d.Name, Pointer: pointer, Offset: c.d.Offset + c.offset(pointer),
		Message: message, Evidence: evidence, Key: c.d.Digest.String(), Diff: diff,
		Related: []scanner.Related{{Message: "approved here", Location: c.was.Location}},
	})
}

// offset returns the position of the value at a pointer in the current definition, or of its
// nearest existing parent.
func (c *change) offset(pointer string) int {
	at := 0
	for _, key := range strings.Split(pointer, "/")[1:] {
		next := c.now.Child(at, key)
		if next < 0 {
			break
		}
		at = next
	}
	return int(c.now.Nodes[at].Start)
}

// member returns the nodes of a member in both definitions; a missing one is -1.
func (c *change) member(name string) (old, now int) {
	return c.old.Get(0, name), c.now.Get(0, name)
}

// same reports whether two nodes have the same canonical form, or are both missing.
func (c *change) same(old, now int) bool {
	if old < 0 || now < 0 {
		return old == now
	}
	return string(c.old.AppendCanonical(nil, old)) == string(c.now.AppendCanonical(nil, now))
}

// diffOf returns the unified diff of a member of both definitions, one property per line.
func (c *change) diffOf(name string) string {
	old, now := c.member(name)
	var before, after string
	if old >= 0 {
		before = string(c.old.AppendIndented(nil, old, 0)) + "\n"
	}
	if now >= 0 {
		after = string(c.now.AppendIndented(nil, now, 0)) + "\n"
	}
	diff, _ := text.LineDiff("approved/"+name, "now/"+name, before, after)
	return diff
}
