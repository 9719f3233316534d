package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// maxHTML is the maximum number of open findings on a page and, separately, of other findings.
// Browsers can still display a page of that size.
const maxHTML = 5000

//go:embed html.tmpl
var htmlTemplate string

//go:embed html.css
var htmlStyle string

// writeHTML writes the report as a self-contained page without scripts or requests, and with a
// content security policy that forbids both. All text goes through html/template; the policy allows
// the page's style by its digest.
func writeHTML(w *bufio.Writer, r *Report, o Options) error {
	page, err := template.New("report").Parse(htmlTemplate)
	if err != nil {
		return err
	}
	return page.Execute(w, newHTMLPage(r, o.Rules))
}

// The parts of a page. All text that the page shows has been escaped by visible.
type (
	htmlPage struct {
		Policy   string
		Style    template.CSS
		Verdict  string
		Tone     string // a severity, "clean" or "incomplete"
		Summary  []string
		Counts   []htmlCount
		Gaps     []htmlReason
		Left     string // note about findings left out
		Servers  []htmlServer
		Decided  []htmlFinding
		Lists    []htmlList
		Notes    []string
		Version  string
		Findings int
	}
	htmlCount struct {
		Severity                        string
		Open, Suppressed, Old, Approved int
	}
	htmlServer struct {
		ID, Name string
		Findings []htmlFinding
		Index    []htmlFinding // the worst findings, for the top of the page
		More     int           // number of findings not in the index
	}
	htmlFinding struct {
		ID, Severity, Message, Remarks string
		Rule, RuleURI                  string
		Server, Subject, Tool, Field   string
		Before, Match, After, Decoded  string
		Signals                        []string
		Location, Seen, Status         string
		Related                        []htmlReason
		More                           int // number of related locations not listed
		Diff                           []htmlLine
		Why, Fix                       string
		ExplainedBy                    string // ID of the finding that has the rule's Why and Fix
		server                         string // Server before escaping, to group findings
	}
	htmlLine   struct{ Kind, Text string }
	htmlReason struct{ Count, Text, Place string }
	htmlList   struct {
		Title string
		Rows  []htmlReason
	}
)

type htmlWriter struct {
	rules map[string]*scanner.Rule // rules by ID
	ids   map[string]bool          // IDs in use
	told  map[string]string        // ID of the finding that explains its rule, by rule
}

func newHTMLPage(r *Report, rules []scanner.Rule) *htmlPage {
	h := &htmlWriter{rules: byID(rules), ids: map[string]bool{}, told: map[string]string{}}
	open, left := worst(worstFirst(r.Findings), maxHTML)
	digest := sha256.Sum256([]byte(htmlStyle))
	page := &htmlPage{
		Policy:  "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'; base-uri 'none'; form-action 'none'",
		Style:   template.CSS(htmlStyle),
		Verdict: verdict(r), Tone: tone(r), Summary: summary(r), Counts: htmlCounts(r.Summary), Gaps: reasons(gaps(r)),
		Servers: h.servers(open), Notes: r.Coverage.notes(), Version: visible(r.Tool.Version, maxResultName), Findings: len(open),
	}
	for _, f := range fold(r.Findings, inSessions) {
		if f.open() {
			continue
		}
		if len(page.Decided) == maxHTML {
			left++
			continue
		}
		page.Decided = append(page.Decided, h.finding(f))
	}
	if left > 0 {
		page.Left = fmt.Sprintf("%s left out to keep this page readable; any open ones among them are the least severe. The JSON report lists more.", Count(left, "finding"))
	}
	page.Lists = htmlLists(r)
	return page
}

// tone returns the severity or state that determines the colour of a page's verdict.
func tone(r *Report) string {
	if s, any := r.Summary.Open().Worst(); any {
		return s.String()
	}
	if len(gaps(r)) > 0 {
		return "incomplete"
	}
	return "clean"
}

func htmlCounts(s Summary) []htmlCount {
	var out []htmlCount
	open := s.Open()
	for _, severity := range slices.Backward(scanner.Severities[:]) {
		out = append(out, htmlCount{severity.String(), open.Of(severity), s.Suppressed.Of(severity), s.Unchanged.Of(severity), s.Approved.Of(severity)})
	}
	return out
}

