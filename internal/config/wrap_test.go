package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const testProgram = "/opt/mcp scan/mcpscan"

var testWrapper = Wrapper{Program: testProgram, Options: ProxyOptions{Observe: true}}

func everything(*Server) bool { return true }

// leftAlone lists fixtures in which a server is defined twice, or shares its text
// with others.
var leftAlone = []string{"problems/x.json", "strays/crush.json", "toml/config.toml", "yaml/hermes.yaml", "yaml/librechat.yaml"}

func isTestProgram(program string) bool { return program == testProgram }

// TestWrapFixtures wraps every fixture of every client format, and checks that
// unwrapping restores its bytes.
func TestWrapFixtures(t *testing.T) {
	wrapped := 0
	for _, c := range archives(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, data := range [][]byte{c.data, []byte("\xef\xbb\xbf" + string(c.data)), bytes.ReplaceAll(c.data, []byte("\n"), []byte("\r\n"))} {
				n := wrapFixture(t, c.path, data)
				wrapped += n
				f, err := Parse(c.path, c.data)
				if err == nil && n == 0 && slices.ContainsFunc(f.Entries, func(e Server) bool { return Unwrappable(&e) == "" }) && !slices.Contains(leftAlone, c.name) {
					t.Errorf("nothing of it is wrapped")
				}
			}
		})
	}
	if wrapped < 100 {
		t.Errorf("only %d entries were wrapped", wrapped)
	}
}

// wrapFixture wraps all servers in a file, checks Wrap's guarantees, and returns the number of
// wrapped servers.
func wrapFixture(t *testing.T, path string, data []byte) (wrapped int) {
	before, err := Parse(path, data)
	if err != nil {
		return 0
	}
	after, outcomes, err := Wrap(path, data, testWrapper, everything)
	if err != nil {
		return 0 // a server is defined twice
	}
	seen, err := Parse(path, after)
	if err != nil {
		t.Fatal(err)
	}
	seen.SeeThrough(isTestProgram)
	for i, o := range outcomes {
		if o.Changed {
			wrapped++
		} else if o.Why == "" {
			t.Errorf("nothing is reported about %s", o.Server.Name)
		}
		if o.Changed != (seen.Entries[i].Proxy != nil) {
			t.Errorf("%s was wrapped: %v, and is seen through: %v", o.Server.Name, o.Changed, seen.Entries[i].Proxy)
		}
		seen.Entries[i].Proxy = nil
		if !alike(&before.Entries[i], &seen.Entries[i]) {
			t.Errorf("%s is %+v, and was %+v", o.Server.Name, seen.Entries[i], before.Entries[i])
		}
	}
	again, _, err := Wrap(path, after, testWrapper, everything)
	if err != nil || !bytes.Equal(again, after) {
		t.Errorf("wrapping twice is not wrapping once: %v\n%s", err, again)
	}
	back, _, err := Unwrap(path, after, everything)
	if err != nil || !bytes.Equal(back, data) {
		t.Errorf("%v\nunwrapped:\n%s\nwas:\n%s\nwrapped:\n%s", err, back, data, after)
	}
	return wrapped
}

