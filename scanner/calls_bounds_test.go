package scanner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestFloodHidesNoRead checks that no number of calls, to any server and tool, pushes a read out of
// the window.
func TestFloodHidesNoRead(t *testing.T) {
	for name, call := range map[string]func(i int) string{
		"the same tool":                func(int) string { return "files.get_time" },
		"other tools":                  func(i int) string { return fmt.Sprint("files.get_", i) },
		"calls that do something else": func(i int) string { return fmt.Sprint("files.write_", i) },
		"another server":               func(i int) string { return fmt.Sprint("notes.get_", i) },
		"the server that sends":        func(i int) string { return fmt.Sprint("mail.get_", i) },
	} {
		var flood strings.Builder
		flood.WriteString("files.read_secret 0s\n")
		for i := range 5000 {
			fmt.Fprintln(&flood, call(i), "1s")
		}
		got, _ := told(t, scanner.Options{}, only("read-then-send"), script(t, flood.String()+"mail.send_email 2s"))
		if len(got) != 1 || !strings.HasPrefix(got[0], "read-then-send 5002 ") {
			t.Errorf("%s: %q", name, got)
		} else if related := strings.Fields(got[0])[2:]; name != "other tools" && !slices.Contains(related, "1") {
			t.Errorf("%s: the read is not among those related: %q", name, related)
		}
	}
}

// TestOnlyCallOfAToolIsRemembered checks that a call of a new tool does not push out another tool's only
// call while a third tool has several.
func TestOnlyCallOfAToolIsRemembered(t *testing.T) {
	flood := "files.read_secret 0s\n" + strings.Repeat("files.get_time 1s\n", 31) + "files.get_x 2s\nfiles.get_y 3s\nmail.send_email 4s"
	got, _ := told(t, scanner.Options{}, only("read-then-send"), script(t, flood))
	if len(got) != 1 || !slices.Contains(strings.Fields(got[0])[2:], "1") {
		t.Errorf("the only call of read_secret is not among those related: %q", got)
	}
}

// TestWhatIsNotRememberedIsTold checks that reaching a bound on remembered calls is reported.
func TestWhatIsNotRememberedIsTold(t *testing.T) {
	servers := func(n int, at string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "s%d.get_x %s\n", i, at)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		script string
		lost   int
	}{
		"as many servers as are remembered": {servers(64, "0s"), 0},
		"one more":                          {servers(65, "0s"), 1},
		"one more, when the others are out": {servers(64, "0s") + "late.get_x 30s+1ns", 0},
		"the oldest that is remembered":     {"a.get_x 30s\nb.get_x 0s", 0},
		"one that is too old":               {"a.get_x 30s+1ns\nb.get_x 0s", 2}, // it is also late
	} {
		_, res := told(t, scanner.Options{}, only("read-then-send"), script(t, c.script))
		if len(res.Coverage.Skipped) != c.lost {
			t.Errorf("%s: %+v", name, res.Coverage.Skipped)
		}
	}
}

// TestCallsAreCountedOnce checks that a call is counted once, even if an LLM proxy, an audit log of
// the connection and the connection itself report it.
func TestCallsAreCountedOnce(t *testing.T) {
	audit := func(i int, kind string) *scanner.Event {
		e := frame(i, mcp.ClientToServer, fmt.Sprintf(`{"type":%q,"tool_name":"read_x","action":"allow"}`, kind))
		e.Kind, e.Type = scanner.AuditEvent, kind
		return e
	}
	for _, sources := range []string{"f", "c", "i", "ic", "cf", "icf", "fi"} { // a more reliable source starts a new count
		other := frame(0, mcp.ClientToServer, `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
		other.Server = "other"
		events := []*scanner.Event{other}
		for i := 1; i <= 15; i++ {
			for _, s := range sources {
				e := map[rune]*scanner.Event{'i': audit(i, "mcp_tool_call_intercepted"), 'c': audit(i, "mcp_tool_called"),
					'f': frame(i, mcp.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_x"}}`, i))}[s]
				e.Time = time.Unix(0, int64(i)).UTC()
				events = append(events, e)
			}
		}
		got, _ := told(t, scanner.Options{}, only("burst"), events)
		if len(got) != 1 || !strings.HasPrefix(got[0], "burst 12 ") {
			t.Errorf("%s: %q", sources, got)
		}
	}
}

// TestCallsWithoutATime checks that there are no findings about calls without a
// time.
func TestCallsWithoutATime(t *testing.T) {
	events := script(t, "files.read_file 0s\nmail.send_email 0s\n"+burstOf(200, "0s"))
	for _, e := range events {
		e.Time = time.Time{}
	}
	if got, res := told(t, scanner.Options{}, rules.All(), events); slices.ContainsFunc(got, func(s string) bool {
		return strings.HasPrefix(s, "read-then-send") || strings.HasPrefix(s, "burst") || strings.HasPrefix(s, "rate")
	}) || len(res.Coverage.Skipped) > 0 {
		t.Errorf("%q, %+v", got, res.Coverage.Skipped)
	}
}

