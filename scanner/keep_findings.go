package scanner

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// maxPerEvent is the maximum number of findings kept for a short event. Each bytesPerFinding bytes of
// the frame allow one more, up to mostPerEvent, because a long document can contain more findings that
// are worth listing.
const (
	maxPerEvent     = 200
	mostPerEvent    = 1000
	bytesPerFinding = 2 << 10

	findingsPerEntry      = 4 // for each entry of a configuration
	findingsPerDefinition = 4 // for each definition, among session findings, because deviations from the approved version are reported part by part
)

// tooMany is the reason that the coverage gives for an event with more findings than are kept.
const tooMany = "more findings in one message than the limit: the rest are not listed"

// text adds a text rule's finding to the facts, with evidence and location.
func (in *Inspector) text(p *TextPass, is Issue, start, end int, key string) {
	node := p.node
	first, last, across := p.across(start, end)
	across = across || p.rereadings > 0 && p.Subject.Definition() || // a line on its own can be rated differently
		p.rendered && (p.whole || start <= first.start+1 || end >= last.end-1) // in a text of another length, or next to markup
	if p.inProse(start, end) || p.rendered && p.rule.Markup || p.pieces != nil && !across || p.again && in.pieced(p.rule) || p.plainly(start, end) {
		return
	}
	var from, to int // what another reading of the text must not report again
	if p.rereadings > 0 {
		from, to = p.sent(start, end, first, last)
		if in.foundBetween(p, is.Severity, from, to) {
			return
		}
	}
	if across {
		node = first.node
	}
	if in.repeats(p.rule, p.root, node, key) || in.found.full(is.Severity) {
		return
	}
	evidence := newEvidence(p.Source, start, end)
	if across { // the evidence is the part in the first block, or the lines as sent, and Decoded is the joined text
		is.Decoded = evidence.Context
		signal, to := inPieces, len(first.text)
		switch {
		case p.rendered:
			signal, to = withoutMarkup, last.sent(end)
		case p.rereadings > 0:
			signal, to = overLines, last.sent(end)
		}
		is.Signals = append([]string{signal}, is.Signals...)
		start, end = first.sent(start), to
		evidence = newEvidence(first.text, start, end)
	}
	if p.original != nil && p.rereadings == 0 { // the evidence is the text as sent, and Decoded is its meaning
		is.Decoded = evidence.Context
		is.Signals = append([]string{"hidden in " + p.Via}, is.Signals...)
		start, end = p.from, p.to
		evidence = newEvidence(p.original, start, end)
	}
	evidence.Decoded = show(is.Decoded, evidenceChars)
	if p.rereadings > 0 {
		in.dropBetween(p, from, to)
	}
	in.add(Finding{
		Rule: p.rule, Category: p.category(), Severity: is.Severity, Message: is.Message, Signals: is.Signals,
		Subject: p.Subject, Name: show(p.Name, nameChars), Pointer: in.pointer(p.root, node),
		Evidence: evidence, Location: in.locateIn(node, in.tree.Offset(node, p.isKey, start)), key: key, until: end,
	})
}

// sent returns the part of the text as sent that [start, end) is a reading of: whole lines or, for a text read
// without markup, exactly that part, together with any markup directly before it.
func (p *TextPass) sent(start, end int, first, last *piece) (from, to int) {
	if !p.rendered {
		return first.offset, last.to
	}
	if i := slices.IndexFunc(p.pieces, func(c piece) bool { return c.start == first.start }); i > 0 && start <= first.start+1 {
		return p.pieces[i-1].to, last.sent(end)
	}
	return first.sent(start), last.sent(end)
}

// The bounds on searching the original of a decoded text for a finding; see TextPass.plainly.
const (
	surroundings = 64 // bytes on either side of the finding that must be the same
	mostSearches = 64 // in one event
)

// plainly reports whether the original of a decoded text contains [start, end) of it, with its
// surroundings, unencoded. If so, a finding there is dropped, because the rules have already
// inspected the original: if a page contains one address with escapes, the rest of the page is not
// hidden text.
func (p *TextPass) plainly(start, end int) bool {
	d := &p.in.decoding
	if p.original == nil || p.rereadings > 0 || d.searches == mostSearches {
		return false
	}
	d.searches++
	if len(p.prose) > 0 && p.inReading(p.Source[start:end]) {
		return true
	}
	return bytes.Contains(p.original[p.from:p.to], p.Source[max(0, start-surroundings):min(len(p.Source), end+surroundings)])
}

