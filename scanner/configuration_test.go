package scanner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// configRule returns a rule with the given checks.
func configRule(id string, config, configs func(*scanner.ConfigPass)) scanner.Rule {
	return scanner.Rule{ID: id, Category: "configuration", Title: "t", Why: "w", Fix: "f", Basis: "b", Refs: []string{"CWE-0"}, Config: config, Configs: configs}
}

func configEvent(c *configfile.ClientConfig) *scanner.Event {
	return &scanner.Event{Kind: scanner.ConfigEvent, Config: c, Origin: scanner.Origin{File: c.Path, Line: 1, Column: 1}}
}

// TestConfigFindings checks that a finding is located at its value, or at the
// nearest enclosing one, and shows none of the entry's secrets.
func TestConfigFindings(t *testing.T) {
	c := &configfile.ClientConfig{Path: "c.json", Settings: []configfile.Setting{{Pointer: "/hooks/0", Pos: configfile.Position{Line: 9, Column: 2}}}, Entries: []configfile.Entry{{
		Name: "a\x1b[2J", Pos: configfile.Position{Line: 2, Column: 3}, Args: []string{"--token", "hunter2hunter2"},
		Env:  map[string]string{"A_PASSWORD": "Tr0ubador", "B_TOKEN": "${B}", "SHORT_KEY": "ab"},
		Span: map[string]configfile.Position{"/args/0": {Line: 4, Column: 5}, "/env": {Line: 7, Column: 1}},
	}}}
	rule := configRule("tst-config", func(p *scanner.ConfigPass) {
		e := &p.Entries[0]
		p.Report(e, "/args/0", scanner.High, "m", "ab ${B} Tr0ubador hunter2hunter2 ghp_k3Jd92LmQx7Rt5Vb8Zn1Wc4Yp6Sf0HaGuE2")
		p.Report(e, "/env/X", scanner.Low, "m", "x")
		p.Report(e, "/nothing", scanner.Low, "m", "x")
		p.Report(nil, "/hooks/0", scanner.Low, "m", "x")
		p.Report(nil, "/nothing", scanner.Low, "m", "x")
	}, nil)
	s, res := run(t, []scanner.Rule{rule}, configEvent(c))
	var got []string
	for _, f := range s.findings {
		got = append(got, fmt.Sprintf("%d:%d %s %s %q", f.Location.Line, f.Location.Column, f.Subject, f.Pointer, f.Server))
	}
	want := "1:1 configuration /nothing \"\"\n2:3 configuration /nothing \"a<U+001B>[2J\"\n4:5 configuration /args/0 \"a<U+001B>[2J\"\n7:1 configuration /env/X \"a<U+001B>[2J\"\n9:2 configuration /hooks/0 \"\""
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if e := s.findings[2].Evidence.Text; e != "ab ${B} [masked] [masked] ghp_[masked]" {
		t.Errorf("the evidence is %q", e)
	}
	if res.Coverage.Events != 1 || res.Coverage.Inspected != 1 || res.Stats.Sessions != 0 || res.Stats.Servers != 0 {
		t.Errorf("%+v", res)
	}
}

// TestConfigsInOrder checks that a Configs check sees earlier configurations, in order,
// and no later ones.
func TestConfigsInOrder(t *testing.T) {
	var events []*scanner.Event
	for i := range 30 {
		events = append(events, configEvent(&configfile.ClientConfig{Path: fmt.Sprintf("%02d.json", i), Entries: []configfile.Entry{{Name: "a"}}}))
	}
	rule := configRule("tst-configs", nil, func(p *scanner.ConfigPass) {
		var related []scanner.Related
		for _, b := range p.Before("a") {
			related = append(related, scanner.Related{Location: b.Location()})
		}
		p.Report(&p.Entries[0], "", scanner.Low, "m", "x", related...)
	})
	s, _ := run(t, []scanner.Rule{rule}, events...)
	if len(s.findings) != 30 {
		t.Fatalf("%d findings", len(s.findings))
	}
	for i, f := range s.findings {
		if want := min(i, 16); len(f.Related) != want || want > 0 && f.Related[want-1].Location.File != fmt.Sprintf("%02d.json", want-1) {
			t.Errorf("%s has %d related places", f.Location.File, len(f.Related))
		}
	}
}

// TestConfigBounds checks that for a configuration of any size, only the worst findings are kept,
// up to the maximum, and that the dropped ones are reported. A panic in a check must become a
// finding.
func TestConfigBounds(t *testing.T) {
	c := &configfile.ClientConfig{Path: "c.json", Entries: make([]configfile.Entry, 3000)}
	many := configRule("tst-many", func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			severity := scanner.Low
			if i == 2999 {
				severity = scanner.Critical
			}
			p.Report(&p.Entries[i], "", severity, "m", "x")
		}
	}, nil)
	s, res := run(t, []scanner.Rule{many}, configEvent(c))
	worst := scanner.Note
	for _, f := range s.findings {
		worst = max(worst, f.Severity)
	}
	if len(s.findings) != 1000 || worst != scanner.Critical || res.Coverage.Inspected != 0 || len(res.Coverage.Skipped) != 1 {
		t.Errorf("%d findings, worst %s, %+v", len(s.findings), worst, res.Coverage)
	}
	crash := func(*scanner.ConfigPass) { panic("x") }
	s, _ = run(t, []scanner.Rule{configRule("tst-a", crash, nil), configRule("tst-b", nil, crash)}, configEvent(c))
	if len(s.findings) != 2 || s.findings[0].Rule.ID != "rule-crashed" {
		t.Errorf("%+v", s.findings)
	}
}
