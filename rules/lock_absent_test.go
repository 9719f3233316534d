package rules_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// lockedServer is a lockfile entry with every possible member.
const lockedServer = `{
  "client": {"capabilities": ["roots"], "name": "mcpscan"},
  "identity": {"approved": {"at": "2026-01-07T00:00:00Z", "by": "alice", "reason": "read it"}, "status": "approved",
    "args": ["-y", "pages-mcp@1.2.0"], "command": "npx", "cwd": "/srv", "ecosystem": "npm", "env": ["TOKEN"], "exact": true, "package": "pages-mcp", "version": "1.2.0",
    "digest": "sha256:aa", "executable": "./npx", "integrity": "sha512-AAAA", "resolved": "1.2.0", "transport": "stdio"},
  "serverInfo": {"name": "pages", "protocol": "2025-11-25", "title": "Pages", "version": "1.0.0"},
  "tools": {"fetch_page": {
    "agentsh": "99ce95e75e6a48a3b976ac2910c6d0f2f9556338d329ff5aa87a42b6e954cd4e",
    "approved": {"at": "2026-01-07T00:00:00Z", "by": "alice", "reason": "read it"},
    "definition": {"description": "Fetches a page.", "inputSchema": {"type": "object"}, "name": "fetch_page"},
    "digest": "sha256-__G38drryBlnjdC8jzdlC7c3Mi1d3DVXu_DOwnz1amU",
    "mcpproxy": "e27203498355e69abf5305d9b412a998822f4449e84654ce1c33fa7c4b19acc2",
    "parts": {"description": "sha256-mwt_RBsbbgDiAd_fY2ekd20H6hLbYxvVKTS-gdO95CQ", "inputSchema": "sha256-oseZJio848Ge9c3Zg789ErQ6s8QmInCRuQnctwVHOMA"},
    "status": "approved"}}}`

// configuredServer is a configuration that starts the server in lockedServer. onThisMachine
// describes the package and executable to which its command resolves.
const configuredServer = `{"mcpServers": {"pages": {"command": "npx", "args": ["-y", "pages-mcp@1.2.0"], "cwd": "/srv", "env": {"TOKEN": "${TOKEN}"}}}}`

var onThisMachine = configfile.Found{Resolved: "1.2.0", Integrity: "sha512-AAAA", Executable: "./npx", Digest: "sha256:aa"}

// judged runs all rules over configuredServer and a lockfile that contains entry, and returns the
// version_pin findings, worst first. base is the entry before the change, or "" if there is no
// earlier lockfile.
func judged(t *testing.T, base, entry string, found configfile.Found) (all []string, err error) {
	t.Helper()
	e := engine(t, rules.All())
	snapshot := func(name, entry string) (*scanner.Snapshot, error) {
		events, err := locked(name, fmt.Sprintf(`{"lockfile": "mcpscan.lock/v1", "servers": {%s}}`, entry), true)
		if err != nil {
			return nil, err
		}
		offers := scanner.NewSnapshot()
		_, err = e.Keeping().Run(context.Background(), replay.Events(events), offers)
		return offers, err
	}
	var before *scanner.Snapshot
	if base != "" {
		if before, err = snapshot("base.lock", base); err != nil {
			t.Fatal(err)
		}
	}
	approved, err := snapshot("mcpscan.lock", entry)
	if err != nil {
		return nil, err
	}
	events, err := locked("mcpscan.lock", fmt.Sprintf(`{"lockfile": "mcpscan.lock/v1", "servers": {%s}}`, entry), false)
	if err != nil {
		return nil, err
	}
	file, err := config.Parse(".mcp.json", []byte(configuredServer))
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Entries {
		file.Entries[i].Found = found
	}
	events = append(events, &scanner.Event{Kind: scanner.ConfigEvent, Config: &file.ClientConfig, Origin: scanner.Origin{File: ".mcp.json", Line: 1, Column: 1}})
	var told []*scanner.Finding
	_, err = e.Against(approved, before).Run(context.Background(), replay.Events(events), each(func(f *scanner.Finding) {
		if f.Status == scanner.Open && f.Rule.Category == "version_pin" {
			kept := *f
			told = append(told, &kept)
		}
	}))
	slices.SortStableFunc(told, func(a, b *scanner.Finding) int { return int(b.Severity) - int(a.Severity) })
	for _, f := range told {
		all = append(all, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule.ID, f.Message))
	}
	return all, err
}

