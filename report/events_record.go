package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"

	"github.com/agnivade/levenshtein"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// record is an audit event of any type. Members that its type does not have are omitted.
type record struct {
	Type       string `json:"type"`
	Timestamp  string `json:"timestamp"`
	Session    string `json:"session_id"`
	Server     string `json:"server_id"`
	ServerType string `json:"server_type,omitzero"`
	Request    string `json:"request_id,omitzero"`
	Dialect    string `json:"dialect,omitzero"`
	CallID     string `json:"tool_call_id,omitzero"`

	Tool         string         `json:"tool_name,omitzero"`
	ID           jsontext.Value `json:"jsonrpc_id,omitzero"`
	Hash         string         `json:"tool_hash,omitzero"`
	Description  string         `json:"description,omitzero"`
	Status       string         `json:"status,omitzero"`
	PreviousHash string         `json:"previous_hash,omitzero"`
	NewHash      string         `json:"new_hash,omitzero"`
	Changes      []auditChange  `json:"changes,omitzero"`
	Input        jsontext.Value `json:"input,omitzero"`

	NewServer     string   `json:"new_server_id,omitzero"`
	SimilarServer string   `json:"similar_server_id,omitzero"`
	Similarity    *float64 `json:"similarity_score,omitzero"`
	SimilarTo     string   `json:"similar_to,omitzero"` // similar_to and score are the names in the event reference
	Score         *float64 `json:"score,omitzero"`

	BinaryPath    string        `json:"binary_path,omitzero"`
	ExpectedHash  string        `json:"expected_hash,omitzero"`
	ActualHash    string        `json:"actual_hash,omitzero"`
	Action        string        `json:"action,omitzero"`
	Verdict       string        `json:"verdict,omitzero"`
	Check         string        `json:"check,omitzero"`
	Rule          string        `json:"rule,omitzero"`
	Severity      string        `json:"severity,omitzero"`
	Reason        string        `json:"reason,omitzero"`
	BlockedServer string        `json:"blocked_server_id,omitzero"`
	BlockedTool   string        `json:"blocked_tool_name,omitzero"`
	RelatedCalls  []relatedCall `json:"related_calls,omitzero"`

	CrossRule     string        `json:"cross_server_rule,omitzero"`
	CrossSeverity string        `json:"cross_server_severity,omitzero"`
	CrossRelated  []relatedCall `json:"cross_server_related,omitzero"`

	ModelHint string         `json:"model_hint,omitzero"`
	MaxTokens jsontext.Value `json:"max_tokens,omitzero"`
	Messages  *int           `json:"message_count,omitzero"`
	Length    *int           `json:"content_length,omitzero"`

	DetectionType string `json:"detection_type,omitzero"`

	Detection   *detection  `json:"detection,omitzero"`
	Detections  []detection `json:"detections,omitzero"`
	MaxSeverity string      `json:"max_severity,omitzero"`
	Fingerprint string      `json:"fingerprint,omitzero"`
	File        string      `json:"file,omitzero"`
	Line        int         `json:"line,omitzero"`

	about mcp.SubjectKind // the subject whose findings it reports
}

// auditChange is a changed member of a definition.
type auditChange struct {
	Field    string `json:"field"`
	Previous string `json:"previous"`
	New      string `json:"new"`
}

// detection is one rule's findings of one severity in one field.
type detection struct {
	Pattern    string  `json:"pattern"` // ID of the rule
	Category   string  `json:"category"`
	Severity   string  `json:"severity"`
	Confidence string  `json:"confidence"`
	Matches    []match `json:"matches"`
	Field      string  `json:"field,omitzero"`
}

// match is the evidence of a finding, escaped, masked and truncated as in reports.
type match struct {
	Text     string `json:"text"`
	Position int    `json:"position"`
	Context  string `json:"context"`
}

