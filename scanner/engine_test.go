package scanner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// markerRule returns a rule that finds a word in any text.
func markerRule() scanner.Rule {
	return scanner.Rule{
		ID: "tst-marker", Category: "engine", Client: true, Title: "t", Why: "w", Fix: "f", Basis: "b", Refs: []string{"CWE-0"},
		Patterns: []scanner.Pattern{{Name: "marker", Anchors: []string{"zqmarker"}}},
		Text: func(p *scanner.TextPass) {
			for _, m := range p.Matches {
				p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: scanner.High, Message: "found"})
			}
		},
	}
}

// source yields events in chunks of one, as a live source does.
type source struct{ events []*scanner.Event }

func (s *source) Next() (scanner.Chunk, error) {
	if len(s.events) == 0 {
		return nil, io.EOF
	}
	e := s.events[0]
	s.events = s.events[1:]
	return one{e}, nil
}

type one struct{ e *scanner.Event }

func (o one) Events(yield func(*scanner.Event)) { yield(o.e) }
func (o one) Release()                          {}

func frame(i int, d mcp.Direction, text string) *scanner.Event {
	return &scanner.Event{Time: time.Unix(int64(i), 0).UTC(), Session: "s", Server: "srv", Transport: "stdio", Direction: d, Frame: []byte(text),
		Origin: scanner.Origin{File: "f", Line: i + 1, Column: 1, Exact: true}}
}

type sink struct {
	findings []scanner.Finding
	fail     error
}

func (s *sink) Event(*scanner.Event, *scanner.Outcome) error { return s.fail }
func (s *sink) Finding(f *scanner.Finding) error             { s.findings = append(s.findings, *f); return nil }