// pathsOf returns the JSON Pointers of all members of a value.
func pathsOf(at string, v any) (all []string) {
	if o, ok := v.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			all = append(append(all, at+"/"+key), pathsOf(at+"/"+key, o[key])...)
		}
	}
	return all
}

// without returns the entry without the member at a pointer.
func without(t *testing.T, entry, pointer string) string {
	t.Helper()
	v := decoded(t, entry).(map[string]any)
	keys := strings.Split(pointer, "/")[1:]
	at := v
	for _, key := range keys[:len(keys)-1] {
		at = at[key].(map[string]any)
	}
	delete(at, keys[len(keys)-1])
	return entryOf(t, v)
}

// TestRemovalsAreReported checks that if any single member is deleted from a lockfile entry,
// the lockfile is rejected or there is a finding at high or above. Some deletions are rated lower.
func TestRemovalsAreReported(t *testing.T) {
	whole := `"pages": ` + lockedServer
	if all, err := judged(t, whole, whole, onThisMachine); err != nil || len(all) > 0 {
		t.Fatalf("the whole entry: %v, %q", err, all)
	}
	told := map[string]string{ // deletions with another severity, and the rule that reports them
		"/serverInfo/title":                 "low drift-identity",
		"/identity/approved/reason":         "medium lock-tampered",
		"/tools/fetch_page/approved/reason": "medium lock-tampered",
	}
	for _, pointer := range pathsOf("", decoded(t, lockedServer)) {
		all, err := judged(t, whole, without(t, lockedServer, pointer), onThisMachine)
		if err != nil {
			continue // the lockfile is rejected
		}
		if want := told[pointer]; len(all) == 0 || want == "" && !strings.HasPrefix(all[0], "high ") && !strings.HasPrefix(all[0], "critical ") || !strings.HasPrefix(all[0], want) {
			t.Errorf("%s was removed: %q, want %q", pointer, all, cmp.Or(want, "high or critical"))
		}
	}
}