// servers groups findings by server, keeping their order.
func (h *htmlWriter) servers(list []repeated) []htmlServer {
	var all []htmlFinding
	for _, f := range list {
		all = append(all, h.finding(f))
	}
	var out []htmlServer
	for _, own := range together(all, func(f htmlFinding) string { return f.server }) {
		for i := range own { // in page order: the first finding of a rule explains it
			h.explain(&own[i])
		}
		index := own[:min(len(own), maxRows)]
		out = append(out, htmlServer{ID: fmt.Sprintf("server-%d", len(out)+1), Name: own[0].Server, Findings: own, Index: index, More: len(own) - len(index)})
	}
	return out
}

func (h *htmlWriter) explain(f *htmlFinding) {
	r := h.rules[f.Rule]
	if r == nil {
		return
	}
	if h.told[f.Rule] == "" {
		h.told[f.Rule] = f.ID
		f.Why, f.Fix = visible(r.Why, textLimit), visible(r.Fix, textLimit)
		return
	}
	f.ExplainedBy = h.told[f.Rule]
}

func (h *htmlWriter) finding(f repeated) htmlFinding {
	out := htmlFinding{
		ID: h.id(f.Fingerprint), Severity: f.Severity.String(), Message: opening(visible(f.Message, textLimit)), Remarks: strings.TrimSpace(remarks(f.Finding)),
		Rule: ruleID(f.Rule), Server: visible(f.Server, textLimit),
		Subject: visible(f.Subject, textLimit), Tool: visible(f.Tool, textLimit), Field: visible(f.Field, textLimit),
		Location: place(f.Location), Seen: seen(f), server: f.Server,
	}
	if r := h.rules[f.Rule]; r != nil {
		out.RuleURI = ruleURI(r.ID)
	}
	if !f.open() {
		out.Status = status(f.Finding)
	}
	out.Before, out.Match, out.After = inContext(f.Evidence)
	out.Decoded = f.Evidence.decoded()
	for _, s := range f.Signals {
		out.Signals = append(out.Signals, visible(s, textLimit))
	}
	for i, rel := range f.Related {
		if i == maxRows {
			out.More = len(f.Related) - i
			break
		}
		out.Related = append(out.Related, htmlReason{Text: visible(rel.Message, textLimit), Place: place(rel.Location)})
	}
	lines := diffLines(f.Diff)
	for i, what := range changes(lines) {
		out.Diff = append(out.Diff, htmlLine{diffKinds[what], lines[i]})
	}
	return out
}

// diffKinds are the CSS classes of diff lines.
var diffKinds = map[change]string{kept: "kept", added: "added", removed: "removed", hunk: "hunk", names: "names"}

// id returns the anchor of a finding: its fingerprint, so that links work in later reports, or
// a number.
func (h *htmlWriter) id(fingerprint string) string {
	id := "finding-" + strings.TrimPrefix(fingerprint, "f1:")
	if !scanner.FingerprintForm.MatchString(fingerprint) || h.ids[id] {
		id = fmt.Sprintf("finding-%d", len(h.ids)+1)
	}
	h.ids[id] = true
	return id
}

// htmlLists returns the lists below the findings.
func htmlLists(r *Report) []htmlList {
	var unused, inputs []htmlReason
	for _, u := range r.UnusedIgnores {
		unused = append(unused, htmlReason{Text: visible(u.Why+": "+u.Reason, textLimit), Place: place(u.Location)})
	}
	for _, in := range r.Inputs {
		inputs = append(inputs, htmlReason{Count: visible(in.Kind, textLimit), Text: cmp.Or(visible(in.Name, textLimit), "without a name")})
	}
	lists := []htmlList{
		{"Left out", reasons(r.Coverage.Ignored)}, {"Ignores that suppress nothing", unused}, {"Inputs", inputs},
	}
	return slices.DeleteFunc(lists, func(l htmlList) bool { return len(l.Rows) == 0 })
}

func reasons(list []Skipped) []htmlReason {
	var out []htmlReason
	for _, s := range list {
		row := htmlReason{Count: fmt.Sprintf("%d ×", s.Count), Text: visible(s.Reason, textLimit)}
		if s.First != nil {
			row.Place = place(*s.First)
		}
		out = append(out, row)
	}
	return out
}