// TestWrapAsWritten shows how wrap edits files that people maintain by hand.
func TestWrapAsWritten(t *testing.T) {
	for path, c := range map[string][2]string{
		".vscode/mcp.json": {`{
  // my servers
  "servers": {
    "files": {
      "command": "npx", // the launcher
      "args": [
        "-y",
        "files@1.0.0", /* pinned */
      ],
      "env": {"TOKEN": "${input:token}"}
    },
    "time": {
      "type": "stdio",
      "command": "uvx"
    },
  }
}`, `{
  // my servers
  "servers": {
    "files": {
      "command": "/bin/mcpscan", // the launcher
      "args": [
        "proxy", "--wrapped=args", "--name=files", "--env=TOKEN", "--", "npx",
        "-y",
        "files@1.0.0", /* pinned */
      ],
      "env": {"TOKEN": "${input:token}"}
    },
    "time": {
      "type": "stdio",
      "args": ["proxy", "--wrapped=no-args", "--name=time", "--", "uvx"],
      "command": "/bin/mcpscan"
    },
  }
}`},
		".codex/config.toml": {`[mcp_servers.files]
command = 'npx' # the launcher
args = ["-y", "files@1.0.0"]
env_vars = ["TOKEN"]

[mcp_servers.time]
  command = "uvx"
`, `[mcp_servers.files]
command = "/bin/mcpscan" # the launcher
args = ["proxy", "--wrapped=args", "--name=files", "--env=TOKEN", "--", 'npx', "-y", "files@1.0.0"]
env_vars = ["TOKEN"]

[mcp_servers.time]
  args = ["proxy", "--wrapped=no-args", "--name=time", "--", "uvx"]
  command = "/bin/mcpscan"
`},
		"goose/config.yaml": {`extensions:
  files:
    type: stdio
    cmd: npx # the launcher
    args:
      - -y
      - files@1.0.0
    envs: {TOKEN: x}
  time:
    type: stdio
    cmd: uvx
`, `extensions:
  files:
    type: stdio
    cmd: "/bin/mcpscan" # the launcher
    args:
      - "proxy"
      - "--wrapped=args"
      - "--name=files"
      - "--env=TOKEN"
      - "--"
      - npx
      - -y
      - files@1.0.0
    envs: {TOKEN: x}
  time:
    type: stdio
    args:
      - "proxy"
      - "--wrapped=no-args"
      - "--name=time"
      - "--"
      - uvx
    cmd: "/bin/mcpscan"
`},
		"opencode.json": {`{"mcp": {"files": {"type": "local", "command": ["npx", "-y", "files@1.0.0"], "environment": {"TOKEN": "{env:TOKEN}"}}}}`,
			`{"mcp": {"files": {"type": "local", "command": ["/bin/mcpscan", "proxy", "--wrapped=command", "--name=files", "--env=TOKEN", "--", "npx", "-y", "files@1.0.0"], "environment": {"TOKEN": "{env:TOKEN}"}}}}`},
	} {
		t.Run(path, func(t *testing.T) {
			got, _, err := Wrap(path, []byte(c[0]), Wrapper{Program: "/bin/mcpscan"}, everything)
			if err != nil || string(got) != c[1] {
				t.Errorf("%v\n%s", err, got)
			}
			if back, _, err := Unwrap(path, got, everything); err != nil || string(back) != c[0] {
				t.Errorf("unwrapped: %v\n%s", err, back)
			}
		})
	}
}

// TestNotWrapped checks that an entry that cannot be wrapped remains unchanged,
// with a reason.
func TestNotWrapped(t *testing.T) {
	for entry, why := range map[string]string{
		`{"url": "https://x.example/mcp"}`:                     "it is a remote server",
		`{"command": "x", "url": "https://x.example/mcp"}`:     "both command and url",
		`{"command": "npx -y x"}`:                              "contains arguments",
		`{"command": "~/bin/x"}`:                               "begins with ~",
		`{"command": "x", "args": "y"}`:                        "expected a list of strings",
		`{"command": "x", "args": ["y", {}]}`:                  "expected a string",
		`{"command": "x", "envFile": ".env"}`:                  "its variables come from the file",
		`{"command": "x", "command": "y"}`:                     "is defined twice",
		`{"command": "mcpscan", "args": ["proxy", "--", "x"]}`: "wrap did not write",
		`{"command": "x", "env": {"${A}": "b"}}`:               "looks like a variable reference",
		`{"command": "", "args": []}`:                          "neither command nor url",
		`"x"`:                                                  "expected an object",
		`{"command": "m", "args": ["proxy", "--wrapped=other", "--name=s", "--", "x"]}`: "",
	} {
		data := []byte(`{"mcpServers": {"s": ` + entry + `}}`)
		after, outcomes, err := Wrap(".mcp.json", data, testWrapper, everything)
		if err != nil {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		if why == "" {
			if !outcomes[0].Changed {
				t.Errorf("%s is not wrapped: %s", entry, outcomes[0].Why)
			}
			continue
		}
		if !bytes.Equal(after, data) || outcomes[0].Changed || !strings.Contains(outcomes[0].Why, why) {
			t.Errorf("%s: %q, want %q\n%s", entry, outcomes[0].Why, why, after)
		}
	}
	named := []byte(`{"mcpServers": {"a\u0000b": {"command": "x"}}}`)
	if after, outcomes, err := Wrap(".mcp.json", named, testWrapper, everything); err != nil || !bytes.Equal(after, named) || !strings.Contains(outcomes[0].Why, "U+0000") {
		t.Errorf("a name with NUL: %v %+v", err, outcomes)
	}
	twice := `{"mcpServers": {"s": {"command": "x"}, "s": {"command": "y"}}}`
	if _, _, err := Wrap(".mcp.json", []byte(twice), testWrapper, everything); err == nil || !strings.Contains(err.Error(), "defined twice") {
		t.Errorf("defined twice: %v", err)
	}
	many := `{"mcpServers": {"s": {"command": "x"}` + strings.Repeat(`, "%d": {"command": "x"}`, maxWrapped) + "}}"
	var numbers []any
	for i := range maxWrapped {
		numbers = append(numbers, i)
	}
	if _, _, err := Wrap(".mcp.json", fmt.Appendf(nil, many, numbers...), testWrapper, everything); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many: %v", err)
	}
}

