package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestCases runs the cases in testdata/policies. Each has a policy, and lines with a
// verdict, a rule, a method and parameters.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/policies/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var p *policy.Policy
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, ".toml") {
					if p, err = ParsePolicy(f.Name, f.Data); err != nil {
						t.Fatal(err)
					}
					continue
				}
				requests(t, p, string(f.Data))
			}
		})
	}
}

func requests(t *testing.T, p *policy.Policy, lines string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		verdict, rest, _ := strings.Cut(line, " | ")
		rule, rest, _ := strings.Cut(rest, " | ")
		method, params, ok := strings.Cut(rest, " | ")
		if !ok {
			t.Fatalf("expected verdict | rule | method | parameters: %s", line)
		}
		method, server, _ := strings.Cut(method, " of ")
		d := p.Decide(requestOf(t, method, server, params))
		if d.Verdict.String() != verdict || d.Rule != rule {
			t.Errorf("%s\n got %s | %s (%s)", line, d.Verdict, d.Rule, d.Reason)
		}
	}
	if n == 0 {
		t.Error("no requests")
	}
}

// requestOf returns the request that the engine creates for a message.
func requestOf(t *testing.T, method, server, params string) *scanner.PolicyRequest {
	t.Helper()
	name, err := json.Marshal(method)
	if err != nil {
		t.Fatal(err)
	}
	var k keep
	e, err := scanner.New(nil, scanner.Options{Workers: 1, Policy: &k})
	if err != nil {
		t.Fatal(err)
	}
	from := mcp.ClientToServer
	if method == "sampling/createMessage" {
		from = mcp.ServerToClient
	}
	frame := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%s,"params":%s}`, name, params)
	event := &scanner.Event{Session: "s", Server: server, Direction: from, Frame: frame}
	if _, err := e.Run(t.Context(), replay.Events([]*scanner.Event{event}), k); err != nil {
		t.Fatal(err)
	}
	if k.request == nil {
		t.Fatalf("the engine saw no request in %s", frame)
	}
	return k.request
}

// keep is a policy that stores the request.
type keep struct{ request *scanner.PolicyRequest }

func (k *keep) Decide(r *scanner.PolicyRequest) scanner.Decision {
	k.request = r
	return scanner.Decision{}
}
func (keep) Event(*scanner.Event, *scanner.Outcome) error { return nil }
func (keep) Finding(*scanner.Finding) error               { return nil }
