package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// verdict returns the verdict that a policy with one path pattern, refused or allowed, gives on a
// call with one argument.
func verdict(t *testing.T, action, pattern, name, text string) scanner.Verdict {
	t.Helper()
	p, err := ParsePolicy("p.toml", fmt.Appendf(nil, "[rules.r]\naction = %q\nmatch.resource_path = ['%s']\n", action, pattern))
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide(requestOf(t, "tools/call", "s", `{"name":"f","arguments":`+string(args)+`}`)).Verdict
}

// TestRefusedPaths checks that a path is refused however it is written.
func TestRefusedPaths(t *testing.T) {
	for _, c := range []struct {
		pattern string
		texts   []string
	}{
		{"/etc/**", []string{
			"/etc/passwd", "//etc//passwd", "/./etc/passwd", "/tmp/../etc/passwd", "/etc/", "/etc", "/etc/ssl/", "../../../etc/passwd",
			"%2fetc%2fpasswd", "%252fetc%252fpasswd", "/%65tc/passwd", `\etc\passwd`, `/tmp\..\etc\passwd`, "/etc/passwd\x00.png", "/e\x00tc/passwd",
			" /etc/passwd", "/etc/passwd\n", "file:///etc/passwd", "file:/etc/passwd", "file://localhost/etc/passwd", "host:/etc/passwd",
			"@/etc/passwd", "/proc/self/root/etc/passwd", "/private/etc/hosts", "~/../../etc/passwd", "/a/%2e%2e/etc/x", "/a/..%2fetc/x",
		}},
		{"~/.ssh/**", []string{
			"~/.ssh/id_rsa", "~/.ssh", "/home/anna/.ssh/id_rsa", "/Users/anna/.ssh/id_rsa", "/root/.ssh/id_rsa", `C:\Users\anna\.ssh\id_rsa`,
			`c:/Users/anna/.ssh/id_rsa`, `\\?\C:\Users\anna\.ssh\id_rsa`, "$HOME/.ssh/id_rsa", "${HOME}/.ssh/id_rsa", `%USERPROFILE%\.ssh\id_rsa`,
			"~anna/.ssh/id_rsa", "file:///home/anna/.ssh/id_rsa", "file:///C:/Users/anna/.ssh/id_rsa", "../../.ssh/id_rsa", ".ssh/id_rsa",
			"/mnt/c/Users/anna/.ssh/id_rsa", "~/x/../.ssh/id_rsa", "file://~/.ssh/id_rsa",
		}},
		{"/home/user/.ssh/**", []string{"~/.ssh/id_rsa", "~user/.ssh/id_rsa", "$HOME/.ssh/id_rsa", "/home/user/.ssh/"}},
		{`C:\Windows\**`, []string{`C:\Windows\System32`, "c:/Windows/x", `C:\Users\..\Windows\x`, "file:///C:/Windows/x", `C:\Windows.\x`, `C:\Windows. .\x`,
			`C:\Windows::$INDEX_ALLOCATION\x`, `\\localhost\c$\Windows\x`, `\\?\UNC\127.0.0.1\C$\Windows\x`, `\??\C:\Windows\x`, "/cygdrive/c/Windows/x"}},
		{`C:\key.pem`, []string{`C:\key.pem::$DATA`, `C:\key.pem.`, `C:\x\..\key.pem.`}},
		{`D:\x\**`, []string{"/mnt/d/x/y", "/d/x/y"}},
		{"**/.env", []string{"/srv/app/.env", "~/.env", `C:\app\.env`, "app/.env", "https://example.com/.env"}},
		{"/etc//./ssl/**", []string{"/etc/ssl/x"}},
		{"./src/**", []string{"./src/x", "src/x", "src/../src/x"}},
		{"file:///my%20docs/**", []string{"/my docs/x", "file:///my%20docs/x"}},
		{"/**", []string{"/x", "~/x", "file:///x"}},
		{"**/../**", []string{"/ok/../x"}},
		{"https://example.com/**", []string{"https://EXAMPLE.com/a", "https://example.com/b/../a", "HTTPS://example.com/%61"}},
	} {
		for _, text := range c.texts {
			for _, name := range []string{"path", "unnamed"} {
				if got := verdict(t, "deny", c.pattern, name, text); got != scanner.Block {
					t.Errorf("%s does not refuse %s = %q: %s", c.pattern, name, text, got)
				}
			}
			if got := verdict(t, "deny", c.pattern, "command", "cat -- '"+text+"'; ls"); !strings.Contains(text, "\x00") && got != scanner.Block {
				t.Errorf("%s does not refuse %q in a command: %s", c.pattern, text, got)
			}
		}
	}
}

