package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/mcpscan/mcpscan/scanner"
)

const (
	sarifSchema    = "https://json.schemastore.org/sarif-2.1.0.json"
	informationURI = "https://github.com/mcpscan/mcpscan"

	// GitHub shows at most 5,000 results per run, which it selects by its own severity ranking.
	// We select them instead, and the report states how many results it omits.
	maxSARIFResults = 5000
)

// writeSARIF writes the report as SARIF 2.1.0 for GitHub code scanning: a single run that
// declares all rules, whether they fired or not, so that alerts can be explained and closed.
//
//   - Results are distinct findings: the same finding in several sessions of a file is one
//     result with an occurrence count.
//   - A result always has a physical location; see artifactURI for subjects without a file. It
//     is identified by the finding's own fingerprint, because a hash of the line would collide
//     in a lockfile and change in a recording.
//   - Suppressed and approved findings, and those in the baseline, are also results, marked as
//     such.
//   - There are no fixes: a fix without an artifact change is rejected.
//   - Skipped input, and results beyond 5,000, are reported as notifications.
func writeSARIF(w *bufio.Writer, r *Report, o Options) error {
	s := &sarifWriter{dir: o.Dir, index: map[string]int{}, baseline: r.Baseline != ""}
	doc := &sarif.Report{Version: string(sarif.Version210), Schema: sarifSchema, Runs: []*sarif.Run{s.run(r, o.Rules)}}
	// The library would write null for the empty members of a suppression, which the schema rejects.
	return encode(w, "\n", doc, jsonv1.DefaultOptionsV1(), json.OmitZeroStructFields(true),
		jsontext.EscapeForHTML(false), jsontext.EscapeForJS(false), jsontext.WithIndent("  "))
}

// sarifWriter builds one run.
type sarifWriter struct {
	dir      string
	index    map[string]int // indexes of the rules, by ID
	absolute bool           // some location is an absolute URI
	baseline bool           // the report is compared with another one
}

func (s *sarifWriter) run(r *Report, rules []scanner.Rule) *sarif.Run {
	driver := sarif.NewVersionedDriver("mcpscan", visible(r.Tool.Version, 100)).WithInformationURI(informationURI)
	for i := range rules {
		s.declare(driver, descriptor(&rules[i]))
	}
	kept, left := worst(fold(r.Findings, inFile), maxSARIFResults)
	run := sarif.NewRun(*sarif.NewTool(driver))
	run.ColumnKind = "unicodeCodePoints"
	run.AutomationDetails = sarif.NewRunAutomationDetails().WithID("mcpscan/")
	for _, f := range kept {
		if _, known := s.index[ruleID(f.Rule)]; !known { // different IDs can become the same when escaped
			s.declare(driver, unknownDescriptor(f.Rule))
		}
		run.Results = append(run.Results, s.result(f))
	}
	run.Invocations = []*sarif.Invocation{s.invocation(r, len(kept), left)}
	return run
}

func (s *sarifWriter) declare(driver *sarif.ToolComponent, rule *sarif.ReportingDescriptor) {
	s.index[rule.ID] = len(driver.Rules)
	driver.Rules = append(driver.Rules, rule)
}

// worst returns the worst findings, at most limit, in their original order, and the number of
// findings left out.
func worst(findings []repeated, limit int) (kept []repeated, left int) {
	if len(findings) <= limit {
		return findings, 0
	}
	var room [len(scanner.Severities)]int // number of findings to keep, by severity
	free := limit
	for _, s := range slices.Backward(scanner.Severities[:]) {
		room[s] = free
		for _, f := range findings {
			if f.Severity == s && free > 0 {
				free--
			}
		}
	}
	for _, f := range findings {
		if room[f.Severity] > 0 {
			room[f.Severity]--
			kept = append(kept, f)
		}
	}
	return kept, len(findings) - len(kept)
}

// invocation describes the run: whether everything was inspected, and what was skipped.
func (s *sarifWriter) invocation(r *Report, kept, left int) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccess(r.Coverage.Complete())
	if left > 0 {
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, notification(
			fmt.Sprintf("Only the worst %d of %d results are listed. The JSON report lists more.", kept, kept+left)))
	}
	if more := unlisted(r); more != "" {
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, notification(more))
	}
	for _, skipped := range r.Coverage.Skipped {
		n := notification(fmt.Sprintf("Not inspected: %s (%s).", visible(skipped.Reason, 400), Count(skipped.Count, "time")))
		if skipped.First != nil {
			n.Locations = []*sarif.Location{s.location(*skipped.First, "", 1)}
		}
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, n)
	}
	if files := inputNames(r); len(files)+len(r.Summary.ServerNames) > 0 {
		inv.Properties = sarif.Properties{"inputs": append([]string{}, files...), "servers": visibleNames(r.Summary.ServerNames)}
	}
	if s.absolute && s.dir != "" {
		inv.WorkingDirectory = sarif.NewSimpleArtifactLocation(strings.TrimSuffix(fileURI(strings.ReplaceAll(s.dir, `\`, "/")), "/") + "/")
	}
	return inv
}

func notification(message string) *sarif.Notification {
	return &sarif.Notification{Level: "warning", Message: sarif.NewTextMessage(message)}
}
