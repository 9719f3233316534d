package scanner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Status is the decision about a finding.
type Status uint8

// The statuses. Findings that are not open need no action, but are reported.
const (
	Open       Status = iota
	Unchanged         // it was known before
	Suppressed        // somebody accepted it, and gave a reason
	Approved          // drift that the change under review approves
)

var statusNames = [...]string{"open", "unchanged", "suppressed", "approved"}

func (s Status) String() string { return statusNames[s] }

// Finding is one result of a rule. All its text is visible, masked and bounded, and may be
// shown anywhere.
type Finding struct {
	Rule       *Rule
	Category   string
	Severity   Severity
	Message    string
	Time       time.Time
	Session    string
	Server     string
	Other      string // the server, or the well-known name, that it takes the server for
	Subject    mcp.SubjectKind
	Name       string // name of the tool, prompt or resource, where there is one
	Pointer    string // JSON Pointer into the definition, result, message or entry of a configuration
	Evidence   Evidence
	Diff       string // a unified diff of what changed; see DiffLines and DiffWidth
	Location   Location
	Related    []Related
	Signals    []string // what fired, in words
	Action     string   // what a live engine did or would do: alert, block; record where it is not worth an alert
	Status     Status
	Reason     string // why it is suppressed, or who approved it
	Occurrence int    // how often the same was found in the session

	Expected, Actual string // digests of a file that has other content than the one that was approved; empty for anything else

	key     string // what stands for the evidence in the fingerprint; see Fingerprint
	message int    // index of the message in the event, to complete Name by
}

// Weight is the severity that rules of the session go by. What a rule of low confidence
// finds at high counts one step less, and for nothing at medium: it is worth reading, and
// proves nothing.
func (f *Finding) Weight() Severity {
	switch {
	case f.Rule.Confidence != ConfidenceLow || f.Severity < Medium:
		return f.Severity
	case f.Severity == Medium:
		return Note
	}
	return f.Severity - 1
}

// Evidence is the text that a finding rests on.
type Evidence struct {
	Text     string // what matched
	Context  string // with 50 characters either side
	Decoded  string // what it says once decoded, where it was hidden
	Position int    // of the match in the text that it stands in, in bytes
}

// Related is another location of a finding.
type Related struct {
	Message  string
	Location Location
	Call     *Call // that was made there, where it is one that the session remembers
}

// The limits of text in a finding, in characters. 50 characters of context is
// agentsh's figure; the others keep a report readable and bounded.
const (
	contextChars  = 50
	evidenceChars = 200
	nameChars     = 120
	pointerChars  = 200
	messageChars  = 400
)

// Fingerprint identifies what a finding is, not where it is: a hash over
// the rule, the server, the kind and name of the subject, the pointer and the
// evidence in folded form. Lines, times, sessions and sequence numbers are left
// out, so that a finding keeps its identity when a recording grows or a file
// moves. f1 is the version of this definition.
func (f *Finding) Fingerprint() string {
	id := hash(f.Rule.ID, f.Server, f.Subject.String(), f.Name, f.Pointer, f.key)
	return "f1:" + hex.EncodeToString(id[:])
}

// identity is the server-independent part of the fingerprint.
func (f *Finding) identity() [16]byte {
	return hash(f.Rule.ID, f.Subject.String(), f.Name, f.Pointer, f.key)
}

func hash(parts ...string) [16]byte {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return [16]byte(h.Sum(nil))
}

// newEvidence cuts the evidence for s[start:end] out of a text.
func newEvidence(s []byte, start, end int) Evidence {
	from, to := start, end
	for range contextChars {
		if from > 0 {
			_, n := utf8.DecodeLastRune(s[:from])
			from -= n
		}
		if to < len(s) {
			_, n := utf8.DecodeRune(s[to:])
			to += n
		}
	}
	e := Evidence{Text: excerpt(s, start, end, evidenceChars), Context: excerpt(s, from, to, evidenceChars+2*contextChars), Position: start}
	if from > 0 {
		e.Context = cutOff + e.Context
	}
	if to < len(s) && !strings.HasSuffix(e.Context, cutOff) {
		e.Context += cutOff
	}
	return e
}

// cutOff replaces the rest of a cut text.
const cutOff = "…"

// excerpt shows at most limit characters of s[from:to]. It marks a cut, and cuts no character
// in two, because its bytes would be shown as something that nobody wrote.
func excerpt(s []byte, from, to, limit int) string {
	end := min(to, from+4*limit)
	for range utf8.UTFMax - 1 {
		if end < to && !utf8.RuneStart(s[end]) {
			end++
		}
	}
	out := text.Visible(text.Excerpt(s, from, end), limit)
	if end < to && !strings.HasSuffix(out, cutOff) {
		out += cutOff
	}
	return out
}

// showEnds is show for the reason of an error, which often is at its end.
func showEnds(s string, limit int) string {
	if most := 2 * limit; len(s) > 2*most {
		return text.VisibleEnds(text.Excerpt([]byte(s), 0, most)+"…"+text.Excerpt([]byte(s), len(s)-most, len(s)), limit)
	}
	return text.VisibleEnds(text.Mask(s), limit)
}

// show makes a foreign name or message fit for a report.
func show(s string, limit int) string {
	if len(s) > 4*limit {
		s = text.Excerpt([]byte(s), 0, 4*limit)
	} else {
		s = text.Mask(s)
	}
	return text.Visible(s, limit)
}

// settled returns the finding with the approval of the change under review, if there is one.
func (f Finding) settled(a *baseline.Approval) Finding {
	if a != nil {
		f.Status, f.Reason = Approved, fmt.Sprintf("approved in this change by %s: %s", show(a.By, nameChars), show(a.Reason, messageChars))
	}
	return f
}