// TestDisguisedPaths covers strings in which only lenient decoders, some file systems, or programs
// that split lists see a path. A rule that refuses the path must match, and a rule that allows the
// start of the string must not.
func TestDisguisedPaths(t *testing.T) {
	list := "/ok/a" + strings.Repeat(",/ok/b", 2*policy.MaxPieces)
	for _, text := range []string{
		"/ETC/passwd", "File:///Etc/Passwd", // a case-insensitive file system
		"/ok/%c0%ae%c0%ae/etc/passwd", "/ok/%c0%ae%c0%ae%c0%afetc/passwd", "/ok/%e0%80%ae%e0%80%ae/etc/x", "/ok/..%c1%9cetc", // overlong UTF-8
		"/ok/\uff0e\uff0e/etc/passwd", "/ok/..\uff0fetc", "/ok/..\u2215etc\u2044x", "/ok/.\u200b./etc/x", "/\uff45tc/passwd", "/e\u200btc/x",
		"/ok/....//....//etc/x", `/ok/....\\etc`, "/ok/..././etc/x", // the result of removing ../
		"/proc/4711/root/etc/passwd", "/proc/self/task/7/root/etc/passwd", "/proc/1/root/proc/2/root/etc/x",
		"/ok/a,/etc/passwd", "/ok/a:/etc/passwd", "/ok/a;/etc/x", "/ok/a|/etc/x", "/ok/a\n/etc/x", "/ok/a, \"/etc/x\"", "/ok/a,/ok/../etc/x:/ok/b", "/ok/a,../etc/x",
		"/ok/a /etc/passwd", "/ok/a\t/etc/passwd", "/ok/a\r/etc/passwd", "/ok/a&/etc/passwd", "/ok/a && /etc/passwd", "/ok/a\v/etc/x", "/ok/a\u00a0/etc/x",
		"/ok/a\u2028/etc/x", "/ok/a%20/etc/x", "/ok/a%0d/etc/x", "/ok/a --file=/etc/x", "/ok/a file:///etc/x", "/ok/a </etc/x>", `/ok/a \etc\x`, "/ok/a ('/etc/x')",
		"/etc/passwd /ok/b", "/ok/a\n\n/etc/x\n", "/ok/a \t, /etc/x", "see /etc/passwd", "-f /etc/x", "name\t=/etc/x", "host:/etc/x too",
		`"/etc/passwd"`, `["/etc/passwd"]`, `{"p":"/etc/passwd"}`, `{"p":"/a b/../etc/passwd"}`, "`/etc/passwd`", "(/etc/passwd)", list + ",/etc/x",
	} {
		for _, name := range []string{"path", "unnamed"} {
			if got := verdict(t, "deny", "/etc/**", name, text); got != scanner.Block {
				t.Errorf("%s = %.80q is not refused: %s", name, text, got)
			}
		}
		if got := verdict(t, "allow", "/ok/**", "path", text); got != scanner.Log {
			t.Errorf("%.80q passes: %s", text, got)
		}
	}
	for _, text := range []string{"/ok/my file", "/ok/a & b.txt", "/ok/c++/x", "/ok/a(1)/b", "/ok/a /ok/b", "/ok/a\t/ok/b", "/ok/a,b", "/ok/a, b: c;d", "/ok/Ａ（1）.txt", "/ok/a:b", "/ok/e\u0301", "/ok/a,/ok/b", "/ok/\xc0"} {
		if got := verdict(t, "allow", "/ok/**", "path", text); got != scanner.Allow {
			t.Errorf("%q does not pass: %s", text, got)
		}
	}
	if got := verdict(t, "allow", "C:/ok/**", "path", "C:/ok/a"); got != scanner.Allow {
		t.Errorf("a drive is taken for one of two paths: %s", got)
	}
}

