package servers

import (
	"slices"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
)

// TestGiven checks that a value given to a server is recognised as a secret by its name or its
// format.
func TestGiven(t *testing.T) {
	basic := "dXNlcjpodW50ZXIyMg==" // user:hunter22
	for name, c := range map[string]struct {
		target Target
		secret []string
		plain  []string
	}{
		"headers": {Target{Headers: map[string]string{"Authorization": "Bearer first-secret", "X-Api-Key": "second", "Cookie": "a=1; sid=third-one", "X-Region": "us-east-1-production", "X-Session": "4f9d2c7be01a63d5"}, Foreign: true},
			[]string{"first-secret", "second", "third-one", "4f9d2c7be01a63d5"}, []string{"us-east-1-production"}},
		"command line": {Target{Headers: map[string]string{"X-Tenant": "acme-corp", "Accept": "application/json"}}, []string{"acme-corp"}, []string{"application/json"}},
		"references":   {Target{Foreign: true, secrets: []string{"value-of-it", "/home/anna", "dev"}}, []string{"value-of-it"}, []string{"/home/anna", "dev"}},
		"basic":        {Target{Headers: map[string]string{"authorization": "Basic " + basic}}, []string{"hunter22", basic}, nil},
		"proxy":        {Target{Headers: map[string]string{"Proxy-Authorization": "Token abcdef"}}, []string{"abcdef"}, nil},
		"env":          {Target{Env: []string{"DB_PASSWORD=hunter2", "MODEL=claude-sonnet-4-20250514", "ROOT=/srv/data/project-2024", "UNNAMED=8f14e45fceea167a5a36"}}, []string{"hunter2", "8f14e45fceea167a5a36"}, []string{"claude-sonnet-4-20250514", "/srv/data/project-2024"}},
		"args":         {Target{Command: []string{"npx", "mcp-remote", "--token", "abc123x", "API_KEY=zyx987", "Authorization: Bearer q1w2e3r4", "8f14e45fceea167a5a36", "mcp-server-sqlite3"}}, []string{"abc123x", "zyx987", "q1w2e3r4", "8f14e45fceea167a5a36"}, []string{"mcp-remote", "mcp-server-sqlite3"}},
		"code": {Target{Command: []string{"sh", "-c", `API_KEY=zyx987 exec node server.js --token=abc123x "--header=Authorization: Bearer q1w2e3r4"`}}, []string{"zyx987", "abc123x", "q1w2e3r4"},
			[]string{"server.js", "node"}},
		"quoted code":  {Target{Command: []string{"bash", "-lc", `DB_PASSWORD='two words' npx -y some-server --api-key 'zyx987'`}}, []string{"two words", "zyx987"}, []string{"some-server", "npx"}},
		"url":          {Target{URL: "https://u:passw0rd@h.example/mcp?api_key=qu3ry1&page=overview"}, []string{"passw0rd", "qu3ry1"}, []string{"overview"}},
		"path":         {Target{URL: "https://mcp.example/s/aB3xK9mQ2pL7vR4tY8wZ1nC6/sse"}, []string{"aB3xK9mQ2pL7vR4tY8wZ1nC6"}, []string{"s", "sse"}},
		"path in args": {Target{Command: []string{"npx", "mcp-remote", "https://mcp.example/s/aB3xK9mQ2pL7vR4tY8wZ1nC6/sse"}}, []string{"aB3xK9mQ2pL7vR4tY8wZ1nC6"}, []string{"mcp-remote"}},
		"written":      {Target{Written: config.Server{Env: map[string]string{"MY_SECRET": "literal"}}}, []string{"literal"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			given := c.target.Given()
			for _, s := range c.secret {
				if !slices.Contains(given, s) {
					t.Errorf("%q is missing in %q", s, given)
				}
			}
			for _, s := range c.plain {
				if slices.Contains(given, s) {
					t.Errorf("%q is taken for a secret", s)
				}
			}
		})
	}
}
