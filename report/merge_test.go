package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestMergeKeepsTheWorst checks that merged shards list the same findings as a single run if there
// is no room for all, regardless of their sizes and order.
func TestMergeKeepsTheWorst(t *testing.T) {
	const shards = 5
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 1))
		one := NewCollector(scanner.Low)
		var parts [shards]*Collector
		for i := range parts {
			parts[i] = NewCollector(scanner.Low)
			parts[i].KeepForMerge()
		}
		rules := []*scanner.Rule{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}, {ID: "e"}, {ID: "f"}}
		for i := range 40_000 {
			session := rng.IntN(40)
			e := &scanner.Event{Session: fmt.Sprint("s", session), Server: "srv", Kind: scanner.FrameEvent}
			f := scanner.Finding{Rule: rules[rng.IntN(len(rules))], Severity: scanner.Severities[rng.IntN(len(scanner.Severities))], Session: e.Session,
				Subject: mcp.ToolSubject, Name: fmt.Sprint("t", i), Message: strings.Repeat("m", rng.IntN(2000)), Status: scanner.Status(rng.IntN(2) * rng.IntN(3)),
				Location: scanner.Location{File: fmt.Sprint("f", rng.IntN(3)), Line: 1 + i}}
			feed(t, one, e, &f, false)
			for k, p := range parts {
				feed(t, p, e, &f, session%shards != k)
			}
		}
		want := one.Report(nil, "v", scanner.Result{})
		var partial []*Partial
		for k, c := range parts {
			p := c.Partial(nil, "v", scanner.Result{})
			p.Shard, p.Of = k+1, shards
			if n := len(p.Findings) * memberBytes; n > maxReport {
				t.Errorf("a partial report has %d findings, more than a report can", len(p.Findings))
			}
			partial = append(partial, p)
		}
		got, bounds, err := Merge(partial)
		if err != nil || len(bounds) > 0 {
			t.Fatal(err, bounds)
		}
		if len(want.Summary.Unlisted) == 0 || len(want.Findings) < 1000 {
			t.Fatalf("%d findings, %v unlisted: the test says little", len(want.Findings), want.Summary.Unlisted)
		}
		if a, b := render(t, "json", want, Options{}), render(t, "json", got, Options{}); a != b {
			t.Errorf("seed %d: merged %d findings, one run lists %d", seed, len(got.Findings), len(want.Findings))
		}
	}
}

// TestMergeOfRecurring checks that findings that recur at a higher severity are listed at the
// same locations as in a single run, even if there was no room for all of them when they were
// first seen.
func TestMergeOfRecurring(t *testing.T) {
	const shards = 3
	rng := rand.New(rand.NewPCG(1, 1))
	one := NewCollector(scanner.Low)
	var parts [shards]*Collector
	for i := range parts {
		parts[i] = NewCollector(scanner.Low)
		parts[i].KeepForMerge()
	}
	rules := []*scanner.Rule{{ID: "a"}, {ID: "b"}}
	for i := range 20_000 {
		session := rng.IntN(30)
		e := &scanner.Event{Session: fmt.Sprint("s", session), Server: "srv", Kind: scanner.FrameEvent}
		f := scanner.Finding{Rule: rules[rng.IntN(2)], Severity: scanner.Severities[1+rng.IntN(2)*rng.IntN(2)], Session: e.Session, Message: fmt.Sprint("m", i), Subject: mcp.ToolSubject,
			Name: fmt.Sprint("t", rng.IntN(400)), Status: scanner.Status(rng.IntN(2) * rng.IntN(2)), Location: scanner.Location{File: "f", Line: 1 + i}}
		feed(t, one, e, &f, false)
		for k, p := range parts {
			feed(t, p, e, &f, session%shards != k)
		}
	}
	want := one.Report(nil, "v", scanner.Result{})
	var partial []*Partial
	for k, c := range parts {
		p := c.Partial(nil, "v", scanner.Result{})
		p.Shard, p.Of = k+1, shards
		partial = append(partial, p)
	}
	got, bounds, err := Merge(partial)
	if err != nil || len(bounds) > 0 {
		t.Fatal(err, bounds)
	}
	if len(want.Summary.Unlisted) == 0 || one.worsened < 100 {
		t.Fatalf("%v unlisted, %d worsened: the test says little", want.Summary.Unlisted, one.worsened)
	}
	if a, b := render(t, "json", want, Options{}), render(t, "json", got, Options{}); a != b {
		t.Errorf("merged %d findings, one run lists %d", len(got.Findings), len(want.Findings))
	}
}