// relatedCall is an earlier call because of which a call was blocked, or only a location if the rule
// gives no more.
type relatedCall struct {
	Timestamp string `json:"timestamp,omitzero"`
	Server    string `json:"server_id,omitzero"`
	Tool      string `json:"tool_name,omitzero"`
	Request   string `json:"request_id,omitzero"`
	Action    string `json:"action,omitzero"`
	Category  string `json:"category,omitzero"`
	File      string `json:"file"`
	Line      int    `json:"line"`
}

// The limits on text in an event, in characters, and on lists.
const (
	nameLimit        = 120
	descriptionLimit = 2048
	maxDetections    = 20 // per event, and matches per detection
)

// foreign masks, escapes and truncates s.
func foreign(s string, limit int) string {
	if len(s) > utf8.UTFMax*limit {
		return visible(text.Excerpt([]byte(s), 0, utf8.UTFMax*limit), limit)
	}
	return visible(text.Mask(s), limit)
}

// foreignLines is like foreign, but for a description: it preserves line breaks.
func foreignLines(s string) string {
	lines := strings.Split(text.Excerpt([]byte(s), 0, min(len(s), utf8.UTFMax*descriptionLimit)), "\n")
	for i, l := range lines {
		lines[i] = visible(l, descriptionLimit)
	}
	all := strings.Join(lines, "\n")
	if utf8.RuneCountInString(all) > descriptionLimit {
		return string([]rune(all)[:descriptionLimit]) + "…"
	}
	return all
}

// agentshName returns a rule ID in the form of the agentsh event reference.
func agentshName(rule string) string { return strings.ReplaceAll(foreign(rule, nameLimit), "-", "_") }

// complete adds the event's findings to a record.
func (r *record) complete(d *scanner.Decision, found []scanner.Finding) {
	if r.about == mcp.NoSubject {
		return
	}
	worst, any := scanner.Note, false
	for i := range found {
		f := &found[i]
		if !r.concerns(f) {
			continue
		}
		worst, any = max(worst, f.Severity), true
		if r.Detections != nil {
			r.add(detected(f))
		}
		if crossServer(d) && f.Rule.ID == d.Rule && r.about == mcp.CallSubject {
			r.cross(f)
		}
	}
	if any {
		r.MaxSeverity = worst.String()
	}
	if r.Detections != nil && r.Action != "" && any && !refuses(d.Verdict) {
		r.Action = "alert"
	}
}

// add adds a detection or, if there already is one of the same rule and severity in the same field,
// only its matches.
func (r *record) add(d detection) {
	for i := range r.Detections {
		to := &r.Detections[i]
		if to.Pattern == d.Pattern && to.Category == d.Category && to.Severity == d.Severity && to.Field == d.Field {
			if len(to.Matches) < maxDetections {
				to.Matches = append(to.Matches, d.Matches...)
			}
			return
		}
	}
	if len(r.Detections) < maxDetections {
		r.Detections = append(r.Detections, d)
	}
}

// concerns reports whether a finding is about the subject of a record.
func (r *record) concerns(f *scanner.Finding) bool {
	subject := f.Subject
	if subject == mcp.ErrorSubject {
		subject = mcp.ResultSubject
	}
	return subject == r.about && (r.Tool == "" || f.Name == r.Tool || r.BlockedTool != "" && f.Name == r.BlockedTool)
}

// cross adds the finding that caused a call to be blocked.
func (r *record) cross(f *scanner.Finding) {
	calls := []relatedCall{}
	for _, rel := range f.Related {
		c := rel.Call
		if c == nil { // the rule gives only a location
			calls = append(calls, relatedCall{File: foreign(rel.Location.File, textLimit), Line: rel.Location.Line})
			continue
		}
		calls = append(calls, relatedCall{Timestamp: c.Recorded().UTC().Format(time.RFC3339Nano), Server: foreign(c.Server, nameLimit), Tool: foreign(c.Tool, nameLimit),
			Request: foreign(c.Request, nameLimit), Action: "allow", Category: c.Category.String(), File: foreign(c.Location.File, textLimit), Line: c.Location.Line})
	}
	switch r.Type {
	case "mcp_tool_call_intercepted":
		r.CrossRule, r.CrossSeverity, r.CrossRelated = agentshName(f.Rule.ID), f.Severity.String(), calls
	case "mcp_cross_server_blocked":
		r.Severity, r.RelatedCalls = f.Severity.String(), calls
	}
}

