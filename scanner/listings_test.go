package scanner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// seen is a sink that describes each judged message in words.
type seen struct{ got []string }

func (s *seen) Event(_ *scanner.Event, out *scanner.Outcome) error {
	for i := range out.Messages {
		m := &out.Messages[i]
		line := fmt.Sprintf("%v", out.First)
		for _, l := range m.Listings {
			line += fmt.Sprintf(" %s/%v/%v", l.Definition.Name, l.Before != nil && l.Before.Description != l.Definition.Description, l.Again)
		}
		if m.Answers != "" {
			line += " answers " + m.Answers
		}
		if m.Tool != nil {
			line += " calls " + m.Tool.Definition.Description
		}
		s.got = append(s.got, line)
	}
	return nil
}

func (s *seen) Finding(*scanner.Finding) error { return nil }

// listed returns a list of tools, each given as "name description".
func listed(i int, session string, tools ...string) *scanner.Event {
	var list []string
	for _, tool := range tools {
		name, description, _ := strings.Cut(tool, " ")
		list = append(list, fmt.Sprintf(`{"name":%q,"description":%q}`, name, description))
	}
	e := frame(i, mcp.ServerToClient, "")
	e.Session, e.Frame = session, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, i, strings.Join(list, ","))
	return e
}

func TestListings(t *testing.T) {
	call := frame(7, mcp.ClientToServer, "")
	call.Session, call.Frame = "a", []byte(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"add"}}`)
	answer := frame(8, mcp.ServerToClient, "")
	answer.Session, answer.Frame = "a", []byte(`{"jsonrpc":"2.0","id":70,"result":{}}`)
	events := []*scanner.Event{
		listed(0, "a", "add Adds.", "sub Subtracts.", "add Sends."), // a duplicate is not a change, but the last one counts from then on
		listed(1, "a", "add Adds."),
		listed(2, "a", "add Sends.", "mul Multiplies."),
		listed(3, "a", "add Sends."),
		listed(4, "a", "add Adds."),
		listed(5, "b", "add Adds.", "div Divides."),
		listed(6, "b", "add Adds."),
		call, answer,
	}
	e, err := scanner.New(nil, scanner.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &seen{}
	if _, err := e.Run(t.Context(), &source{events: events}, s); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"true add/false/false sub/false/false",
		"false add/true/false", "false add/true/true mul/false/false", "false", "false add/true/true",
		"true add/false/false div/false/false", "false",
		"false calls Adds.", "false answers tools/call",
	}
	if !slices.Equal(s.got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(s.got, "\n"), strings.Join(want, "\n"))
	}
}

// TestOverruled checks that the first check that refuses a message decides on it, and that the
// other checks' decisions are kept.
func TestOverruled(t *testing.T) {
	decisions := []scanner.Decision{{Verdict: scanner.Allow, Check: scanner.PolicyCheck}, {Verdict: scanner.Block, Check: scanner.RateCheck},
		{Verdict: scanner.Block, Check: scanner.CrossServerCheck}, {Verdict: scanner.Alert, Check: scanner.PinCheck}}
	m := &scanner.Judged{Message: &scanner.Message{}}
	p := &scanner.JudgePass{Message: m}
	for _, d := range decisions {
		p.Decide(d)
	}
	if m.Decision != decisions[2] || !slices.Equal(m.Overruled, []scanner.Decision{decisions[0], decisions[1], decisions[3]}) {
		t.Errorf("decided %+v over %+v", m.Decision, m.Overruled)
	}
	if (&scanner.Decision{}).Made() || !m.Decision.Made() {
		t.Error("decided and undecided findings are not distinguished")
	}
}

func TestWindows(t *testing.T) {
	var got []string
	probe := markerRule()
	probe.Text, probe.Patterns = nil, nil
	probe.Judge = func(p *scanner.JudgePass) {
		if w, ok := p.Windows(); ok {
			line := fmt.Sprintf("%d calls, %d.%02d of %d", w.Calls, w.Tokens/100, w.Tokens%100, w.Rate.Burst)
			for _, r := range w.Reads {
				line += fmt.Sprintf(" %s.%s %v", r.Server, r.Tool, r.SameTurn)
			}
			got = append(got, line)
		}
	}
	told(t, scanner.Options{Limits: scanner.Limits{BurstCalls: 2, BurstWindow: time.Second, Rate: scanner.RateLimit{CallsPerMinute: 60, Burst: 2}}}, []scanner.Rule{probe},
		script(t, "files.read_file 0s\n<files 0s\nmail.send_email 0s\nmail.read_inbox 500ms\nmail.send_email 1s\n?mail.send_mail 1s\nfiles.read_file 30s\nmail.send_email 30s+1ns"))
	want := []string{
		"1 calls, 1.00 of 2",
		"1 calls, 1.00 of 2 files.read_file false",
		"2 calls, 0.50 of 2 files.read_file false",
		"3 calls, 0.00 of 2 files.read_file false",
		"3 calls, 0.00 of 2 files.read_file false",
		"1 calls, 1.00 of 2 mail.read_inbox true",
		"1 calls, 1.00 of 2", // the read waits for its answer
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
