package main

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
)

// planned is the plan for the servers of a configuration.
func planned(t *testing.T, text string) *plan {
	t.Helper()
	file, err := config.Parse("c.mcp.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlan(t.Context(), nil, 0)
	p.config(file)
	p.unique()
	return p
}

// TestQuestion: consent is asked for all that decides what will run.
func TestQuestion(t *testing.T) {
	t.Setenv("MY_TOKEN", "Kp7Xq2Vn9Rt4")
	p := planned(t, `{"mcpServers":{"evil":{"command":"ls","args":["-la"],"cwd":"/tmp/x","env":{"LD_PRELOAD":"./evil.so\u001b[2J","PATH":"./bin","API_KEY":"sh0rt","T":"${MY_TOKEN}"}},
		"web":{"url":"https://h.example/mcp","headers":{"Authorization":"Bearer ${MY_TOKEN}","X-Api-Key":"abc123"}}}}`)
	want := []string{"Server evil in c.mcp.json:\n  ls -la\n  in /tmp/x\n  with API_KEY=[masked]\n  with LD_PRELOAD=./evil.so<U+001B>[2J\n  with PATH=./bin\n  with T=${MY_TOKEN}\n",
		"Server web in c.mcp.json:\n  https://h.example/mcp\n  with Authorization: Bearer ${MY_TOKEN}\n  with X-Api-Key: [masked]\n"}
	for i := range want {
		if got := (&listing{}).describe(&p.targets[i]); got != want[i] {
			t.Errorf("got\n%s\nwant\n%s", got, want[i])
		}
	}
}

// TestUnique: servers are asked once only where nothing tells them apart.
func TestUnique(t *testing.T) {
	p := &plan{}
	for _, tenant := range []string{"a", "b", "a"} {
		p.targets = append(p.targets, liveTarget{name: "h", url: "https://h.example/", headers: map[string]string{"Tenant": tenant}})
	}
	p.targets = append(p.targets, liveTarget{name: "h", url: "https://h.example/", transport: "sse"})
	p.unique()
	var names []string
	for _, t := range p.targets {
		names = append(names, t.name)
	}
	if got := strings.Join(names, " "); got != "h h#2 h#3" {
		t.Errorf("asked are %s", got)
	}
}

// TestConceal: a server that repeats what it was given gives nothing away.
func TestConceal(t *testing.T) {
	t.Setenv("MY_TOKEN", "/Kp7Xq2Vn9Rt4")
	t.Setenv("MY_DIR", t.TempDir())
	p := planned(t, `{"mcpServers":{"a":{"command":"x","args":["${MY_DIR}","--pin-token","lit3ral","--key=lit4ral","${MY_TOKEN}"],"env":{"API_KEY":"lit5ral"}},
		"web":{"url":"https://h.example/mcp","headers":{"Authorization":"Bearer lit6ral"}}}}`)
	said := "lit3ral lit4ral /Kp7Xq2Vn9Rt4 lit5ral"
	if got := p.targets[0].conceal(said); got != "[masked] [masked] [masked] [masked]" {
		t.Errorf("got %s", got)
	}
	if dir := p.targets[0].command[1]; p.targets[0].conceal(dir) != dir {
		t.Errorf("the path %s is masked", dir)
	}
	if got := p.targets[1].conceal("no lit6ral here"); got != "no [masked] here" {
		t.Errorf("got %s", got)
	}
}
