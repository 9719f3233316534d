package app

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/servers"
)

// planned returns the plan for the servers in a configuration.
func planned(t *testing.T, text string) *Plan {
	t.Helper()
	file, err := config.Parse("c.mcp.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlan(t.Context(), nil, 0)
	p.Config(file)
	p.Unique()
	return p
}

// TestQuestion checks that the question for consent contains everything that
// determines what will run.
func TestQuestion(t *testing.T) {
	t.Setenv("MY_TOKEN", "Kp7Xq2Vn9Rt4")
	p := planned(t, `{"mcpServers":{"evil":{"command":"ls","args":["-la"],"cwd":"/tmp/x","env":{"LD_PRELOAD":"./evil.so\u001b[2J","PATH":"./bin","API_KEY":"sh0rt","T":"${MY_TOKEN}"}},
		"web":{"url":"https://h.example/mcp","headers":{"Authorization":"Bearer ${MY_TOKEN}","X-Api-Key":"abc123"}}}}`)
	want := []string{"Server evil in c.mcp.json:\n  ls -la\n  in /tmp/x\n  with API_KEY=[masked]\n  with LD_PRELOAD=./evil.so<U+001B>[2J\n  with PATH=./bin\n  with T=${MY_TOKEN}\n",
		"Server web in c.mcp.json:\n  https://h.example/mcp\n  with Authorization: Bearer ${MY_TOKEN}\n  with X-Api-Key: [masked]\n"}
	for i := range want {
		if got := (&servers.Listing{}).Describe(&p.Targets[i]); got != want[i] {
			t.Errorf("got\n%s\nwant\n%s", got, want[i])
		}
	}
}

// TestUnique checks that entries are merged into one server only if nothing distinguishes them.
func TestUnique(t *testing.T) {
	p := &Plan{}
	for _, tenant := range []string{"a", "b", "a"} {
		p.Targets = append(p.Targets, servers.Target{Name: "h", URL: "https://h.example/", Headers: map[string]string{"Tenant": tenant}})
	}
	p.Targets = append(p.Targets, servers.Target{Name: "h", URL: "https://h.example/", Transport: "sse"})
	p.Unique()
	var names []string
	for _, t := range p.Targets {
		names = append(names, t.Name)
	}
	if got := strings.Join(names, " "); got != "h h#2 h#3" {
		t.Errorf("asked are %s", got)
	}
}

// TestConceal checks that secrets passed to a server are masked if the server repeats them.
func TestConceal(t *testing.T) {
	t.Setenv("MY_TOKEN", "/Kp7Xq2Vn9Rt4")
	t.Setenv("MY_DIR", t.TempDir())
	p := planned(t, `{"mcpServers":{"a":{"command":"x","args":["${MY_DIR}","--pin-token","lit3ral","--key=lit4ral","${MY_TOKEN}"],"env":{"API_KEY":"lit5ral"}},
		"web":{"url":"https://h.example/mcp","headers":{"Authorization":"Bearer lit6ral"}}}}`)
	said := "lit3ral lit4ral /Kp7Xq2Vn9Rt4 lit5ral"
	if got := p.Targets[0].Conceal(said); got != "[masked] [masked] [masked] [masked]" {
		t.Errorf("got %s", got)
	}
	if dir := p.Targets[0].Command[1]; p.Targets[0].Conceal(dir) != dir {
		t.Errorf("the path %s is masked", dir)
	}
	if got := p.Targets[1].Conceal("no lit6ral here"); got != "no [masked] here" {
		t.Errorf("got %s", got)
	}
}