// TestNeverThere checks that a member missing from a lockfile entry is reported if the configured
// server has it, even without an earlier lockfile.
func TestNeverThere(t *testing.T) {
	silent := map[string]string{ // members that nothing configured or locked contradicts
		"/client": "", "/client/capabilities": "", "/client/name": "", // only the lockfile knows to whom it was listed
		"/serverInfo": "", "/serverInfo/name": "", "/serverInfo/protocol": "", "/serverInfo/title": "", "/serverInfo/version": "", // only the server itself knows its name
		"/identity/approved/reason": "", "/tools/fetch_page/approved/reason": "", // an approval need not have these
	}
	for _, pointer := range pathsOf("", decoded(t, lockedServer)) {
		all, err := judged(t, "", without(t, lockedServer, pointer), onThisMachine)
		if _, none := silent[pointer]; err == nil && none != (len(all) == 0) {
			t.Errorf("%s was never there: %q", pointer, all)
		}
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestEditedEntries covers edits of a lockfile entry, each with the findings expected with and
// without the earlier lockfile.
func TestEditedEntries(t *testing.T) {
	type object = map[string]any
	identity := func(s object) object { return s["identity"].(object) }
	tool := func(s object) object { return s["tools"].(object)["fetch_page"].(object) }
	replaced := onThisMachine
	replaced.Digest = "sha256:bb"
	for _, tt := range []struct {
		name          string
		edit          func(server object)
		found         configfile.Found
		against, bare string // highest severity with the lockfile before the change, and without it
	}{
		{"the identity", func(s object) { delete(s, "identity") }, onThisMachine, "high lock-incomplete", "medium lock-incomplete"},
		{"all of the identity but its braces", func(s object) { s["identity"] = object{} }, onThisMachine, "high", "high lock-stale"},
		{"what approved the identity", func(s object) { delete(identity(s), "approved"); delete(identity(s), "status") }, onThisMachine, "high lock-incomplete", "medium lock-incomplete"},
		{"the identity, waiting for the first approval again", func(s object) { delete(identity(s), "approved"); identity(s)["status"] = "pending" }, onThisMachine, "high lock-incomplete", "medium lock-pending"},
		{"the digest of a program that was replaced", func(s object) { delete(identity(s), "digest") }, replaced, "high lock-incomplete", "medium lock-incomplete"},
		{"digest and place of a program that was replaced", func(s object) { delete(identity(s), "digest"); delete(identity(s), "executable") }, replaced, "high lock-incomplete", "medium lock-incomplete"},
		{"the digest, for that of a program that was replaced", func(s object) { identity(s)["digest"] = "sha256:bb" }, replaced, "critical binary-mismatch", ""},
		{"all tools", func(s object) { delete(s, "tools") }, onThisMachine, "high lock-incomplete", "medium lock-incomplete"},
		{"each tool", func(s object) { s["tools"] = object{} }, onThisMachine, "high lock-incomplete", "medium lock-incomplete"},
		{"one of two tools", func(s object) { delete(s["tools"].(object), "other") }, onThisMachine, "high lock-incomplete", ""},
		{"the approval of a tool", func(s object) { delete(tool(s), "approved"); tool(s)["status"] = "pending" }, onThisMachine, "high lock-incomplete", "medium drift-new-tool"},
		{"who approved a tool", func(s object) { tool(s)["approved"].(object)["by"] = "mallory" }, onThisMachine, "medium lock-tampered", ""},
		{"why a tool was approved", func(s object) { tool(s)["approved"].(object)["reason"] = "all fine" }, onThisMachine, "medium lock-tampered", ""},
		{"when a tool was approved", func(s object) { tool(s)["approved"].(object)["at"] = "2025-03-07T00:00:00Z" }, onThisMachine, "medium lock-tampered", ""},
		{"a later approval of an unchanged tool, as after a reset", func(s object) { tool(s)["approved"].(object)["at"] = "2026-03-07T00:00:00Z" }, onThisMachine, "", ""},
		{"a review in place of the first use", func(s object) {
			s["tools"].(object)["other"].(object)["approved"] = object{"at": "2026-01-07T00:00:00Z", "by": "alice", "reason": "read it"}
		}, onThisMachine, "medium lock-tampered", ""},
		{"who approved the server", func(s object) { identity(s)["approved"].(object)["by"] = "mallory" }, onThisMachine, "medium lock-tampered", ""},
		{"the digest of MCPProxy", func(s object) { tool(s)["mcpproxy"] = strings.Repeat("0", 64) }, onThisMachine, "high lock-tampered", ""},
		{"the digest of agentsh", func(s object) { tool(s)["agentsh"] = strings.Repeat("0", 64) }, onThisMachine, "high lock-tampered", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole := decoded(t, lockedServer).(object)
			other := maps.Clone(tool(whole))
			definition := `{"description": "Fetches a page.", "inputSchema": {"type": "object"}, "name": "other"}`
			digest, parts := digestOf(t, definition)
			other["definition"], other["digest"], other["parts"] = decoded(t, definition), digest, parts
			other["approved"] = object{"at": "2026-01-07T00:00:00Z", "by": "first-use"}
			whole["tools"].(object)["other"] = other
			before := entryOf(t, whole)
			edited := decoded(t, before[len(`"pages": `):]).(object)
			tt.edit(edited)
			for _, c := range []struct{ base, want string }{{before, tt.against}, {"", tt.bare}} {
				all, err := judged(t, c.base, entryOf(t, edited), tt.found)
				if err != nil {
					t.Fatal(err)
				}
				if len(all) > 0 != (c.want != "") || len(all) > 0 && !strings.HasPrefix(all[0], c.want) {
					t.Errorf("with an earlier lockfile %t: %q, want %q", c.base != "", all, c.want)
				}
			}
		})
	}
}

// entryOf returns an entry in the lockfile's format.
func entryOf(t *testing.T, server any) string {
	t.Helper()
	b, err := json.Marshal(server)
	if err != nil {
		t.Fatal(err)
	}
	return `"pages": ` + string(b)
}

func digestOf(t *testing.T, definition string) (digest string, parts map[string]any) {
	t.Helper()
	var doc wire.Doc
	if err := doc.Parse([]byte(definition)); err != nil {
		t.Fatal(err)
	}
	whole, each := mcp.DigestOf(&doc, 0)
	parts = map[string]any{}
	for i, part := range mcp.DefinitionParts {
		if each[i] != (mcp.Digest{}) {
			parts[part] = each[i].String()
		}
	}
	return whole.String(), parts
}

// TestRemovedFromStartedServer checks that members removed from a lockfile entry are also reported
// if mcpscan lists the running server's tools instead of inspecting the entry.
func TestRemovedFromStartedServer(t *testing.T) {
	e := engine(t, rules.All())
	approved := func(entries string) *scanner.Snapshot {
		events, err := locked("mcpscan.lock", fmt.Sprintf(`{"lockfile": "mcpscan.lock/v1", "servers": {%s}}`, entries), true)
		if err != nil {
			t.Fatal(err)
		}
		offers := scanner.NewSnapshot()
		if _, err := e.Keeping().Run(context.Background(), replay.Events(events), offers); err != nil {
			t.Fatal(err)
		}
		return offers
	}
	whole := `"pages": ` + lockedServer
	for _, tt := range []struct{ name, lock, want string }{
		{"nothing", whole, ""},
		{"the entry", "", "high lock-missing"},
		{"all but its braces", `"pages": {}`, "high lock-incomplete"},
		{"the identity", without(t, lockedServer, "/identity"), "high lock-incomplete"},
		{"the digest", without(t, lockedServer, "/identity/digest"), "high lock-incomplete"},
		{"the tools", without(t, lockedServer, "/tools"), "high lock-incomplete"},
	} {
		at := func(e scanner.Event) *scanner.Event {
			e.Server, e.Session, e.Transport, e.Origin = "pages", "s", "stdio", scanner.Origin{File: "pages", Line: 1, Column: 1}
			return &e
		}
		now := &baseline.Identity{Transport: "stdio", Command: "npx", Args: []string{"-y", "pages-mcp@1.2.0"}, Cwd: "/srv", Env: []string{"TOKEN"},
			Ecosystem: launch.NPM, Package: "pages-mcp", Version: "1.2.0", Exact: true, Found: onThisMachine}
		src := replay.Events([]*scanner.Event{at(scanner.Event{Kind: scanner.StartedEvent, Identity: now}), at(scanner.Event{Direction: mcp.ServerToClient,
			Frame: []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"fetch_page","description":"Fetches a page.","inputSchema":{"type":"object"}}]}}`)})})
		var told []string
		_, err := e.Against(approved(tt.lock), approved(whole)).Run(context.Background(), src, each(func(f *scanner.Finding) {
			if f.Severity >= scanner.High {
				told = append(told, fmt.Sprintf("%s %s", f.Severity, f.Rule.ID))
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Sort(told); strings.Join(slices.Compact(told), ", ") != tt.want {
			t.Errorf("%s was removed: %q, want %q", tt.name, told, tt.want)
		}
	}
}
