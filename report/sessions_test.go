package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// inSession adds a call in a session, and a finding about it, to a collector.
func inSession(t *testing.T, c *Collector, session string, f *scanner.Finding) {
	t.Helper()
	e := &scanner.Event{Session: session, Server: "files", Direction: mcp.ClientToServer}
	d := &mcp.Definition{Kind: mcp.ToolSubject, Name: fmt.Sprint("read", len(c.sessions.shown))}
	m := scanner.Judged{Message: &scanner.Message{Kind: mcp.Request, Method: "tools/call"}, Calls: 1, Listings: []scanner.Listing{{Definition: d}, {Definition: d, Before: d}, {Definition: d, Before: d, Again: true}}}
	if err := c.Event(e, &scanner.Outcome{First: true, Messages: []scanner.Judged{m}}); err != nil {
		t.Fatal(err)
	}
	if f != nil {
		found := *f
		found.Session = session
		if err := c.Finding(&found); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSessionsAreSummedUp(t *testing.T) {
	c, found := NewCollector(scanner.Low), sampleFindings(sampleRules())
	inSession(t, c, "clean", nil)
	inSession(t, c, "bad", &found[3])
	inSession(t, c, "bad", &found[3])
	inSession(t, c, "worse", &found[1])
	found[1].Status = scanner.Suppressed
	inSession(t, c, "accepted", &found[1])
	r := c.Report(nil, "1", scanner.Result{Coverage: scanner.Coverage{Events: 5, Inspected: 5}})
	var got []string
	for _, s := range r.Summary.PerSession {
		line := fmt.Sprintf("%s %d/%d/%d/%d/%d %s", s.Session, s.Servers, s.Tools, s.ToolsNew, s.ToolsChanged, s.Calls, s.found())
		for _, top := range s.TopFindings {
			line += " " + top.said(shownName)
		}
		got = append(got, line)
	}
	want := []string{"worse 1/1/1/1/1 1 critical inj-conceal in read_file of filesystem", `bad 2/2/2/2/2 1 medium burst in create_issue of "git hub" (2 times)`,
		"clean 1/1/1/1/1 nothing open", "accepted 1/1/1/1/1 nothing open"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := reportSchema(t, true).Validate(decode(t, jsonOf(t, r))); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := Write(&b, "text", r, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\nSessions:\n  worse: 1 server, 1 tool (1 changed), 1 call; 1 critical\n    inj-conceal in read_file of filesystem\n") ||
		!strings.Contains(b.String(), "\nand 1 more\n") && !strings.Contains(b.String(), "\n  and 1 more\n") {
		t.Errorf("the text says\n%s", b.String())
	}
}

// TestToolsAreNewByTime checks that a tool is new to the session with the earliest listing,
// and that sessions with equal findings are ordered by time, whatever the order of the
// input.
func TestToolsAreNewByTime(t *testing.T) {
	at := func(session, tool string, second int64) *scanner.Event {
		return &scanner.Event{Session: session, Server: "files", Type: tool, Time: time.Unix(second, 0)}
	}
	events := []*scanner.Event{at("b", "read", 3), at("c", "read", 2), at("a", "read", 2), at("b", "write", 1), at("a", "write", 9)}
	const want = "b 1, a 1, c 0"
	for range len(events) {
		events = append(events[1:], events[0])
		c := NewCollector(scanner.Low)
		for _, e := range events {
			m := scanner.Judged{Message: &scanner.Message{}, Listings: []scanner.Listing{{Definition: &mcp.Definition{Kind: mcp.ToolSubject, Name: e.Type}}}}
			if err := c.Event(e, &scanner.Outcome{Messages: []scanner.Judged{m}}); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, s := range c.Report(nil, "1", scanner.Result{}).Summary.PerSession {
			got = append(got, fmt.Sprintf("%s %d", s.Session, s.ToolsNew))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
		}
	}
}

// TestManySessions checks that the worst sessions are listed, and the others counted.
func TestManySessions(t *testing.T) {
	c, found := NewCollector(scanner.Low), sampleFindings(sampleRules())
	for i := range maxTracked + 10 {
		session := fmt.Sprintf("s%d", i)
		if i == maxTracked-1 {
			inSession(t, c, session, &found[1])
			continue
		}
		inSession(t, c, session, nil)
	}
	r := c.Report(nil, "1", scanner.Result{Stats: scanner.Stats{Sessions: maxTracked + 10}})
	if s := r.Summary; len(s.PerSession) != maxSessions || s.PerSession[0].Findings.Critical != 1 || s.MoreSessions != maxTracked+10-maxSessions {
		t.Errorf("there are %d, the first %+v, and %d more", len(s.PerSession), s.PerSession[0], s.MoreSessions)
	}
	if err := reportSchema(t, true).Validate(decode(t, jsonOf(t, r))); err != nil {
		t.Error(err)
	}
}

// TestHostileSessions checks that session names are treated as untrusted text.
func TestHostileSessions(t *testing.T) {
	name := "\x1b[31m\u202e::error::x ##[group] @everyone <b>`|`</b> https://evil.example\n- x"
	f := sampleFindings(sampleRules())[1]
	f.Name, f.Server = name, name
	c := NewCollector(scanner.Low)
	inSession(t, c, name, &f)
	r := c.Report(nil, "1", scanner.Result{Coverage: scanner.Coverage{Events: 1, Inspected: 1}})
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, format, r, Options{Rules: sampleRules()}); err != nil {
			t.Fatal(err)
		}
		checkPromise(t, format, b.String())
	}
}