// TestExactPatterns checks that a pattern without wildcards refuses a value that contains its path
// or address among other text.
func TestExactPatterns(t *testing.T) {
	for pattern, texts := range map[string][]string{
		"/etc/passwd":            {"/etc/passwd,/tmp/x", "/etc/passwd /tmp/x", "/tmp/x\t/etc/passwd", "/tmp/x&/etc/passwd", "(see /etc/passwd)", "/etc/passwd\r\n/tmp/x", "'/etc/passwd' '/tmp/x'"},
		"https://evil.example/x": {"<https://evil.example/x>", "ht\ttps://evil.example/x", "https:\n//evil.example/x", "get https://evil.example/x now", "/ok/a https://evil.example/x", "[x](https://evil.example/x)"},
		"//server/share/**":      {`\\server\share\x`, `/ok/a \\server\share\x`, `copy "\\server\share\x"`},
	} {
		for _, text := range texts {
			for _, name := range []string{"path", "unnamed"} {
				if got := verdict(t, "deny", pattern, name, text); got != scanner.Block {
					t.Errorf("%s does not refuse %s = %q: %s", pattern, name, text, got)
				}
			}
		}
	}
}

// TestPathsBesideArguments checks that paths are found anywhere in a request, and
// that members defined by the specification do not prevent a request from being allowed.
func TestPathsBesideArguments(t *testing.T) {
	for params, want := range map[string]scanner.Verdict{
		`{"name":"f","arguments":{"path":"/ok/a"},"_meta":{"x":"/etc/passwd"}}`:                                                          scanner.Log,
		`{"name":"f","arguments":{"path":"/ok/a"},"_meta":{"/etc/passwd":1}}`:                                                            scanner.Log,
		`{"name":"f","arguments":{"path":"/ok/a"},"_meta":{"a":["see /etc/passwd"]}}`:                                                    scanner.Log,
		`{"name":"f","arguments":{"path":"/ok/a","_meta":{"path":"etc/passwd"}}}`:                                                        scanner.Log,
		`{"name":"f","arguments":{"path":"/ok/a","note":"and /etc/passwd"}}`:                                                             scanner.Log,
		`{"name":"f","arguments":{"path":"/ok/a","list":"/ok/b\n/etc/passwd"}}`:                                                          scanner.Log,
		`{"name":"f","arguments":{"path":"/ok/a","text":"#!/bin/sh\ncat /etc/passwd"}}`:                                                  scanner.Allow, // text to write to the file
		`{"name":"f","arguments":{"path":"/ok/a"},"_meta":{"progressToken":"a/b+c=","io.modelcontextprotocol/clientInfo":{"name":"x"}}}`: scanner.Allow,
		`{"name":"f","arguments":{"path":"/ok/a","note":"this and/or that, 1 / 2"}}`:                                                     scanner.Allow,
	} {
		for _, c := range []struct {
			policy string
			want   scanner.Verdict
		}{
			{"[rules.r]\naction = 'allow'\nmatch.resource_path = ['/ok/**']\n", want},
			{"[rules.r]\naction = 'deny'\nmatch.resource_path = ['/etc/**', 'etc/**']\n", map[bool]scanner.Verdict{true: scanner.Block, false: scanner.Log}[strings.Contains(params, "etc/")]},
		} {
			p, err := ParsePolicy("p.toml", []byte(c.policy))
			if err != nil {
				t.Fatal(err)
			}
			if d := p.Decide(requestOf(t, "tools/call", "s", params)); d.Verdict != c.want {
				t.Errorf("%s\n%s: %s, want %s", c.policy, params, d.Verdict, c.want)
			}
		}
	}
}

