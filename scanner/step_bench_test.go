package scanner_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// BenchmarkStep measures how long a message of each kind waits in a proxy while it is inspected and
// judged, and how long the sequential part, judging, takes.
func BenchmarkStep(b *testing.B) {
	e := engine(b, 0) // as in a proxy: as many workers as processors
	result := func(size int) *scanner.Event {
		quoted, err := json.Marshal(recgen.Texts(1, size)["prose"])
		if err != nil {
			b.Fatal(err)
		}
		return frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(quoted)+`}]}}`)
	}
	call := frame(0, mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool7","arguments":{"path":"src/main.go","line":12}}}`)
	list := listOf(60, "Reads a file of the project and returns its text, line by line.")
	for _, c := range []struct {
		name  string
		event *scanner.Event
	}{{"call", call}, {"result=4KB", result(4 << 10)}, {"result=64KB", result(64 << 10)}, {"tools=60/known", list}} {
		b.Run(c.name, func(b *testing.B) {
			live := e.Live()
			live.Step(list)
			percentiles(b, func(i int) func() { later(c.event, i); return func() { live.Step(c.event) } })
		})
	}
	b.Run("tools=60/new", func(b *testing.B) { // in another session each time: in one, they would have changed
		live := e.Live()
		percentiles(b, func(i int) func() {
			list := later(listOf(60, fmt.Sprintf("Reads a file of project %d and returns its text, line by line.", i)), i)
			list.Session = fmt.Sprint(i)
			return func() { live.Step(list) }
		})
	})
	b.Run("judge", func(b *testing.B) {
		j, in := scanner.NewJudge(e), e.NewInspector()
		j.Judge(list, in.Inspect(list))
		facts := in.Inspect(call)
		percentiles(b, func(i int) func() { later(call, i); return func() { j.Judge(call, facts) } })
	})
	b.Run("judge/tools=60", func(b *testing.B) {
		j, in := scanner.NewJudge(e), e.NewInspector()
		facts := in.Inspect(list)
		percentiles(b, func(i int) func() { later(list, i); return func() { j.Judge(list, facts) } })
	})
}

// listOf returns a list of tools with the same description.
func listOf(tools int, description string) *scanner.Event {
	var all []string
	for i := range tools {
		all = append(all, fmt.Sprintf(`{"name":"tool%d","description":"%s","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The path of the file, from the root of the project."},"line":{"type":"integer","description":"The first line."}},"required":["path"]}}`, i, description))
	}
	return listing(0, all...)
}

// later sets an event's time ten seconds after that of the one before it, so that calls stay within
// the rate limits.
func later(e *scanner.Event, i int) *scanner.Event {
	e.Time = time.Unix(int64(i)*10, 0).UTC()
	return e
}

// percentiles runs the steps that prepare returns, and reports the median and the 99th percentile of
// the time that they take.
func percentiles(b *testing.B, prepare func(i int) (step func())) {
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		step := prepare(i)
		began := time.Now()
		step()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

// BenchmarkDrift measures a list of 60 tools, each with a description that differs from
// the approved one.
func BenchmarkDrift(b *testing.B) {
	approved := scanner.NewSnapshot()
	e := engine(b, 1)
	if _, err := e.Keeping().Run(b.Context(), replay.Events([]*scanner.Event{listOf(60, "Reads a file of the project and returns its text, line by line.")}), approved); err != nil {
		b.Fatal(err)
	}
	e = e.Against(approved, nil)
	now := listOf(60, strings.Repeat("Reads a file, or a part of it, and returns what it says. The lines are numbered. ", 6))
	in := e.NewInspector()
	facts := in.Inspect(now)
	b.Run("inspect", func(b *testing.B) {
		percentiles(b, func(int) func() { return func() { in.Inspect(now); now.SetTree(nil, 0) } })
	})
	b.Run("judge", func(b *testing.B) {
		percentiles(b, func(int) func() {
			return func() {
				if len(scanner.NewJudge(e).Judge(now, facts).Findings) < 60 {
					b.Fatal("changes were not reported")
				}
			}
		})
	})
	b.Run("step", func(b *testing.B) {
		live := e.Live()
		percentiles(b, func(i int) func() { later(now, i); return func() { live.Step(now) } })
	})
}