// TestSessionsDoNotMeet checks that independent sessions have the same findings
// however they are interleaved.
func TestSessionsDoNotMeet(t *testing.T) {
	set := only("read-then-send", "cross-server-flow", "burst", "rate-limit")
	call := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%s.%s %dms %s", rapid.SampledFrom([]string{"files", "mail", "box"}).Draw(t, "server"),
			rapid.SampledFrom([]string{"read_file", "send_email", "create_note", "run", "zonk"}).Draw(t, "tool"),
			rapid.IntRange(0, 40000).Draw(t, "ms"), rapid.SampledFrom([]string{"", "", "r1", "r2"}).Draw(t, "request"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		var queues [][]*scanner.Event
		var want []string
		for s := range rapid.IntRange(1, 4).Draw(rt, "sessions") {
			lines := rapid.SliceOfN(call, 1, 40).Draw(rt, "calls")
			events := script(t, strings.Join(lines, "\n"))
			for i, e := range events {
				e.Session, e.Origin.Line = fmt.Sprint("s", s), s*1000+i+1
			}
			alone, _ := told(t, scanner.Options{}, set, slices.Clone(events))
			want = append(want, alone...)
			queues = append(queues, events)
		}
		var mixed []*scanner.Event
		for len(queues) > 0 {
			q := rapid.IntRange(0, len(queues)-1).Draw(rt, "next")
			mixed = append(mixed, queues[q][0])
			if queues[q] = queues[q][1:]; len(queues[q]) == 0 {
				queues = slices.Delete(queues, q, q+1)
			}
		}
		got, _ := told(t, scanner.Options{}, set, mixed)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// openCalls inspects 60,000 calls and their answers. It returns a function that spreads them over a
// number of sessions and returns a function that judges them and returns the number of calls. The
// number of calls is the same for any number of sessions, because calls also fill the caches.
func openCalls(t testing.TB) func(sessions int, apart time.Duration) func() int {
	all, err := everyRule()
	if err != nil {
		t.Fatal(err)
	}
	in := all.NewInspector()
	var texts []*scanner.Event
	var facts []*scanner.Facts // which do not depend on the session and the server
	add := func(i int, d mcp.Direction, text string) {
		ev := frame(i, d, text)
		texts, facts = append(texts, ev), append(facts, in.Inspect(ev))
		ev.SetTree(nil, 0)
	}
	for i := range 60_000 {
		add(i, mcp.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i,
			[]string{"read_file", "list_directory", "create_note", "run_code"}[i/3%4]))
		add(i, mcp.ServerToClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	return func(sessions int, apart time.Duration) func() int {
		e, err := scanner.New(rules.All(), scanner.Options{Workers: 1, Sessions: sessions})
		if err != nil {
			t.Fatal(err)
		}
		events := make([]scanner.Event, len(texts))
		for n, ev := range texts {
			i := n / 2
			events[n] = *ev
			events[n].Session, events[n].Server = fmt.Sprint(i%sessions), []string{"files", "box", "web"}[i/sessions%3]
		}
		j, now := scanner.NewJudge(e), time.Unix(0, 0)
		return func() int {
			for i := range events {
				now = now.Add(apart / 2)
				events[i].Time = now
				j.Judge(&events[i], facts[i])
			}
			return len(events) / 2
		}
	}
}

// TestCallsCostTheSame checks that the cost of a call does not grow with the number of
// open sessions. It counts allocations, which do not depend on the machine.
func TestCallsCostTheSame(t *testing.T) {
	open := openCalls(t)
	for _, sessions := range []int{1, 100, 10_000} {
		judge := open(sessions, time.Second)
		calls := 0
		for range 2 { // and once more in AllocsPerRun; by then, the memory of a session has reached its final size
			calls = judge()
		}
		each := testing.AllocsPerRun(1, func() { judge() }) / float64(calls)
		if each > 0.2 {
			t.Errorf("%d sessions: %.2f allocations for each call and its answer", sessions, each)
		}
	}
}

// BenchmarkCalls measures judging calls and their answers with all rules, for various numbers of
// open sessions. With 10000 sessions, either all windows are empty, or each session has a call per
// second and the windows together exceed every CPU cache.
func BenchmarkCalls(b *testing.B) {
	open := openCalls(b)
	for _, c := range []struct {
		sessions int
		apart    time.Duration
	}{{1, time.Second}, {100, time.Second}, {10_000, time.Second}, {10_000, time.Second / 10_000}, {1, time.Millisecond}} {
		b.Run(fmt.Sprintf("sessions=%d/every=%s", c.sessions, c.apart), func(b *testing.B) {
			judge, calls := open(c.sessions, c.apart), 0
			for range 3 { // by then, the memory of a session has reached its final size
				judge()
			}
			b.ReportAllocs()
			for b.Loop() {
				calls += judge()
			}
			b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
		})
	}
}

// BenchmarkArguments measures judging calls whose arguments are checked against the tool's schema,
// with new arguments and with repeated ones.
func BenchmarkArguments(b *testing.B) {
	e, err := scanner.New(rules.All(), scanner.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	schema := `{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"integer","minimum":1},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},"required":["oldText","newText"]}}},"required":["path"]}`
	for name, different := range map[string]int{"new": 6000, "seen": 10} {
		b.Run(name, func(b *testing.B) {
			in := e.NewInspector()
			list := frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"edit_file","inputSchema":`+schema+`}]}}`)
			events, facts := []*scanner.Event{list}, []*scanner.Facts{in.Inspect(list)}
			for i := range 6000 {
				ev := frame(i, mcp.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"edit_file","arguments":{"path":"src/file%d.go","edits":[{"oldText":"a","newText":"b"}]}}}`, i, i%different))
				events, facts = append(events, ev), append(facts, in.Inspect(ev))
				ev.SetTree(nil, 0)
			}
			b.ReportAllocs()
			for b.Loop() {
				j := scanner.NewJudge(e)
				for i, ev := range events {
					j.Judge(ev, facts[i])
				}
			}
			b.ReportMetric(float64(b.N)*6000/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
