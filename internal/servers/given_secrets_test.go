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
		"references":   {Target{Foreign: true, references: []string{"A=value-of-it", "B=/home/anna", "C=dev"}}, []string{"value-of-it"}, []string{"/home/anna", "dev"}},
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
		"connections": {Target{Env: []string{"DATABASE_URL=postgresql://app:q8Zt1LmX0vRb@db.acme-corp.net:5432/x", "DSN=host=db user=app password=k4Rt9w", "MYSQL=app:w7Hn2k@tcp(db:3306)/x",
			"MONGO=mongodb+srv://app:p%40ssW9rd@a.acme.net,b.acme.net:27017/x", "ADO=Server=db;User Id=app;Password=t5Jm8q;", "EXAMPLE=postgresql://postgres:postgres@localhost/x"},
			Command: []string{"npx", "some-server", "redis://:c3Vb6n@cache:6379/0", "npm:other-server@1.2.3"}},
			[]string{"q8Zt1LmX0vRb", "k4Rt9w", "w7Hn2k", "p@ssW9rd", "t5Jm8q", "c3Vb6n"}, []string{"postgres", "localhost", "app", "other-server"}},
		"nested": {Target{Env: []string{`MCP_HEADERS={"Authorization": "Bearer ntn_q8Zt1LmX0vRb6Y", "x": {"pass-phrase": 1, "password": "z2Xc4v"}, "region": "eu-central"}`, "LIST=Authorization: Bearer m6Nb8v, X-Region: eu-west",
			"STRIPE_SK=sk_live_" + "q8Zt1LmX0vRb6YwKp3NsD7uE", "BOT=xoxb-" + "281947263541-q8Zt1LmX0vRb6YwKp3Ns"}, Command: []string{"npx", "s", "--headers", `{"X-Api-Key": "a1Sd3f"}`}},
			[]string{"ntn_q8Zt1LmX0vRb6Y", "z2Xc4v", "m6Nb8v", "a1Sd3f", "sk_live_" + "q8Zt1LmX0vRb6YwKp3NsD7uE", "xoxb-" + "281947263541-q8Zt1LmX0vRb6YwKp3Ns"}, []string{"eu-central", "eu-west"}},
		"inherited": {Target{inherited: []string{"KSECRET=ghp_" + "q8Zt1LmX0vRb6YwKp3NsD7uEf5HcJ2aG9oTi", "MY_SECRET=sunflower"}}, []string{"ghp_" + "q8Zt1LmX0vRb6YwKp3NsD7uEf5HcJ2aG9oTi", "sunflower"}, nil},
		"sessions": {Target{Env: []string{"BW_SESSION=u8Yk2Qv7Zr1+TnB4sW0eHc6JmXp9Ld3f/GaRt5NoUiEb2Vx8KqYw1Zs4MhCj7PlOd6FgA3TnS0uBvIyXeR9kQw==", "OP_SESSION_acme=k3Wq9ZtX1vRb7YpL5mNd2HcJ8sGf4TaUeO6iQwErTyU",
			"TMUX_SESSION=agent-session-2026-01-31", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus"}},
			[]string{"u8Yk2Qv7Zr1+TnB4sW0eHc6JmXp9Ld3f/GaRt5NoUiEb2Vx8KqYw1Zs4MhCj7PlOd6FgA3TnS0uBvIyXeR9kQw==", "k3Wq9ZtX1vRb7YpL5mNd2HcJ8sGf4TaUeO6iQwErTyU"},
			[]string{"agent-session-2026-01-31", "unix:path=/run/user/1000/bus"}},
		"phrases": {Target{Env: []string{"GPG_PASSPHRASE=violet anchor plenty saddle"}, Command: []string{"s", "--passphrase", "copper meadow ticket window"}},
			[]string{"violet anchor plenty saddle", "copper meadow ticket window"}, []string{"saddle", "window"}},
		"written": {Target{Written: config.Server{Env: map[string]string{"MY_SECRET": "literal"}}}, []string{"literal"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			given, _ := c.target.given()
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