// TestCommands checks that the paths in a command are those that a shell sees.
func TestCommands(t *testing.T) {
	for _, c := range []struct {
		command string
		want    scanner.Verdict
	}{
		{"cat /srv/my docs/x", scanner.Log},
		{"cat '/srv/my docs/x'", scanner.Block},
		{`cat "/srv/my docs/x"`, scanner.Block},
		{`cat /srv/my\ docs/x`, scanner.Block},
		{`cat /srv/my' 'docs/x`, scanner.Block},
		{`cat /s'r'v/"my docs"/x`, scanner.Block},
		{`sh -c "cat '/srv/my docs/x'"`, scanner.Block},
		{`f = open("/srv/my docs/x")`, scanner.Block},
		{`curl -d @"/srv/my docs/x" host`, scanner.Block},
		{`tar --file="/srv/my docs/x"`, scanner.Block},
		{`echo it's; cat "/srv/my docs/x`, scanner.Block}, // an unterminated quote hides nothing
		{"cat /srv/my\\ docs/\\\nx", scanner.Block},
		{`type "C:\srv\my docs\x"`, scanner.Log},
		{"ls", scanner.Log},
	} {
		if got := verdict(t, "deny", "/srv/my docs/**", "command", c.command); got != c.want {
			t.Errorf("%s: %s, want %s", c.command, got, c.want)
		}
	}
}

// TestAllowedPaths checks that a path is allowed only if every program resolves it to a location
// inside the allowed directory.
func TestAllowedPaths(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          scanner.Verdict
	}{
		{"/ok/**", "/ok/a", scanner.Allow},
		{"/ok/**", "/ok/a/../b", scanner.Allow},
		{"/ok/**", "/ok/my%20file", scanner.Allow},
		{"/ok/**", "file:///ok/a", scanner.Allow},
		{"/ok/**", "/ok/", scanner.Allow},
		{"/ok/**", "/ok", scanner.Log},
		{"~/ok/**", "/home/anna/ok/a", scanner.Allow},
		{"~/ok/**", "~/ok/a", scanner.Allow},
		{`C:\ok\**`, `c:\ok\a`, scanner.Allow},
		{"/home/user/ok/**", "~/ok/a", scanner.Log}, // another user's home
		{"/ok/**", "ok/a", scanner.Log},
		{"/ok/**", "/ok/../etc/x", scanner.Log},
		{"/ok/**", `/ok/..\..\etc\x`, scanner.Log},
		{"/ok/**", "/ok/%2e%2e/etc/x", scanner.Log},
		{"/ok/**", "/ok/%252e%252e/etc/x", scanner.Log},
		{"/ok/**", "/ok/%25252e%25252e/etc/x", scanner.Log},
		{"/ok/**", "/ok/%2525252e%2525252e/etc/x", scanner.Log}, // encoded in more layers than are decoded
		{"/ok/**", "/etc/x\x00/../../ok/a", scanner.Log},
		{"/ok/**", "file://host/ok/a", scanner.Log},
		{"/ok/**", "http://host/ok/a", scanner.Log},
		{"/ok/**", "", scanner.Log},
		{"**", "~/x", scanner.Allow},
		{"file:///my%20docs/**", "file:///my%20docs/x", scanner.Allow},
		{"./src/**", "src/x", scanner.Allow},
		{"../shared/*", "../shared/a", scanner.Allow},
		{"../shared/*", "x/../../shared/./a", scanner.Allow},
		{"../shared/*", "../../shared/a", scanner.Log},
		{"~/../shared/*", "~/../shared/a", scanner.Allow},
		{"/ok/**", `/etc/a\..\..\..\ok\x`, scanner.Log}, // one name in /etc if backslash is not a separator
	} {
		if got := verdict(t, "allow", c.pattern, "path", c.text); got != c.want {
			t.Errorf("%s on %q: %s, want %s", c.pattern, c.text, got, c.want)
		}
	}
}

