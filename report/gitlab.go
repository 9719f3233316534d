package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// gitlabSeverities maps severities, from note up, to GitLab's names.
var gitlabSeverities = [...]string{"info", "minor", "major", "critical", "blocker"}

// gitlabIssue is an entry in a Code Quality report, with the members that GitLab reads.
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// writeGitLab writes the report as a GitLab Code Quality report, which is an array of issues.
//
//   - An issue is a distinct finding in a file. GitLab has no status for suppressed,
//     unchanged or approved findings, so their issues have severity info and name the status in
//     the description.
//   - GitLab drops issues with a duplicate fingerprint, and treats an issue with a new
//     fingerprint as new: see gitlabWriter.identify.
//   - Each reason why something was not inspected is also an issue.
func writeGitLab(w *bufio.Writer, r *Report, o Options) error {
	g := &gitlabWriter{dir: o.Dir, seen: map[string]int{}}
	issues := []gitlabIssue{}
	for _, f := range fold(r.Findings, inFile) {
		issues = append(issues, g.issue(f))
	}
	for _, s := range gaps(r) {
		issues = append(issues, g.skipped(s))
	}
	return encode(w, "\n", issues, jsontext.WithIndent("  "))
}

type gitlabWriter struct {
	dir  string
	seen map[string]int // number of issues by identity
}

func (g *gitlabWriter) issue(f repeated) gitlabIssue {
	severity, said := gitlabSeverities[f.Severity], ""
	if !f.open() {
		severity, said = gitlabSeverities[0], " ("+status(f.Finding)+")"
	}
	about := heading(f.Finding)
	if f.Field != "" {
		about += ", field " + visible(f.Field, maxResultField)
	}
	description := sentence(visible(f.Message, maxResultMessage)) + " Found in: " + about + "."
	if f.Evidence.Text != "" {
		description += " Evidence: »" + visible(f.Evidence.Text, maxResultEvidence) + "«."
	}
	return gitlabIssue{
		Description: description + said,
		Check:       ruleID(f.Rule),
		Severity:    severity,
		Location:    g.location(f.Location, f.Server),
		Fingerprint: g.identify(cmp.Or(f.Fingerprint, strings.Join([]string{f.Rule, f.Server, f.Subject, f.Tool, f.Field, f.Message}, "\x00")), f.Location.File),
	}
}

func (g *gitlabWriter) skipped(s Skipped) gitlabIssue {
	at := Location{}
	if s.First != nil {
		at = *s.First
	}
	return gitlabIssue{
		Description: fmt.Sprintf("Not inspected: %s (%s).", visible(s.Reason, maxResultMessage), Count(s.Count, "time")),
		Check:       incompleteID,
		Severity:    "major",
		Location:    g.location(at, ""),
		Fingerprint: g.identify(incompleteID, s.Reason),
	}
}

// identify returns a fingerprint that is unique in the report and changes only with the finding
// or its file. It does not depend on the line.
func (g *gitlabWriter) identify(identity, file string) string {
	key := visible(identity, len(identity)*4) + "\x00" + visible(file, len(file)*4)
	n := g.seen[key]
	g.seen[key]++
	if n > 0 {
		key += fmt.Sprintf("\x00%d", n)
	}
	h := sha256.Sum256([]byte(key))
	return hex.EncodeToString(h[:16])
}

// location returns the path of a file, or the server's name under mcp/ if there is no file, and a
// line. GitLab requires both.
func (g *gitlabWriter) location(l Location, server string) gitlabLocation {
	if !isFile(l.File) {
		return gitlabLocation{Path: "mcp/" + visible(syntheticName(l.File, server), textLimit), Lines: gitlabLines{1}}
	}
	path, _ := inCheckout(visible(l.File, textLimit), g.dir)
	return gitlabLocation{Path: path, Lines: gitlabLines{max(1, l.Line)}}
}
