package scanner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// only returns the rules with the given IDs.
func only(ids ...string) (set []scanner.Rule) {
	for _, r := range rules.All() {
		if slices.Contains(ids, r.ID) {
			set = append(set, r)
		}
	}
	return set
}

// script returns events for lines such as "files.read_file 30s+1ns", which is a call and its time
// since the start. "<" before a server stands for the answer to its last call, "?" for a refusal,
// and "@" precedes a request ID at the end of the line. Lines are numbered from 1.
func script(t *testing.T, text string) (events []*scanner.Event) {
	t.Helper()
	start := time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)
	last := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		e := frame(i, mcp.ClientToServer, "")
		at := time.Duration(0)
		for _, part := range strings.Split(words[1], "+") {
			d, err := time.ParseDuration(part)
			if err != nil {
				t.Fatal(err)
			}
			at += d
		}
		e.Time = start.Add(at)
		what, _, _ := strings.Cut(words[0], "@")
		what, refused := strings.CutPrefix(what, "?")
		server, tool, call := strings.Cut(strings.TrimPrefix(what, "<"), ".")
		e.Server = server
		if len(words) > 2 {
			e.Request = words[2]
		}
		switch {
		case !call:
			e.Direction, e.Frame = mcp.ServerToClient, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, last[server])
		case refused:
			e.Kind, e.Type = scanner.AuditEvent, "mcp_tool_call_intercepted"
			e.Frame = fmt.Appendf(nil, `{"type":"mcp_tool_call_intercepted","tool_name":%q,"action":"block"}`, tool)
		default:
			last[server] = i
			e.Frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, i, tool)
		}
		events = append(events, e)
	}
	return events
}

// told runs the rules over events and returns each finding as RULE LINE [RELATED LINES].
func told(t *testing.T, o scanner.Options, set []scanner.Rule, events []*scanner.Event) (got []string, res scanner.Result) {
	t.Helper()
	e, err := scanner.New(set, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	if res, err = e.Run(context.Background(), &source{events}, s); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.findings {
		if blockedAgain(&f) {
			continue
		}
		line := fmt.Sprintf("%s %d", strings.TrimPrefix(f.Rule.ID, "ses-"), f.Location.Line)
		for _, r := range f.Related {
			line += fmt.Sprintf(" %d", r.Location.Line)
		}
		got = append(got, line)
	}
	return got, res
}

// blockedAgain reports whether a finding is about a blocked call that is not the first beyond its
// limit. TestEachBlockedCallIsFound covers such findings.
func blockedAgain(f *scanner.Finding) bool {
	return f.Severity == scanner.Low && (f.Rule.ID == "burst" || f.Rule.ID == "rate-limit")
}

// TestEachBlockedCallIsFound checks that the first call beyond a limit is reported at full
// severity, and that each later one is reported too.
func TestEachBlockedCallIsFound(t *testing.T) {
	for _, rule := range []string{"burst", "rate-limit"} {
		e, err := scanner.New(only(rule), scanner.Options{Limits: scanner.Limits{BlockBursts: true}})
		if err != nil {
			t.Fatal(err)
		}
		var s sink
		if _, err := e.Run(context.Background(), &source{script(t, burstOf(14, "0s"))}, &s); err != nil {
			t.Fatal(err)
		}
		again := 0
		for i := range s.findings {
			if s.findings[i].Action != "block" || s.findings[i].Location.Line != 11+i {
				t.Errorf("%s: %s at line %d", rule, s.findings[i].Action, s.findings[i].Location.Line)
			}
			if blockedAgain(&s.findings[i]) {
				again++
			}
		}
		if len(s.findings) != 4 || again != 3 {
			t.Errorf("%s: %d findings, %d of them after the first", rule, len(s.findings), again)
		}
	}
}

// burstOf returns n calls to one server at the same time.
func burstOf(n int, at string) string { return strings.Repeat("files.list_directory "+at+"\n", n) }

// windowCase contains the expected findings from one or more rules in a script.
type windowCase struct {
	limits scanner.Limits
	script string
	want   string
	late   int // number of events counted as too late to be sorted
}

func windows(t *testing.T, set []scanner.Rule, cases map[string]windowCase) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, res := told(t, scanner.Options{Limits: c.limits}, set, script(t, c.script))
			late := 0
			for _, s := range res.Coverage.Skipped {
				late += s.Count
				if !strings.Contains(s.Reason, "too late to be put in order") {
					t.Errorf("%+v", s)
				}
			}
			if strings.Join(got, ", ") != c.want || late != c.late {
				t.Errorf("got  %s\nwant %s\n%+v", strings.Join(got, ", "), c.want, res.Coverage.Skipped)
			}
		})
	}
}

