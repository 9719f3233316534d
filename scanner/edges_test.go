package scanner_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestEdges checks every window at the last nanosecond inside it, and one nanosecond earlier and
// later.
func TestEdges(t *testing.T) {
	const crowd = "mail.list_inbox 0s\n"
	full := burstOf(11, "0s") // this empties the bucket of the default limit, which is reported for the last call
	for name, c := range map[string]struct {
		rule   string
		limits scanner.Limits
		window time.Duration
		script string // %s is the time of the last lines
		within string // finding for a call within the window
		behind string
	}{
		"read-then-send": {rule: "read-then-send", window: 30 * time.Second,
			script: "files.read_file 0s\nmail.send_email %s", within: "read-then-send 2 1"},
		"read-then-send, as long as can be": {rule: "read-then-send", limits: scanner.Limits{ReadThenSend: 24 * time.Hour}, window: 24 * time.Hour,
			script: "files.read_file 0s\nmail.send_email %s", within: "read-then-send 2 1"},
		"read-then-send, as short as can be": {rule: "read-then-send", limits: scanner.Limits{ReadThenSend: 2}, window: 2,
			script: "files.read_file 0s\nmail.send_email %s", within: "read-then-send 2 1"},
		"read-then-send, shorter than flow": {rule: "read-then-send", limits: scanner.Limits{ReadThenSend: time.Second}, window: time.Second,
			script: "files.read_file 0s\nmail.send_email %s", within: "read-then-send 2 1"},
		"flow in any turn": {rule: "cross-server-flow", limits: scanner.Limits{AnyTurn: true}, window: 30 * time.Second,
			script: "files.read_file 0s\n<files 1s\nnotes.create_note %s", within: "cross-server-flow 3 1"},
		"flow in one turn": {rule: "cross-server-flow", window: 30 * time.Second,
			script: "files.read_file 0s r1\n<files 1s\nnotes.create_note %s r1", within: "cross-server-flow 3 1"},
		"flow, longer than read-then-send": {rule: "cross-server-flow", limits: scanner.Limits{AnyTurn: true, Flow: time.Hour}, window: time.Hour,
			script: "files.read_file 0s\nnotes.create_note %s", within: "cross-server-flow 2 1"},
		"burst": {rule: "burst", window: 5 * time.Second,
			script: crowd + burstOf(10, "0s") + "files.x %s", within: "burst 12 2"},
		"burst, as long as can be": {rule: "burst", limits: scanner.Limits{BurstWindow: 24 * time.Hour}, window: 24 * time.Hour,
			script: crowd + burstOf(10, "0s") + "files.x %s", within: "burst 12 2"},
		"a token": {rule: "rate-limit", window: 600*time.Millisecond - 1,
			script: burstOf(10, "0s") + "files.x %s", within: "rate-limit 11"},
		"a full bucket": {rule: "rate-limit", window: 6*time.Second - 1,
			script: full + strings.Repeat("files.x %[1]s\n", 11), within: "rate-limit 11", behind: "rate-limit 11, rate-limit 22"},
	} {
		for after, want := range map[time.Duration]string{-1: c.within, 0: c.within, 1: c.behind} {
			at := (c.window + after).String()
			got, _ := told(t, scanner.Options{Limits: c.limits}, only(c.rule), script(t, fmt.Sprintf(c.script, at)))
			if strings.Join(got, ", ") != want {
				t.Errorf("%s: after %s: got %q, want %q", name, at, got, want)
			}
		}
	}
}

// TestClocks checks that implausible times cause neither panics nor overflows, and that calls whose
// timestamps are within a window are reported.
func TestClocks(t *testing.T) {
	now := time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)
	var (
		year   = now.AddDate(1, 0, 0)
		never  time.Time
		first  = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
		last   = time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
		beyond = time.Unix(math.MaxInt64/2, 0)
		before = time.Unix(math.MinInt64/2, 0)
	)
	// Each case has a read, a send, and 22 calls to one server, half of them at one time and
	// half at another.
	for name, c := range map[string]struct {
		read, send, then, next time.Time
		want                   string
		late                   int
	}{
		"one time":             {now, now, now, now, "read-then-send 2, burst 12, rate-limit 12", 0},
		"year 0":               {first, first, first, first, "read-then-send 2, burst 12, rate-limit 12", 0},
		"year 9999":            {last, last, last, last, "read-then-send 2, burst 12, rate-limit 12", 0},
		"no time":              {never, never, never, never, "", 0},
		"no time of the read":  {never, now, now, now, "burst 13, rate-limit 13", 0},
		"no time of the send":  {now, never, now, now, "burst 12, rate-limit 12", 0},
		"no time of the calls": {now, now, never, never, "read-then-send 2", 0},
		"half of a burst":      {now, now, never, now, "read-then-send 2, burst 23, rate-limit 23", 0},
		"a year on":            {now, year, year, year, "burst 13, rate-limit 13", 0},
		"a year on, and back":  {now, now, year, now, "read-then-send 2, burst 13, rate-limit 13", 11},
		"from year 0 to 9999":  {first, last, last, last, "burst 13, rate-limit 13", 0},
		"and back":             {last, first, first, last, "rate-limit 12, burst 23", 12},
		"beyond all years":     {before, beyond, before, beyond, "burst 12, rate-limit 12, burst 24, rate-limit 24", 11},
		"the other way round":  {beyond, before, beyond, before, "burst 12, rate-limit 12", 12},
	} {
		events := script(t, "files.read_file 0s\nmail.send_email 0s\n"+burstOf(22, "0s"))
		for i, e := range events {
			e.Time = c.next
			switch {
			case i == 0:
				e.Time = c.read
			case i == 1:
				e.Time = c.send
			case i < 13:
				e.Time = c.then
			}
		}
		for _, most := range []int{0, scanner.MostCalls} { // with this limit, there is neither a burst nor an exceeded rate
			limits := scanner.Limits{BurstCalls: most, BurstWindow: 24 * time.Hour, Rate: scanner.RateLimit{CallsPerMinute: most, Burst: most}}
			got, res := told(t, scanner.Options{Limits: limits}, only("read-then-send", "burst", "rate-limit"), events)
			late, lines := 0, []string(nil)
			for _, s := range res.Coverage.Skipped {
				if strings.Contains(s.Reason, "too late to be put in order") {
					late += s.Count
				}
			}
			for _, g := range got {
				lines = append(lines, strings.Join(strings.Fields(g)[:2], " "))
			}
			want := c.want
			if most > 0 {
				want, _, _ = strings.Cut(want, ", ")
				if !strings.HasPrefix(want, "read") {
					want = ""
				}
			}
			if strings.Join(lines, ", ") != want || late != c.late {
				t.Errorf("%s: got %q with %d late, want %q with %d", name, strings.Join(lines, ", "), late, want, c.late)
			}
		}
	}
}