func detected(f *scanner.Finding) detection {
	d := detection{Pattern: f.Rule.ID, Category: cmp.Or(f.Category, f.Rule.Category), Severity: f.Severity.String(), Confidence: f.Rule.Confidence.String(),
		Matches: []match{}}
	if f.Evidence.Text != "" {
		d.Matches = append(d.Matches, match{visible(f.Evidence.Text, textLimit), f.Evidence.Position, visible(f.Evidence.Context, textLimit)})
	}
	if f.Subject != mcp.ConfigSubject {
		d.Field = visible(agentshPath(f.Pointer), nameLimit)
	}
	return d
}

// agentshPath converts a JSON Pointer to agentsh's form, such as inputSchema.anyOf[0].title.
func agentshPath(pointer string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if _, err := strconv.ParseUint(part, 10, 32); err == nil && b.Len() > 0 {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(wire.UnescapePointer(part))
	}
	return b.String()
}

// binaryMismatch is the rule whose findings become mcp_server_binary_mismatch events.
const binaryMismatch = "binary-mismatch"

// detection returns the event for a finding.
func (v *Events) detection(f *scanner.Finding) *record {
	r := v.head(&v.event, "mcp_detection")
	r.Server = cmp.Or(visible(f.Server, nameLimit), r.Server)
	r.Fingerprint, r.File, r.Line = f.Fingerprint(), visible(f.Location.File, textLimit), f.Location.Line
	r.Action = cmp.Or(f.Action, "alert")
	if f.Rule.ID == binaryMismatch {
		r.Type, r.Severity, r.BinaryPath = "mcp_server_binary_mismatch", f.Severity.String(), visible(f.Evidence.Text, textLimit)
		r.ExpectedHash, r.ActualHash = foreign(f.Expected, nameLimit), foreign(f.Actual, nameLimit)
		return &r
	}
	if f.Other != "" {
		r.Type, r.Severity = "mcp_server_name_similarity", f.Severity.String()
		own := v.event.Server
		if r.NewServer = r.Server; f.Pointer != "" { // the name that the server reports for itself
			own, r.NewServer = f.Evidence.Text, visible(f.Evidence.Text, nameLimit)
		}
		score := similarity(own[:min(len(own), nameLimit)], f.Other)
		r.SimilarServer, r.Similarity = visible(f.Other, nameLimit), &score
		r.SimilarTo, r.Score = r.SimilarServer, r.Similarity
		return &r
	}
	if name := visible(f.Name, nameLimit); f.Subject == mcp.ToolSubject || v.audit != nil || v.called(name) {
		r.Tool = name // not the URI of a resource
	}
	d := detected(f)
	r.Detection, r.DetectionType, r.Severity, r.Description = &d, d.Pattern, d.Severity, visible(f.Message, textLimit)
	return &r
}

// called reports whether the current event has a record for a tool.
func (v *Events) called(tool string) bool {
	return slices.ContainsFunc(v.messages, func(m judged) bool {
		return slices.ContainsFunc(m.records, func(r record) bool { return r.Tool == tool })
	})
}

// similarity returns 1 minus the Levenshtein distance divided by the length of the longer name,
// ignoring case and rounded to thousandths: 1 for equal names, and lower the more edits it takes to
// turn one name into the other.
func similarity(a, b string) float64 {
	a, b = strings.ToLower(a), strings.ToLower(b)
	longest := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b), 1)
	return math.Round(1000*(1-float64(levenshtein.ComputeDistance(a, b))/float64(longest))) / 1000
}