// TestFlowWindows covers late events, turns, and the edges of the windows to the nanosecond.
func TestFlowWindows(t *testing.T) {
	anyTurn := scanner.Limits{AnyTurn: true}
	minutes := scanner.Limits{ReadThenSend: 2 * time.Minute} // longer than the period within which events are sorted
	windows(t, only("read-then-send", "cross-server-flow"), map[string]windowCase{
		"the last instant of the window":           {script: "files.read_file 0s\nmail.send_email 30s", want: "read-then-send 2 1"},
		"the first instant behind it":              {script: "files.read_file 0s\nmail.send_email 30s+1ns"},
		"at the same time":                         {script: "files.read_file 5s\nmail.send_email 5s", want: "read-then-send 2 1"},
		"sent before it was read":                  {script: "files.read_file 5s\nmail.send_email 4s+999999999ns"},
		"on the same server":                       {script: "files.read_file 0s\nfiles.send_email 1s"},
		"the other way round":                      {script: "mail.send_email 0s\nfiles.read_file 1s"},
		"another window":                           {limits: scanner.Limits{ReadThenSend: time.Second}, script: "files.read_file 0s\n<files 0s\nmail.send_email 1s+1ns"},
		"all reads are related":                    {script: "files.read_file 0s\nnotes.get_note 1s\nfiles.search 2s\nmail.send_email 9s", want: "read-then-send 4 3 1 2"},
		"reads out of the window are not":          {script: "files.read_file 0s\nnotes.get_note 1s\nfiles.search 2s\nmail.send_email 31s", want: "read-then-send 4 3 2"},
		"a refused read handed over nothing":       {script: "?files.read_file 0s\nmail.send_email 1s"},
		"a refused send was tried":                 {script: "files.read_file 0s\n?mail.send_email 1s", want: "read-then-send 2 1"},
		"a read that stands late":                  {script: "files.list 0s\nnotes.read_note 40s\nfiles.read_file 12s\nmail.send_email 42s", want: "read-then-send 4 3 2"},
		"a read that stands behind its send":       {script: "mail.send_email 30s\nfiles.read_file 0s", want: "read-then-send 1 2"},
		"a send that stands late":                  {script: "files.read_file 0s\nnotes.read_note 20s\nmail.send_email 10s", want: "read-then-send 3 1"},
		"a late read counts by its own time":       {limits: minutes, script: "notes.read_note 40s\nfiles.read_file 9s\nmail.send_email 2m9s", want: "read-then-send 3 1 2", late: 1},
		"but not for what was judged":              {limits: minutes, script: "files.list 0s\nmail.send_email 40s\nnotes.read_note 9s", want: "read-then-send 2 1", late: 1},
		"a late send looks back from its own time": {limits: minutes, script: "files.read_file 0s\nnotes.read_note 41s\nmail.send_email 10s", want: "read-then-send 3 1", late: 1},
		"what is behind the window stays there":    {limits: minutes, script: "files.read_file 0s\nnotes.create_note 121s\nfiles.read_file 1s\nmail.send_email 121s", want: "read-then-send 4 3", late: 1},

		"without answers, calls are one turn": {script: "files.read_file 0s\nnotes.create_note 1s", want: "cross-server-flow 2 1"},
		"a read that waits is no source":      {limits: anyTurn, script: "files.list 0s\n<files 0s\nfiles.read_file 1s\nnotes.create_note 1s\nmail.send_email 1s\n<files 2s\nmail.send_email 2s", want: "cross-server-flow 4 1, read-then-send 5 1, read-then-send 7 3 1"},
		"an answer ends the turn":             {script: "files.read_file 0s\n<files 1s\nnotes.create_note 1s"},
		"any turn":                            {limits: anyTurn, script: "files.read_file 0s\n<files 1s\nnotes.create_note 30s", want: "cross-server-flow 3 1"},
		"any turn, behind the window":         {limits: anyTurn, script: "files.read_file 0s\n<files 1s\nnotes.create_note 30s+1ns"},
		"one request":                         {script: "files.read_file 0s r1\n<files 1s\nnotes.create_note 2s r1", want: "cross-server-flow 3 1"},
		"two requests":                        {script: "files.read_file 0s r1\nnotes.create_note 0s r2"},
		"one call says its request":           {script: "files.read_file 0s r1\nnotes.create_note 0s"},
		"compute and unknown flow as well":    {script: "files.read_file 0s\nbox.run_code 0s\nbox.zonk 0s", want: "cross-server-flow 2 1, cross-server-flow 3 1"},
		"a read is no flow":                   {script: "files.read_file 0s\nnotes.read_note 0s"},
		"a send is told of once":              {limits: anyTurn, script: "files.read_file 0s\nmail.send_email 1s", want: "read-then-send 2 1"},
		"a send in the wider window is flow":  {limits: scanner.Limits{AnyTurn: true, Flow: time.Minute}, script: "files.read_file 0s\nmail.send_email 1m", want: "cross-server-flow 2 1"},
	})
}

