package report

import (
	"fmt"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// The limits on a result: characters per text, and related locations. GitHub lists at most 100
// locations per result.
const (
	maxResultMessage  = 400
	maxResultEvidence = 200
	maxResultName     = 120
	maxResultField    = 200
	maxRelated        = 100
)

func (s *sarifWriter) result(f repeated) *sarif.Result {
	res := sarif.NewRuleResult(ruleID(f.Rule)).
		WithRuleIndex(s.index[ruleID(f.Rule)]).
		WithLevel(sarifSeverities[f.Severity].level).
		WithMessage(sarif.NewTextMessage(resultMessage(f.Finding))).
		WithOccurrenceCount(f.times)
	loc := s.location(f.Location, f.Server, columns(visible(f.Evidence.Text, maxResultEvidence)))
	if name := qualifiedName(f.Finding); name != "" {
		loc.LogicalLocations = []*sarif.LogicalLocation{sarif.NewLogicalLocation().WithFullyQualifiedName(name).WithKind("member")}
	}
	res.Locations = []*sarif.Location{loc}
	if f.Fingerprint != "" {
		id := visible(f.Fingerprint, maxResultName)
		res.PartialFingerprints = map[string]any{
			"primaryLocationLineHash": strings.TrimPrefix(id, "f1:") + ":1",
			"mcpscanFingerprint/v1":   id,
		}
	}
	s.decided(res, f.Finding)
	for i, rel := range f.Related {
		if i == maxRelated {
			break
		}
		res.AddRelatedLocation(s.location(rel.Location, f.Server, 1).
			WithId(i + 1).
			WithMessage(sarif.NewTextMessage(unlinked(visible(rel.Message, maxResultMessage)))))
	}
	return res
}

// decided adds a finding's status to its result, as a suppression or a baseline state.
func (s *sarifWriter) decided(res *sarif.Result, f *Finding) {
	switch f.Status {
	case scanner.Suppressed.String(), scanner.Approved.String():
		res.Suppressions = []*sarif.Suppression{sarif.NewSuppression("external").
			WithStatus("accepted").WithJustifcation(visible(f.Reason, maxReason))}
	case scanner.Unchanged.String():
		res.WithBaselineState("unchanged")
	default:
		if s.baseline {
			res.WithBaselineState("new")
		}
	}
}

// resultMessage describes what is wrong and where. GitHub uses the first sentence as the title.
func resultMessage(f *Finding) string {
	var b strings.Builder
	b.WriteString(sentence(visible(f.Message, maxResultMessage)))
	var about []string
	add := func(label, value string, limit int) {
		if value != "" {
			about = append(about, label+" "+visible(value, limit))
		}
	}
	add("server", f.Server, maxResultName)
	if f.Tool != "" {
		add(f.Subject, f.Tool, maxResultName)
	} else {
		add("in", f.Subject, maxResultName)
	}
	add("field", f.Field, maxResultField)
	if len(about) > 0 {
		fmt.Fprintf(&b, " Found in: %s.", strings.Join(about, ", "))
	}
	if f.Evidence.Text != "" {
		fmt.Fprintf(&b, " Evidence: »%s«.", visible(f.Evidence.Text, maxResultEvidence))
	}
	if f.Evidence.Decoded != nil {
		fmt.Fprintf(&b, " Decoded: »%s«.", visible(*f.Evidence.Decoded, maxResultEvidence))
	}
	out := unlinked(b.String())
	for i := range f.Related {
		if i == maxListed {
			break
		}
		out += fmt.Sprintf(" See [related %d](%d).", i+1, i+1)
	}
	return out
}

// sentence adds a full stop to s unless it already ends with punctuation.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// unlinked breaks up link syntax, which SARIF shares with Markdown: a server must not be able
// to put a link into an alert.
func unlinked(s string) string { return strings.ReplaceAll(s, "](", "] (") }

// qualifiedName returns the logical location: server, kind and name of the subject, and field,
// escaped as in a JSON Pointer.
func qualifiedName(f *Finding) string {
	var parts []string
	for _, p := range [...]string{f.Server, f.Subject, f.Tool} {
		if p != "" {
			parts = append(parts, wire.EscapePointer(visible(p, maxResultName)))
		}
	}
	return strings.TrimPrefix(strings.Join(parts, "/")+visible(f.Field, maxResultField), "/")
}

// location returns a physical location. If there is no file, the region is always 1:1, because
// positions in a connection's traffic are not positions in a file.
func (s *sarifWriter) location(l Location, server string, columns int) *sarif.Location {
	uri, exists := artifactURI(l.File, server, s.dir)
	if strings.HasPrefix(uri, "file:") {
		s.absolute = true
	}
	line, column := max(1, l.Line), max(1, l.Column)
	if !exists {
		line, column, columns = 1, 1, 1
	}
	return sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri)).
		WithRegion(sarif.NewRegion().
			WithStartLine(line).WithStartColumn(column).
			WithEndLine(line).WithEndColumn(column + columns)))
}

// columns estimates the width of evidence in its file, at least 1, counting an escape as one
// character. The report records only where the evidence starts.
func columns(evidence string) int {
	n := 0
	for len(evidence) > 0 {
		size, _ := atom(evidence)
		n++
		evidence = evidence[size:]
	}
	return max(1, n)
}
