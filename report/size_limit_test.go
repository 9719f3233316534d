package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// flood adds n findings to a collector, followed by a critical one.
func flood(t *testing.T, n int, each func(i int, f *scanner.Finding)) *Report {
	t.Helper()
	c, rule := NewCollector(scanner.Note), sampleRules()[0]
	for i := range n + 1 {
		f := scanner.Finding{Rule: &rule, Severity: scanner.Low, Message: "m", Session: "s", Server: fmt.Sprintf("server%d", i), Location: scanner.Location{File: "f", Line: i + 1, Column: 1}}
		if each(i, &f); i == n {
			f.Severity = scanner.Critical
		}
		if err := c.Finding(&f); err != nil {
			t.Fatal(err)
		}
	}
	return c.Report(nil, "1", scanner.Result{Coverage: scanner.Coverage{Events: 1, Inspected: 1}})
}

// TestFloodOfFindings checks that findings that do not fit into a report are counted by rule and
// severity and in the summary, and that the worst finding is listed although it comes last.
func TestFloodOfFindings(t *testing.T) {
	for _, n := range []int{maxAlike, maxAlike + 1, maxDistinct + 7} {
		r := flood(t, n, func(int, *scanner.Finding) {})
		more := n - maxAlike
		if got := r.Summary.Findings; got.Low != n || got.Critical != 1 {
			t.Errorf("%d: counted %+v", n, got)
		}
		if last := r.Findings[len(r.Findings)-1]; len(r.Findings) != maxAlike+1 || last.Severity != scanner.Critical {
			t.Errorf("%d: %d findings are listed, the last is %s", n, len(r.Findings), last.Severity)
		}
		if more == 0 && r.Summary.Unlisted == nil {
			continue
		}
		if want := []Unlisted{{r.Findings[0].Rule, scanner.Low, more}}; !slices.Equal(r.Summary.Unlisted, want) {
			t.Errorf("%d: unlisted %+v, want %+v", n, r.Summary.Unlisted, want)
		}
		var out bytes.Buffer
		if err := Write(&out, "text", r, Options{}); err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), fmt.Sprintf("%s counted but not listed, to keep the report short", Count(more, "finding"))) {
			t.Errorf("%d: %v, the text does not say what is missing", n, err)
		}
	}
}

// TestReportsAreBounded checks that no format exceeds 50 MB, whatever the findings and
// their characters, and that the worst finding is listed.
func TestReportsAreBounded(t *testing.T) {
	for name, letter := range map[string]string{"quotes": `"`, "angles": "<&"} {
		long := strings.Repeat(letter, 400/len(letter))
		rules := make([]scanner.Rule, 40)
		for i := range rules {
			rules[i] = sampleRules()[0]
			rules[i].ID = fmt.Sprintf("rule-%d", i)
		}
		r := flood(t, 20*maxAlike, func(i int, f *scanner.Finding) {
			f.Rule = &rules[i%len(rules)]
			f.Message, f.Evidence, f.Diff = long, scanner.Evidence{Text: long[:200], Context: long}, strings.Repeat("+"+long[:150]+"\n", 10)
		})
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == scanner.Critical }) || len(r.Summary.Unlisted) == 0 {
			t.Errorf("%s: %d findings are listed, unlisted %+v", name, len(r.Findings), r.Summary.Unlisted)
		}
		for _, format := range Formats() {
			var out bytes.Buffer
			if err := Write(&out, format, r, Options{Rules: rules}); err != nil || out.Len() > 50_000_000 {
				t.Errorf("%s, %s: %d bytes, %v", name, format, out.Len(), err)
			}
		}
	}
}

// TestWorsenedFindings checks that findings that recur in a worse form, with more text, do not exceed
// the size of a report.
func TestWorsenedFindings(t *testing.T) {
	c := NewCollector(scanner.Note)
	kinds := make([]scanner.Rule, 5) // more than one kind, because few findings of a kind are listed
	for i := range kinds {
		kinds[i] = sampleRules()[0]
		kinds[i].ID = fmt.Sprint("rule-", i)
	}
	long := strings.Repeat("+"+strings.Repeat("x", 190)+"\n", 59)
	for _, severity := range []scanner.Severity{scanner.Low, scanner.High} {
		for i := range 9000 {
			f := scanner.Finding{Rule: &kinds[i%len(kinds)], Severity: severity, Message: "m", Session: "s", Server: fmt.Sprint("server", i), Location: scanner.Location{File: "f", Line: i + 1, Column: 1}}
			if severity == scanner.High {
				f.Diff = fmt.Sprint(i, long)
			}
			if err := c.Finding(&f); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, sum := c.Report(nil, "1", scanner.Result{}), 0
	for i := range r.Findings {
		sum += size(&r.Findings[i])
	}
	if sum > maxReport || len(r.Findings) == 0 {
		t.Errorf("%d findings take %d bytes, the limit is %d", len(r.Findings), sum, maxReport)
	}
}
