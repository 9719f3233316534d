package scanner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Status is the decision about a finding.
type Status uint8

// The statuses. Findings that are not open need no action but are still reported.
const (
	Open       Status = iota
	Unchanged         // known from the baseline
	Suppressed        // accepted by a user, with a reason
	Approved          // drift approved in the change under review
)

var statusNames = [...]string{"open", "unchanged", "suppressed", "approved"}

func (s Status) String() string { return statusNames[s] }

// Finding is one result of a rule. All its strings are escaped, masked and truncated, and are safe
// to display anywhere.
type Finding struct {
	Rule     *Rule
	Category string
	Severity Severity
	Message  string
	Time     time.Time
	Session  string
	Server   string
	Other    string // the server, or well-known name, with which this server can be confused
	Subject  mcp.SubjectKind
	Name     string // name of the tool, prompt or resource, if any
	Pointer  string // JSON Pointer into the definition, result, message or configuration entry
	Evidence Evidence
	Diff     string // a unified diff of the change; see text.DiffLines and text.DiffWidth
	Location Location
	Related  []Related
	Signals  []string // reasons why the rule fired
	Action   string   // action of a live engine: alert or block; record if the finding is below the alert threshold
	Status   Status
	Reason   string // why it is suppressed, or who approved it

	Expected, Actual string // digests of a file whose content differs from the approved one; otherwise empty

	key     string // represents the evidence in the fingerprint; see Fingerprint
	message int    // index of the message in the event, used to fill in Name
	until   int    // offset in the text at which the evidence ends
}

// Weight returns the severity that session rules use for a finding. High and critical findings
// from a low-confidence rule count one level lower, and medium ones only as notes, because such
// rules are often wrong.
func (f *Finding) Weight() Severity {
	switch {
	case f.Rule.Confidence != ConfidenceLow || f.Severity < Medium:
		return f.Severity
	case f.Severity == Medium:
		return Note
	}
	return f.Severity - 1
}

// Evidence is the text that a finding is based on.
type Evidence struct {
	Text     string // the matched text
	Context  string // the match with up to 50 characters on either side
	Decoded  string // the decoded text, if it was hidden
	Position int    // byte offset of the match in its text
}

// Related is a location that helps to explain a finding, such as that of an earlier call.
type Related struct {
	Message  string
	Location Location
	Call     *Call // the call made at Location, if the session remembers it
}

// The limits on strings in a finding, in characters. The 50 characters of context are from
// agentsh; the other limits keep reports readable and bounded.
const (
	contextChars  = 50
	evidenceChars = 200
	contextLimit  = evidenceChars + 2*contextChars
	nameChars     = 120
	pointerChars  = 200
	messageChars  = 400
	reasonChars   = 800 // includes an excerpt of what a server wrote before it failed
)

// FingerprintForm matches the results of Fingerprint.
var FingerprintForm = lazyregexp.New(`^f1:[0-9a-f]{32}$`)

// Fingerprint identifies a finding independently of its location: a hash over the rule, the
// server, the kind and name of the subject, the pointer and the folded evidence. Lines, times,
// sessions and sequence numbers are left out, so that a finding keeps its identity when a
// recording grows or a file moves. f1 is the version of this definition.
func (f *Finding) Fingerprint() string {
	id := hash(f.Rule.ID, f.Server, f.Subject.String(), f.Name, f.Pointer, f.key)
	return "f1:" + hex.EncodeToString(id[:])
}

// identity is a hash over the same data as the fingerprint, except the server's name, which can
// differ between the two versions that are compared. For a finding in a configuration, it includes the
// name, because only the names distinguish the entries.
func (f *Finding) identity() [16]byte {
	entry := ""
	if f.Subject == mcp.ConfigSubject {
		entry = f.Server
	}
	return hash(f.Rule.ID, entry, f.Subject.String(), f.Name, f.Pointer, f.key)
}

func hash(parts ...string) [16]byte {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return [16]byte(h.Sum(nil))
}

// newEvidence returns the evidence for s[start:end].
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
	known := text.Redact(s, from, cutAt(s, from, to, contextLimit))
	e := Evidence{Text: excerpt(s, known, start, end, evidenceChars), Context: excerpt(s, known, from, to, contextLimit), Position: start}
	if from > 0 {
		e.Context = cutOff + e.Context
	}
	if to < len(s) && !strings.HasSuffix(e.Context, cutOff) {
		e.Context += cutOff
	}
	return e
}

// cutOff marks truncated text.
const cutOff = "…"

// excerpt returns at most limit characters of s[from:to] for display, and marks truncation.
func excerpt(s []byte, known text.Redacted, from, to, limit int) string {
	end := cutAt(s, from, to, limit)
	out := text.Visible(known.Excerpt(from, end), limit)
	if end < to && !strings.HasSuffix(out, cutOff) {
		out += cutOff
	}
	return out
}

// cutAt returns where to cut s[from:to] so that at least its first limit characters remain. It allows
// for the maximum length of each, instead of decoding them. It does not split a character, because
// the parts would be displayed as other text.
func cutAt(s []byte, from, to, limit int) int {
	end := min(to, from+utf8.UTFMax*limit)
	for range utf8.UTFMax - 1 {
		if end < to && !utf8.RuneStart(s[end]) {
			end++
		}
	}
	return end
}

// showEnds is like show, but keeps both ends, because the cause of an error is often at
// the end.
func showEnds(s string, limit int) string {
	if most := 2 * limit; len(s) > 2*most {
		return text.VisibleEnds(text.Excerpt([]byte(s), 0, most)+"…"+text.Excerpt([]byte(s), len(s)-most, len(s)), limit)
	}
	return text.VisibleEnds(text.Mask(s), limit)
}

// show prepares an untrusted name or message for a report.
func show(s string, limit int) string { return text.Shown(s, limit) }

// withApproval returns the finding, marked as approved if a is not nil. a is the approval that the
// change under review gives to what the finding reports.
func (f Finding) withApproval(a *baseline.Approval) Finding {
	if a != nil {
		f.Status, f.Reason = Approved, fmt.Sprintf("approved in this change by %s: %s", show(a.By, nameChars), show(a.Reason, messageChars))
	}
	return f
}
