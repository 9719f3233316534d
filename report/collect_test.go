package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/scanner"
)

func TestCollectorCountsAndOrders(t *testing.T) {
	r := sample(t)
	if want := (Counts{Critical: 2, High: 1, Medium: 1, Note: 1}); r.Summary.Findings != want || r.Summary.Hidden != 1 {
		t.Errorf("counts are %+v with %d hidden, want %+v with 1", r.Summary.Findings, r.Summary.Hidden, want)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%d:%d %s %s x%d", f.Location.Line, f.Location.Column, f.Rule, f.Session, f.Occurrences))
	}
	want := "3:212 inj-conceal s1 x1|3:901 hid-bidi s1 x1|40:212 inj-conceal s2 x1|77:1 burst s1 x3"
	if strings.Join(got, "|") != want {
		t.Errorf("findings are\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	if stamp := *r.Findings[0].Timestamp; stamp != "2026-01-06T10:30:00.000000001Z" {
		t.Errorf("timestamp is %s, want it in UTC with nanoseconds", stamp)
	}
	if r.Findings[0].Action != "alert" || r.Findings[3].Action != "block" {
		t.Error("an action is missing or lost")
	}
}

func TestCollectorRaisesARepeatedFinding(t *testing.T) {
	rules := sampleRules()
	f := sampleFindings(rules)[1]
	c := NewCollector(scanner.Medium)
	for i, s := range []scanner.Severity{scanner.Low, scanner.High, scanner.Medium, scanner.Critical, scanner.Note} {
		f.Severity, f.Message = s, fmt.Sprint("message ", i)
		f.Location.Line = i + 1
		if err := c.Finding(&f); err != nil {
			t.Fatal(err)
		}
	}
	r := c.Report(nil, "", scanner.Result{})
	if (r.Summary.Findings != Counts{Critical: 1}) || r.Summary.Hidden != 0 || len(r.Findings) != 1 {
		t.Fatalf("got %+v with %d hidden and %d listed, want one critical", r.Summary.Findings, r.Summary.Hidden, len(r.Findings))
	}
	if got := r.Findings[0]; got.Severity != scanner.Critical || got.Message != "message 3" || got.Location.Line != 2 || got.Occurrences != 5 {
		t.Errorf("got %+v", got)
	}
}

// TestCollectorKeepsWhatIsOpen checks that a finding that is open once and suppressed or unchanged
// at other times counts as open, in any order, and that every finding is counted.
func TestCollectorKeepsWhatIsOpen(t *testing.T) {
	rules := sampleRules()
	for _, c := range []struct {
		statuses  []scanner.Status
		want      string
		reason    string
		open      int
		unchanged int
	}{
		{[]scanner.Status{scanner.Suppressed, scanner.Suppressed}, "suppressed", "why", 0, 0},
		{[]scanner.Status{scanner.Suppressed, scanner.Open}, "open", "", 1, 0},
		{[]scanner.Status{scanner.Open, scanner.Suppressed}, "open", "", 1, 0},
		{[]scanner.Status{scanner.Unchanged, scanner.Open, scanner.Unchanged}, "open", "", 1, 0},
		{[]scanner.Status{scanner.Suppressed, scanner.Unchanged}, "unchanged", "", 0, 1},
	} {
		collector := NewCollector(scanner.Note)
		for i, status := range c.statuses {
			f := sampleFindings(rules)[1]
			if f.Status = status; status == scanner.Suppressed {
				f.Reason = "why"
			}
			f.Severity = scanner.Severities[3+i%2]
			if err := collector.Finding(&f); err != nil {
				t.Fatal(err)
			}
		}
		r := collector.Report(nil, "", scanner.Result{})
		f, s := r.Findings[0], r.Summary
		if len(r.Findings) != 1 || f.Status != c.want || f.Reason != c.reason || f.Severity != scanner.Critical {
			t.Errorf("%v: %+v", c.statuses, f)
		}
		if s.Findings.Total() != 1 || s.Open().Total() != c.open || s.Unchanged.Total() != c.unchanged || s.Findings.Total() != s.Open().Total()+s.Unchanged.Total()+s.Suppressed.Total() {
			t.Errorf("%v: %+v, open %+v", c.statuses, s, s.Open())
		}
	}
}

func TestCollectorLaws(t *testing.T) {
	rules := sampleRules()
	rapid.Check(t, func(t *rapid.T) {
		lowest := rapid.SampledFrom(scanner.Severities[:]).Draw(t, "lowest")
		c := NewCollector(lowest)
		n := rapid.IntRange(0, 40).Draw(t, "n")
		distinct := map[string]bool{}
		for range n {
			rule := &rules[rapid.IntRange(0, len(rules)-1).Draw(t, "rule")]
			f := scanner.Finding{Rule: rule, Severity: rule.Severity,
				Session: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session"),
				Name:    rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "name")}
			distinct[f.Session+f.Fingerprint()] = true
			if err := c.Finding(&f); err != nil {
				t.Fatal(err)
			}
		}
		r := c.Report(nil, "", scanner.Result{})
		if r.Summary.Findings.Total() != len(distinct) {
			t.Fatalf("%d findings counted, %d are distinct", r.Summary.Findings.Total(), len(distinct))
		}
		if r.Summary.Hidden+len(r.Findings) != len(distinct) {
			t.Fatalf("%d hidden and %d listed, of %d", r.Summary.Hidden, len(r.Findings), len(distinct))
		}
		for i, f := range r.Findings {
			if f.Severity < lowest || f.Occurrences < 1 || i > 0 && byPlace(r.Findings[i-1], f) >= 0 {
				t.Fatalf("finding %d is not to be listed or out of order: %+v", i, f)
			}
		}
	})
}

func TestEmptyReportHasNoNull(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "json", NewCollector(scanner.Note).Report(nil, "1", scanner.Result{}), Options{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Errorf("null occurs in\n%s", b.String())
	}
}

// BenchmarkCollector collects 100,000 distinct findings. B/op is about twice the
// memory held at the end, because tables are copied when they grow.
func BenchmarkCollector(b *testing.B) {
	rules := sampleRules()
	base := sampleFindings(rules)[1]
	b.ReportAllocs()
	for b.Loop() {
		c := NewCollector(scanner.Note)
		for i := range 100_000 {
			f := base
			f.Pointer = fmt.Sprintf("/result/content/%d/text", i)
			f.Location.Line = i
			if err := c.Finding(&f); err != nil {
				b.Fatal(err)
			}
		}
		c.Report(nil, "", scanner.Result{})
	}
}
