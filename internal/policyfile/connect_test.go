package policyfile

import (
	"fmt"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestConnections: the addresses that a request can name, and what is none.
func TestConnections(t *testing.T) {
	p, err := ParseTOML("p.toml", []byte("[rules.r]\naction = 'block'\nmatch.event_type = ['connect']\n"))
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
		{"text", "The page http://example.com has more."}: scanner.Log,
		{"name", "example.com"}:                           scanner.Log,
		{"host", "main"}:                                  scanner.Log,
		{"package", "npm:@scope/x"}:                       scanner.Log,
	} {
		d := p.Decide(requestOf(t, "tools/call", "s", fmt.Sprintf(`{"name":"f","arguments":{%q:%q}}`, argument[0], argument[1])))
		if d.Verdict != want {
			t.Errorf("%q: %s, want %s", argument, d.Verdict, want)
		}
	}
}