// TestUnseenArguments checks that arguments that were not inspected neither satisfy
// an allow rule nor evade a rule that refuses.
func TestUnseenArguments(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte(`[rules.no]
action = "block"
match = { resource_path = ["/etc/**"], tool_name = ["read"] }
[rules.yes]
action = "allow"
match.resource_path = ["/ok/**"]
`))
	if err != nil {
		t.Fatal(err)
	}
	var pad strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&pad, `"/ok/%d",`, i)
	}
	long := "file:///" + strings.Repeat("x", policy.MaxPath)
	q, err := ParsePolicy("p.toml", []byte("[[rule]]\naction='allow'\ntool='**'\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := q.Decide(requestOf(t, "resources/read", "s", `{"uri":"`+long+`"}`)); d.Verdict != scanner.Block {
		t.Errorf("a URI that is too long to be read: %s", d.Verdict)
	}
	for tool, want := range map[string]string{"read": "no", "write": "default"} {
		d := p.Decide(requestOf(t, "tools/call", "s", `{"name":"`+tool+`","arguments":{"paths":[`+pad.String()+`"/etc/x"]}}`))
		if d.Rule != want || want == "no" && !strings.Contains(d.Reason, "exceeds the limits of the policy") {
			t.Errorf("%s: %s, %s", tool, d.Rule, d.Reason)
		}
	}
}

