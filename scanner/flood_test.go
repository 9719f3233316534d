package scanner_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestFlood checks that the first message beyond a limit is reported, and that a limit
// refills by the timestamps of the events, to the nanosecond.
func TestFlood(t *testing.T) {
	flood := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.ID != "ses-message-flood" })
	for class, text := range map[scanner.MessageClass]string{
		scanner.Plain:   `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`,
		scanner.Relists: `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`,
		scanner.Asks:    `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`,
	} {
		limit := class.Limit()
		refilled := time.Minute / time.Duration(limit.CallsPerMinute)
		for after, want := range map[time.Duration]int{0: 1, refilled - 1: 1, refilled: 0, time.Hour: 0, -time.Hour: 1} {
			var events []*scanner.Event
			for i := range limit.Burst + 1 {
				e := frame(i, mcp.ServerToClient, text)
				if e.Time = time.Unix(1000, 0); i == limit.Burst {
					e.Time = e.Time.Add(after)
				}
				events = append(events, e)
			}
			if got, _ := told(t, scanner.Options{}, flood, events); len(got) != want {
				t.Errorf("class %d, the last one after %s: %q", class, after, got)
			}
			for _, e := range events {
				e.Time = time.Time{}
				e.SetTree(nil, 0)
			}
			if got, _ := told(t, scanner.Options{}, flood, events); len(got) > 0 {
				t.Errorf("class %d, without times: %q", class, got)
			}
		}
	}
}
