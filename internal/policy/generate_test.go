package policy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// denials collects the requests that a policy denies.
type denials struct{ got []string }

func (d *denials) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (d *denials) Finding(f *scanner.Finding) error {
	d.got = append(d.got, f.Rule.ID+" "+f.Message+" "+f.Name)
	return nil
}

type fatal interface{ Fatalf(string, ...any) }

// run replays a recording through one rule.
func run(t fatal, recording string, rule scanner.Rule, o scanner.Options) []string {
	d := &denials{}
	engine, err := scanner.New([]scanner.Rule{rule}, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	src, err := replay.Open("events.jsonl", strings.NewReader(recording), replay.Options{MaxMessage: 1 << 20})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if _, err := engine.Run(context.Background(), src, d); err != nil {
		t.Fatalf("%v", err)
	}
	return d.got
}

// profileOf returns the profile of a recording.
func profileOf(t fatal, recording string, agentsh bool) *policy.Profile {
	p := policy.NewProfile()
	p.AgentSH = agentsh
	run(t, recording, scanner.Rule{ID: "custom-profile", Category: "custom", Title: "-", Why: "-", Fix: "-", Basis: "-", Judge: p.Message}, scanner.Options{AgentSH: true})
	return p
}

// denied returns the requests in a recording that a YAML policy denies.
func denied(t fatal, yaml, recording string) []string {
	settings, err := config.ParseSettings("p.yaml", []byte(yaml), config.Vocabulary{})
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	all := rules.All()
	i := slices.IndexFunc(all, func(r scanner.Rule) bool { return r.ID == "policy-denied" })
	return run(t, recording, all[i], scanner.Options{Policy: settings.Policy.Policy(), AgentSH: settings.Policy.Hashes()})
}

// message returns a recording line.
func message(second int, server, direction string, msg any) string {
	line, err := json.Marshal(map[string]any{"type": "mcp_message", "timestamp": fmt.Sprintf("2026-01-06T10:30:%02dZ", second), "session_id": "s1",
		"server_id": server, "direction": direction, "message": msg})
	if err != nil {
		panic(err)
	}
	return string(line) + "\n"
}

func listing(second int, server, tool, description string) string {
	return message(second, server, "server_to_client", map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{"tools": []any{
		map[string]any{"name": tool, "description": description, "inputSchema": map[string]any{"type": "object"}}}}})
}