func run(t *testing.T, rules []scanner.Rule, events ...*scanner.Event) (*sink, scanner.Result) {
	t.Helper()
	e, err := scanner.New(rules, scanner.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return runWith(t, e, events...)
}

// everyRule returns an engine with all rules, which is slow to create.
var everyRule = sync.OnceValues(func() (*scanner.Engine, error) {
	return scanner.New(rules.All(), scanner.Options{Workers: 2})
})

func runAll(t *testing.T, events ...*scanner.Event) (*sink, scanner.Result) {
	t.Helper()
	e, err := everyRule()
	if err != nil {
		t.Fatal(err)
	}
	return runWith(t, e, events...)
}

func runWith(t *testing.T, e *scanner.Engine, events ...*scanner.Event) (*sink, scanner.Result) {
	t.Helper()
	s := &sink{}
	res, err := e.Run(context.Background(), &source{events}, s)
	if err != nil {
		t.Fatal(err)
	}
	return s, res
}

func TestNewRefusesRulesThatDoNotExplainThemselves(t *testing.T) {
	for name, change := range map[string]func(*scanner.Rule){
		"Why is empty":                    func(r *scanner.Rule) { r.Why = "" },
		"Fix is empty":                    func(r *scanner.Rule) { r.Fix = "" },
		"Basis is empty":                  func(r *scanner.Rule) { r.Basis = "" },
		"Refs is empty":                   func(r *scanner.Rule) { r.Refs = nil },
		"kebab case":                      func(r *scanner.Rule) { r.ID = "Marker" },
		"no check":                        func(r *scanner.Rule) { r.Text, r.Patterns = nil, nil },
		"must be set together":            func(r *scanner.Rule) { r.Patterns = nil },
		"On requires Judge":               func(r *scanner.Rule) { r.On = mcp.OnCall },
		"no anchor":                       func(r *scanner.Rule) { r.Patterns[0].Anchors = nil },
		`anchor "Marker" must be written`: func(r *scanner.Rule) { r.Patterns[0].Custom, r.Patterns[0].Anchors = true, []string{"Marker"} },
		"missing closing )":               func(r *scanner.Rule) { r.Patterns[0].Custom, r.Patterns[0].Expr = true, "(" },
	} {
		r := markerRule()
		change(&r)
		if _, err := scanner.New([]scanner.Rule{r}, scanner.Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error with %q, got %v", name, err)
		}
	}
	if _, err := scanner.New([]scanner.Rule{markerRule(), markerRule()}, scanner.Options{}); err == nil || !strings.Contains(err.Error(), "duplicate rule") {
		t.Errorf("a duplicate rule was accepted: %v", err)
	}
}

// TestRuleThatPanics checks that a panic in a rule becomes a finding, that the event counts as not
// inspected, and that the other rules still run.
func TestRuleThatPanics(t *testing.T) {
	text, message, judge := markerRule(), markerRule(), markerRule()
	text.ID, text.Text = "tst-text", func(*scanner.TextPass) { panic("text") }
	message.ID, message.Text, message.Patterns = "tst-message", nil, nil
	message.Message = func(p *scanner.MessagePass) { _ = p.Doc.Nodes[len(p.Doc.Nodes)] }
	judge.ID, judge.Text, judge.Patterns = "tst-judge", nil, nil
	judge.Judge = func(*scanner.JudgePass) { panic("judge") }
	s, res := run(t, []scanner.Rule{text, message, judge, markerRule()}, frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"x":["zqmarker"]}}`))
	if c := res.Coverage; c.Inspected != 0 || len(c.Skipped) != 3 || c.Skipped[2].Reason != "the rule tst-text crashed and did not inspect the whole event" || c.Skipped[2].Count != 1 {
		t.Errorf("%+v", c)
	}
	got := map[string]int{}
	for _, f := range s.findings {
		got[f.Rule.ID+" "+f.Name]++
	}
	for _, want := range []string{"rule-crashed tst-text", "rule-crashed tst-message", "rule-crashed tst-judge", "tst-marker "} {
		if got[want] != 1 {
			t.Errorf("want one %q, got %v", want, got)
		}
	}
}

// TestPanicsAreBounded checks that panics displace no finding that is more severe, and that those beyond
// the limit are counted.
func TestPanicsAreBounded(t *testing.T) {
	crash, judge, severe := markerRule(), markerRule(), markerRule()
	crash.ID, crash.Text = "tst-crash", func(p *scanner.TextPass) {
		if p.Key() == "crash" {
			panic("text")
		}
	}
	judge.ID, judge.Text, judge.Patterns = "tst-judge", nil, nil
	judge.Judge = func(*scanner.JudgePass) { panic("judge") }
	severe.Text = func(p *scanner.TextPass) {
		if p.Key() != "crash" {
			p.Report(scanner.Issue{End: len(p.Folded), Severity: scanner.Critical, Message: "m"})
		}
	}
	marker := strings.Repeat(`"zqmarker",`, 300)
	s, res := run(t, []scanner.Rule{severe, crash, judge}, frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"a":[`+marker+`0],"crash":[`+marker+`0]}}`))
	critical := 0
	for _, f := range s.findings {
		if f.Severity == scanner.Critical {
			critical++
		}
	}
	if c := res.Coverage; critical < 200 || len(s.findings) != critical+1 || c.Inspected != 0 || len(c.Skipped) != 3 {
		t.Errorf("%d findings, %d of them critical, %+v", len(s.findings), critical, c)
	}
}