// TestBurst covers the first call beyond the limit, and the edges of the window.
func TestBurst(t *testing.T) {
	crowd, minute := "mail.list_inbox 0s\n", scanner.Limits{BurstCalls: 2, BurstWindow: time.Minute, Flow: time.Minute}
	windows(t, only("burst"), map[string]windowCase{
		"ten are no burst":                 {script: crowd + burstOf(10, "1s")},
		"the eleventh is":                  {script: crowd + burstOf(11, "1s"), want: "burst 12 2"},
		"told once":                        {script: crowd + burstOf(30, "1s"), want: "burst 12 2"},
		"the last instant of a burst":      {script: crowd + burstOf(10, "1s") + "files.x 6s", want: "burst 12 2"},
		"the first instant behind a burst": {script: crowd + burstOf(10, "1s") + "files.x 6s+1ns"},
		"two bursts":                       {script: crowd + burstOf(11, "1s") + "files.x 7s\n" + burstOf(11, "9s"), want: "burst 12 2, burst 23 13"},
		"one server":                       {script: burstOf(30, "1s"), want: "burst 11 1"},
		"refused calls are no burst":       {script: crowd + burstOf(9, "1s") + strings.Repeat("?files.x 2s\n", 20) + "files.x 3s"},
		"a refused call is one too many":   {script: crowd + burstOf(10, "1s") + "?files.x 2s", want: "burst 12 2"},
		"a call that stands late":          {script: crowd + burstOf(10, "1s") + "files.x 0s+999999999ns", want: "burst 11 12"},
		"a late call makes no burst":       {limits: minute, script: crowd + burstOf(2, "40s") + "files.x 9s\nfiles.x 41s", want: "burst 5 2", late: 1},
		"another limit":                    {limits: scanner.Limits{BurstCalls: 2, BurstWindow: time.Second}, script: crowd + burstOf(2, "1s") + "files.x 2s", want: "burst 4 2"},
	})
}

// TestRateLimit covers the token bucket, to the nanosecond.
func TestRateLimit(t *testing.T) {
	slow := scanner.Limits{Flow: time.Minute, Rate: scanner.RateLimit{CallsPerMinute: 60, Burst: 2}}
	windows(t, only("rate-limit"), map[string]windowCase{
		"a bucket is full at the start": {limits: slow, script: "files.x 0s\nfiles.x 0s"},
		"and empty then":                {limits: slow, script: "files.x 0s\nfiles.x 0s\nfiles.x 0s+999999999ns", want: "rate-limit 3"},
		"a token falls":                 {limits: slow, script: "files.x 0s\nfiles.x 0s\nfiles.x 1s"},
		"a refused call takes none":     {limits: slow, script: "files.x 0s\n?files.x 0s\n?files.x 0s\nfiles.x 0s"},
		"told again once it was full":   {limits: slow, script: "files.x 0s\nfiles.x 0s\nfiles.x 0s\nfiles.x 1s\nfiles.x 1s\nfiles.x 3s\nfiles.x 3s\nfiles.x 3s", want: "rate-limit 3, rate-limit 8"},
		"a call that stands late":       {limits: slow, script: "files.x 10s\nfiles.x 10s\nfiles.x 0s\nfiles.x 5s"},
		"a late call fills no bucket":   {limits: slow, script: "files.x 40s\nfiles.x 40s\nfiles.x 0s\nfiles.x 5s", want: "rate-limit 3", late: 2},
		"each server has its own":       {limits: slow, script: "files.x 0s\nnotes.x 0s\nfiles.x 0s\nnotes.x 0s"},
		"a limit for one server": {limits: scanner.Limits{Rate: slow.Rate, Rates: map[string]scanner.RateLimit{"files": {Burst: 1}}},
			script: "files.x 0s\nnotes.x 0s\nfiles.x 0s+999999999ns\nnotes.x 0s\nfiles.x 3s", want: "rate-limit 3"},
	})
}