// pieced reports whether a rule has already reported joined pieces of the message.
func (in *Inspector) pieced(r *Rule) bool {
	return slices.ContainsFunc(in.found.all, func(f Finding) bool {
		return f.Rule == r && f.message == in.message && len(f.Signals) > 0 && f.Signals[0] == inPieces
	})
}

// foundBetween reports whether the rule has reported something between two offsets of the text, in another reading
// of it, at severity s or above.
func (in *Inspector) foundBetween(p *TextPass, s Severity, from, to int) bool {
	between := in.between(p, from, to)
	return slices.ContainsFunc(in.found.all, func(f Finding) bool { return f.Severity >= s && between(f) })
}

// dropBetween drops what the rule has reported between two offsets of the text, because it now reports it at a
// higher severity.
func (in *Inspector) dropBetween(p *TextPass, from, to int) {
	in.found.all = slices.DeleteFunc(in.found.all, in.between(p, from, to))
}

// between returns a function that reports whether a finding is the rule's and overlaps [from, to) of the text.
func (in *Inspector) between(p *TextPass, from, to int) func(Finding) bool {
	pointer := in.pointer(p.root, p.node)
	return func(f Finding) bool {
		return f.Rule == p.rule && f.message == in.message && f.Pointer == pointer && f.Evidence.Position < to && f.until > from
	}
}

// The signals of a finding that spans several blocks or values, of one that spans lines, and of one that spans
// or borders on markup.
const (
	inPieces      = "in pieces"
	overLines     = "over several lines"
	withoutMarkup = "read without markup"
)

// category returns output poisoning for text in a server's answers, and the rule's category otherwise.
// Answers are results, errors, other members of responses and, except over stdio, bodies that are
// not messages, which clients quote in their own errors.
func (p *TextPass) category() string {
	kind := p.in.facts.Messages[p.in.message].Kind
	if p.Subject == mcp.ResultSubject || p.Subject == mcp.ErrorSubject || p.Subject == mcp.MessageSubject && !p.client() &&
		(kind == mcp.Response || kind == mcp.Malformed && p.in.event.Transport != "stdio") {
		return OutputPoisoning
	}
	return p.rule.Category
}

// node adds a message rule's finding to the facts, with evidence and location.
func (in *Inspector) node(p *MessagePass, i int, isKey bool, sev Severity, message string) {
	if in.found.full(sev) {
		return
	}
	kind, name, root := p.Subject(i)
	n := &in.tree.Nodes[i]
	start, end := int(n.Start), int(n.End)
	if isKey {
		start, end = int(n.KeyStart), int(n.KeyEnd)
	}
	end = min(end, start+4*evidenceChars)
	// Text around the frame belongs to the recording, not to the message.
	frame := &in.tree.Nodes[in.event.root]
	before := int(frame.Start)
	if i == in.event.root && isKey {
		before = start
	}
	data := in.tree.Data[before:max(int(frame.End), end)]
	in.add(Finding{
		Rule: p.rule, Category: p.rule.Category, Severity: sev, Message: message,
		Subject: kind, Name: show(name, nameChars), Pointer: in.pointer(root, i),
		Evidence: newEvidence(data, start-before, end-before),
		Location: in.locateIn(i, start), key: in.keyOf(i, isKey, start, end),
	})
}

// keyOf returns the text that represents node i, or its member name if isKey is set, in a fingerprint;
// [start, end) is its span. The text of an object or array does not depend on its formatting, because a
// lockfile sorts members and indents them. The text of a long one is empty: its pointer identifies it.
func (in *Inspector) keyOf(i int, isKey bool, start, end int) string {
	n := &in.tree.Nodes[i]
	if isKey || n.Kind != wire.Object && n.Kind != wire.Array {
		return string(in.tree.Data[start:end])
	}
	if n.End-n.Start > 64*evidenceChars {
		return ""
	}
	canonical := in.tree.AppendCanonical(nil, i)
	if len(canonical) > 4*evidenceChars {
		return ""
	}
	return string(canonical)
}

