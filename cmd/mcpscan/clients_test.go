package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// besideEverything returns the entry point of server-everything and the directory of another MCP
// package installed beside it, or skips the test.
func besideEverything(t *testing.T, name string) (server, dir string) {
	t.Helper()
	server = everything(t)
	dir = filepath.Join(filepath.Dir(server), "..", "..", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("@modelcontextprotocol/%s is not installed beside server-everything", name)
	}
	return server, dir
}

// connections returns lists of ways to connect to server-everything, directly and through the
// proxy. All connections in a list must give the same results.
func connections(t *testing.T, server string) [][]connectionTo {
	t.Helper()
	address := freeAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	remote := exec.Command("node", server, "streamableHttp")
	remote.Env = append(os.Environ(), "PORT="+port)
	if err := remote.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remote.Process.Kill(); _ = remote.Wait() })
	waitFor(t, address)
	upstream := startHTTPProxy(t, "--no-config", "--upstream", "http://"+address+"/mcp")
	started := startHTTPProxy(t, "--no-config", "--servers", configFor(t, []string{"node", server}), "--run-servers")
	t.Cleanup(func() { upstream.end(t); started.end(t) })
	return [][]connectionTo{{
		{"stdio", []string{"--", "node", server}},
		{"stdio through the proxy", []string{"--", "mcpscan", "proxy", "--no-config", "--session", "off", "-q", "--", "node", server}},
		{"stdio through the proxy over HTTP", []string{started.url}},
	}, {
		{"HTTP", []string{"http://" + address + "/mcp"}},
		{"HTTP through the proxy", []string{upstream.url}},
	}}
}

// connectionTo is a way to connect to a server: a URL, or -- and a command.
type connectionTo struct {
	name string
	way  []string
}

// configFor writes a client configuration with a server named mcp that the command starts. The name
// is mcp because the inspector replaces the path in any URL with /mcp.
func configFor(t *testing.T, command []string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "mcp.json")
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"mcp": clientEntry{command[0], command[1:]}}})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Error(err) // it need not be the goroutine of the test
	}
	return file
}

// TestSDKClient checks that a client built with the official TypeScript SDK gets the same results
// with and without the proxy: progress, cancellation, sampling, elicitation, roots and tasks.
func TestSDKClient(t *testing.T) {
	server, sdk := besideEverything(t, "sdk")
	compareWays(t, connections(t, server), func(ctx context.Context, way []string) *exec.Cmd {
		return exec.CommandContext(ctx, "node", append([]string{filepath.Join("testdata", "client.mjs"), sdk}, way...)...)
	}, []string{"server:", "tools:", "echo:", "progress: [{", "cancelled: \"MCP error -32001", "sampling:", "elicitation:", "roots:", "task: [", `"[\"roots\"]"`})
}

// compareWays runs a client over each connection, and checks that it prints the same for all
// connections in a list. The lists run in parallel.
func compareWays(t *testing.T, lists [][]connectionTo, client func(context.Context, []string) *exec.Cmd, wants []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, ways := range lists {
		all.Go(func() {
			first := ""
			for n, c := range ways {
				var errs bytes.Buffer
				cmd := client(ctx, c.way)
				cmd.Stderr = &errs
				out, err := cmd.Output()
				got := string(out)
				if err != nil {
					t.Errorf("%s: %v\n%s%s", c.name, err, got, errs.String())
				}
				switch {
				case n > 0:
					if got != first {
						t.Errorf("%s:\n%s\n%s:\n%s", ways[0].name, first, c.name, got)
					}
					continue
				case got == "":
					t.Errorf("%s: no output: %s", c.name, errs.String())
				}
				first = got
				for _, want := range wants {
					if !strings.Contains(got, want) {
						t.Errorf("%s: the output lacks %s:\n%s", c.name, want, got)
					}
				}
			}
		})
	}
	all.Wait()
}

// TestInspector checks that the official inspector's command line gets the same results with and
// without the proxy.
func TestInspector(t *testing.T) {
	server, dir := besideEverything(t, "inspector")
	main := filepath.Join(dir, "cli", "build", "cli.js")
	ways := connections(t, server)
	for _, call := range []struct {
		args []string
		want string
	}{
		{[]string{"--method", "tools/list"}, `"echo"`},
		{[]string{"--method", "resources/templates/list"}, `"uriTemplate"`},
		{[]string{"--tool-arg", "duration=1", "steps=2", "--tool-name", "trigger-long-running-operation", "--method", "tools/call"}, "operation completed"},
	} {
		compareWays(t, ways, func(ctx context.Context, way []string) *exec.Cmd {
			args := append([]string{main, "--cli"}, call.args...)
			if way[0] == "--" { // in a script: the inspector takes a -- among the arguments for its own
				script := filepath.Join(t.TempDir(), "server")
				if err := os.WriteFile(script, []byte("#!/bin/sh\nexec "+strings.Join(way[1:], " ")+"\n"), 0o700); err != nil {
					t.Error(err)
				}
				args = append(args, "--config", configFor(t, []string{script}), "--server", "mcp")
			} else {
				args = append(args, way[0], "--transport", "http")
			}
			cmd := exec.CommandContext(ctx, "node", args...)
			cmd.Stdin = strings.NewReader("")
			return cmd
		}, []string{call.want})
	}
}
