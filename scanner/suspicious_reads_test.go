package scanner_test

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestSuspects checks that a suspicious result affects the severity of a later send
// for the duration of the window, to the nanosecond, and that no number of other
// reads evicts it.
func TestSuspects(t *testing.T) {
	const secret = `{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"DB_PASSWORD=vK8mQ2rTz7wLpXa9"}]}}`
	others := strings.Repeat("files.read_file 1s\n<files 1s\n", 100)
	for name, c := range map[string]struct {
		script string
		want   scanner.Severity
	}{
		"at once":                           {"files.read_file 0s\n<files 0s\nmail.send_email 0s", scanner.Critical},
		"at the end of the window":          {"files.read_file 0s\n<files 0s\nmail.send_email 30s", scanner.Critical},
		"behind the window, in that of one": {"files.read_file 0s\n<files 0s\nfiles.read_file 1s\n<files 1s\nmail.send_email 30s+1ns", scanner.Medium},
		"ahead of the answer":               {"files.read_file 0s\nmail.send_email 0s\n<files 1s", scanner.Medium},
		"behind many reads":                 {"files.read_file 0s\n<files 0s\n" + others + "mail.send_email 2s", scanner.Critical},
	} {
		events := script(t, c.script)
		for _, e := range events {
			if e.Direction == mcp.ServerToClient && strings.Contains(string(e.Frame), `"id":0,`) {
				e.Frame = []byte(secret)
			}
		}
		s, _ := run(t, only("read-then-send"), events...)
		if len(s.findings) != 1 || s.findings[0].Severity != c.want {
			t.Errorf("%s: want one finding at %s, got %v", name, c.want, s.findings)
		}
	}
}
