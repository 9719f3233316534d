package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// frames is a source of frames at intervals of a second.
type frames struct{ events []*scanner.Event }

func newFrames(lines ...string) *frames {
	s := &frames{}
	for i, l := range lines {
		server, frame, _ := strings.Cut(l, " ")
		s.events = append(s.events, &scanner.Event{Time: time.Unix(int64(1000+i), 0), Session: "s", Server: server, Direction: mcp.ClientToServer,
			Type: "mcp_message", Frame: []byte(frame), Origin: scanner.Origin{File: "log", Line: i + 1, Column: 1, Exact: true}})
	}
	return s
}

func (s *frames) Next() (scanner.Chunk, error) {
	if s.events == nil {
		return nil, io.EOF
	}
	c := chunk(s.events)
	s.events = nil
	return c, nil
}

type chunk []*scanner.Event

func (c chunk) Events(yield func(*scanner.Event)) {
	for _, e := range c {
		yield(e)
	}
}

func (c chunk) Release() {}

func call(server, tool string, id int) string {
	return fmt.Sprintf(`%s {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, server, id, tool)
}

// blocking returns a rule that blocks a send after a read, and logs all calls in the name of a
// policy.
func blocking() scanner.Rule {
	r := sampleRules()[0]
	r.ID = "read-then-send"
	r.Judge = func(p *scanner.JudgePass) {
		p.Decide(scanner.Decision{Verdict: scanner.Log, Check: scanner.PolicyCheck, Rule: "all calls", Reason: "noted"})
		for c := range p.Earlier(capability.Read, time.Minute, false) {
			p.Decide(scanner.Decision{Verdict: scanner.Block, Check: scanner.CrossServerCheck, Rule: "read-then-send", Reason: "read\x1b before"})
			p.Report(scanner.JudgeIssue{Severity: scanner.Critical, Subject: mcp.CallSubject, Name: p.Message.Target, Message: "sent",
				Related: []scanner.Related{{Message: "read", Location: c.Location, Call: new(*c)}}})
		}
	}
	return r
}

// logged runs frames through a rule and returns the audit events.
func logged(t *testing.T, r scanner.Rule, lines ...string) (out []map[string]any) {
	t.Helper()
	e, err := scanner.New([]scanner.Rule{r}, scanner.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	v := NewEvents(&b)
	if _, err := e.Run(context.Background(), newFrames(lines...), v); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func TestEventsTellDecisions(t *testing.T) {
	got := logged(t, blocking(), call("files", "read_file", 1), call("mail", "send_email", 2))
	var types []string
	for _, m := range got {
		types = append(types, m["type"].(string))
	}
	if s := strings.Join(types, " "); s != "mcp_tool_called mcp_tool_call_intercepted mcp_tool_called mcp_tool_call_intercepted mcp_cross_server_blocked" {
		t.Fatalf("got %s", s)
	}
	for i, want := range map[int]map[string]any{
		1: {"action": "allow", "verdict": "log", "check": "policy", "rule": "all calls", "reason": "noted", "tool_name": "read_file"},
		3: {"action": "block", "verdict": "block", "check": "cross-server", "rule": "read-then-send", "reason": "read<U+001B> before",
			"cross_server_rule": "read_then_send", "cross_server_severity": "critical", "max_severity": "critical"},
		4: {"rule": "read_then_send", "severity": "critical", "blocked_server_id": "mail", "blocked_tool_name": "send_email"},
	} {
		for key, value := range want {
			if got[i][key] != value {
				t.Errorf("event %d has %s %v, want %v", i, key, got[i][key], value)
			}
		}
	}
	for i, key := range map[int]string{3: "cross_server_related", 4: "related_calls"} {
		calls, _ := got[i][key].([]any)
		if len(calls) != 1 || calls[0].(map[string]any)["tool_name"] != "read_file" || calls[0].(map[string]any)["category"] != "read" {
			t.Errorf("event %d relates %v", i, got[i][key])
		}
	}
}

// TestEventsTellBlockedRequests checks that a finding has its own event if the blocked message is not
// a tool call, for which there is no mcp_cross_server_blocked.
func TestEventsTellBlockedRequests(t *testing.T) {
	r := sampleRules()[0]
	r.Judge = func(p *scanner.JudgePass) {
		p.Decide(scanner.Decision{Verdict: scanner.Block, Check: scanner.CrossServerCheck, Rule: r.ID})
		p.Report(scanner.JudgeIssue{Severity: scanner.Critical, Subject: mcp.CallSubject, Name: p.Message.Target, Message: "sent"})
	}
	got := logged(t, r, `notes {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`)
	if len(got) != 1 || got[0]["type"] != "mcp_detection" || got[0]["detection_type"] != r.ID {
		t.Errorf("got %v", got)
	}
}

func TestEventsAreBounded(t *testing.T) {
	values := strings.Repeat(`{"a":[0,"`+strings.Repeat("x", 1000)+`"]},`, 1000)
	deep := strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100)
	frame := `files {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("n", 10000) + `","arguments":{"deep":` + deep + `,"many":[` + values + `0]}}}`
	events := logged(t, blocking(), frame)
	if len(events) != 2 {
		t.Errorf("there are %d events", len(events))
	}
	for _, m := range events {
		line, _ := json.Marshal(m)
		if len(line) > 128<<10 {
			t.Errorf("an event has %d bytes", len(line))
		}
	}
}

// TestReportedFindingsAreBounded checks that the number of remembered findings is bounded in a log
// of any length, and that the latest findings are remembered.
func TestReportedFindingsAreBounded(t *testing.T) {
	v := NewEvents(io.Discard)
	finding := func(i int) *scanner.Finding {
		return &scanner.Finding{Rule: &sampleRules()[0], Name: fmt.Sprint(i), Severity: scanner.High}
	}
	for i := range 5 * minRemembered / 2 {
		if !v.fresh(finding(i)) {
			t.Fatalf("finding %d has no event", i)
		}
		if i >= minRemembered && v.fresh(finding(i-minRemembered)) {
			t.Fatalf("finding %d has two events", i-minRemembered)
		}
	}
	if n := len(v.reported) + len(v.earlier); n > 2*minRemembered {
		t.Errorf("%d findings are remembered", n)
	}
	if !v.fresh(finding(0)) {
		t.Error("the first finding is still remembered")
	}
}

// TestEventsEndAtTheFirstError checks that a write error ends the file, but not the
// run.
func TestEventsEndAtTheFirstError(t *testing.T) {
	v := NewEvents(full{})
	for range 2 {
		for _, e := range newFrames(strings.Repeat("f", 10) + ` {}`).events {
			if err := v.Event(e, &scanner.Outcome{Messages: []scanner.Judged{{Message: &scanner.Message{Kind: mcp.Notification, Method: "notifications/tools/list_changed"}}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := v.Close(); err == nil || !strings.Contains(err.Error(), "incomplete") || !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("no space")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestEventsDocument checks that docs/events.md describes every type and member.
func TestEventsDocument(t *testing.T) {
	b, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{record{}, auditChange{}, detection{}, relatedCall{}} {
		for i := range reflect.TypeOf(v).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			if name != "" && !bytes.Contains(b, []byte("`"+name+"`")) {
				t.Errorf("docs/events.md does not mention %s", name)
			}
		}
	}
	source, err := os.ReadFile("events.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range regexp.MustCompile(`"mcp_[a-z_]+"`).FindAllString(string(source), -1) {
		if !strings.Contains(string(b), "| `"+strings.Trim(kind, `"`)+"` |") {
			t.Errorf("docs/events.md does not mention %s", kind)
		}
	}
}

// TestCleanerMasksBelowSecrets checks that everything in a member whose name indicates a secret is masked.
func TestCleanerMasksBelowSecrets(t *testing.T) {
	for in, want := range map[string]string{
		`{"input":{"password":["hunter2abc","x"],"note":["x"]}}`:          `{"password":["[masked]","[masked]"],"note":["x"]}`,
		`{"input":{"api_key":{"value":"hunter2abc","n":[1,null]},"n":1}}`: `{"api_key":{"value":"[masked]","n":["[masked]",null]},"n":1}`,
	} {
		var doc wire.Doc
		if err := doc.Parse([]byte(in)); err != nil {
			t.Fatal(err)
		}
		c := cleaner{doc: &doc}
		if got := c.member(0, "input"); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