func (in *Inspector) pointer(root, i int) string {
	in.pointed = in.tree.AppendPointer(in.pointed[:0], root, i)
	pointer := in.shared.String(in.pointed)
	if in.event.Kind == LockEvent && root == in.event.root && strings.HasPrefix(pointer, "/instructions/") {
		pointer = "/instructions" // the same pointer as if the server itself had sent them
	}
	return show(pointer, pointerChars)
}

// repeats reports whether an event that has the maximum number of findings already has this one in
// the same text. Dropping it then loses nothing.
func (in *Inspector) repeats(r *Rule, root, node int, key string) bool {
	if !in.found.reached() {
		return false
	}
	pointer := ""
	return slices.ContainsFunc(in.found.all, func(f Finding) bool {
		if f.Rule != r || f.key != key || f.message != in.message {
			return false
		}
		if pointer == "" {
			pointer = in.pointer(root, node)
		}
		return f.Pointer == pointer
	})
}

// bounded holds an event's findings. The findings from index own on count towards the maximum.
type bounded struct {
	all     []Finding
	own     int
	most    int
	dropped int      // findings dropped because of the maximum
	floor   Severity // lowest severity of the findings that count, once there are as many as the maximum
}

// reached reports whether the maximum is reached.
func (b *bounded) reached() bool { return len(b.all)-b.own >= b.most }

// full reports whether the maximum is reached and none of the findings that count is less severe
// than s. At the maximum, it counts one finding as dropped.
func (b *bounded) full(s Severity) bool {
	if !b.reached() {
		return false
	}
	b.dropped++
	return s <= b.floor
}

// least returns the index of the least severe of the findings that count; of several, the last.
func (b *bounded) least() int {
	least := b.own
	for i := b.own; i < len(b.all); i++ {
		if b.all[i].Severity <= b.all[least].Severity {
			least = i
		}
	}
	return least
}

// add keeps a finding for which full returned false. If there are too many findings, it drops the last
// one with the lowest severity, so that minor findings cannot hide a major one.
func (b *bounded) add(f Finding) {
	if b.reached() {
		least := b.least()
		b.all = slices.Delete(b.all, least, least+1)
	}
	if b.all = append(b.all, f); b.reached() {
		b.floor = b.all[b.least()].Severity
	}
}

// add keeps a finding for which there is room, and fills in data from the event.
func (in *Inspector) add(f Finding) {
	e := in.event
	f.Time, f.Session = e.Recorded(), show(e.Session, nameChars)
	if e.Kind != ConfigEvent { // findings in configurations name the server themselves
		f.Server = show(e.Server, nameChars)
	}
	f.message, f.Action = in.message, "alert"
	in.found.add(f)
}

// locate converts an offset in the tree's text into a location in the file.
func (in *Inspector) locate(off int) Location {
	return in.places.At(off - int(in.tree.Nodes[in.event.root].Start))
}

// locateIn is like locate, but for an offset in node i. In a frame assembled from parts, the
// location's pointer leads from the root of the document or line to the node.
func (in *Inspector) locateIn(i, off int) Location {
	loc := in.locate(off)
	frame := int(in.tree.Nodes[in.event.root].Start)
	part := in.places.part(off - frame)
	if part == nil || !part.Origin.Exact {
		return loc
	}
	for top := i; top >= 0; top = int(in.tree.Nodes[top].Parent) {
		if int(in.tree.Nodes[top].Start)-frame == part.Start {
			loc.Pointer = show(loc.Pointer+string(in.tree.AppendPointer(nil, top, i)), pointerChars)
			break
		}
	}
	return loc
}

// room returns the maximum number of session findings kept for a message.
func room(m *Message) int {
	return min(maxPerEvent+findingsPerDefinition*len(m.Definitions), mostPerEvent)
}

// reported reports whether Inspect has a finding about a subject of this kind and name.
func (j *judge) reported(kind mcp.SubjectKind, name string) bool {
	if j.about == nil {
		j.about = map[mcp.DefinitionKey]bool{}
		for i := range j.found.all[:j.found.own] {
			j.about[mcp.DefinitionKey{Kind: j.found.all[i].Subject, Name: j.found.all[i].Name}] = true
		}
	}
	return j.about[mcp.DefinitionKey{Kind: kind, Name: name}]
}