// TestFindingsAreBounded checks that one event cannot flood a report.
func TestFindingsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"a":[`)
	for i := range 1000 {
		fmt.Fprintf(&b, `"zqmarker %d",`, i)
	}
	b.WriteString(`0]}}`)
	s, res := run(t, []scanner.Rule{markerRule()}, frame(0, mcp.ServerToClient, b.String()))
	if len(s.findings) != 200+b.Len()/2048 || len(res.Coverage.Skipped) != 1 {
		t.Errorf("%d findings and coverage %+v: want 200, one for each 2 KiB, and a note of the rest", len(s.findings), res.Coverage)
	}
}

// TestFindingsKeptAreTheWorst checks that minor findings do not displace major ones, wherever the
// major ones are.
func TestFindingsKeptAreTheWorst(t *testing.T) {
	r := markerRule()
	r.Text = func(p *scanner.TextPass) {
		severity := scanner.Low
		if strings.Contains(string(p.Folded), "worst") {
			severity = scanner.Critical
		}
		p.Report(scanner.Issue{Start: p.Matches[0].Start, End: p.Matches[0].End, Severity: severity, Message: "found"})
	}
	small, large := strings.Repeat(`"zqmarker",`, 300), strings.Repeat(`"zqmarker worst",`, 3)
	for _, list := range []string{small + large, large + small, small + large + small} {
		s, res := run(t, []scanner.Rule{r}, frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"a":[`+list+`0]}}`))
		worst := 0
		for i, f := range s.findings {
			if f.Severity == scanner.Critical {
				worst++
			}
			if i > 0 && f.Location.Column <= s.findings[i-1].Location.Column {
				t.Fatalf("findings are not in the order of the text: %+v", s.findings)
			}
		}
		if len(s.findings) != 200+len(list)/2048 || worst != 3 || len(res.Coverage.Skipped) != 1 {
			t.Errorf("%d findings, %d of them critical, coverage %+v", len(s.findings), worst, res.Coverage)
		}
	}
}

// TestRepetitionHidesNothing checks that a rule inspects a phrase even after many harmless matches,
// and that the coverage reports omitted matches.
func TestRepetitionHidesNothing(t *testing.T) {
	r := markerRule()
	r.Client = false
	r.Text = func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if strings.HasPrefix(string(p.Folded[m.End:]), " now") {
				p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: scanner.High, Message: "found"})
			}
		}
	}
	for _, decoys := range []int{16, 60, 250, 100_000} {
		text := strings.Repeat("no zqmarker. ", decoys) + "zqmarker now"
		s, res := run(t, []scanner.Rule{r}, frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"x":"`+text+`"}}`))
		if complete := len(res.Coverage.Skipped) == 0; len(s.findings) != 1 || complete != (decoys < 256) {
			t.Errorf("after %d decoys: %d findings, coverage %+v", decoys, len(s.findings), res.Coverage)
		}
		_, res = run(t, []scanner.Rule{r}, frame(0, mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"x":"`+text+`"}}`))
		if len(res.Coverage.Skipped) != 0 {
			t.Errorf("what no rule was to judge counts as left out: %+v", res.Coverage)
		}
	}
}

// TestExpressionThatTakesTooLong checks that a text on which a user's expression
// takes too long is reported once for its event, and not for other events.
func TestExpressionThatTakesTooLong(t *testing.T) {
	p, err := text.Custom("slow", `(?!(x+x+)+y)xxx+z`)
	if err != nil {
		t.Fatal(err)
	}
	r := markerRule()
	r.Patterns = []scanner.Pattern{p}
	hostile := `"` + strings.Repeat("x", 60) + `z"`
	s, res := run(t, []scanner.Rule{r},
		frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"x":[`+strings.Repeat(hostile+",", 99)+hostile+`]}}`),
		frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":2,"result":{"x":"a xxxz"}}`))
	if c := res.Coverage; len(s.findings) != 1 || c.Inspected != 1 || len(c.Skipped) != 1 || c.Skipped[0].Count != 1 || !strings.Contains(c.Skipped[0].Reason, "tst-marker took too long") {
		t.Errorf("%d findings, coverage %+v", len(s.findings), c)
	}
}

