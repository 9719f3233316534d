package report

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

func TestJUnitSample(t *testing.T) {
	r := decidedSample(t)
	r.Findings = r.Findings[1:]
	r.Findings[1].Status, r.Findings[1].Evidence.Text, r.Findings[1].Evidence.Context = "", "", ""
	r.Coverage.Skipped, r.Config.AlertThreshold = r.Coverage.Skipped[:1], nil
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mcpscan" tests="3" failures="1" errors="1" skipped="1">
  <testsuite name="mcpscan" tests="3" failures="1" errors="1" skipped="1">
    <testcase classname="filesystem" name="inj-conceal read_file">
      <skipped message="unchanged">critical: The description tells the model to keep something from the user.`
	got := render(t, "junit", r, Options{})
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `    <testcase classname="filesystem" name="hid-bidi read_file">
      <failure type="hid-bidi" message="high: The input schema holds 2 characters that reorder text, and the order shown to a reviewer is not the order that the model reads.">`
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `    <testcase classname="mcpscan" name="not inspected: frame is no JSON">
      <error type="not-inspected" message="frame is no JSON (1 time)">first at logs/events.jsonl:99:1</error>
    </testcase>
`
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestJUnitThreshold checks that a finding fails at high, at the configured alert
// threshold, or at the severity chosen by the user.
func TestJUnitThreshold(t *testing.T) {
	r := sample(t)
	for threshold, failures := range map[string]int{"": 2, "critical": 1, "medium": 3} {
		r.Config = nil
		var s scanner.Severity
		if threshold != "" && s.UnmarshalText([]byte(threshold)) == nil {
			r.Config = &Config{AlertThreshold: &s}
		}
		got := checkJUnit(t, render(t, "junit", r, Options{}))
		if low := scanner.Low; checkJUnit(t, render(t, "junit", r, Options{Fails: &low})).Failures != 3 {
			t.Error("the severity asked for does not count")
		}
		if got.Failures != failures || got.Tests != 5 || got.Errors != 2 {
			t.Errorf("with the threshold %q %d of %d tests fail, want %d of 5", threshold, got.Failures, got.Tests, failures)
		}
	}
}

func TestJUnitShowsThatNothingWasFound(t *testing.T) {
	r := NewCollector(scanner.Note).Report(nil, "1", scanner.Result{Coverage: scanner.Coverage{Events: 3, Inspected: 3}})
	if s := checkJUnit(t, render(t, "junit", r, Options{})); s.Tests != 1 || s.Failures+s.Errors+s.Skipped != 0 || s.Cases[0].Output != "No findings." {
		t.Errorf("got %+v", s)
	}
	r.Coverage = Coverage{}
	if s := checkJUnit(t, render(t, "junit", r, Options{})); s.Tests != 1 || s.Errors != 1 {
		t.Errorf("a run that inspected nothing passes: %+v", s)
	}
}

// TestJUnitNames checks that names are unique, because some CI systems merge test
// cases with the same name.
func TestJUnitNames(t *testing.T) {
	r := sample(t)
	f := r.Findings[1]
	r.Findings, r.Coverage.Skipped = nil, nil
	for _, fingerprint := range []string{"1", "2", "3", "4"} {
		f.Fingerprint = fingerprint
		if fingerprint == "4" {
			f.Field = "/title"
		}
		r.Findings = append(r.Findings, f)
	}
	var names []string
	for _, c := range checkJUnit(t, render(t, "junit", r, Options{})).Cases {
		names = append(names, c.Name)
	}
	field := "hid-bidi read_file /inputSchema/properties/path/description"
	if got, want := strings.Join(names, "|"), "hid-bidi read_file|"+field+"|"+field+" (2)|hid-bidi read_file /title"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestJUnitHoldsAnyText(t *testing.T) {
	r := diffSample(t, "+]]>\x00\ufffe\U000e0041\x0b")
	f := &r.Findings[0]
	f.Message, f.Server = "]]></failure>\x00\ufffe\xff", "<a b=\"c\">&amp;"
	s := checkJUnit(t, render(t, "junit", r, Options{}))
	if got := s.Cases[0]; got.Class != f.Server || !strings.Contains(got.Failure.Message, "]]></failure><U+0000><U+FFFE>\ufffd") ||
		!strings.Contains(got.Failure.Body, "diff:\n+]]><U+0000><U+FFFE><U+E0041><U+000B>\n") {
		t.Errorf("got %+v, %+v", got, got.Failure)
	}
}
