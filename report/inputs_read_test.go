package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestReading checks that the names of the files and servers read are bounded, escaped, and
// independent of the order of servers.
func TestReading(t *testing.T) {
	var forth, back serverNames
	see := func(to *serverNames, name string) {
		to.see(&scanner.Event{Server: name}, &scanner.Outcome{First: true})
	}
	const all = maxServerNames + 50
	for i := range all {
		see(&forth, fmt.Sprintf("server-%03d", i))
		see(&back, fmt.Sprintf("server-%03d", all-1-i))
	}
	if len(forth) != maxServerNames || strings.Join(forth, " ") != strings.Join(back, " ") {
		t.Errorf("%d and %d names, %v and %v", len(forth), len(back), forth[:3], back[:3])
	}
	r := &Report{Inputs: []Input{{"recording", "a.jsonl"}, {"config", "b\x1b.json"}, {"server", "mail"}, {"config", "a.jsonl"}},
		Summary: Summary{Servers: all, ServerNames: forth}}
	const want = `Read: files a.jsonl, "b<U+001B>.json"; servers server-000, server-001, server-002, server-003, server-004, server-005, server-006, server-007 and 142 more.`
	if got := reading(r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := reading(&Report{}); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}