func calls(second int, server, tool string) string {
	return message(second, server, "client_to_server", map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": map[string]any{}}})
}

// refuses returns the audit log line for a call that was blocked.
func refuses(second int, server, tool string) string {
	line, _ := json.Marshal(map[string]any{"type": "mcp_tool_call_intercepted", "timestamp": fmt.Sprintf("2026-01-06T10:30:%02dZ", second), "session_id": "s1",
		"server_id": server, "tool_name": tool, "action": "block"})
	return string(line) + "\n"
}

// TestGenerated checks that the policy allows what was called or listed, lists refused calls in
// comments, and says how often and when each was seen.
func TestGenerated(t *testing.T) {
	recording := listing(1, "notes", "read_note", "Reads.") + listing(2, "notes", "write_note", "Writes.") + calls(3, "notes", "read_note") +
		refuses(4, "notes", "drop_all") + calls(5, "web", "search") + refuses(6, "shady", "pay")
	got := profileOf(t, recording, true).YAML("On top.")
	want := `# On top.
mcp_rules:
  enforce_policy: true
  tool_policy: "allowlist"
  allowed_tools:
    # Provenance: 2 events (2026-01-06T10:30:01Z - 2026-01-06T10:30:03Z)
    - server: "notes"
      tool: "read_note"
      content_hash: "HASH"
    # Provenance: 1 event (2026-01-06T10:30:02Z)
    - server: "notes"
      tool: "write_note"
      content_hash: "HASH"
    # Provenance: 1 event (2026-01-06T10:30:05Z)
    # Its definition was unknown when it was called, so any definition of it is allowed.
    - server: "web"
      tool: "search"
  server_policy: "allowlist"
  allowed_servers:
    # Provenance: 3 events (2026-01-06T10:30:01Z - 2026-01-06T10:30:03Z)
    - id: "notes"
    # Provenance: 1 event (2026-01-06T10:30:05Z)
    - id: "web"

  # --- Blocked tools (to allow one, move it to allowed_tools) ---
  # All calls of these tools were refused, or not answered. A tool listed under denied_tools stays blocked.
  # denied_tools:
  #   # Provenance: 1 event (2026-01-06T10:30:04Z)
  #   - server: "notes"
  #     tool: "drop_all"
  #   # Provenance: 1 event (2026-01-06T10:30:06Z)
  #   - server: "shady"
  #     tool: "pay"

  version_pinning:
    enabled: true
    on_change: "block"
    auto_trust_first: true

  cross_server:
    enabled: true
    read_then_send:
      enabled: true
`
	for _, hash := range []string{"read_note", "write_note"} {
		_, after, _ := strings.Cut(got, `tool: "`+hash+`"`)
		_, after, _ = strings.Cut(after, `content_hash: "`)
		value, _, _ := strings.Cut(after, `"`)
		if _, err := policy.ParseHash(value); err != nil || !strings.HasPrefix(value, "sha256:") {
			t.Errorf("the hash of %s is %q: %v", hash, value, err)
		}
		got = strings.Replace(got, value, "HASH", 1)
	}
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestGeneratedAllowsNothingElse checks that other tools, other servers, changed
// definitions and refused tools are denied.
func TestGeneratedAllowsNothingElse(t *testing.T) {
	recording := listing(1, "notes", "read_note", "Reads.") + calls(3, "notes", "read_note") + refuses(4, "notes", "drop_all")
	yaml := profileOf(t, recording, false).YAML()
	for what, c := range map[string]struct {
		recording string
		denied    bool
	}{
		"the same":          {recording, false},
		"another tool":      {listing(1, "notes", "read_all", "Reads.") + calls(2, "notes", "read_all"), true},
		"another server":    {listing(1, "note", "read_note", "Reads.") + calls(2, "note", "read_note"), true},
		"changed":           {listing(1, "notes", "read_note", "Reads all.") + calls(2, "notes", "read_note"), true},
		"changed later":     {recording + listing(6, "notes", "read_note", "Reads all.") + calls(7, "notes", "read_note"), true},
		"not listed":        {calls(2, "notes", "read_note"), true},
		"what was refused":  {calls(2, "notes", "drop_all"), true},
		"in another letter": {listing(1, "notes", "Read_note", "Reads.") + calls(2, "notes", "Read_note"), true},
	} {
		if got := denied(t, yaml, c.recording); (len(got) > 0) != c.denied {
			t.Errorf("%s: denied: %q", what, got)
		}
	}
}

// hostile contains characters with a special meaning in YAML, globs or terminals.
var hostile = []rune("ab*?[]{}\\\"'#:-|>&!%@` \t\n\r\x00\x1b\x7f\u0085\u00a0\u00ad\u200b\u202e\u2028\ufeff\ufffe\ufffdé中\U0001F600\U000E0041,~=/")

// TestGeneratedDeniesNothing checks that, for any names, the policy loads and allows the
// recording from which it was generated, and that no wildcard or injected line allows
// anything else.
func TestGeneratedDeniesNothing(t *testing.T) {
	names := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringOfN(rapid.SampledFrom(hostile), 1, 12, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "name")
	})
	rapid.Check(t, func(t *rapid.T) {
		var recording strings.Builder
		servers, tools := map[string]bool{}, map[string]bool{}
		for i := range rapid.IntRange(1, 6).Draw(t, "events") {
			server, tool := names.Draw(t, "server"), names.Draw(t, "tool")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				recording.WriteString(listing(i, server, tool, "x"))
			case 1:
				recording.WriteString(calls(i, server, tool))
			case 2:
				recording.WriteString(listing(i, server, tool, "x") + calls(i, server, tool))
			case 3:
				recording.WriteString(refuses(i, server, tool))
				continue
			}
			servers[server], tools[server+"\x00"+tool] = true, true
		}
		if len(servers) == 0 {
			return
		}
		yaml := profileOf(t, recording.String(), rapid.Bool().Draw(t, "agentsh")).YAML("A comment.")
		if got := denied(t, yaml, recording.String()); len(got) > 0 {
			t.Fatalf("%s\n%s\ndenied: %q", recording.String(), yaml, got)
		}
		settings, err := config.ParseSettings("p.yaml", []byte(yaml), config.Vocabulary{})
		if err != nil {
			t.Fatal(err)
		}
		l := settings.Policy
		if len(l.AllowedServers) != len(servers) || len(l.AllowedTools) != len(tools) || len(l.DeniedServers)+len(l.DeniedTools)+len(l.Servers) > 0 {
			t.Fatalf("%s\nallows %d servers and %d tools, of %d and %d", yaml, len(l.AllowedServers), len(l.AllowedTools), len(servers), len(tools))
		}
		for _, line := range strings.Split(yaml, "\n") {
			for _, r := range line {
				if r < 0x20 || r == 0x7F || r == '\u202e' || r == '\u200b' || r == '\u2028' {
					t.Fatalf("a line has %U: %q", r, line)
				}
			}
		}
	})
}

// TestNamesThatNoRuleHas checks that blank and overlong names are reported and not allowed.
func TestNamesThatNoRuleHas(t *testing.T) {
	long := strings.Repeat("x", policy.MaxName+1)
	recording := calls(1, "s", long) + calls(2, "s", " ") + calls(3, long, "t") + calls(4, "s", "t") + refuses(5, "s", long+"y") + refuses(6, "s", strings.Repeat("z", 1<<16))
	yaml := profileOf(t, recording, false).YAML()
	if got := strings.Count(yaml, "# Not allowed: no rule can name"); got != 4 { // the server twice
		t.Errorf("%d names are reported:\n%s", got, yaml)
	}
	if len(yaml) > 4<<10 {
		t.Errorf("long names make %d bytes", len(yaml))
	}
	if got := denied(t, yaml, recording); len(got) != 3 {
		t.Errorf("denied: %q", got)
	}
}
