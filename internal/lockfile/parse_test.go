package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// whole returns a lockfile with everything that a lockfile can contain.
func whole(t testing.TB) *File {
	t.Helper()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 10, 30, 0, 0, time.UTC) }
	shown := func(kind mcp.SubjectKind, sent string) Shown { return describe(kind, []byte(sent)) }
	seen := shown(mcp.ToolSubject, `{"name":"add","description":"Adds more.","inputSchema":{}}`)
	key := func(kind mcp.SubjectKind, name string) mcp.DefinitionKey {
		return mcp.DefinitionKey{Kind: kind, Name: name}
	}
	return &File{Path: Name, Servers: map[string]*Server{
		"calc": {Name: "calc", Info: mcp.ServerInfo{Name: "calc", Title: "Calculator", Version: "1.2", Protocol: "2025-11-25"},
			Client: &mcp.ClientInfo{Name: "mcpscan", Capabilities: []string{"roots", "sampling"}},
			Identity: &baseline.LockedIdentity{Identity: &baseline.Identity{Transport: "stdio", Command: "npx", Args: []string{"-y", "calc@1.2.0"}, Cwd: "/srv", Env: []string{"TOKEN"}, Ecosystem: launch.NPM,
				Package: "calc", Version: "1.2.0", Exact: true, Name: "calc", Found: configfile.Found{Resolved: "1.2.0", Integrity: "sha512-x", Executable: "/usr/bin/npx", Digest: "sha256-y"}},
				Approval: &Approval{By: "alice", At: day(4), Reason: "wanted"}, Seen: &baseline.Identity{Transport: "http", URL: "https://calc.example/mcp", Headers: []string{"Authorization"}, Name: "other"}},
			Entries: map[mcp.DefinitionKey]*Entry{
				key(mcp.ServerSubject, ""):   {Status: Approved, Approval: &Approval{By: baseline.FirstUse, At: day(1)}, Shown: shown(mcp.ServerSubject, `"Adds <b>\u0000</b>."`)},
				key(mcp.ToolSubject, "add"):  {Status: Changed, Approval: &Approval{By: "alice", At: day(2), Reason: "read it"}, Shown: shown(mcp.ToolSubject, `{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}`), Seen: &seen},
				key(mcp.ToolSubject, "a/b~"): {Status: Pending, Shown: shown(mcp.ToolSubject, `{"name":"a/b~","annotations":{},"_meta":{"n":1},"outputSchema":{}}`), Gone: true},
				key(mcp.PromptSubject, "p"):  {Status: Approved, Approval: &Approval{By: baseline.Auto, At: day(3)}, Shown: shown(mcp.PromptSubject, `{"name":"p"}`)},
				key(mcp.ResourceSubject, "file:///a"): {Status: Approved, Approval: &Approval{By: baseline.Auto, At: day(3)}, Shown: shown(mcp.ResourceSubject,
					`{"uri":"file:///a","name":"a"}`)},
				key(mcp.TemplateSubject, "file:///{x}"): {Status: Pending, Shown: shown(mcp.TemplateSubject, `{"uriTemplate":"file:///{x}","name":"t"}`)},
			}},
		"a":                  {Name: "a", Identity: &baseline.LockedIdentity{Identity: &baseline.Identity{Transport: "stdio", Command: "a"}, Pending: true}, Entries: map[mcp.DefinitionKey]*Entry{}},
		"":                   {Name: "", Entries: map[mcp.DefinitionKey]*Entry{}},
		"\u00e9\U0001f600 <": {Name: "\u00e9\U0001f600 <", Entries: map[mcp.DefinitionKey]*Entry{}},
	}}
}

