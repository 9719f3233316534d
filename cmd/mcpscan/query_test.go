package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hostile returns a recording with control characters, bidirectional text and a
// credential in every field that a table shows.
func hostile(t *testing.T) string {
	token := "gh" + "p_" + strings.Repeat("a1B2", 9)
	const head = `{"type":"mcp_message","timestamp":"2026-01-06T10:30:00Z","session_id":"s\u009b\u202e","server_id":"x\u009b TOKEN","server_type":"stdio",`
	text := head + `"direction":"server_to_client","message":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a\u202eb\u009b31m\u007f","description":"token=TOKEN \u009b2J \u202e x"}]}}}` + "\n" +
		head + `"direction":"client_to_server","message":{"jsonrpc":"2.0","id":"TOKEN\u009b","method":"tools/call","params":{"name":"password=TOKEN\u009b"}}}` + "\n" + head + `"mess`
	name := filepath.Join(t.TempDir(), "f\x1b[31m\u009b.jsonl")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "TOKEN", token)), 0o600); err != nil {
		t.Skip("no such file names here:", err)
	}
	return name
}

// TestQueriesAreHarmless checks that tables and JSON output from commands that show recordings
// contain neither terminal sequences nor credentials.
func TestQueriesAreHarmless(t *testing.T) {
	name := hostile(t)
	harmful := regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f\x{80}-\x{9f}\x{202e}]|a1B2a1B2`)
	for _, command := range []string{"servers", "tools", "calls", "events", "detections", "explain"} {
		for _, args := range [][]string{{command, name}, {command, "--json", name}} {
			if command == "explain" {
				args = append(args, "2")
			}
			var out, errs bytes.Buffer
			code := run(args, streams{strings.NewReader(""), &out, &errs})
			if code != exitClean || out.Len() == 0 || !strings.Contains(errs.String(), "not inspected") {
				t.Errorf("%s: exit %d\n%s%s", args[:len(args)-1], code, &out, &errs)
			}
			if m := harmful.FindString(out.String() + errs.String()); m != "" {
				t.Errorf("%s: %q in\n%q", args[:len(args)-1], m, out.String()+errs.String())
			}
		}
	}
}

// fullDisk is a writer that always fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullDisk checks that a command fails if its output cannot be written.
func TestFullDisk(t *testing.T) {
	name := filepath.Join(root, "docs", "examples", "poisoned-session.events.jsonl")
	for _, args := range [][]string{
		{"servers", name}, {"tools", name}, {"calls", name}, {"events", name}, {"detections", name}, {"events", "--json", name}, {"explain", name, "1"},
		{"rules"}, {"rules", "inj-override"}, {"version"}, {"replay", name}, {"replay", "--format", "json", name}, {"replay", "--format", "sarif", name},
	} {
		var errs bytes.Buffer
		if code := run(args, streams{strings.NewReader(""), fullDisk{}, &errs}); code != exitUsage || strings.Count(errs.String(), "writing") != 1 {
			t.Errorf("%s: exit %d, %s", args, code, &errs)
		}
	}
}

// TestSameName checks that sameName recognises a name in the form in which any output shows it, and no
// other name.
func TestSameName(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("a1B2", 9)
	long := "long-" + strings.Repeat("x", 200)
	for _, c := range []struct {
		want, name string
		same       bool
	}{
		{"a<U+200B>b", "a\u200bb", true},
		{"a<U+200B>b", "ab", false},
		{"x ::error::y", "x\n::error::y", true},
		{"<U+003A>:error::y", "::error::y", true},
		{"::error::y", "::error::y", true},
		{":", ":", true},
		{"gh" + "p_[masked]", token, true},
		{token, "gh" + "p_[masked]", true},
		{long[:cellChars] + "…", long, true},
		{long, long[:120] + "…", true},
		{long[:cellChars] + "…", long[:120] + "…", true},
		{strings.Repeat("x", cellChars-10) + "…", strings.Repeat("x", cellChars-10) + strings.Repeat("\u200b", 9), true},
		{long + "y", long, false},
		{"long…", long, false},
		{"…", "a", false},
		{"", "a", false},
	} {
		if got := sameName(c.want, c.name); got != c.same {
			t.Errorf("sameName(%q, %q) = %t, want %t", c.want, c.name, got, c.same)
		}
	}
}