// TestWrapAgain checks that an entry that was renamed, was given a variable, or starts mcpscan from
// another path is wrapped as if for the first time, and that it keeps its options unless others are
// requested.
func TestWrapAgain(t *testing.T) {
	entry := func(program, words string) string {
		return `{"mcpServers": {"s": {"args": ["proxy", "--wrapped=no-args", ` + words + `"--", "x"], "command": "` + program + `", "env": {"A": "a"}}}}`
	}
	want := entry(testProgram, `"--name=s", "--env=A", "--mode=observe", `)
	for what, written := range map[string]string{
		"renamed":       entry(testProgram, `"--name=r", "--env=A", "--mode=observe", `),
		"variable":      entry(testProgram, `"--name=s", "--mode=observe", `),
		"other place":   entry("/old/mcpscan", `"--name=s", "--env=A", "--mode=observe", `),
		"more variable": entry(testProgram, `"--name=s", "--env=A", "--env=B", "--mode=observe", `),
		"other flag":    entry(testProgram, `"--name=s", "--env=A", "--mode=observe", "--no-config", `),
	} {
		file, err := Parse(".mcp.json", []byte(written))
		if err != nil {
			t.Fatal(err)
		}
		if file.SeeThrough(isTestProgram); file.Entries[0].Proxy.Through || file.Entries[0].Args[0] != "proxy" {
			t.Errorf("%s: it is seen through", what)
		}
		got, outcomes, err := Wrap(".mcp.json", []byte(written), Wrapper{Program: testProgram}, everything)
		if err != nil || !outcomes[0].Changed || string(got) != want {
			t.Errorf("%s: %v %q\n%s\nwant\n%s", what, err, outcomes[0].Why, got, want)
		}
		if back, _, err := Unwrap(".mcp.json", []byte(written), everything); err != nil || strings.Contains(string(back), "proxy") {
			t.Errorf("%s: unwrapped: %v\n%s", what, err, back)
		}
	}
	if got, outcomes, err := Wrap(".mcp.json", []byte(want), Wrapper{Program: testProgram}, everything); err != nil || outcomes[0].Changed || string(got) != want {
		t.Errorf("its options changed: %v %q\n%s", err, outcomes[0].Why, got)
	}
	stop := func(o *ProxyOptions) { o.Observe = false }
	enforce, _, err := Wrap(".mcp.json", []byte(want), Wrapper{Program: testProgram, Change: stop}, everything)
	if err != nil || strings.Contains(string(enforce), "observe") {
		t.Errorf("it still observes: %v\n%s", err, enforce)
	}
}

// TestUnwrapEdited checks that unwrapping restores the server's command even if the entry
// was edited.
func TestUnwrapEdited(t *testing.T) {
	words := `"proxy", "--wrapped=no-args", "--name=s", "--", "x"`
	for written, want := range map[string]string{
		// more arguments after those written by wrap
		`{"command": "m", "args": [` + words + `, "-v"]}`: `{"command": "x", "args": ["-v"]}`,
		// sorted, and on several lines
		"{\n\"args\": [\n" + strings.ReplaceAll(words, ", ", ",\n") + "\n],\n\"command\": \"m\"}": "{\n\"command\": \"x\"}",
		// moved after the command
		`{"command": "m", "args": [` + words + `]}`: `{"command": "x", "args": []}`,
		// with a comment in between that must be preserved
		`{"args": [` + words + `], /* mine */ "command": "m"}`: `{"args": [], /* mine */ "command": "x"}`,
	} {
		got, outcomes, err := Unwrap(".mcp.json", []byte(`{"mcpServers": {"s": `+written+`}}`), everything)
		if err != nil || !outcomes[0].Changed || string(got) != `{"mcpServers": {"s": `+want+`}}` {
			t.Errorf("%s\n%v %q\n%s\nwant\n%s", written, err, outcomes[0].Why, got, want)
		}
	}
	byHand := []byte(`{"mcpServers": {"s": {"command": "mcpscan", "args": ["proxy", "--", "x"]}}}`)
	if got, outcomes, err := Unwrap(".mcp.json", byHand, everything); err != nil || !bytes.Equal(got, byHand) || !strings.Contains(outcomes[0].Why, "by hand") {
		t.Errorf("a proxy that wrap did not write: %v %v", err, outcomes)
	}
}