func format(t testing.TB, f *File) []byte {
	t.Helper()
	b, err := f.Format()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same reports whether two files have the same content, ignoring positions.
func same(a, b *File) bool {
	bare := func(f *File) map[string]Server {
		servers := map[string]Server{}
		for name, s := range f.Servers {
			bare := *s
			bare.Place, bare.start, bare.end, bare.Entries = scanner.Location{}, 0, 0, map[mcp.DefinitionKey]*Entry{}
			for key, e := range s.Entries {
				c := *e
				c.Place, c.Definition = scanner.Location{}, canonical(e.Definition)
				if e.Seen != nil {
					seen := *e.Seen
					seen.Definition = canonical(seen.Definition)
					c.Seen = &seen
				}
				bare.Entries[key] = &c
			}
			servers[name] = bare
		}
		return servers
	}
	return reflect.DeepEqual(bare(a), bare(b))
}

func canonical(b []byte) []byte {
	var doc wire.Doc
	if doc.Parse(b) != nil {
		return b
	}
	return doc.AppendCanonical(nil, 0)
}

// TestFormat checks that formatting always yields the same bytes, and that reading them restores
// the file, with correct digests.
func TestFormat(t *testing.T) {
	first := format(t, whole(t))
	for range 50 { // map iteration order differs each time
		if again := format(t, whole(t)); !bytes.Equal(first, again) {
			t.Fatalf("written twice, it is not the same:\n%s\n%s", first, again)
		}
	}
	f, err := Parse(Name, first)
	if err != nil {
		t.Fatal(err)
	}
	if !same(f, whole(t)) {
		t.Errorf("it differs from what was written:\n%s\nagain:\n%s", first, format(t, f))
	}
	if err := f.Intact(); err != nil {
		t.Error(err)
	}
	for i, line := range strings.Split(string(first), "\n") {
		if strings.Count(line, `": `) > 1 && !strings.Contains(line, `"definition": "`) {
			t.Errorf("line %d has more than one property: %s", i+1, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	good := format(f, whole(f))
	f.Add(good)
	f.Add([]byte(`{"lockfile": "mcpscan.lock/v1", "servers": {}}`))
	f.Add(bytes.Replace(good, []byte("2026-01-02T10:30:00Z"), []byte("9999-12-31T23:59:59.5-01:00"), 1))
	f.Add(bytes.Replace(good, []byte(`"Calculator"`), []byte(`"\ud800"`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("x.lock", data)
		if err != nil {
			var told *Error
			if !errors.As(err, &told) || told.Line < 1 || told.Column < 1 || told.Line > 1+bytes.Count(data, []byte("\n")) {
				t.Fatalf("the error says no place in the file: %v", err)
			}
			return
		}
		once := format(t, file)
		again, err := Parse("x.lock", once)
		if err != nil {
			t.Fatalf("what is written cannot be read: %v\n%s", err, once)
		}
		if !same(file, again) {
			t.Fatalf("what was written is read differently:\n%s\n%s", data, once)
		}
		if twice := format(t, again); !bytes.Equal(once, twice) {
			t.Fatalf("written again, it is not the same:\n%s\n%s", once, twice)
		}
		if Is(once) != true {
			t.Fatal("what is written is not recognised")
		}
		for _, e := range file.Events(true) {
			if len(e.Frame) == 0 || e.Origin.Line < 1 {
				t.Fatalf("an event without a place: %+v", e)
			}
		}
	})
}

// TestParseErrors checks that errors contain the position of the problem, and say
// what to do.
func TestParseErrors(t *testing.T) {
	file := whole(t)
	locked := file.Servers["calc"].Identity
	file.Servers["calc"].Identity = &baseline.LockedIdentity{Identity: locked.Identity} // otherwise, its status would be found before those of the entries
	file.Servers["a"].Identity = nil
	good := string(format(t, file))
	digest := func(sent string) string { return describe(mcp.ToolSubject, []byte(sent)).Digest.String() }
	was := digest(`{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}`)
	for name, c := range map[string]struct{ old, now, want string }{
		"marks of a merge":                {"  \"servers\": {\n", "<<<<<<< HEAD\n  \"servers\": {\n", "x.lock:3:1: unresolved merge conflict; keep one side"},
		"the end of a merge":              {"  \"servers\": {\n", "  \"servers\": {\n>>>>>>> main\n", "x.lock:4:1: unresolved merge conflict"},
		"a later version":                 {"mcpscan.lock/v1", "mcpscan.lock/v2", `x.lock:2:15: /lockfile: version "mcpscan.lock/v2": this mcpscan reads mcpscan.lock/v1; use the mcpscan that wrote the file`},
		"no version":                      {`"lockfile"`, `"lock"`, `x.lock:1:1: the member "lockfile" is missing`},
		"a version of a number":           {`"mcpscan.lock/v1"`, `1`, `x.lock:1:1: the member "lockfile" is missing`},
		"no servers":                      {`"servers"`, `"server"`, `x.lock:3:13: /server: unknown member "server": expected lockfile, servers`},
		"an unknown member":               {`"status": "changed"`, `"status": "changed", "note": 1`, `/servers/calc/tools/add/note: unknown member "note": expected agentsh, approved, definition`},
		"an unknown member of a server":   {`"serverInfo": {}`, `"server": {}`, `/server: unknown member "server": expected client, identity`},
		"an unknown part":                 {`"parts": {}`, `"parts": {"title": "x"}`, `/parts/title: unknown member "title": expected description, inputSchema`},
		"a member twice":                  {`"status": "changed"`, `"status": "changed", "status": "approved"`, `/servers/calc/tools/add/status: duplicate member "status"; remove one`},
		"an entry twice":                  {`        "add": {`, `        "a\u0064d": {"status": "pending"},` + "\n" + `        "add": {`, `x.lock:`},
		"a server twice":                  {`    "a": {`, `    "calc": {},` + "\n" + `    "a": {`, `/servers/calc: duplicate member "calc"`},
		"no such status":                  {`"status": "changed"`, `"status": "trusted"`, `/servers/calc/tools/add: the status is "trusted": expected approved, pending or changed`},
		"no status":                       {",\n          \"status\": \"changed\"", "", `/servers/calc/tools/add: the status is "": expected approved, pending or changed`},
		"a status of a number":            {`"status": "changed"`, `"status": 1`, `/servers/calc/tools/add/status: expected a string, found a number`},
		"approved by nobody":              {`"status": "pending"`, `"status": "approved"`, `the status is "approved", but nobody approved it: the member "approved" is missing; restore the entry, or delete it and run mcpscan lock and mcpscan approve`},
		"changed by nobody":               {`"status": "pending"`, `"status": "changed"`, `the status is "changed", but nobody approved it`},
		"pending and approved":            {`"status": "changed"`, `"status": "pending"`, `/servers/calc/tools/add: the status is "pending", but "approved" names an approver; restore the entry, or delete it and run mcpscan lock and mcpscan approve`},
		"approved and seen":               {`"status": "changed"`, `"status": "approved"`, `/servers/calc/tools/add: the status is "approved": entries with the status "changed" have the member "seen", and others do not`},
		"another name":                    {"            \"name\": \"add\"\n          },\n          \"digest\"", "            \"name\": \"sub\"\n          },\n          \"digest\"", `/servers/calc/tools/add/definition: the definition is named "sub", but its entry is named "add"`},
		"another address":                 {`"uri": "file:///a"`, `"uri": "file:///b"`, `/servers/calc/resources/file:~1~1~1a/definition: the definition is named "file:///b", but its entry is named "file:///a"`},
		"no definition":                   {`"definition": "Adds`, `"definitions": "Adds`, `/servers/calc/instructions/definitions: unknown member "definitions"`},
		"a bad digest":                    {was, was[:20], `/servers/calc/tools/add/digest: invalid digest "` + was[:20] + `": expected sha256- and 43 characters of base64url`},
		"an empty digest":                 {was, "", `/servers/calc/tools/add/digest: invalid digest ""`},
		"a digest in hex":                 {was, "sha256-" + strings.Repeat("0", 64), `invalid digest`},
		"a digest with padding":           {was, was + "=", `invalid digest`},
		"a hostile digest":                {was, `\u001b[31m\u202e`, `/servers/calc/tools/add/digest: invalid digest "<U+001B>[31m<U+202E>"`},
		"a bad time":                      {"2026-01-02T10:30:00Z", "2 January", `/servers/calc/tools/add/approved: "at" is "2 January": expected a time such as 2026-01-06T10:30:00Z`},
		"a time beyond all years":         {"2026-01-02T10:30:00Z", "9999-12-31T23:59:59-01:00", `/servers/calc/tools/add/approved: "at" is "9999-12-31T23:59:59-01:00": expected a time such as`},
		"no approver":                     {`"by": "alice"`, `"by": ""`, `/servers/calc/tools/add/approved: "by" is missing: expected the name of the approver`},
		"a reason of a list":              {`"reason": "read it"`, `"reason": []`, `/servers/calc/tools/add/approved/reason: expected a string, found an array`},
		"instructions that are no string": {`"definition": "Adds <b>\u0000</b>."`, `"definition": ["Adds"]`, `/servers/calc/instructions/definition: expected a string, found an array`},
		"a tool that is no object":        {"            \"name\": \"p\"\n          }", "            \"name\": \"p\"\n          }, \"seen\": 1", `/servers/calc/prompts/p/seen: expected an object, found a number`},
		"arguments that are no list":      {"\"args\": [\n          \"-y\",\n          \"calc@1.2.0\"\n        ]", `"args": 1`, `/servers/calc/identity/args: expected an array of strings, found a number`},
		"an argument of a number":         {`"-y",`, `1,`, `/servers/calc/identity/args/0: expected a string, found a number`},
		"exact of a string":               {`"exact": true`, `"exact": "true"`, `/servers/calc/identity/exact: expected true or false, found a string`},
		"listed of a number":              {`"listed": false`, `"listed": 0`, `/servers/calc/tools/a~1b~0/listed: expected true or false, found a number`},
		"tools in a list":                 {`"prompts": {`, `"prompts": [], "p": {`, `unknown member "p"`},
		"a capability of null":            {`"roots",`, `null,`, `/servers/calc/client/capabilities/0: expected a string, found null`},
		"an identity approved by nobody":  {`"args": [`, `"status": "approved", "args": [`, `/servers/calc/identity: the status is "approved", but nobody approved it`},
		"an identity seen, not changed":   {`"args": [`, `"status": "pending", "seen": {}, "args": [`, `/servers/calc/identity: the status is "pending": entries with the status "changed" have the member "seen", and others do not`},
		"an identity seen, of nothing":    {`"args": [`, `"seen": {"status": "approved"}, "args": [`, `/servers/calc/identity/seen/status: unknown member "status"`},
		"no JSON":                         {`"servers": {`, `"servers": `, `restore the lockfile from version control, or delete it and write it again with mcpscan lock`},
		"two values":                      {"\n  }\n}\n", "\n  }\n}\n{}", `restore the lockfile from version control`},
		"a byte order mark":               {"{\n  \"lockfile\"", "\uFEFF{\n  \"lockfile\"", `x.lock:1:1: `},
		"no UTF-8":                        {"Calculator", "\xff", `restore the lockfile from version control`},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(good, c.old) {
				t.Fatalf("the lockfile has no %q:\n%s", c.old, good)
			}
			bad := strings.Replace(good, c.old, c.now, 1)
			_, err := Parse("x.lock", []byte(bad))
			var told *Error
			if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
			if told.Line < 1 || told.Column < 1 || told.Path != "x.lock" {
				t.Errorf("no place: %v", err)
			}
			if told.Pointer != "" { // the pointer leads to the reported position
				checkPlace(t, bad, told)
			}
		})
	}
}

// TestParseErrorsOfWholeFiles checks the errors for files that are not lockfiles.
func TestParseErrorsOfWholeFiles(t *testing.T) {
	const head = `{"lockfile": "mcpscan.lock/v1", "servers": `
	for text, want := range map[string]string{
		"":                                       "x.lock:1:1: ",
		"[]":                                     "x.lock:1:1: expected a lockfile (an object), found an array",
		"{}":                                     `x.lock:1:1: the member "lockfile" is missing: not an mcpscan lockfile, or only part of one`,
		`{"lockfile": "mcpscan.lock/v1"}`:        `x.lock:1:1: the member "servers" is missing; restore the lockfile, or delete it and write it again with mcpscan lock`,
		head + "[]}":                             "x.lock:1:44: /servers: expected an object, found an array",
		head + `{"a": null}}`:                    "x.lock:1:50: /servers/a: expected an object, found null",
		head + `{"a": {"tools": []}}}`:           "/servers/a/tools: expected an object, found an array",
		head + `{"a": {"tools": {"t": "x"}}}}`:   "/servers/a/tools/t: expected an object, found a string",
		head + `{"a": {"tools": {"t": {}}}}}`:    `/servers/a/tools/t: the member "definition" is missing`,
		head + `{"a": {"serverInfo": 1}}}`:       "/servers/a/serverInfo: expected an object, found a number",
		head + `{"a": {"client": {"name": 1}}}}`: "/servers/a/client/name: expected a string, found a number",
		head + strings.Repeat("[", 600):          "nesting is deeper than 512",
	} {
		_, err := Parse("x.lock", []byte(text))
		var told *Error
		if !errors.As(err, &told) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// checkPlace checks that an error's position matches its pointer.
func checkPlace(t *testing.T, text string, e *Error) {
	t.Helper()
	var doc wire.Doc
	doc.MaxNodes = 1 << 20
	if err := doc.Parse([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for i := range doc.Nodes {
		if string(doc.AppendPointer(nil, 0, i)) != e.Pointer {
			continue
		}
		before := text[:doc.Nodes[i].Start]
		line, column := 1+strings.Count(before, "\n"), 1+len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
		if line == e.Line && column == e.Column {
			return
		}
	}
	t.Errorf("%s is not at %d:%d", e.Pointer, e.Line, e.Column)
}

// TestCutOff checks that a truncated lockfile is rejected, wherever it ends.
func TestCutOff(t *testing.T) {
	good := format(t, whole(t))
	for n := range len(good) - 1 { // without the last line feed, it is complete
		_, err := Parse("x.lock", good[:n])
		var told *Error
		if !errors.As(err, &told) || !strings.HasPrefix(err.Error(), fmt.Sprintf("x.lock:%d:", told.Line)) || told.Line > 1+bytes.Count(good[:n], []byte("\n")) {
			t.Fatalf("cut off after %d bytes: %v", n, err)
		}
	}
	if _, err := Parse("x.lock", good[:len(good)-1]); err != nil {
		t.Error(err)
	}
}
