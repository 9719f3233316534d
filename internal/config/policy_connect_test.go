package config

import (
	"fmt"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestConnections covers the addresses that a request can contain in any string, and strings
// that are not addresses.
func TestConnections(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte("[rules.r]\naction = 'block'\nmatch.event_type = ['connect']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for argument, want := range map[[2]string]scanner.Verdict{
		{"url", "https://example.com/x"}:                  scanner.Block,
		{"x", "GOPHER://example.com/x"}:                   scanner.Block,
		{"x", "git+ssh://example.com/x"}:                  scanner.Block,
		{"x", "jdbc:mysql://db/x"}:                        scanner.Block,
		{"x", "view-source:http://example.com"}:           scanner.Block,
		{"x", "http%3A%2F%2Fexample.com"}:                 scanner.Block,
		{"x", `http:\\example.com`}:                       scanner.Block,
		{"url", "ht\ttp://example.com"}:                   scanner.Block,
		{"url", "//example.com/x"}:                        scanner.Block,
		{"url", "example.com:80"}:                         scanner.Block,
		{"host", "example.com"}:                           scanner.Block,
		{"hostname", "LOCALHOST"}:                         scanner.Block,
		{"ip", "::1"}:                                     scanner.Block,
		{"remote", "git@example.com:a/b"}:                 scanner.Block,
		{"command", "curl http://example.com"}:            scanner.Block,
		{"command", "cat </dev/tcp/192.0.2.1/80"}:         scanner.Block,
		{"uri", "file:///a.b/c"}:                          scanner.Log,
		{"url", "file:///a.b/c"}:                          scanner.Log,
		{"url", "/a.b/c"}:                                 scanner.Log,
		{"uri", "memory://notes/1"}:                       scanner.Log,
		{"path", "/srv/http/x.txt"}:                       scanner.Log,
		{"path", "C:/http/x"}:                             scanner.Log,
		{"text", "The page http://example.com has more."}: scanner.Block, // some servers fetch addresses that they find in text
		{"text", "See <https://example.com>."}:            scanner.Block,
		{"text", "first line\nsee (ssh://example.com)"}:   scanner.Block,
		{"x", "<http://example.com/x>"}:                   scanner.Block,
		{"x", "ht\ttp://example.com"}:                     scanner.Block,
		{"x", "ht\ntp://example.com"}:                     scanner.Block,
		{"x", "h\rtt\np://example.com"}:                   scanner.Block,
		{"x", "http:\n//example.com"}:                     scanner.Block,
		{"x", "ht\u200btp://example.com"}:                 scanner.Block,
		{"x", "\uff48ttps://example.com"}:                 scanner.Block,
		{"x", "fetch ht%0Atp%3A//example.com"}:            scanner.Block,
		{"x", "https:example.com"}:                        scanner.Block,
		{"x", `\\server\share\file`}:                      scanner.Block,
		{"x", `copy "\\192.0.2.1\c$\x" here`}:             scanner.Block,
		{"x", `\\?\UNC\server\share`}:                     scanner.Block,
		{"x", `\\server@SSL@443\DavWWWRoot\x`}:            scanner.Block,
		{"x", "//example.com/share"}:                      scanner.Block,
		{"x", `/\example.com/x`}:                          scanner.Block,
		{"uri", "file://server/share/x"}:                  scanner.Block,
		{"x", "rsync://example.com/m"}:                    scanner.Block,
		{"x", "user@example.com::module/x"}:               scanner.Block,
		{"x", "webdavs://example.com/x"}:                  scanner.Block,
		{"x", "jdbc:sqlserver://example.com"}:             scanner.Block,
		{"x", "mssql+pyodbc://example.com/db"}:            scanner.Block,
		{"x", "hg::https://example.com"}:                  scanner.Block,
		{"x", "hg://example.com/r"}:                       scanner.Block,
		{"x", "clone git@example.com:a/b now"}:            scanner.Block,
		{"x", `C:\srv\http\x`}:                            scanner.Log,
		{"x", `a pattern like \d+\\w`}:                    scanner.Log,
		{"x", "// a comment, and a ratio of 1:2"}:         scanner.Log,
		{"x", "bob@example.com: see std::fs::read"}:       scanner.Log,
		{"x", "the scheme http: is old"}:                  scanner.Log,
		{"name", "example.com"}:                           scanner.Log,
		{"host", "main"}:                                  scanner.Log,
		{"host", "2130706433"}:                            scanner.Block,
		{"url", "0x7f000001"}:                             scanner.Block,
		{"hosts", "12"}:                                   scanner.Log,
		{"options", `{"host": "example.com"}`}:            scanner.Block, // servers made with the Python SDK parse it
		{"options", `[{"port": 80, "host": 2130706433}]`}: scanner.Block,
		{"options", `{"name": "example.com"}`}:            scanner.Log,
		{"package", "npm:@scope/x"}:                       scanner.Log,
	} {
		d := p.Decide(requestOf(t, "tools/call", "s", fmt.Sprintf(`{"name":"f","arguments":{%q:%q}}`, argument[0], argument[1])))
		if d.Verdict != want {
			t.Errorf("%q: %s, want %s", argument, d.Verdict, want)
		}
	}
}

// TestConnectionsBesideArguments checks that addresses are also found in _meta and in
// nested arguments, and that _meta keys defined by the specification do not count as addresses.
func TestConnectionsBesideArguments(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte("[rules.r]\naction = 'block'\nmatch.event_type = ['connect']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for params, want := range map[string]scanner.Verdict{
		`{"name":"f","_meta":{"x":"http://example.com"}}`:                                                                  scanner.Block,
		`{"name":"f","_meta":{"a":[{"b":"see <http://example.com>"}]}}`:                                                    scanner.Block,
		`{"name":"f","arguments":{"_meta":{"x":"http://example.com"}}}`:                                                    scanner.Block,
		`{"name":"f","arguments":{"http://example.com/x":1}}`:                                                              scanner.Block,
		`{"name":"f","extra":["\\\\server\\share\\x"]}`:                                                                    scanner.Block,
		`{"name":"f","_meta":{"progressToken":"a:b/c","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1:2"}}}`: scanner.Log,
	} {
		if d := p.Decide(requestOf(t, "tools/call", "s", params)); d.Verdict != want {
			t.Errorf("%s: %s, want %s", params, d.Verdict, want)
		}
	}
}

// TestAllowedHosts checks that no address hides behind an allowed one.
func TestAllowedHosts(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte(`[rules.yes]
action = "allow"
match.resource_path = ["https://api.example.com/**", "db.example.com"]
[rules.no]
action = "block"
priority = 1
match.event_type = ["connect"]
`))
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{"url":"https://api.example.com/x"}`:                                            "yes",
		`{"url":"https://api.example.com/x","host":"db.example.com"}`:                    "yes",
		`{"url":"https://api.example.com/x","name":"example.org"}`:                       "yes",
		`{"url":"https://api.example.com/x","note":"first\n{\"host\":\"example.org\"}"}`: "yes",
		`{"url":"https://api.example.com/x","host":"example.org"}`:                       "no",
		`{"url":"https://api.example.com/x","proxy":"example.org:80"}`:                   "no",
		`{"url":"https://api.example.com/x","headers":{"Host":"example.org"}}`:           "no",
		`{"url":"https://api.example.com/x","server":2130706433}`:                        "no",
		`{"url":"https://api.example.com/x","to":"git@example.org:a"}`:                   "no",
		`{"url":"https://api.example.com/x","options":"{\"host\": \"example.org\"}"}`:    "no",
		`{"url":"https://api.example.com/x","options":"{\"host\": \"db.example.com\"}"}`: "yes",
	} {
		if d := p.Decide(requestOf(t, "tools/call", "s", `{"name":"f","arguments":`+arguments+`}`)); d.Rule != want {
			t.Errorf("%s: %s, expected %s", arguments, d.Rule, want)
		}
	}
}

// TestArgumentNotations checks that another notation of a value does not evade a rule that refuses.
func TestArgumentNotations(t *testing.T) {
	for _, c := range []struct {
		pattern, argument string
		want              scanner.Verdict
	}{
		{"users", `"users"`, scanner.Block},
		{"users", `["users"]`, scanner.Block},
		{"users", `"[\"users\"]"`, scanner.Block},
		{"users", `"{\"name\":\"users\"}"`, scanner.Block},
		{"users", `"[\"orders\"]"`, scanner.Log},
		{"users", `"Users"`, scanner.Block},
		{"**DROP**", `"/* */ drop table x"`, scanner.Block},
		{"1000", `1000`, scanner.Block},
		{"1000", `1e3`, scanner.Block},
		{"1000", `1000.0`, scanner.Block},
		{"1000", `"[1e3]"`, scanner.Block},
		{"1000", `1001`, scanner.Log},
		{"1e3", `1e3`, scanner.Block},
	} {
		p, err := ParsePolicy("p.toml", []byte("[[rule]]\naction='deny'\ntool='f'\nargs.a='"+c.pattern+"'\n[[rule]]\naction='log'\ntool='f'\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(requestOf(t, "tools/call", "s", `{"name":"f","arguments":{"a":`+c.argument+`}}`)); d.Verdict != c.want {
			t.Errorf("%s with %s: %s, expected %s", c.pattern, c.argument, d.Verdict, c.want)
		}
	}
}