// TestUnwrapRewritten covers a client that rewrites its file with the same key order but
// other white space. Unwrapping must yield what the client would have written without wrap.
func TestUnwrapRewritten(t *testing.T) {
	rewritten := func(data []byte) []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "  "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	before := []byte(`{"mcpServers": {"a": {"command": "x", "args": ["-y", "b"]}, "c": {"args": [], "command": "x"}, "d": {"command": "x"},
		"e": {"command": "x", "args": null}, "f": {"type": "stdio", "command": "x", "args": [ ]}, "g": {"command": ["x"]}, "h": {"command": ["x", "y"]}}}`)
	after, _, err := Wrap(".mcp.json", before, testWrapper, everything)
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := Unwrap(".mcp.json", rewritten(after), everything)
	if err != nil || !bytes.Equal(back, rewritten(before)) {
		t.Errorf("%v\n%s", err, back)
	}
}

// TestNoHidingPlace checks that the server behind the proxy is inspected only if the
// entry is what wrap writes for this program; all other entries are inspected as
// written.
func TestNoHidingPlace(t *testing.T) {
	read := func(entry string) Server {
		t.Helper()
		f, err := Parse(".mcp.json", []byte(`{"mcpServers": {"s": `+entry+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		f.SeeThrough(isTestProgram)
		return f.Entries[0]
	}
	good := `{"command": "` + testProgram + `", "args": ["proxy", "--wrapped=args", "--name=s", "--env=A", "--", "x", "y"], "env": {"A": "a"}}`
	if e := read(good); e.Command != "x" || !slices.Equal(e.Args, []string{"y"}) || !e.Proxy.Through {
		t.Fatalf("not seen through: %+v", e)
	}
	for _, change := range [][2]string{
		{testProgram, "/tmp/mcpscan"},
		{testProgram, "mcpscan"},
		{testProgram, "./mcpscan"},
		{`"proxy", `, `"scan", `},
		{`"proxy", `, `"--config=x", "proxy", `},
		{`"--wrapped=args", `, ``},
		{`"--wrapped=args"`, `"--wrapped", "args"`},
		{`"--name=s", `, ``},
		{`"--name=s"`, `"--name=t"`},
		{`"--env=A", `, ``},
		{`"--env=A"`, `"--env=A", "--env=B"`},
		{`"--env=A"`, `"--env=A", "--inherit-env"`},
		{`"--env=A"`, `"--env=A", "--no-config"`},
		{`"--env=A"`, `"--env=A", "--disable=tool_poisoning"`},
		{`"--env=A"`, `"--env=A", "--config=mcpscan.yaml"`},
		{`"--env=A"`, `"--env=A", "--config=${HOME}/mcpscan.yaml"`},
		{`"--env=A"`, `"--env=A", "--config=/a", "--config=/b"`},
		{`"--env=A"`, `"--env=A", "--lockfile=/a", "--config=/b"`},
		{`"--env=A"`, `"--env=A", "--record=/etc/passwd"`},
		{`"--env=A"`, `"--env=A", "--format=json=/home/u/.bashrc"`},
		{`"--", "x"`, `"x"`},
		{`"--", "x"`, `"--", ""`},
		{`"env": {`, `"url": "https://x.example/mcp", "env": {`},
	} {
		entry := strings.Replace(good, change[0], change[1], 1)
		if e := read(entry); e.Command == "x" || e.Proxy != nil && e.Proxy.Through {
			t.Errorf("%s is seen through", entry)
		}
	}
}

// FuzzWrap checks that wrap and unwrap never panic, and that unwrap restores whatever
// wrap changes.
func FuzzWrap(f *testing.F) {
	for _, c := range archives(f) {
		f.Add(c.path, c.data)
		if wrapped, _, err := Wrap(c.path, c.data, testWrapper, everything); err == nil {
			f.Add(c.path, wrapped)
		}
	}
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		if len(data) > 4096 {
			return
		}
		plain, _, err := Unwrap(path, data, everything)
		if err != nil {
			return
		}
		file, err := Parse(path, plain)
		if err != nil || slices.ContainsFunc(file.Entries, func(e Server) bool { return e.Proxy != nil }) {
			return // a proxy in front of a proxy
		}
		wrapped, _, err := Wrap(path, plain, testWrapper, everything)
		if err != nil {
			t.Fatalf("%v, and it could be read:\n%s", err, plain)
		}
		back, _, err := Unwrap(path, wrapped, everything)
		if err != nil || !bytes.Equal(back, plain) {
			t.Errorf("%v\n%q\n%q\n%q", err, plain, wrapped, back)
		}
	})
}