func feed(t *testing.T, c *Collector, e *scanner.Event, f *scanner.Finding, elsewhere bool) {
	t.Helper()
	if err := c.Event(e, &scanner.Outcome{Elsewhere: elsewhere}); err != nil {
		t.Fatal(err)
	}
	if elsewhere {
		return
	}
	if err := c.Finding(f); err != nil {
		t.Fatal(err)
	}
}

// TestMergeRefuses checks that the error names the partial report that belongs to
// another run.
func TestMergeRefuses(t *testing.T) {
	part := func(change func(p *Partial)) *Partial {
		p := NewCollector(scanner.Low).Partial(nil, "v", scanner.Result{})
		p.Shard, p.Of = 1, 2
		change(p)
		return p
	}
	same := func(*Partial) {}
	for _, c := range []struct {
		second func(p *Partial)
		want   string
	}{
		{same, "given twice"},
		{func(p *Partial) { p.Shard, p.Of = 2, 3 }, "one of 3 shards, but the first report is one of 2"},
		{func(p *Partial) { p.Shard, p.Settings = 2, "x" }, "its flags"},
		{func(p *Partial) { p.Shard, p.Inputs = 2, []Input{{"recording", "x"}} }, "its flags, files"},
		{func(p *Partial) { p.Shard, p.Events = 2, 9 }, "its input contains 9 events, but the first report's contains 0"},
		{func(p *Partial) { p.Shard, p.Tool.Version = 2, "w" }, "written by mcpscan w"},
	} {
		if _, _, err := Merge([]*Partial{part(same), part(c.second)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, _, err := Merge([]*Partial{part(same)}); err == nil || !strings.Contains(err.Error(), "1 of 2 shards: missing 2") {
		t.Error(err)
	}
	if _, _, err := Merge(nil); err == nil {
		t.Error("nothing was merged")
	}
}

// TestMergeTellsLimits checks that merge reports limits for which the shards together kept more
// than a single run would.
func TestMergeTellsLimits(t *testing.T) {
	var parts []*Partial
	for i := range 2 {
		p := NewCollector(scanner.Low).Partial(nil, "v", scanner.Result{Bounds: []scanner.Bound{{Name: "values", Used: 6, Most: 10}}})
		p.Shard, p.Of = i+1, 2
		parts = append(parts, p)
	}
	if _, bounds, err := Merge(parts); err != nil || len(bounds) != 1 || !strings.Contains(bounds[0], "values: 12 in all shards together, but a single run keeps only 10") {
		t.Error(bounds, err)
	}
}

// FuzzReadPartial checks that a manipulated partial report is rejected or merged, without a panic.
func FuzzReadPartial(f *testing.F) {
	c := NewCollector(scanner.Low)
	e := &scanner.Event{Session: "s", Server: "srv", Kind: scanner.FrameEvent}
	_ = c.Event(e, &scanner.Outcome{Messages: []scanner.Judged{{Message: &scanner.Message{}, Listings: []scanner.Listing{{Definition: &mcp.Definition{Name: "t"}}}}}})
	_ = c.Finding(&scanner.Finding{Rule: &scanner.Rule{ID: "a"}, Severity: scanner.High, Session: "s"})
	p := c.Partial(nil, "v", scanner.Result{})
	p.Shard, p.Of = 1, 1
	p.SetRules(sampleRules())
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPartial(bytes.NewReader(data))
		if err != nil {
			return
		}
		if r, _, err := Merge([]*Partial{p}); err == nil {
			for _, format := range Formats() {
				render(t, format, r, Options{Rules: p.RuleTexts()})
			}
		}
	})
}
