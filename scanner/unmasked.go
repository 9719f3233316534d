package scanner

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// inspectBoth inspects an event as it is kept and, if secrets in its frame are masked, also as it was sent.
// The facts must be empty, but their memory is used.
func (in *Inspector) inspectBoth(e *Event, facts *Facts) {
	in.inspect(e, facts)
	if e.Unmasked != nil {
		in.inspectUnmasked(e, facts)
	}
}

// inspectUnmasked adds to the facts of an event the findings, values and skips that only its unmasked
// frame shows. Findings and decisions are about the unmasked frame, so that masking cannot hide a text or
// an argument. The text in findings, and anything else that is remembered as text, comes from the masked
// frame.
func (in *Inspector) inspectUnmasked(e *Event, facts *Facts) {
	sent := *e
	sent.Frame, sent.HTTP, sent.Unmasked, sent.tree = bytes.Clone(e.Unmasked), e.UnmaskedHTTP, nil, nil
	more := in.Inspect(&sent)
	if facts.structureMasked = !slices.EqualFunc(facts.Messages, more.Messages, sameStructure); len(more.Messages) != len(facts.Messages) {
		return
	}
	start := Location{e.Origin.File, e.Origin.Line, e.Origin.Column, e.Origin.Pointer}
	for i := range facts.Messages {
		m, by := &facts.Messages[i], &more.Messages[i]
		m.sent = by
		m.Values = unmaskedValues(m.Values, by.Values, start)
	}
	known := map[findingPlace]bool{}
	for i := range facts.Findings {
		known[facts.Findings[i].place()] = true
	}
	for i := range more.Findings {
		if f := &more.Findings[i]; !known[f.place()] {
			known[f.place()] = true
			facts.Findings = append(facts.Findings, f.withoutText(start, facts.Messages))
		}
	}
	for _, reason := range more.Skips {
		facts.Skips = once(facts.Skips, reason)
	}
}

// sameStructure reports whether two messages have the same kind, method, ID and numbers of definitions
// and requests.
func sameStructure(a, b Message) bool {
	return a.Kind == b.Kind && a.Method == b.Method && a.ID == b.ID && len(a.Definitions) == len(b.Definitions) && len(a.Asks) == len(b.Asks)
}

// unmasked returns the message before secrets were masked.
func (m *Message) unmasked() *Message { return cmp.Or(m.sent, m) }

// refuseMaskedStructure is the decision about a message whose structure masking changed.
var refuseMaskedStructure = Decision{Verdict: Block, Check: PolicyCheck, Rule: "masked-structure", Reason: "secrets that were given to the server are in places that determine how the message is parsed, so mcpscan cannot judge it"}

// unmaskedValues adds to the values of a masked message those that masking removed, without their text,
// and with the position of the event: the masked message has neither.
func unmaskedValues(masked, sent []Value, start Location) []Value {
	known := map[uint64]bool{}
	for i := range masked {
		known[masked[i].digest] = true
	}
	for _, v := range sent {
		if known[v.digest] {
			continue
		}
		v.at, v.Offset = place{int32(start.Line), int32(start.Column)}, 0
		if v.Text != "" {
			v.Text = text.Masked
		}
		masked = append(masked, v)
	}
	return masked
}

// findingPlace identifies a finding in an event, whatever its text and position.
type findingPlace struct {
	rule          *Rule
	message       int
	subject       mcp.SubjectKind
	name, pointer string
}

func (f *Finding) place() findingPlace {
	return findingPlace{f.Rule, f.message, f.Subject, f.Name, f.Pointer}
}

// withoutText returns a finding without any member that can contain a part of a secret. It keeps the
// name only if the masked messages of the event contain it.
func (f *Finding) withoutText(at Location, masked []Message) Finding {
	message := f.Rule.Title + ", in a text that contains a secret given to the server"
	if f.Rule.Client { // it reports the secret itself, in words of its own
		message = f.Message
	}
	shown := Finding{
		Rule: f.Rule, Category: f.Category, Severity: f.Severity, Time: f.Time, Session: f.Session, Server: f.Server,
		Message: message, Subject: f.Subject, Evidence: Evidence{Text: text.Masked}, Location: at, Action: f.Action, message: f.message,
	}
	if plainPointer.MatchString(f.Pointer) {
		shown.Pointer = f.Pointer
	}
	for i := range masked {
		m := &masked[i]
		named := func(d mcp.Definition) bool { return d.Name == f.Name }
		if m.Target == f.Name || slices.ContainsFunc(m.Definitions, named) {
			shown.Name = f.Name
		}
	}
	return shown
}

// plainPointer matches a JSON Pointer whose reference tokens are words or indexes.
var plainPointer = lazyregexp.New(`^(?:/(?:[A-Za-z_$-]{1,40}|[0-9]{1,6}))*$`)