// TestSessionsAreBounded checks that sessions are closed to bound memory use, and that the coverage
// mentions this.
func TestSessionsAreBounded(t *testing.T) {
	var events []*scanner.Event
	for i := range 3000 {
		e := frame(i, mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		e.Session = fmt.Sprint("s", i)
		events = append(events, e)
	}
	_, res := run(t, []scanner.Rule{markerRule()}, events...)
	if res.Stats.Sessions != 3000 || res.Coverage.Evicted != 3000-2048 {
		t.Errorf("%d sessions, %d evicted", res.Stats.Sessions, res.Coverage.Evicted)
	}
	if len(res.Coverage.Skipped) != 0 {
		t.Errorf("sessions that had ended leave a run incomplete: %+v", res.Coverage)
	}
	back := frame(3000, mcp.ClientToServer, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	back.Session = "s7"
	_, res = run(t, []scanner.Rule{markerRule()}, append(events, back)...)
	if len(res.Coverage.Skipped) != 1 || res.Coverage.Skipped[0].Count != 1 {
		t.Errorf("a run with a continued closed session counts as complete: %+v", res.Coverage)
	}
}

func TestErrorsEndTheRun(t *testing.T) {
	e, err := scanner.New([]scanner.Rule{markerRule()}, scanner.Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	var events []*scanner.Event
	for i := range 500 {
		events = append(events, frame(i, mcp.ServerToClient, `{}`))
	}
	broken := errors.New("disk full")
	if _, err := e.Run(context.Background(), &source{events}, &sink{fail: broken}); !errors.Is(err, broken) {
		t.Errorf("the error of a sink was lost: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Run(ctx, &source{events}, &sink{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run did not say so: %v", err)
	}
}

// TestCoverageCounts checks that every event is counted once, under the right
// heading.
func TestCoverageCounts(t *testing.T) {
	skipped := scanner.Event{Kind: scanner.SkippedEvent, Reason: "r1", Origin: scanner.Origin{File: "f", Line: 3}}
	again := skipped
	ignored := &scanner.Event{Kind: scanner.IgnoredEvent, Reason: "r2"}
	_, res := run(t, []scanner.Rule{markerRule()},
		frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{}}`),
		frame(1, mcp.ServerToClient, `Server listening on stdio`),
		frame(2, mcp.ServerToClient, `{"jsonrpc":"2.0",`),
		frame(3, mcp.ServerToClient, `[1,2]`),
		&skipped, &again, ignored)
	c := res.Coverage
	if c.Events != 6 || c.Inspected != 2 || c.Noise != 1 || len(c.Ignored) != 1 || len(c.Skipped) != 3 {
		t.Errorf("coverage %+v", c)
	}
	for _, s := range c.Skipped {
		if s.Reason == "r1" && (s.Count != 2 || s.First.Line != 3) {
			t.Errorf("skipped %+v", s)
		}
	}
}

// TestNoise checks which frames count as noise, because no client would parse them as messages, and
// that the text in all frames is inspected with its escapes decoded.
func TestNoise(t *testing.T) {
	const rest = `"jsonrpc":"2.0","id":1,"result":{"x":"zqm\u0061rker"}}`
	for _, c := range []struct {
		frame string
		noise bool
	}{
		{`[INFO] zqm\u0061rker`, true}, {`{zqm\u0061rker} started`, true}, {`{'zqm\u0061rker', 'b'}`, true}, {`listening {} zqm\u0061rker {`, true},
		{`C:\new zqm\x61rker`, true}, {`\ud83d\ude00 zqm\u0061rker \ud83d\u12`, true}, {`zqm\u0061rker {"a", "b"} \`, true},
		{`ready {"note":"zqm\u0061rker"}`, true}, {`info: {"error":"zqm\u0061rker","service":{"method_":"GET /method/id: ok"}}`, true}, {`{zqm\u0061rker} {a:1, "result":[], 'identity' : 2}`, true},
		{`x {"JSONRPC":"zqm\u0061rker"}`, false}, {`x {meth\u006fd : "zqm\u0061rker"}`, false}, {`x {"a":{'\x69d'/**/:"zqm\u0061rker"},result=1}`, false}, {"x {\uFEFFid:1,\u2028error:`zqm\\u0061rker`}", false},
		{"ready\r{" + rest, false}, {"\xEF\xBB\xBF{" + rest, false}, {"\f{" + rest, false}, {"\x00{" + rest, false}, {"/**/{" + rest, false},
		{"1 {" + rest, false}, {"{/**/" + rest, false}, {"{ /* a */\v/**/ " + rest, false}, {"{//\r" + rest, false}, {"{#\r" + rest, false}, {"{/*" + rest, false},
		{`{'jsonrpc':"2.0",` + rest, false}, {`{jsonrpc:"2.0",` + rest, false}, {`{json\u0072pc : "2.0",` + rest, false}, {`{"a\"}" :1,,` + rest, false},
		{`ready {` + strings.Repeat(" ", 300) + rest, false}, {`ready {'` + strings.Repeat("a", 300) + rest, false}, {"\uFEFF[{" + rest + "]", false},
	} {
		s, res := run(t, []scanner.Rule{markerRule()}, frame(0, mcp.ServerToClient, c.frame))
		if noisy := res.Coverage.Noise == 1; noisy != c.noise || noisy == (len(res.Coverage.Skipped) == 1) {
			t.Errorf("%q: coverage %+v, want noise %t", c.frame, res.Coverage, c.noise)
		}
		if len(s.findings) != 1 || !strings.Contains(s.findings[0].Evidence.Text+s.findings[0].Evidence.Decoded, "zqmarker") {
			t.Errorf("%q: findings %+v", c.frame, s.findings)
		}
	}
}

// TestBatchOfUnknownDirection checks that the sender is determined for each message
// of a batch: here, a server's answer follows a client's message.
func TestBatchOfUnknownDirection(t *testing.T) {
	rule := markerRule()
	rule.Text, rule.Patterns = nil, nil
	var got []string
	rule.Judge = func(p *scanner.JudgePass) {
		got = append(got, fmt.Sprintf("%s %s %t", p.Message.Kind, p.Direction, p.Request != nil))
	}
	batch := frame(1, mcp.Unknown, `[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}]`)
	run(t, []scanner.Rule{rule}, frame(0, mcp.Unknown, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), batch)
	want := []string{"request client_to_server false", "notification client_to_server false", "response server_to_client true"}
	if !slices.Equal(got, want) || batch.Direction != mcp.Unknown {
		t.Errorf("got %q with the frame from %s, want %q", got, batch.Direction, want)
	}
}

// TestDamagedLineCountsOnce checks that a line that the reader could not parse as a record is one
// event. It must be inspected as text and counted as skipped, with the reader's reason.
func TestDamagedLineCountsOnce(t *testing.T) {
	damaged := frame(0, mcp.Unknown, `zqmarker, no record`)
	damaged.Reason = "a line is no JSON"
	s, res := run(t, []scanner.Rule{markerRule()}, damaged)
	c := res.Coverage
	if c.Events != 1 || c.Inspected != 0 || len(c.Skipped) != 1 || c.Skipped[0].Reason != damaged.Reason || len(s.findings) != 1 {
		t.Errorf("coverage %+v, %d findings", c, len(s.findings))
	}
}

// TestDefinitionChecks checks that Definition checks see each text of a definition
// and no other, share one Reading of it, and know the matches of the patterns.
func TestDefinitionChecks(t *testing.T) {
	var read []string
	check := func(p *scanner.TextPass) {
		p.Reading(func(p *scanner.TextPass, _ any) any { read = append(read, string(p.Folded)); return nil })
		if !p.Reported(0, len(p.Folded), scanner.High) {
			p.Report(scanner.Issue{Start: 0, End: len(p.Folded), Severity: scanner.High, Message: "read"})
		}
	}
	r, other := markerRule(), markerRule()
	r.Definition = check
	other.ID, other.Text, other.Patterns, other.Definition = "tst-other", nil, nil, check
	s, _ := run(t, []scanner.Rule{r, other}, frame(0, mcp.ServerToClient,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"plain","description":"Has a zqmarker."}]}}`),
		frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a plain text"}]}}`))
	if want := []string{"plain", "description", "has a zqmarker."}; !slices.Equal(read, want) {
		t.Errorf("read %q, want %q", read, want)
	}
	var got []string
	for _, f := range s.findings {
		got = append(got, f.Rule.ID+" "+f.Message+" "+f.Pointer)
	}
	slices.Sort(got)
	want := []string{"tst-marker found /description", "tst-marker read /description", "tst-marker read /name",
		"tst-other read /description", "tst-other read /description", "tst-other read /name"} // one for the key and, with one of the rules, one for the text
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
}