// TestWebAddresses checks that no notation of a URL evades a rule that refuses, or satisfies a rule that
// allows.
func TestWebAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"http://169.254.169.254/x":         true,
		"HTTP://user:pw@169.254.169.254/x": true,
		"http://h@u@169.254.169.254:80/x":  true,
		"http://169.254.169.254.:/x":       true,
		"http://2852039166/x":              true,
		"http://0xA9FEA9FE/x?q":            true,
		"http://0251.0376.43518/x":         true,
		"http://[::ffff:a9fe:a9fe]/y/../x": true,
		`http:\\169.254.169.254\x`:         true,
		"http:169.254.169.254/x":           true,
		"http://169.254.169.254":           true,
		"http://169.254.169.254?q":         true,
		"http://169.254.169.254#f":         true,
		"http://169.254.169.254:080/x":     true,
		"http://169.254.169.254:8080/x":    false,
		"https://169.254.169.254/x":        false,
		"http://169.254.169.254@h/x":       false,
		"http://169.254.169.254.h/x":       false,
		"http://h/http:169.254.169.254/x":  false,
		"http://h/?u=x@169.254.169.254/x":  false,
		"ftp://user@169.254.169.254/x":     false,
	} {
		if got := verdict(t, "deny", "http://169.254.169.254/**", "url", text); (got == scanner.Block) != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{"http://169.254.169.254", "http://169.254.169.254:80", "http://169.254.169.254/"} {
		if got := verdict(t, "deny", "http://169.254.169.254", "url", text); got != scanner.Block {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{"http://user@ok.example/x", "http://ok.example@h/x", "http://ok.example:80/x"} {
		if got := verdict(t, "allow", "http://ok.example/**", "url", text); got != scanner.Log {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestSeveralURIs checks that a request that names more than one resource, which JSON parsers read
// differently, passes only if the policy lets all of them pass.
func TestSeveralURIs(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte("[[rule]]\naction='deny'\ntool='file:///etc/**'\n[[rule]]\naction='allow'\ntool='file:///ok/**'\n[[rule]]\naction='allow'\ntool='https://**'\n"))
	if err != nil {
		t.Fatal(err)
	}
	for params, want := range map[string]string{
		`{"uri":"file:///ok/a"}`:                                                "rule 2",
		`{"uri":"file:///ok/a","uri":"file:///ok/b"}`:                           "rule 2",
		`{"uri":"file:///ok/a","uri":"file:///etc/passwd"}`:                     "rule 1",
		`{"uri":"file:///etc/passwd","uri":"file:///ok/a"}`:                     "rule 1",
		`{"uri":"file:///ok/a","URI":"file:///etc/passwd"}`:                     "rule 1",
		`{"uri":"file:///ok/a","uri":"file:///root/x"}`:                         "default",
		`{"uri":"file:///root/x","Uri":"file:///ok/a"}`:                         "default",
		`{"uri":"file:///ok/a","_meta":{"uri":"file:///etc/x"}}`:                "rule 2",
		`{"uri":"https://x/` + strings.Repeat("x", policy.MaxPath) + `"}`:       "default",
		`{"uri":"https://example.com/a","uri":"file:///ok/../etc/passwd"}`:      "rule 1",
		`{"uri":"https://example.com/a","uri":"https://example.com/b","n":"x"}`: "rule 3",
	} {
		if d := p.Decide(requestOf(t, "resources/read", "s", params)); d.Rule != want {
			t.Errorf("%.80s: %s, %s", params, d.Rule, d.Reason)
		}
	}
}

// TestJSONInStrings checks that escapes in a JSON text that is the value of an argument hide nothing
// from a rule that refuses, and do not affect a rule that allows.
func TestJSONInStrings(t *testing.T) {
	for text, want := range map[string]scanner.Verdict{
		`["\/etc\/shadow"]`:                      scanner.Block,
		`["\u002fetc\u002fshadow"]`:              scanner.Block,
		` [ "\u002fetc\u002fshadow", NaN ]`:      scanner.Block,
		`{"a":{"b":"\u002fetc\u002fshadow"}}`:    scanner.Block,
		`{"\u002fetc\u002fshadow":{}}`:           scanner.Block,
		`["[\"\\u002fetc\\u002fshadow\"]"]`:      scanner.Block,
		`["\u002fok\u002fx"]`:                    scanner.Log,
		`["\u002fetc\u002fshadow"`:               scanner.Log,
		strings.Repeat("[", 600) + `"\u002fetc"`: scanner.Block,
	} {
		for _, name := range []string{"paths", "items"} {
			if got := verdict(t, "deny", "/etc/**", name, text); got != want {
				t.Errorf("%s = %.60s: %s, expected %s", name, text, got, want)
			}
		}
	}
	p, err := ParsePolicy("p.toml", []byte("[[rule]]\naction='deny'\ntool='f'\nargs.items='/etc/**'\n[[rule]]\naction='allow'\ntool='f'\nargs.path='/ok/**'\n"))
	if err != nil {
		t.Fatal(err)
	}
	q, err := ParsePolicy("q.toml", []byte("[rules.yes]\naction='allow'\nmatch.resource_path=['/ok/**']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ params, p, q string }{
		{`{"name":"f","arguments":{"path":"/ok/x","items":"[\"\\u002fetc\\u002fx\"]"}}`, "rule 1", "default"},
		{`{"name":"f","arguments":{"path":"/ok/x.json","content":"{\n  \"a\": \"x\\n\\/etc\\/x\",\n  \"scr\\u0069pt\": \"run\"\n}\n"}}`, "rule 2", "yes"},
	} {
		r := requestOf(t, "tools/call", "s", c.params)
		if got := p.Decide(r); got.Rule != c.p {
			t.Errorf("%s: %s, expected %s", c.params, got.Rule, c.p)
		}
		if got := q.Decide(r); got.Rule != c.q {
			t.Errorf("%s: %s, expected %s", c.params, got.Rule, c.q)
		}
	}
}
