package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// changed passes an event to a log that results in one line.
func changed(t *testing.T, l *AuditLog, server string) {
	t.Helper()
	e := &scanner.Event{Kind: scanner.FrameEvent, Time: time.Unix(0, 0), Session: "s", Server: server, Direction: mcp.ServerToClient}
	out := &scanner.Outcome{Messages: []scanner.Judged{{Message: &scanner.Message{Kind: mcp.Notification, Method: "notifications/tools/list_changed"}}}}
	if err := l.to.Event(e, out); err != nil {
		t.Fatal(err)
	}
	l.Flush()
}

// serversIn returns the servers of the events in a file.
func serversIn(t *testing.T, name string) (servers string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		_, rest, ok := strings.Cut(line, `"server_id":"`)
		if !ok || !strings.HasSuffix(rest, "}\n") {
			rest = `broken"`
		}
		server, _, _ := strings.Cut(rest, `"`)
		servers += server + " "
	}
	return servers
}

// TestAppendAuditLog checks that audit logs that are open at the same time write to the same file, and
// keep what it contains, even if that ends within a line.
func TestAppendAuditLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(name, []byte(`{"server_id":"cut`), 0o600); err != nil {
		t.Fatal(err)
	}
	var logs [2]*AuditLog
	for k := range logs {
		var err error
		if logs[k], err = AppendAuditLog(name, t.Errorf); err != nil {
			t.Fatal(err)
		}
		changed(t, logs[k], fmt.Sprint("first", k))
	}
	changed(t, logs[0], "second0")
	for _, l := range logs {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if got, want := serversIn(t, name), "broken first0 first1 second0 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAuditLogFails checks that events wait for a file that cannot be written, that those that cannot
// wait are counted, and that both are reported.
func TestAuditLogFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	var told []string
	l, err := AppendAuditLog(name, func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
	if err != nil {
		t.Fatal(err)
	}
	works := l.lines.file
	if l.lines.file, err = os.Open(name); err != nil { // for reading only
		t.Fatal(err)
	}
	defer l.lines.file.Close()
	changed(t, l, "waits")
	changed(t, l, "too")
	l.lines.waiting.WriteString(strings.Repeat("x", maxAuditLines-100))
	changed(t, l, "lost")
	l.lines.file = works
	changed(t, l, "now")
	if got, want := serversIn(t, name), "waits too now "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "missing audit events: 1") {
		t.Errorf("got %v", err)
	}
	if len(told) != 2 || !strings.Contains(told[0], "failed") || !strings.Contains(told[1], "again") {
		t.Errorf("told: %q", told)
	}
}

// TestAuditLogMoves checks that a log that is renamed or removed is created again, and that events wait
// while that fails.
func TestAuditLogMoves(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows renames no file that a process has open")
	}
	name := filepath.Join(t.TempDir(), "logs", "audit.jsonl")
	dir := filepath.Dir(name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	told := 0
	l, err := AppendAuditLog(name, func(string, ...any) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	changed(t, l, "first")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	changed(t, l, "second")
	if got := serversIn(t, name+".1") + serversIn(t, name); got != "first second " {
		t.Errorf("after renaming: %s", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	changed(t, l, "third")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	changed(t, l, "fourth")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if got := serversIn(t, name); got != "third fourth " || told != 2 {
		t.Errorf("after removing: %s, told %d times", got, told)
	}
}

// TestClaimed checks that recordings to the same name at the same time have files of their own, and
// that the name is free again afterwards.
func TestClaimed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "rec.jsonl")
	var told []string
	open := func() *Traffic {
		tr, err := OpenTraffic(name, 0, 0, func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	a, b, c := open(), open(), open()
	for k, tr := range []*Traffic{a, b, c} {
		tr.Record(&scanner.Event{Kind: scanner.SkippedEvent, Time: time.Unix(0, 0), Session: "s", Reason: fmt.Sprint("number ", k)})
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	again := open()
	for _, tr := range []*Traffic{a, c, again} {
		if err := tr.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{"rec.jsonl": "number 0", "rec-2.jsonl": "", "rec-3.jsonl": "number 2"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(data), want) || (want == "") != (len(data) == 0) {
			t.Errorf("%s: %s, %v", file, data, err)
		}
	}
	if len(told) != 3 || !strings.Contains(told[0], "rec-2.jsonl: another proxy is recording to ") {
		t.Errorf("told: %q", told)
	}
}
